internal import Synchronization

/// The names of types in archives: those that a program set, those that types declare, and those of the runtime.
enum ClassNames {
  private static let archived = Mutex<[ObjectIdentifier: String]>([:])
  private static let unarchived = Mutex<[String: Any.Type]>([:])

  // MARK: Names set for the whole process

  /// A number that changes whenever the program sets a name or a type.
  static var generation: Int { generationCount.load(ordering: .relaxed) }
  private static let generationCount = Atomic(0)

  /// Changes whenever a name may lead to another type: the program has set a type, or loaded a library.
  static var state: [Int] { [generation, RuntimeMetadata.imageCount()] }

  static func setName(_ name: String?, for type: Any.Type) {
    archived.withLock { $0[ObjectIdentifier(type)] = name }
    generationCount.add(1, ordering: .relaxed)
  }

  static func name(setFor type: Any.Type) -> String? {
    archived.withLock { $0[ObjectIdentifier(type)] }
  }

  static func setType(_ type: Any.Type?, forName name: String) {
    unarchived.withLock { $0[name] = type }
    generationCount.add(1, ordering: .relaxed)
  }

  static func type(setForName name: String) -> Any.Type? {
    unarchived.withLock { $0[name] }
  }

  /// The version of its own encoding that `type` declares; 0 if it declares none.
  static func declaredVersion(of type: Any.Type) -> Int {
    max(0, RuntimeMetadata.archivableType(type)?.archiveVersion ?? 0)
  }

  // MARK: Names from all sources

  /// The name under which `type` is archived unless the archiver was given another one.
  static func name(of type: Any.Type) -> String {
    name(setFor: type) ?? RuntimeTypes.declaredName(of: type) ?? RuntimeTypes.name(of: type)
  }

  /// Whether `name` can stand for `type` in an archive: as its declared name, an alias, or the runtime's name.
  static func isName(_ name: String, of type: Any.Type) -> Bool {
    name == RuntimeTypes.name(of: type) || name == RuntimeTypes.declaredName(of: type)
      || RuntimeTypes.declaredAliases(of: type).contains(name)
  }

  /// The types of this process to which `name` leads a reader: the one that the program set, otherwise as
  /// ``types(named:)``.
  static func types(foundBy name: String) -> [Any.Type] {
    type(setForName: name).map { [$0] } ?? types(named: name)
  }

  /// The types of this process to which `name` can lead: those that declare it, or, if there are none, those with
  /// that runtime name.
  static func types(named name: String) -> [Any.Type] {
    let declaring = RuntimeTypes.declaring(name: name)
    return declaring.isEmpty ? RuntimeTypes.types(named: name) : declaring
  }
}
