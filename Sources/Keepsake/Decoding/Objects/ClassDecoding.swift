/// Finds the type to build for an object or a value whose type the archive names (Design §4).
extension DecodingSession {
  /// The type to build for an object of the class `number` where the program declares `expected`. It is `expected`
  /// itself unless an instance was archived where another type was declared.
  ///
  /// Names are tried in the order of NSKeyedUnarchiver; those that classes declare precede those of the runtime.
  func type<Value: Decodable>(
    ofClass number: Int,
    expected: Value.Type,
    _ offset: Int,
    _ depth: Int
  ) throws -> any Decodable.Type {
    if let knownClasses = settings.knownClasses { return knownClasses[number] as? Value.Type ?? expected }
    let entry = image.classes[number]
    let mapped = type(setForName: entry.name)
    if let mapped = mapped as? Value.Type { return mapped }
    guard entry.isPolymorphic, expected != UnknownObject.self else { return expected }
    if mapped == nil, names(entry.name).contains(where: { ClassNames.isName($0, of: expected) }) {
      return expected
    }
    return try type(ofEntry: number, behind: Value.self, offset, depth)
  }

  /// The type to build for a value or an object with the entry `number` in the class table, where the program declares
  /// `expected` and the name decides.
  func type(
    ofEntry number: Int,
    behind expected: Any.Type,
    _ offset: Int,
    _ depth: Int
  ) throws -> any Decodable.Type {
    let known = types.plans.typesBehind(expected)
    if let type = known.types[number] { return type }
    let entry = image.classes[number]
    let found: Any.Type
    if let knownClasses = settings.knownClasses {
      found = knownClasses[number]
    } else {
      found =
        try type(setForName: entry.name)
        ?? type(named: number, offset, depth) { RuntimeTypes.conforms($0, to: expected) != false }
    }
    let fits = RuntimeTypes.conforms(found, to: expected) != false
    guard fits, let type = found as? any Decodable.Type else {
      throw otherType(
        expected,
        "Expected \(expected) but the archive names \(entry.name), which is \(String(reflecting: found)) here and is "
          + (fits ? "not Decodable" : "no \(expected)"),
        offset,
        path(toValueAt: offset, in: depth)
      )
    }
    known.types[number] = type
    return type
  }

  /// The type that the program set for a name: for this archive, otherwise for the process.
  private func type(setForName name: String) -> Any.Type? {
    // Look up each name only once, since another thread may remove its type at any time. The `first` of a lazy
    // collection would look twice.
    for name in names(name) {
      if let type = settings.ownClasses[name] ?? ClassNames.type(setForName: name) { return type }
    }
    return nil
  }

  /// The names by which the program may know the class `name`: that name, and the one in the file from which the
  /// archive was translated.
  private func names(_ name: String) -> [String] {
    [name] + (image.source?.originalNames[name].map { [$0] } ?? [])
  }

  /// The type that is found by the name of an entry. If several types have the name, the one that fits.
  private func type(
    named number: Int,
    _ offset: Int,
    _ depth: Int,
    where fits: (Any.Type) -> Bool
  ) throws -> Any.Type {
    let name = image.classes[number].name
    let problem: String
    if settings.classPolicy == .byName || ClassEntry.ownNames.contains(name) {
      let found = names(name).lazy.map { ClassNames.types(named: $0) }.first { !$0.isEmpty } ?? []
      let fitting = found.filter(fits)
      if let type = fitting.first ?? found.first, fitting.count <= 1 { return type }
      problem =
        found.isEmpty
        ? RuntimeTypes.reasonNotFound(name)
          + ". Add the name to the archivedClassAliases of a type, or call KeyedUnarchiver.setClass(_:forClassName:)"
        : "which is the name of \(fitting.count) types in this program that fit, such as \(String(reflecting: fitting[0])). "
          + "Give each its own archivedClassName, or call KeyedUnarchiver.setClass(_:forClassName:)"
    } else {
      problem = "and only types registered with KeyedUnarchiver.setClass(_:forClassName:) may be built"
    }
    let names = image.classes.names(of: number)
    if let type = settings.observer?.typeForUnknownName(name, names) { return type }
    let isValueType = image.classes[number].isValueType
    if let placeholder = settings.placeholders.first(where: { ($0 is AnyClass) != isValueType && fits($0) }) {
      return placeholder
    }
    throw corrupted(
      ArchiveError(
        .unresolvableClass,
        "The archive names the type \(name), \(problem)",
        byteOffset: offset
      ),
      path(toValueAt: offset, in: depth)
    )
  }

  // MARK: Versions

  /// The version that the archive states for `type`, as a part of the object or typed value that the decoder at
  /// `offset` reads; 0 if the archive states none.
  func archivedVersion(of type: Any.Type, at offset: Int) -> Int {
    guard let current = typeInProgress(at: offset) else { return 0 }
    let entries = image.classes.chain(of: current.entry)
    if let entry = entries.first(where: { stands(image.classes[$0].name, for: type) }) {
      return image.classes[entry].version
    }
    // Identify a class that was renamed since by its position in the chain of superclasses.
    let types = Array(sequence(first: current.type) { RuntimeTypes.superclass(of: $0) })
      .filter { $0 is any Decodable.Type }
    guard let cursor = types.firstIndex(where: { $0 == type }), cursor == 0 || types.count == entries.count
    else {
      return 0
    }
    return image.classes[entries[cursor]].version
  }

  /// The object or typed value that has the value at `offset`, if the archive names the type.
  func typeInProgress(at offset: Int) -> TypedValueInProgress? {
    graph.inProgress.last { $0.range.contains(offset) }.flatMap { $0.entry >= 0 ? $0 : nil }
  }

  private func stands(_ name: String, for type: Any.Type) -> Bool {
    self.type(setForName: name) == type || names(name).contains { ClassNames.isName($0, of: type) }
  }
}
