/// The key of a property of an `ArchivedModel`, of a field declared by `ArchivedFields`, or of a record of an unknown
/// type.
struct ModelKey: RecordKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init(intValue: Int) { self.init(stringValue: String(intValue)) }
}
