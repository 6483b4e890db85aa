/// The key of a property of an `ArchivedModel`, of a field declared by `ArchivedFields`, or of a record of an unknown
/// type. Keyed containers with such keys are records, not maps: their keys are few and known to the program, although
/// this is not an enumeration.
struct ModelKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init(intValue: Int) { self.init(stringValue: String(intValue)) }
}

extension CodingKey {
  /// Whether the keys are more than the cases of an enumeration, which have their names once and for all. A structure may
  /// look up its name, however small it is.
  static var isDynamic: Bool { MemoryLayout<Self>.size > 1 || !RuntimeMetadata.isEnumeration(self) }
}
