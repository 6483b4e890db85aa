/// The changes to make when an archive is rewritten.
struct ArchiveEdits: Sendable {
  struct MemberEdit: Sendable {
    var isRemoved = false
    var newKey: String?
    /// Replaces the value; from any archive.
    var newValue: ArchiveValue?
  }

  struct ContainerEdit: Sendable {
    var members: [PathElement: MemberEdit] = [:]
    /// New members, after the others; without a key in an array.
    fileprivate(set) var additions: [(key: PathElement?, value: ArchiveValue)] = []
    /// The keys of the new members, since there may be very many.
    private var newKeys: Set<PathElement> = []

    fileprivate mutating func add(_ value: ArchiveValue, _ key: PathElement) {
      if !newKeys.insert(key).inserted { additions.removeAll { $0.key == key } }
      additions.append((key, value))
    }

    var isEmpty: Bool { members.isEmpty && additions.isEmpty }
  }

  /// The edits of containers, by the offset of the container.
  private(set) var containers: [Int: ContainerEdit] = [:]
  /// The edits of keys in all objects of a class, by the name of the class.
  private var classKeys: [String: [PathElement: MemberEdit]] = [:]
  private var classNames: [String: String] = [:]

  // MARK: Recording

  mutating func change(_ element: PathElement, at offset: Int, _ body: (inout MemberEdit) -> Void) {
    body(&containers[offset, default: ContainerEdit()].members[element, default: MemberEdit()])
  }

  /// Records a new member, instead of one recorded before under the same key.
  mutating func add(_ value: ArchiveValue, key: PathElement, at offset: Int) {
    containers[offset, default: ContainerEdit()].add(value, key)
  }

  /// Records the new element `index` of an array of `count`; returns false unless it is the next, or recorded before.
  mutating func add(_ value: ArchiveValue, index: Int, toArrayOf count: Int, at offset: Int) -> Bool {
    let known = containers[offset]?.additions.count ?? 0
    guard index >= count, index - count <= known else { return false }
    if index - count == known {
      containers[offset, default: ContainerEdit()].additions.append((nil, value))
    } else {
      containers[offset]?.additions[index - count].value = value
    }
    return true
  }

  mutating func change(_ key: String, ofClass name: String, _ body: (inout MemberEdit) -> Void) {
    body(&classKeys[name, default: [:]][.key(key), default: MemberEdit()])
  }

  mutating func renameClass(_ name: String, to newName: String) { classNames[name] = newName }

  // MARK: Lookup

  func className(_ name: String) -> String { classNames[name] ?? name }

  var changesKeysOfClasses: Bool { !classKeys.isEmpty }

  /// The new name of a key in all objects of a class; `nil` if the edits remove it. `names` are those of the class and
  /// its superclasses.
  func key(_ key: String, ofClasses names: [String]) -> String? {
    let changes = names.compactMap { classKeys[$0]?[.key(key)] }
    if changes.contains(where: \.isRemoved) { return nil }
    return changes.lazy.compactMap(\.newKey).first ?? key
  }

  /// The edits of the container at `offset`, which holds keys of objects of the classes `classes`.
  func edit(at offset: Int, classes: ArraySlice<String>) -> ContainerEdit {
    var edit = containers[offset] ?? ContainerEdit()
    for name in classes {
      for (key, change) in classKeys[name] ?? [:] {
        var own = edit.members[key] ?? MemberEdit()
        // An edit of this object takes precedence over one of all objects of its class.
        own.newKey = own.newKey ?? change.newKey
        own.isRemoved = own.isRemoved || change.isRemoved && own.newValue == nil
        edit.members[key] = own
      }
    }
    return edit
  }
}
