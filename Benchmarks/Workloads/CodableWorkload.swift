extension PreparedWorkload {
  /// A workload for the contenders that take any Codable value, the floor first.
  ///
  /// - Parameters:
  ///   - hasFloor: Whether visiting the value one by one says anything: not for a blob, of which every coder copies
  ///     the bytes.
  ///   - floor: The floor where it is not that of the value itself, since that holds types of Keepsake or types that
  ///     are read only in part.
  ///   - extras: Contenders only this workload has; they go to the top when they are references to compare with, and
  ///     to the end when they are coders.
  ///   - alternatives: Contenders for the same data in another form: those of Keepsake go behind Keepsake, the others
  ///     to the end.
  ///   - remark: Looks at a decoded value and says something for the last column.
  init<Value: Codable & Equatable>(
    title: String,
    unit: TimeUnit,
    value: Value,
    hasFloor: Bool = true,
    floor: Contender? = nil,
    extras: [Contender] = [],
    alternatives: [Contender] = [],
    remark: ((Value) throws -> String?)? = nil
  ) {
    let codable = CodableContenders(value: value, remark: remark)
    let others = extras + alternatives
    var contenders = extras.filter { $0.role != .other }
    if hasFloor { contenders.append(floor ?? codable.floor) }
    contenders += codable.keepsake
    contenders += alternatives.filter { $0.role == .keepsake }
    contenders += [codable.json, codable.propertyList]
    contenders += others.filter { $0.role == .other }
    self.init(title: title, unit: unit, contenders: contenders)
  }

  /// The same, with every contender of Keepsake failed to which something else than `note` was remarked: where others
  /// may lose something, Keepsake may not.
  func failingKeepsake(without note: String) -> PreparedWorkload {
    var workload = self
    for index in contenders.indices where contenders[index].role == .keepsake {
      guard let remark = contenders[index].note, remark != note else { continue }
      workload.contenders[index].failure = remark
      workload.contenders[index].encode = nil
      workload.contenders[index].decode = nil
    }
    return workload
  }
}
