// The types that state the name by which they stand in an archive.

extension RuntimeTypes {
  /// All types of the process that go by `name` because they say so: their `archivedClassName` is `name`, or
  /// it is among their aliases. More than one if several claim it.
  ///
  /// Found without registration, whether or not the process has used the type before: see `RuntimeMetadata`.
  package static func declaring(name: String) -> [Any.Type] {
    declared.value[name] ?? []
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
    RuntimeTypes.superclass(of: type) as? any ArchivableClass.Type
  }

  // MARK: The index

  private static let declared = OfLoadedImages {
    var index: [String: [Any.Type]] = [:]
    for type in RuntimeMetadata.types(conformingTo: (any ArchivableClass).self) {
      for name in Set(speakableName(of: type) + declaredAliases(of: type)) {
        index[name, default: []].append(type)
      }
    }
    return index
  }

  /// The stated name. Not the runtime's name of a private or local type, which has an address in it.
  private static func speakableName(of type: Any.Type) -> [String] {
    guard let name = declaredName(of: type) else { return [] }
    return isAddressed(name) ? [] : [name]
  }
}
