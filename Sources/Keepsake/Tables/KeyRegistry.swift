/// A string that equals another only if their UTF-8 does, so two spellings of one text remain two keys.
package struct ExactString: Hashable {
  package let string: String

  package init(string: String) { self.string = string }

  package static func == (left: ExactString, right: ExactString) -> Bool {
    left.string.withUTF8Bytes { left in right.string.withUTF8Bytes { left.hasSameBytes(as: $0) } }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(string.withUTF8Bytes { KeyHash.seeded.of($0) })
  }
}

/// The keys that the session has encoded, with numbers that hold within the session.
struct KeyRegistry {
  private(set) var names: [String] = []
  private var numbers: [ExactString: Int] = [:]

  mutating func number(for name: String) -> Int {
    let key = ExactString(string: name)
    if let number = numbers[key] { return number }
    let number = names.count
    names.append(name)
    numbers[key] = number
    return number
  }
}
