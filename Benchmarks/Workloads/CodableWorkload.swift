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
  ///   - hasRules: Whether the sizes of other formats by their rules are given, too.
  ///   - targets: What Keepsake's size is held to.
  ///   - remark: Looks at a decoded value and says something for the last column.
  init<Value: Codable & Equatable>(
    title: String,
    unit: TimeUnit,
    value: Value,
    hasFloor: Bool = true,
    floor: Contender? = nil,
    extras: [Contender] = [],
    alternatives: [Contender] = [],
    hasRules: Bool = false,
    targets: [SizeTarget] = [],
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
    if hasRules { contenders += [.protocolBuffers(value), .messagePack(value)] }
    self.init(title: title, unit: unit, contenders: contenders, targets: targets)
  }

  /// The same, with every contender of Keepsake failed to which something else than `note` was remarked: where others
  /// may lose something, Keepsake may not.
  func failingKeepsake(without note: String) -> PreparedWorkload {
    var workload = self
    workload.contenders = contenders.map { contender in
      guard contender.role == .keepsake else { return contender }
      return contender.changing { trial in
        if let remark = trial.note, remark != note { trial = trial.failed(remark) }
      }
    }
    return workload
  }
}
