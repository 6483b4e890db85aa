import Keepsake

/// The classes of an archive, and the keys of their objects, for changes to all objects of a class.
struct ArchivedClasses {
  private let image: ArchiveImage

  init(_ image: ArchiveImage) { self.image = image }

  /// Throws if no class, and no type behind a protocol, has that name.
  func check(_ name: String) throws(CommandFailure) {
    let names = image.classes.map(\.name)
    guard !names.contains(name) else { return }
    let advice = Spelling.advice(name, among: names, count: names.count, nothing: "it has none")
    throw .badData("there is no class \(quoted(name)) in the archive\(advice)")
  }

  /// Throws if no object of the class has the key.
  func check(_ key: ClassKey) throws {
    try check(key.className)
    var seen: Set<ExactString> = []
    var keys: [String] = []
    for number in image.bodyNumbers {
      let body = try image.numberedBody(number, referredToAt: 0)
      guard isOf(key.className, body.classNumber) else { continue }
      for found in try self.keys(of: body.value) where seen.insert(ExactString(string: found)).inserted {
        keys.append(found)
      }
      if seen.contains(ExactString(string: key.key)) { return }
    }
    let advice = Spelling.advice(key.key, among: keys, count: keys.count, nothing: "they have none")
    let name = quoted(key.className)
    throw CommandFailure.badData("no object of the class \(name) has the key \(quoted(key.key))\(advice)")
  }

  private func isOf(_ name: String, _ classNumber: Int?) -> Bool {
    guard let classNumber else { return false }
    return sequence(first: classNumber) { image.classes[$0].superclass }.contains {
      image.classes[$0].name == name
    }
  }

  /// The keys of an object, including those of its superclasses, which are beside its own or under "super".
  private func keys(of content: ArchiveValue) throws(ArchiveError) -> [String] {
    var keys: [String] = []
    var next: ArchiveValue? = content
    while let content = next, content.kind == .record || content.kind == .map {
      next = nil
      for member in try content.members() {
        guard case .key(let name)? = member.label else { continue }
        keys.append(name)
        if name == "super" { next = member.value }
      }
    }
    return keys
  }
}
