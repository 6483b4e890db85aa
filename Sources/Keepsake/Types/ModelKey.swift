internal import Synchronization

/// The key of a property of an `ArchivedModel`, or of a field that was declared by `ArchivedFields`.
///
/// Those of properties have a number in this process, the same for the same name, by which a session finds its own
/// number of the key without a look at the name.
struct ModelKey: RecordKey {
  let stringValue: String
  /// Negative for a name that was met in an archive.
  let number: Int

  /// The key of a property. There are as many as the program has names of properties.
  init(property name: String) {
    stringValue = name
    number = ModelKey.numbers.withLock { numbers in
      let number = numbers[ExactString(string: name)] ?? numbers.count
      numbers[ExactString(string: name)] = number
      return number
    }
  }

  init(stringValue: String) {
    self.stringValue = stringValue
    number = -1
  }

  init(intValue: Int) {
    self.init(stringValue: String(intValue))
  }

  var intValue: Int? { nil }

  private static let numbers = Mutex<[ExactString: Int]>([:])
}
