/// What is to be different in an archive that is written anew.
struct ArchiveEdits: Sendable {
  struct MemberEdit: Sendable {
    var isRemoved = false
    var newKey: String?
    /// What takes the place of the value; of any archive.
    var newValue: ArchiveValue?
  }

  struct ContainerEdit: Sendable {
    var members: [PathElement: MemberEdit] = [:]
    /// New members, behind the others; without a key in an array.
    var additions: [(key: PathElement?, value: ArchiveValue)] = []

    var isEmpty: Bool { members.isEmpty && additions.isEmpty }
  }

  /// By where the containers begin.
  private(set) var containers: [Int: ContainerEdit] = [:]
  /// By the names of classes, what becomes of the keys of their objects.
  private var classKeys: [String: [PathElement: MemberEdit]] = [:]
  private var classNames: [String: String] = [:]

  // MARK: Noting

  /// Notes a change of the member `element` of the container that begins at `offset`.
  mutating func change(_ element: PathElement, at offset: Int, _ body: (inout MemberEdit) -> Void) {
    body(&containers[offset, default: ContainerEdit()].members[element, default: MemberEdit()])
  }

  /// Notes a new member; one that was noted before under the same key is taken back.
  mutating func add(_ value: ArchiveValue, key: PathElement, at offset: Int) {
    containers[offset, default: ContainerEdit()].additions.removeAll { $0.key == key }
    containers[offset, default: ContainerEdit()].additions.append((key, value))
  }

  /// Notes the new element `index` of an array that has `count`; false unless that is the next one, or was noted before.
  mutating func add(_ value: ArchiveValue, index: Int, toArrayOf count: Int, at offset: Int) -> Bool {
    var additions = containers[offset]?.additions ?? []
    guard index >= count, index - count <= additions.count else { return false }
    if index - count == additions.count {
      additions.append((nil, value))
    } else {
      additions[index - count].value = value
    }
    containers[offset, default: ContainerEdit()].additions = additions
    return true
  }

  mutating func change(_ key: String, ofClass name: String, _ body: (inout MemberEdit) -> Void) {
    body(&classKeys[name, default: [:]][.key(key), default: MemberEdit()])
  }

  mutating func renameClass(_ name: String, to newName: String) { classNames[name] = newName }

  // MARK: Asking

  func className(_ name: String) -> String { classNames[name] ?? name }

  var changesKeysOfClasses: Bool { !classKeys.isEmpty }

  /// What becomes of a key of all objects of a class, `names` being its name and those of its superclasses; `nil` where it is
  /// removed.
  func key(_ key: String, ofClasses names: [String]) -> String? {
    let changes = names.compactMap { classKeys[$0]?[.key(key)] }
    if changes.contains(where: \.isRemoved) { return nil }
    return changes.lazy.compactMap(\.newKey).first ?? key
  }

  /// What becomes of the container at `offset`, which holds keys of objects of the classes `classes`.
  func edit(at offset: Int, classes: [String]) -> ContainerEdit {
    var edit = containers[offset] ?? ContainerEdit()
    for name in classes {
      for (key, change) in classKeys[name] ?? [:] {
        var own = edit.members[key] ?? MemberEdit()
        // What was said of this one object counts more than what was said of all.
        own.newKey = own.newKey ?? change.newKey
        own.isRemoved = own.isRemoved || change.isRemoved && own.newValue == nil
        edit.members[key] = own
      }
    }
    return edit
  }
}
