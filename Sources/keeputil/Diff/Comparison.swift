import Keepsake

/// Compares two archives from their top levels, and reports differences as it finds them.
///
/// It does not recurse. It visits each pair of objects once, so it ends even in cycles.
final class Comparison {
  enum Sign: Character {
    case added = "+"
    case removed = "-"
    case changed = "~"
  }

  /// Two values to compare, or one without a partner.
  private struct Pair {
    /// The last elements of its paths in the first and in the second archive.
    let labels: (PathElement, PathElement)
    let first: DiffSequence.Element?
    let second: DiffSequence.Element?
  }

  private struct Frame {
    let pairs: [Pair]
    var next = 0
    /// The number of elements in the path of the value that contains these.
    let depth: Int
    /// The estimated range of all work that these pairs take, within 0 to 1.
    let share: Range<Double>

    func share(ofPair index: Int) -> Range<Double> {
      let width = (share.upperBound - share.lowerBound) / Double(pairs.count)
      let start = share.lowerBound + width * Double(index)
      return start..<(start + width)
    }
  }

  private let first: DiffSide
  private let second: DiffSide
  private let report: (Sign, _ path: String, _ text: String) throws -> Void
  private let progress: Progress
  /// The estimated range of all work for the current pair. The pairs of a value divide its range equally.
  private var share = 0.0..<1.0
  private var frames: [Frame] = []
  private var path: [(PathElement, PathElement)] = []
  /// For each paired object of one archive, its partner in the other.
  private var partners: [Int: Int] = [:]
  private var reversePartners: [Int: Int] = [:]
  /// The excerpts of differing texts of the two string tables, by the numbers of the texts.
  private var differences: [[Int]: (String, String)] = [:]
  /// Pairs of weak references whose objects have no partners yet.
  private var weakPairs: [(first: Int, second: Int, path: String)] = []

  /// Each pair keeps its path as text. Beyond this number, only the classes are compared.
  private static let mostWeakPairs = 100_000
  /// The longest chain of references to values that is followed. In a valid archive, its length is one.
  private static let mostValueReferences = 4
  /// Longer keys and names are cut. Otherwise the name of many objects would multiply the output.
  static let longestName = 200
  private static let wholeWork = 1_000.0

  init(
    _ first: DiffSide,
    _ second: DiffSide,
    _ progress: Progress,
    report: @escaping (Sign, _ path: String, _ text: String) throws -> Void
  ) {
    self.first = first
    self.second = second
    self.progress = progress
    self.report = report
    for side in [first, second] { side.onStep = { [weak self] in self?.showProgress() } }
  }

  private func showProgress() {
    progress.update(Int(share.lowerBound * Comparison.wholeWork), of: Int(Comparison.wholeWork))
  }

  func run() throws {
    let (a, b) = try both(first.image, second.image) { try $1.topLevelValue }
    try compare(a, b)
    while let frame = frames.last {
      guard frame.next < frame.pairs.count else {
        frames.removeLast()
        continue
      }
      frames[frames.count - 1].next += 1
      path.removeSubrange(frame.depth...)
      path.append(frame.pairs[frame.next].labels)
      share = frame.share(ofPair: frame.next)
      showProgress()
      try compare(frame.pairs[frame.next])
    }
    try compareWeakPairs()
  }

  /// Calls `read` for both sides and returns the results. Errors name the file of the side.
  private func both<Thing, Result>(
    _ a: Thing,
    _ b: Thing,
    _ read: (DiffSide, Thing) throws -> Result
  ) throws -> (Result, Result) {
    (try first.input.reading { try read(first, a) }, try second.input.reading { try read(second, b) })
  }

  private func compare(_ pair: Pair) throws {
    switch (pair.first, pair.second) {
    case (.value(let a)?, .value(let b)?):
      let (a, b) = try both(a, b) { try $0.value(at: $1) }
      try compare(a, b)
    case (let a?, let b?):
      var (textA, textB) = try both(a, b) { try $0.text(of: $1) }
      if textA == textB {
        let (kindA, kindB) = try both(a, b) { try $0.kindName(of: $1) }
        (textA, textB) = ("\(textA) (\(kindA))", "\(textB) (\(kindB))")
      }
      try tell(.changed, "\(textA) -> \(textB)")
    case (let a?, nil): try tell(.removed, first.input.reading { try first.text(of: a) })
    case (nil, let b): if let b { try tell(.added, second.input.reading { try second.text(of: b) }) }
    }
  }

  private func compare(_ a: ArchiveValue, _ b: ArchiveValue) throws {
    var (a, b) = (a, b)
    var valueReferences = 0
    // The loop ends, since no two objects are paired twice.
    while true {
      switch (a.kind, b.kind) {
      case (.value, _), (_, .value):
        valueReferences += 1
        guard valueReferences <= Comparison.mostValueReferences else { return }
        (a, b) = try both(a, b) { side, value in
          guard value.kind == .value, let target = try value.target else { return value }
          return try side.content(of: target)
        }
      case (.object, .object):
        guard let (nextA, nextB) = try enterObjects(a, b) else { return }
        (a, b) = (nextA, nextB)
      case (.typed, .typed), (.some, .some):
        let (typeA, typeB) = try both(a, b) { try $1.typeNumber }
        try compareClasses(typeA, typeB, "type")
        guard case (let contentA?, let contentB?) = try both(a, b, { try $1.wrapped }) else { return }
        (a, b) = (contentA, contentB)
      case (.conditional, .conditional):
        return try compareWeak(a, b)
      case (.map, .map), (.map, .record), (.record, .map), (.record, .record):
        return try openMembers(a, b)
      case (.array, .array), (.array, .numbers), (.numbers, .array), (.numbers, .numbers):
        return try openElements(a, b)
      default:
        return try compareScalars(a, b)
      }
    }
  }

  private func compareScalars(_ a: ArchiveValue, _ b: ArchiveValue) throws {
    if a.kind == b.kind {
      let (digestA, digestB) = try both(a, b) { try $0.digest(of: $1) }
      if digestA == digestB { return }
    }
    var (textA, textB) = try both(a, b) { try BriefText.text(of: $1) }
    if a.kind == .string, b.kind == .string {
      (textA, textB) = try excerpts(a, b)
      if textA == textB { (textA, textB) = (DiffText.spelled(textA), DiffText.spelled(textB)) }
    } else if a.kind == .bytes, b.kind == .bytes {
      let (bytesA, bytesB) = try both(a, b) { try $1.bytes ?? [] }
      textB += " (from its byte \(zip(bytesA, bytesB).prefix { $0 == $1 }.count) on)"
    } else if textA == textB {
      let (kindA, kindB) = try both(a, b) { try $1.kindName }
      (textA, textB) = ("\(textA) (\(kindA))", "\(textB) (\(kindB))")
    }
    try tell(.changed, "\(textA) -> \(textB)")
  }

  /// Excerpts at the first difference of two texts. Two texts of the string tables are compared only once.
  private func excerpts(_ a: ArchiveValue, _ b: ArchiveValue) throws -> (String, String) {
    let (numberA, numberB) = try both(a, b) { try $1.sharedStringNumber }
    let pair = numberA.flatMap { a in numberB.map { [a, $0] } }
    if let pair, let known = differences[pair] { return known }
    let (textA, textB) = try both(a, b) { try $1.string ?? "" }
    let excerpts = DiffText.excerpts(textA, textB)
    if let pair { differences[pair] = excerpts }
    return excerpts
  }

  private func enterObjects(_ a: ArchiveValue, _ b: ArchiveValue) throws -> (ArchiveValue, ArchiveValue)? {
    guard case (let targetA?, let targetB?) = try both(a, b, { try $1.target }) else { return nil }
    if let arePartners = arePartners(targetA.number, targetB.number) {
      // The contents are compared where each object is paired with its counterpart.
      if !arePartners { try tell(.changed, "\(name(targetA)) -> \(name(targetB)), another object") }
      return nil
    }
    partners[targetA.number] = targetB.number
    reversePartners[targetB.number] = targetA.number
    try compareClasses(targetA.classNumber, targetB.classNumber, "class")
    return try both(targetA, targetB) { try $0.content(of: $1) }
  }

  /// Whether two objects are partners; `nil` if neither has a partner yet.
  private func arePartners(_ a: Int, _ b: Int) -> Bool? {
    partners[a] == nil && reversePartners[b] == nil ? nil : partners[a] == b
  }

  private func areSame(_ classA: Int?, _ classB: Int?) -> Bool {
    first.names.digest(ofClass: classA) == second.names.digest(ofClass: classB)
  }

  private func compareClasses(_ classA: Int?, _ classB: Int?, _ word: String) throws {
    guard !areSame(classA, classB) else { return }
    func name(_ number: Int?, _ side: DiffSide) -> String {
      number.map { displayed(side.image.classes[$0].name, Comparison.longestName) } ?? ""
    }
    try tell(.changed, "\(word) \(name(classA, first)) -> \(name(classB, second))")
  }

  private func compareWeak(_ a: ArchiveValue, _ b: ArchiveValue) throws {
    let (targetA, targetB) = try both(a, b) { try $1.target }
    guard let targetA, let targetB else {
      if targetA != nil || targetB != nil {
        let (textA, textB) = try both(a, b) { try BriefText.text(of: $1) }
        try tell(.changed, "\(textA) -> \(textB)")
      }
      return
    }
    let arePartners = arePartners(targetA.number, targetB.number)
    if arePartners == nil, weakPairs.count < Comparison.mostWeakPairs {
      weakPairs.append((targetA.number, targetB.number, pathText(.changed)))
    } else if !(arePartners ?? areSame(targetA.classNumber, targetB.classNumber)) {
      try tell(.changed, "weak \(name(targetA)) -> weak \(name(targetB)), another object")
    }
  }

  /// Compares weak references last, since only then is it known which objects are partners.
  private func compareWeakPairs() throws {
    for (a, b, path) in weakPairs where arePartners(a, b) == false {
      let (targetA, targetB) = try both(a, b) { try $0.image.numberedBody($1) }
      try report(.changed, path, "weak \(name(targetA)) -> weak \(name(targetB)), another object")
    }
  }

  private func name(_ body: ArchiveBody) -> String { BriefText.name(of: body) ?? "#\(body.number)" }

  private func openMembers(_ a: ArchiveValue, _ b: ArchiveValue) throws {
    let (membersA, membersB) = try both(a, b) { try $0.members(of: $1) }
    let offsets = Dictionary(membersB.map { ($0.key, $0.offset) }) { $1 }
    var matched: Set<Int> = []
    var pairs: [Pair] = []
    func pair(_ label: PathElement, _ a: Int?, _ b: Int?) {
      let element = DiffSequence.Element.value(offset:)
      pairs.append(Pair(labels: (label, label), first: a.map(element), second: b.map(element)))
    }
    for member in membersA {
      let partner = offsets[member.key]
      if let partner { matched.insert(partner) }
      pair(member.label, member.offset, partner)
    }
    for member in membersB where !matched.contains(member.offset) { pair(member.label, nil, member.offset) }
    frames.append(Frame(pairs: pairs, depth: path.count, share: share))
  }

  private func openElements(_ a: ArchiveValue, _ b: ArchiveValue) throws {
    let (elementsA, elementsB) = try both(a, b) { try DiffSequence($1, $0) }
    var pairs: [Pair] = []
    func pair(_ i: Int, _ j: Int) {
      pairs.append(Pair(labels: (.index(i), .index(j)), first: elementsA[i], second: elementsB[j]))
    }
    func single(_ a: Range<Int>, _ b: Range<Int>) {
      for i in a { pairs.append(Pair(labels: (.index(i), .index(i)), first: elementsA[i], second: nil)) }
      for j in b { pairs.append(Pair(labels: (.index(j), .index(j)), first: nil, second: elementsB[j])) }
    }
    for stretch in SequenceAlignment.align(elementsA.digests, elementsB.digests) {
      if stretch.isSame {
        for (i, j) in zip(stretch.first, stretch.second) where !elementsA.isComplete(i) { pair(i, j) }
      } else if stretch.first.count == stretch.second.count {
        for (i, j) in zip(stretch.first, stretch.second) { pair(i, j) }
      } else {
        // Distinguish elements that have changed from elements that were added or removed.
        let alike = SequenceAlignment.align(
          try first.input.reading { try elementsA.likenesses(stretch.first, first) },
          try second.input.reading { try elementsB.likenesses(stretch.second, second) }
        )
        for part in alike {
          let i = part.first.lowerBound + stretch.first.lowerBound
          let j = part.second.lowerBound + stretch.second.lowerBound
          if part.first.count == part.second.count {
            for offset in 0..<part.first.count { pair(i + offset, j + offset) }
          } else {
            single(i..<(i + part.first.count), j..<(j + part.second.count))
          }
        }
      }
    }
    frames.append(Frame(pairs: pairs, depth: path.count, share: share))
  }

  private func tell(_ sign: Sign, _ text: String) throws {
    try report(sign, pathText(sign), text)
  }

  private func pathText(_ sign: Sign) -> String {
    PathText.text(path.lazy.map { sign == .removed ? $0 : $1 }, longestKey: Comparison.longestName)
  }
}

enum DiffText {
  private static let mostCharacters = 60
  private static let leastBefore = 20

  /// The text with escapes for all that is not ASCII, to tell it from one that looks the same.
  static func spelled(_ text: String) -> String {
    respelled(text) { scalar, _ in scalar.isASCII || scalar == "…" ? nil : "\\u{\(scalar.hexadecimal)}" }
  }

  /// Two strings in quotes. Of long strings, only the part around the first difference.
  static func excerpts(_ first: String, _ second: String) -> (String, String) {
    let isShort = first.utf8.count <= mostCharacters && second.utf8.count <= mostCharacters
    if isShort { return (quoted(first), quoted(second)) }
    let (a, b) = (first.unicodeScalars, second.unicodeScalars)
    var (index, other) = (a.startIndex, b.startIndex)
    while index < a.endIndex, other < b.endIndex, a[index] == b[other] {
      (index, other) = (a.index(after: index), b.index(after: other))
    }
    return (excerpt(a, around: index), excerpt(b, around: other))
  }

  private static func excerpt(_ scalars: String.UnicodeScalarView, around index: String.Index) -> String {
    let before = scalars[..<index].suffix(leastBefore)
    let behind = scalars[index...].prefix(mostCharacters - leastBefore)
    let (start, end) = (before.startIndex, behind.endIndex)
    let text = quoted(String(scalars[start..<end]))
    return (start == scalars.startIndex ? "" : "…") + text + (end == scalars.endIndex ? "" : "…")
  }
}
