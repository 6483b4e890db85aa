/// The classes of the objects, and their names (Format §5.3).
extension EncodingSession {
  /// The number of a class in the class table; its superclasses get theirs before it.
  @inline(__always)
  func classNumber(of type: AnyClass) throws -> Int {
    if let number = tables.classes.number(of: type) { return number }
    return try addClass(type)
  }

  /// The number of the class of `object`; for a placeholder, that of the class for which it stands.
  @inline(__always)
  func classNumber(ofObject object: AnyObject) throws -> Int {
    try tables.classes.number(of: type(of: object)) ?? addClass(ofObject: object)
  }

  @inline(never)
  private func addClass(ofObject object: AnyObject) throws -> Int {
    if let facts = knownFacts(of: type(of: object)) { return try addClass(type(of: object), facts) }
    if object is AnyLazyContent {
      return tables.classes.number(ofUnknown: ClassEntry(name: ClassEntry.lazyName), AnyLazyContent.self)
    }
    guard isPlaceholder(type(of: object)), let placeholder = object as? any ArchivePlaceholder else {
      return try addClass(type(of: object))
    }
    var entries = placeholder.content.entries
    // A placeholder was built because the name decided which class to build.
    if !entries.isEmpty, !(object is UnknownObject) { entries[0].isPolymorphic = true }
    return try number(ofUnknown: entries[...], type(of: object))
  }

  private func isPlaceholder(_ type: Any.Type) -> Bool {
    RuntimeMetadata.mayConform(type, to: (any ArchivePlaceholder).self) && type is any ArchivePlaceholder.Type
  }

  /// The number of a type that the program does not have. `entries` are the type's entry in another archive and those
  /// of its superclasses.
  private func number(ofUnknown entries: ArraySlice<ClassEntry>, _ placeholder: Any.Type) throws -> Int {
    guard var entry = entries.first else {
      return tables.classes.number(ofUnknown: ClassEntry(name: ""), placeholder)
    }
    let superclass = entries.dropFirst()
    entry.superclass = try superclass.first.map { first in
      let known = ClassNames.types(named: first.name).first as? EncodableClass
      return try known.map { try classNumber(of: $0) } ?? number(ofUnknown: superclass, placeholder)
    }
    return tables.classes.number(ofUnknown: entry, placeholder)
  }

  private func addClass(_ type: AnyClass) throws -> Int {
    try addClass(type, knownFacts(of: type) ?? findFacts(of: type))
  }

  private func addClass(_ type: AnyClass, _ facts: ClassFacts) throws -> Int {
    let entry = ClassEntry(
      name: facts.name,
      version: facts.version,
      superclass: try facts.superclass.map { try classNumber(of: $0) },
      keysReadLast: settings.typesReadingLast[ObjectIdentifier(type)] ?? []
    )
    let count = tables.classes.entries.count
    let number = tables.classes.add(entry, type, isWeak: facts.hasWeakProperties)
    // Bodies that the save leaves out may refer to objects that get the new entry.
    if number == count, !otherEntries(for: type, polymorphic: true).isEmpty {
      try makePolymorphic(number, type)
    }
    return number
  }

  private func knownFacts(of type: AnyClass) -> ClassFacts? {
    settings.ownClassNames.isEmpty ? types.classFacts[type] : nil
  }

  private func findFacts(of type: AnyClass) throws -> ClassFacts {
    let superclass: AnyClass? = _getSuperclass(type).flatMap { $0 is any Encodable.Type ? $0 : nil }
    if let superclass, RuntimeMetadata.fieldsType(type) != nil, RuntimeMetadata.fieldsType(superclass) == nil
    {
      throw misuse(PropertyNames.inheritedCoding(of: superclass, type).message)
    }
    let facts = ClassFacts(
      name: try archivedName(of: type),
      version: ClassNames.declaredVersion(of: type),
      superclass: superclass,
      hasWeakProperties: StoredProperty.all(of: type)?.contains { $0.ownership == .weak } ?? false
    )
    // A class may declare another name or version at any time.
    if settings.ownClassNames.isEmpty, RuntimeMetadata.archivableType(type) == nil {
      types.classFacts[type] = facts
    }
    return facts
  }

  /// The entries that the file to which a save is added has for `type` under another name or version.
  private func otherEntries(for type: AnyClass, polymorphic: Bool) -> [Int] {
    guard bodies.isAdded else { return [] }
    let classes = tables.classes
    return classes.entries.indices.filter { number in
      classes.isUnclaimedClass(number, polymorphic: polymorphic)
        && ClassNames.types(foundBy: classes.entries[number].name).contains { $0 == type }
    }
  }

  /// The name of a type in the archive. The runtime's names of private and local types contain an address in the
  /// process, which must not get into a file; only the last part of such a name is kept.
  ///
  /// - Throws: if the type cannot have that name.
  private func archivedName(of type: Any.Type) throws -> String {
    let name = settings.ownClassNames[ObjectIdentifier(type)] ?? ClassNames.name(of: type)
    if let problem = ClassEntry.problem(ofName: name), name != RuntimeTypes.name(of: type) {
      throw misuse("\(problem). Give \(String(reflecting: type)) another")
    }
    return RuntimeTypes.isAddressed(name) ? "(private)." + String(describing: type) : name
  }

  /// Marks a class as polymorphic: its name decides what is built, since another type was declared.
  ///
  /// - Throws: if no reader could find the class by its name.
  @inline(__always)
  func notePolymorphism(of type: AnyClass) throws {
    guard let number = tables.classes.number(of: type) else { return try addPolymorphic(type) }
    if !tables.classes.entries[number].isPolymorphic { try makePolymorphic(number, type) }
  }

  private func addPolymorphic(_ type: AnyClass) throws {
    // A placeholder has the entry of the class for which it stands, which exists when its body is begun.
    if isPlaceholder(type) { return }
    let changeCount = tables.classes.changeCount
    do { try makePolymorphic(classNumber(of: type), type) } catch {
      // Plans for classes are atomic, so nothing may remain.
      tables.classes.truncate(to: changeCount)
      types.classProperties.forgetNumbers()
      throw error
    }
  }

  private func makePolymorphic(_ number: Int, _ type: AnyClass) throws {
    // The class may have been renamed since its entry was made, when its name did not matter yet.
    let name = try knownFacts(of: type)?.name ?? archivedName(of: type)
    try checkName(name, of: type)
    tables.classes.rename(number, to: name)
    tables.classes.markPolymorphic(number)
    // The object may be one that the save leaves out.
    for other in otherEntries(for: type, polymorphic: false) { tables.classes.markPolymorphic(other) }
  }

  /// The number in the class table of the type of a value behind a protocol.
  func valueTypeNumber<Value>(of value: Value) throws -> Int {
    let type = Value.self
    if let number = tables.classes.number(of: type) { return number }
    if isPlaceholder(type), let placeholder = value as? any ArchivePlaceholder {
      return try number(ofUnknown: placeholder.content.entries[...], type)
    }
    let name = try archivedName(of: type)
    try checkName(name, of: type)
    let version = ClassNames.declaredVersion(of: type)
    return tables.classes.add(ClassEntry(name: name, version: version, isValueType: true), type)
  }

  /// Throws unless a reader in another process of this program finds `type` by `name`.
  private func checkName(_ name: String, of type: Any.Type) throws {
    if settings.classesAreKnown { return }
    if let other = archivedType(named: name, besides: type) {
      throw misuse(sharedName(name, [other, type]), code: .unresolvableClass)
    }
    // A name that the program gives is one that it knows how to read.
    if settings.ownClassNames[ObjectIdentifier(type)] != nil || ClassNames.name(setFor: type) != nil {
      return
    }
    if ClassNames.type(setForName: name) == type { return }
    let found = ClassNames.types(named: name)
    let others = found.filter { $0 != type && !isCopy($0, of: type) }
    if others.isEmpty, found.contains(where: { $0 == type }) { return }
    throw misuse(
      others.isEmpty ? EncodingSession.unfindableName(type, name) : sharedName(name, others + [type]),
      code: .unresolvableClass
    )
  }

  /// Another type of the archive that readers look up by `name`. A class may be archived as its superclass.
  private func archivedType(named name: String, besides type: Any.Type) -> Any.Type? {
    zip(tables.classes.entries, tables.classes.types).first { entry, other in
      entry.name == name && (entry.isPolymorphic || entry.isValueType) && other != type && other != Never.self
        && !isPlaceholder(other) && !isCopy(other, of: type)
        && !areRelated(other, type)
    }?.1
  }

  /// Whether both are classes, one of which is a subclass of the other.
  private func areRelated(_ one: Any.Type, _ other: Any.Type) -> Bool {
    guard let one = one as? AnyClass, let other = other as? AnyClass else { return false }
    return RuntimeTypes.isSubclass(one, of: other) || RuntimeTypes.isSubclass(other, of: one)
  }

  /// Whether `other` is another copy of the class `type`, from another library with a copy of its module. No value of
  /// one can be where the other is declared, so readers take the one that fits, if their superclasses are also two.
  private func isCopy(_ other: Any.Type, of type: Any.Type) -> Bool {
    guard RuntimeTypes.name(of: other) == RuntimeTypes.name(of: type),
      let other = other as? AnyClass, let type = type as? AnyClass, let base = base(of: type)
    else { return false }
    return self.base(of: other) != base
  }

  /// The topmost superclass of `type` that is `Encodable`, or `nil` if it has none.
  private func base(of type: AnyClass) -> AnyClass? {
    guard let parent = _getSuperclass(type), parent is any Encodable.Type else { return nil }
    return base(of: parent) ?? parent
  }

  /// Why no reader could find `type` by `name`, and what to do about it.
  static func unfindableName(_ type: Any.Type, _ name: String) -> String {
    // The program cannot declare a name for such a type.
    let advice =
      RuntimeTypes.name(of: type).hasPrefix("Swift.")
      ? "Unwrap an optional, convert a collection to [Any] or [String: Any]"
      : "Declare an archivedClassName (ArchivableClass), with which a generic type is also to be registered"
    let reason =
      if RuntimeTypes.isAddressed(name) || name.utf8.starts(with: "(private).".utf8) {
        "it is private or local, and has none that another process could find"
      } else if name.utf8.contains(UInt8(ascii: "<")) {
        "it is generic, and the name does not lead to it"
      } else {
        "no type of this program is found by \(name)"
      }
    return
      "\(String(describing: type)) is archived where another type is declared, so readers look it up by its name; but "
      + "\(reason). \(advice), or call KeyedArchiver.setClassName and KeyedUnarchiver.setClass"
  }

  private func sharedName(_ name: String, _ types: [Any.Type]) -> String {
    let differ = types.compactMap { try? archivedName(of: $0) }
      .contains { $0 == name && !$0.utf8.elementsEqual(name.utf8) }
    return
      "\(types.map { String(reflecting: $0) }.joined(separator: " and ")) have the same name in archives, \(name)"
      + (differ ? ", as names that differ only by Unicode normalization are the same" : "")
      + ". Give each its own archivedClassName, and aliases that no other type has"
  }
}

/// What the class table says of a class, but for what depends on the archive.
final class ClassFacts {
  fileprivate let name: String
  fileprivate let version: Int
  /// The superclass, if it is archived, too.
  fileprivate let superclass: AnyClass?
  fileprivate let hasWeakProperties: Bool

  fileprivate init(name: String, version: Int, superclass: AnyClass?, hasWeakProperties: Bool) {
    (self.name, self.version) = (name, version)
    (self.superclass, self.hasWeakProperties) = (superclass, hasWeakProperties)
  }
}

/// The facts about the classes that a session has met, as long as the program sets no names.
struct KnownClassFacts {
  private var facts: [ObjectIdentifier: ClassFacts] = [:]
  private var generation = ClassNames.generation

  fileprivate subscript(type: AnyClass) -> ClassFacts? {
    mutating get {
      if generation != ClassNames.generation { self = KnownClassFacts() }
      return facts[ObjectIdentifier(type)]
    }
    set { facts[ObjectIdentifier(type)] = newValue }
  }
}
