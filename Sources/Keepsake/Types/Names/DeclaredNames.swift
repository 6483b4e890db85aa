// Types that declare their names in archives.

extension RuntimeTypes {
  /// All types of the process that declare `name`, as their `archivedClassName` or as an alias. There is more than
  /// one if several claim it.
  ///
  /// Finds them without registration, even if the process has not used the type yet: see `RuntimeMetadata`.
  package static func declaring(name: String) -> [Any.Type] {
    declared.value[name] ?? []
  }

  /// The name that `type` declares, or `nil` if it declares none: it is not an `ArchivableClass`, or it inherits
  /// the conformance and has the superclass's name.
  package static func declaredName(of type: Any.Type) -> String? {
    guard let archivable = RuntimeMetadata.archivableType(type) else { return nil }
    let name = archivable.archivedClassName
    return name == archivableSuperclass(of: type)?.archivedClassName ? nil : name
  }

  /// The other names that `type` declares. Those that it inherits belong to its superclass.
  package static func declaredAliases(of type: Any.Type) -> [String] {
    guard let archivable = RuntimeMetadata.archivableType(type) else { return [] }
    let aliases = archivable.archivedClassAliases
    guard !aliases.isEmpty, let parent = archivableSuperclass(of: type) else { return aliases }
    let inherited = parent.archivedClassAliases
    return aliases.filter { !inherited.contains($0) }
  }

  private static func archivableSuperclass(of type: Any.Type) -> (any ArchivableClass.Type)? {
    RuntimeTypes.superclass(of: type).flatMap {
      RuntimeMetadata.archivableType($0)
    }
  }

  // MARK: The index

  private static let declared = OfLoadedImages {
    var index: [String: [Any.Type]] = [:]
    for type in RuntimeMetadata.types(conformingTo: (any ArchivableClass).self) {
      for name in declaredNames(of: type) { index[name, default: []].append(type) }
    }
    return index
  }

  /// The names that `type` declares, but not the runtime's name of a private or local type, which contains an address.
  static func declaredNames(of type: Any.Type) -> Set<String> {
    let name = declaredName(of: type)
    return Set(declaredAliases(of: type) + [name].compactMap(\.self).filter { !isAddressed($0) })
  }
}
