/// A string that equals another only if their UTF-8 does, so that two spellings of one text stay two keys.
struct ExactString: Hashable {
  let string: String

  static func == (left: ExactString, right: ExactString) -> Bool {
    left.string.utf8.elementsEqual(right.string.utf8)
  }

  func hash(into hasher: inout Hasher) {
    for byte in string.utf8 { hasher.combine(byte) }
  }
}

/// The keys met while encoding, each under a number that holds within the session.
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
