#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Changes an archive without the classes of its objects, for example to migrate files outside of the app.
///
/// ```swift
/// var editor = try ArchiveEditor(forReadingFile: "library.keepsake")
/// editor.renameKey("titel", to: "title", inObjectsOfClass: "Book")
/// try editor.removeValue(at: "drafts")
/// try editor.setValue(2, at: "schema")
/// try editor.write(toFile: "library.keepsake")
/// ```
///
/// The editor applies changes when it writes: paths always refer to the archive as you opened it. A change in an
/// object applies wherever something refers to the object. The editor leaves out objects to which nothing refers any
/// more.
///
/// The editor writes an NSKeyedArchiver archive in the format of this library.
public struct ArchiveEditor: Sendable {
  /// The top level of the archive as it was opened.
  public let archive: ArchiveValue
  private var edits = ArchiveEdits()
  /// The paths of containers with changes, by the offset of the container.
  private var changedPaths: [Int: ArchivePath] = [:]

  /// Opens the archive in the file at `path`, within `limits`. The file stays unchanged until ``write(toFile:)``.
  public init(forReadingFile path: String, limits: ArchiveLimits = ArchiveLimits()) throws(ArchiveError) {
    archive = try ArchiveValue(forReadingFile: path, verification: .everything, limits: limits)
  }

  /// Opens the archive in `data`, within `limits`.
  public init(forReadingFrom data: Data, limits: ArchiveLimits = ArchiveLimits()) throws(ArchiveError) {
    archive = try ArchiveValue(forReadingFrom: data, verification: .everything, limits: limits)
  }

  /// - Parameter archive: the top level of an archive. All its checksums must have been compared.
  package init(_ archive: ArchiveValue) {
    self.archive = archive
  }

  // MARK: Values

  /// Gives the value at `path` another key in its container.
  ///
  /// - Throws: ``ArchiveError`` when there is no value at `path`, or it is an element of an array.
  public mutating func renameValue(at path: ArchivePath, to key: String) throws(ArchiveError) {
    let (container, element) = try element(at: path)
    if case .index = element { throw .misuse("\(path) is an element of an array, which has no key") }
    edits.change(element, at: container.offset) { $0.newKey = key }
  }

  /// Removes the value at `path`: a key with its value, or an element of an array.
  ///
  /// - Throws: ``ArchiveError`` when there is no value at `path`.
  public mutating func removeValue(at path: ArchivePath) throws(ArchiveError) {
    let (container, element) = try element(at: path)
    edits.change(element, at: container.offset) { $0.isRemoved = true }
  }

  /// Sets the value at `path`. The path leads to an existing value, to a new key of its container, or to the index
  /// after the last element of an array.
  ///
  /// You cannot set a single element of an array of numbers: set the whole array. Where the property is declared as a
  /// protocol, pass `Polymorphic(value)`, so that the archive has the name of the type.
  ///
  /// - Throws: ``ArchiveError`` when there is no container for it, and any error of archiving `value`.
  public mutating func setValue(_ value: some Encodable, at path: ArchivePath) throws {
    let data = try KeyedArchiver.archivedData(withRootObject: value)
    let topLevel = try ArchiveValue(forReadingFrom: data, verification: .disabled)
    let root = try topLevel[KeyedArchiver.rootKey] ?? topLevel
    // A value that the top level refers to is inline everywhere else.
    let new = root.kind == .value ? try root.target?.value ?? root : root
    let (container, last) = try container(at: path)
    if let element = try container.member(last)?.label {
      edits.change(element, at: container.offset) {
        $0.newValue = new
        $0.isRemoved = false
      }
      return
    }
    switch (container.kind, last) {
    case (.record, .key), (.map, .key), (.empty, .key), (.map, .intKey):
      edits.add(new, key: last, at: container.offset)
    case (.map, .index(let number)):
      edits.add(new, key: .intKey(number), at: container.offset)
    case (.array, .index(let index)):
      let count = try container.count ?? 0
      guard edits.add(new, index: index, toArrayOf: count, at: container.offset) else {
        throw try missing(path)
      }
    default:
      throw try missing(path)
    }
  }

  // MARK: Classes

  /// Renames the key `key` in all objects of a class and of its subclasses, even if a subclass has a container of its
  /// own. Objects without the key stay unchanged.
  public mutating func renameKey(_ key: String, to newKey: String, inObjectsOfClass className: String) {
    edits.change(key, ofClass: className) { $0.newKey = newKey }
  }

  /// Removes the key `key` and its value from all objects of a class and of its subclasses.
  public mutating func removeKey(_ key: String, inObjectsOfClass className: String) {
    edits.change(key, ofClass: className) { $0.isRemoved = true }
  }

  /// Renames a class, or a type behind a protocol, to a name that a program knows.
  public mutating func renameClass(_ name: String, to newName: String) {
    edits.renameClass(name, to: newName)
  }

  // MARK: Writing

  /// The archive with the changes.
  ///
  /// - Throws: ``ArchiveError`` when two values would have the same key, when a change is in a value that another
  ///   change replaces or removes, or when the archive is damaged.
  ///
  /// - Complexity: O(*n*) in the bytes of the archive that was opened, at each access.
  public var encodedData: Data {
    get throws(ArchiveError) { try changedData().data }
  }

  /// Returns the archive with the changes, and the number of objects that they changed directly.
  package func changedData() throws(ArchiveError) -> (data: Data, changedObjectCount: Int) {
    let new = try ArchiveRewriter(archive.image, edits)
    if let unused = new.unusedEdits.min() {
      let reason = "Another change replaces or removes this value, so changes in it have no effect"
      throw .misuse(reason, path: changedPaths[unused]?.description)
    }
    return (new.buffer.takeData(), new.changedObjectCount)
  }

  /// Writes the archive with the changes to the file at `path`, as durably as ``KeyedArchiver/write(toFile:)``. It
  /// may be the file that you opened.
  ///
  /// - Throws: ``ArchiveError``, as ``encodedData``, and when the file cannot be written.
  public func write(toFile path: String) throws(ArchiveError) {
    try KeyedArchiver.write(encodedData, toFile: path)
  }

  // MARK: Paths

  /// The container of the value at `path`, and the label of the value there. Notes the path for errors.
  private mutating func element(at path: ArchivePath) throws(ArchiveError) -> (ArchiveValue, PathElement) {
    let (container, last) = try container(at: path)
    guard let element = try container.member(last)?.label else { throw try missing(path) }
    return (container, element)
  }

  /// The container that the last step of `path` is in, and that step. Notes the path for errors.
  private mutating func container(at path: ArchivePath) throws(ArchiveError) -> (ArchiveValue, PathElement) {
    guard let last = try path.checkedElements.last else {
      throw .misuse("The empty path is the whole archive. Name a key of the top level")
    }
    let parent = ArchivePath(Array(path.elements.dropLast()))
    guard let container = try archive[path: parent]?.content else { throw try missing(path) }
    changedPaths[container.offset] = parent
    return (container, last)
  }

  /// The error that says how far `path` leads, and what is there instead.
  private func missing(_ path: ArchivePath) throws(ArchiveError) -> ArchiveError {
    var value = archive
    var found: [PathElement] = []
    for element in path.elements {
      guard let next = try value[path: ArchivePath([element])] else { break }
      found.append(element)
      value = next
    }
    let place = found.isEmpty ? "The top level" : "The value at \(ArchivePath(found))"
    let step = path.elements.dropFirst(found.count).first.map { ArchivePath([$0]).description } ?? ""
    let keys = try value.keys
    let kind = try value.content.kind
    let known =
      if kind == .numbers {
        "it is an array of numbers, which are set all at once"
      } else if keys.isEmpty {
        "it is of the kind \(kind.rawValue)" + (try value.count.map { ", with \($0) elements" } ?? "")
      } else {
        "its keys are \(keys.prefix(12).joined(separator: ", "))\(keys.count > 12 ? ", …" : "")"
      }
    return .misuse("There is no value at \(path). \(place) has no \(step): \(known)")
  }
}
