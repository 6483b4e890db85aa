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
      let body = try image.numberedBody(number)
      guard let classNumber = body.classNumber else { continue }
      let names = image.classes.names(of: classNumber)
      for (container, classes) in try body.value.keyContainers(classCount: names.count)
      where names[classes].contains(key.className) {
        for case .key(let found)? in try container.members().map(\.label)
        where seen.insert(ExactString(string: found)).inserted { keys.append(found) }
      }
      if seen.contains(ExactString(string: key.key)) { return }
    }
    let advice = Spelling.advice(key.key, among: keys, count: keys.count, nothing: "they have none")
    let name = quoted(key.className)
    throw CommandFailure.badData("no object of the class \(name) has the key \(quoted(key.key))\(advice)")
  }
}
