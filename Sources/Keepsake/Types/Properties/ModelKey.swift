/// The key of a property of an `ArchivedModel`, of a field declared by `ArchivedFields`, or of a record of an unknown
/// type. Keyed containers with such keys are records, not maps: their keys are few and known to the program, although
/// this is not an enumeration.
struct ModelKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init(intValue: Int) { self.init(stringValue: String(intValue)) }
}
