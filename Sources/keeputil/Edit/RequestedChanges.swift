import Foundation
import Keepsake

/// The changes that the options of `keeputil edit` ask for.
struct RequestedChanges {
  private struct Change {
    /// The value to replace, and the value whose key to change. To remove a value is both.
    var content: ArchivePath?
    var key: ArchivePath?
    /// The class that a change in all its objects is about, and the key in them.
    var names: [String] = []
    let apply: (inout ArchiveEditor, ArchivedClasses) throws -> Void
  }

  /// The options, each of which may be given more than once.
  static let options = ["--rename", "--remove", "--set", "--rename-key", "--remove-key", "--rename-class"]

  private var changes: [Change] = []

  init(_ arguments: Arguments) throws {
    // In the order of the arguments, since the last change of a value counts.
    for (option, text) in arguments.values where RequestedChanges.options.contains(option) {
      changes.append(try RequestedChanges.change(option, text))
    }
    guard !changes.isEmpty else { throw arguments.misuse("no change was given; try 'keeputil help edit'") }
    try checkPaths()
  }

  /// Refuses contradictory changes: each value can be replaced or removed only once, and get only one new key, as can
  /// a class and a key of its objects. Nothing can change in a value that is replaced or removed.
  private func checkPaths() throws(CommandFailure) {
    for paths in [changes.compactMap(\.key), changes.compactMap(\.content)] {
      var seen: Set<[ExactString]> = []
      for path in paths where !seen.insert(RequestedChanges.names(path)).inserted {
        throw .usage("edit: two changes are about \(PathText.text(path.elements))")
      }
    }
    var seen: Set<[ExactString]> = []
    for names in changes.map(\.names) where !names.isEmpty {
      guard !seen.insert(names.map { ExactString(string: $0) }).inserted else { continue }
      throw .usage("edit: two changes are about \(escaped(names.joined(separator: ".")))")
    }
    let replaced = Set(changes.compactMap(\.content).map(RequestedChanges.names))
    let counts = Set(replaced.map(\.count)).sorted()
    for path in changes.compactMap({ $0.content ?? $0.key }) {
      let names = RequestedChanges.names(path)
      for count in counts where count < names.count {
        guard replaced.contains(Array(names.prefix(count))) else { continue }
        let outer = ArchivePath(Array(path.elements.prefix(count)))
        throw .usage(
          "edit: \(PathText.text(path.elements)) is in \(PathText.text(outer.elements)), which another change "
            + "replaces or removes"
        )
      }
    }
  }

  /// The steps of a path as texts: an integer key is also found by its digits, as in `root["7"]` for `root[7]`.
  private static func names(_ path: ArchivePath) -> [ExactString] {
    path.elements.map { ExactString(string: $0.keyText) }
  }

  /// The change for an option. Applying it throws if a name does not exist, so a misspelled name does not go unnoticed.
  private static func change(_ option: String, _ text: String) throws -> Change {
    switch option {
    case "--remove":
      let path = try path(text)
      return Change(content: path, key: path) { editor, _ in try editor.removeValue(at: path) }
    case "--remove-key":
      let key = try ClassKey(text, of: option)
      return Change(names: [key.className, key.key]) { editor, classes in
        try classes.check(key)
        editor.removeKey(key.key, inObjectsOfClass: key.className)
      }
    case "--rename-class":
      let pair = try Assignment(text, of: option, form: "OLD=NEW")
      return Change(names: [pair.left]) { editor, classes in
        try classes.check(pair.left)
        editor.renameClass(pair.left, to: pair.right)
      }
    case "--rename-key":
      let pair = try Assignment(text, of: option, form: "CLASS.KEY=NEW")
      let key = try ClassKey(pair.left, of: option)
      return Change(names: [key.className, key.key]) { editor, classes in
        try classes.check(key)
        editor.renameKey(key.key, to: pair.right, inObjectsOfClass: key.className)
      }
    case "--rename":
      let pair = try Assignment(text, of: option, form: "PATH=KEY")
      let path = try path(pair.left)
      return Change(key: path) { editor, _ in try editor.renameValue(at: path, to: pair.right) }
    default:
      let pair = try Assignment(text, of: option, form: "PATH=JSON")
      let (path, value) = (try path(pair.left), try value(pair.right, at: pair.left))
      return Change(content: path) { editor, _ in try editor.setValue(value, at: path) }
    }
  }

  private static func path(_ text: String) throws(CommandFailure) -> ArchivePath {
    let path: ArchivePath
    do {
      path = try ArchivePath(text)
    } catch {
      throw .usage("edit: \(error.message)")
    }
    guard !path.elements.isEmpty else { throw .usage("edit: the path is empty") }
    return path
  }

  private static func value(_ text: String, at path: String) throws -> PlainValue {
    var reader = JSONReader(Data(text.utf8))
    do {
      let value = try reader.read()
      for note in reader.notes.sentences { Tool.note("\(path): \(note)") }
      return value
    } catch let failure as JSONReader.Failure {
      throw CommandFailure.usage(
        "edit: the value for \(path) is not JSON: \(failure.text); a text needs quotation marks: "
          + "--set '\(path)=\"a text\"'"
      )
    }
  }

  func apply(to editor: inout ArchiveEditor) throws {
    let classes = ArchivedClasses(editor.archive.image)
    for change in changes { try change.apply(&editor, classes) }
  }
}

/// An argument of the form LEFT=RIGHT. An equals sign between quotation marks belongs to the left side.
private struct Assignment {
  let left: String
  let right: String

  init(_ text: String, of option: String, form: String) throws(CommandFailure) {
    let scalars = text.unicodeScalars
    var isQuoted = false
    var isEscaped = false
    for index in scalars.indices {
      switch scalars[index] {
      case "=" where !isQuoted && index != scalars.startIndex:
        left = String(scalars[..<index])
        right = String(scalars[scalars.index(after: index)...])
        guard !right.isEmpty || form == "PATH=KEY" else {
          throw .usage("edit: '\(escaped(text))' has nothing after '='; '\(option)' takes \(form)")
        }
        return
      case "\"" where !isEscaped: isQuoted.toggle()
      default: break
      }
      isEscaped = isQuoted && !isEscaped && scalars[index] == "\\"
    }
    let shown = escaped(text, keeping: "\"")
    throw .usage("edit: '\(shown)' is not of the form \(form), which '\(option)' takes")
  }
}

/// A class and a key of its objects: `Library.Book.title`. The key follows the last dot.
struct ClassKey {
  let className: String
  let key: String

  /// The syntax is that of paths, so names with special characters can be in brackets and quotation marks.
  init(_ text: String, of option: String) throws(CommandFailure) {
    let elements = (try? ArchivePath(text).elements) ?? []
    let names = elements.compactMap { if case .key(let name) = $0 { name } else { nil } }
    guard names.count == elements.count, names.count >= 2, let key = names.last else {
      throw .usage(
        "edit: '\(escaped(text, keeping: "\""))' is not of the form CLASS.KEY, which '\(option)' takes; a name with "
          + "other characters is spelled [\"like this\"]"
      )
    }
    className = names.dropLast().joined(separator: ".")
    self.key = key
  }
}
