/// Compares the contents of two archives, not their bytes: objects may have other numbers.
struct ArchiveComparison {
  /// The first difference and its place; `nil` if the contents are the same.
  private(set) var firstDifference: String?

  private struct Pair {
    let own: ArchiveValue
    let other: ArchiveValue
    let path: String
  }

  private var waiting: [Pair] = []
  private var numbers: [Int: Int] = [:]

  init(_ own: ArchiveValue, _ other: ArchiveValue) throws(ArchiveError) {
    waiting = [Pair(own: own, other: other, path: "")]
    while firstDifference == nil, let pair = waiting.popLast() {
      guard let difference = try compare(pair) else { continue }
      firstDifference = "archived again, \(pair.path.isEmpty ? "the value" : pair.path) \(difference)"
    }
  }

  /// Returns the difference between two values without their members, and adds the members to `waiting`.
  private mutating func compare(_ pair: Pair) throws(ArchiveError) -> String? {
    guard try pair.own.className == pair.other.className else { return "is of another class" }
    let (number, otherNumber) = (try pair.own.objectNumber, try pair.other.objectNumber)
    guard (number == nil) == (otherNumber == nil) else { return "is nil in one of the two" }
    if let number, let otherNumber {
      if let known = numbers[number] { return known == otherNumber ? nil : "is another object" }
      numbers[number] = otherNumber
    }
    let (own, other) = (try pair.own.content, try pair.other.content)
    guard own.kind == other.kind else { return "is of another kind" }
    guard own.hasMembers, own.kind != .url else {
      return try own.isSameScalar(as: other) ? nil : "is another value"
    }
    let (members, otherMembers) = (try own.members(), try other.members())
    guard members.map(\.label) == otherMembers.map(\.label) else {
      return "has \(otherMembers.count) parts and had \(members.count), or others"
    }
    for (member, other) in zip(members, otherMembers).reversed() {
      let step = member.label.map { "\($0)" } ?? ""
      waiting.append(Pair(own: member.value, other: other.value, path: pair.path + step))
    }
    return nil
  }
}

extension ArchiveValue {
  fileprivate func isSameScalar(as other: ArchiveValue) throws(ArchiveError) -> Bool {
    if kind == .string { return try string.map(ExactString.init) == other.string.map(ExactString.init) }
    if kind == .url { return try urlParts == other.urlParts }
    let (range, otherRange) = (try byteRange, try other.byteRange)
    return try reader.array(of: UInt8.self, count: range.count, at: range.lowerBound)
      == other.reader.array(of: UInt8.self, count: otherRange.count, at: otherRange.lowerBound)
  }
}
