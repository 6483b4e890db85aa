extension PreparedWorkload {
  /// A workload for the contenders that take any Codable value, the floor first.
  ///
  /// - Parameters:
  ///   - hasFloor: Whether visiting the parts of the value is meaningful. It is not for a blob, whose bytes every coder
  ///     copies.
  ///   - floor: The floor, if it is not that of the value itself, because the value has types of Keepsake or types that
  ///     are read only in part.
  ///   - extras: Contenders that only this workload has. References to compare with come first, and coders last.
  ///   - alternatives: Contenders for the same data in another form. Those of Keepsake follow Keepsake, and the others
  ///     come last.
  ///   - hasRules: Whether to add the sizes of other formats by their rules.
  ///   - targets: The targets for Keepsake's size.
  ///   - remark: Makes a remark about a decoded value for the last column.
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

  /// The same workload, except that contenders of Keepsake fail if their remark is not `note`: other coders may lose
  /// something, but Keepsake may not.
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
