extension PreparedWorkload {
  /// A workload for the contenders that take any Codable value, the floor first.
  ///
  /// - Parameters:
  ///   - hasFloor: Whether visiting the value one by one says anything: not for a blob, of which every coder copies
  ///     the bytes.
  ///   - extras: Contenders only this workload has; they go to the top when they are references to compare with, and
  ///     to the end when they are coders.
  ///   - remark: Looks at a decoded value and says something for the last column.
  init<Value: Codable & Equatable>(
    title: String,
    unit: TimeUnit,
    value: Value,
    hasFloor: Bool = true,
    extras: [Contender] = [],
    remark: ((Value) throws -> String?)? = nil
  ) {
    let codable = CodableContenders(value: value, remark: remark)
    var contenders = extras.filter { $0.role != .other }
    if hasFloor { contenders.append(codable.floor) }
    contenders += codable.keepsake
    contenders += [codable.json, codable.propertyList]
    contenders += extras.filter { $0.role == .other }
    self.init(title: title, unit: unit, contenders: contenders)
  }
}
