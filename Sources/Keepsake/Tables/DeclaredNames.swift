// The types that state the name by which they stand in an archive.

extension RuntimeTypes {
  /// All types of the process that go by `name` because they say so: their `archivedClassName` is `name`, or
  /// it is among their aliases. More than one if several claim it.
  ///
  /// Found without registration, whether or not the process has used the type before: see `RuntimeMetadata`.
  package static func declaring(name: String) -> [Any.Type] {
    let index = declared.value
    if let types = index.types[name] { return types }
    return index.unasked.isEmpty ? [] : DeclarationIndex(of: index.unasked).types[name] ?? []
  }

  /// The name that `type` states, or `nil` if it states none: it is not an `ArchivableClass`, or is one only
  /// because its superclass is and has the superclass's name.
  package static func declaredName(of type: Any.Type) -> String? {
    guard let archivable = type as? any ArchivableClass.Type else { return nil }
    let name = archivable.archivedClassName
    return name == archivableSuperclass(of: type)?.archivedClassName ? nil : name
  }

  /// The other names that `type` states; those it has from its superclass are the superclass's.
  package static func declaredAliases(of type: Any.Type) -> [String] {
    guard let archivable = type as? any ArchivableClass.Type else { return [] }
    let aliases = archivable.archivedClassAliases
    guard !aliases.isEmpty, let parent = archivableSuperclass(of: type) else { return aliases }
    let inherited = parent.archivedClassAliases
    return aliases.filter { !inherited.contains($0) }
  }

  private static func archivableSuperclass(of type: Any.Type) -> (any ArchivableClass.Type)? {
    guard let type = type as? AnyClass, let parent = _getSuperclass(type) else { return nil }
    return parent as? any ArchivableClass.Type
  }

  // MARK: The index

  private static let declared = OfLoadedImages {
    DeclarationIndex(of: RuntimeMetadata.types(conformingTo: (any ArchivableClass).self))
  }

  struct DeclarationIndex: Sendable {
    private(set) var types: [String: [Any.Type]] = [:]
    /// Those whose conformance is isolated to an actor, such as the main actor, that this did not run on. They are
    /// asked by each look-up that does.
    private(set) var unasked: [Any.Type] = []

    init(of archivable: [Any.Type]) {
      for type in archivable {
        guard type is any ArchivableClass.Type else {
          unasked.append(type)
          continue
        }
        for name in Set(speakableName(of: type) + declaredAliases(of: type)) {
          types[name, default: []].append(type)
        }
      }
    }
  }

  /// The stated name. Not the runtime's name of a private or local type, which has an address in it.
  private static func speakableName(of type: Any.Type) -> [String] {
    guard let name = declaredName(of: type) else { return [] }
    return isAddressed(name) ? [] : [name]
  }
}
