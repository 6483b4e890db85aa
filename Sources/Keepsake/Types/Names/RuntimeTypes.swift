#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The types of the running process by their names, and the other way round.
package enum RuntimeTypes {
  // MARK: Names

  /// The name of `type` as `String(reflecting:)` gives it, except that the types of Foundation have the same name on
  /// every platform, whichever of its modules they are in.
  package static func name(of type: Any.Type) -> String {
    if let name = standardNames[ObjectIdentifier(type)] { return name }
    // `String(reflecting:)` calls this, after it has asked for conformances and made a mirror.
    return inCommonModule(_typeName(type))
  }

  /// `name` with Foundation for each of its modules, except in arguments of a generic type.
  private static func inCommonModule(_ name: String) -> String {
    // Most names are of other modules, so the second prefix is seldom made.
    for module in foundationModules.dropFirst()
    where name.hasPrefix(module) && name.hasPrefix(module + ".") {
      return foundationModules[0] + name.dropFirst(module.count)
    }
    guard name.utf8.first == UInt8(ascii: "(") else { return name }
    var name = name
    for module in foundationModules.dropFirst() {
      name.replace(TypeName.extensionPrefix(module), with: TypeName.extensionPrefix(foundationModules[0]))
      name.replace("):\(module).", with: "):\(foundationModules[0]).", maxReplacements: 1)
    }
    return name
  }

  /// The superclass of `type`, if it is a class that has one.
  static func superclass(of type: Any.Type) -> AnyClass? { (type as? AnyClass).flatMap(_getSuperclass) }

  /// Whether `type` is the class `other` or a subclass of it.
  @inline(__always)
  static func isSubclass(_ type: AnyClass, of other: Any.Type) -> Bool {
    var next: AnyClass? = type
    while let current = next {
      if current == other { return true }
      next = _getSuperclass(current)
    }
    return false
  }

  /// Whether `name` is the runtime's name of a private or local type. It contains an address of this process, so it
  /// must not get into a file: no other process could use it.
  static func isAddressed(_ name: String) -> Bool {
    // Few names have a parenthesis, and searching for a string takes 20,000 instructions.
    name.utf8.contains(UInt8(ascii: "(")) && name.contains("(unknown context")
  }

  /// `module`, or Foundation if it is part of Foundation.
  static func commonModule(of module: String) -> String {
    foundationModules.contains(module) ? foundationModules[0] : module
  }

  /// The classes, structures and enumerations named `name`. There are several only if libraries have modules of the
  /// same name.
  ///
  /// The name may come from an untrusted file. The library searches the names of all types that the loaded images list,
  /// and the type that it finds must have exactly that name. It does not find generic, private and local types, or
  /// types nested in them.
  package static func types(named name: String) -> [Any.Type] { lookup.types(named: name) }

  /// Why no type is found by `name`, as the end of a sentence.
  static func reasonNotFound(_ name: String) -> String {
    // The name of a generic type ends where its arguments begin.
    guard let name = TypeName(String(Substring(name.utf8.prefix { $0 != UInt8(ascii: "<") }))) else {
      return "and this program has no type of that name"
    }
    switch index.value.obstacle(to: name) {
    case .generic: return "which is generic in this program, and must be registered with its arguments"
    case .hidden: return "which is private or local in this program, and cannot be found by its name"
    default:
      let module = String(name.extending.first ?? name.components[0])
      guard RuntimeMetadata.listsAllImages, !modules.value.contains(module) else {
        return "and this program has no type of that name"
      }
      return "and this program has neither that type nor the module "
        + "\(module), so its library may not be loaded"
    }
  }

  /// Throws if `type` is the encoder or decoder of another copy of this library, which a dynamic library links. That
  /// copy does not know the types of this one: it would lose weak references, and the identity of objects behind
  /// protocols.
  static func refuseCopy(_ type: Any.Type) throws(ArchiveError) {
    guard ["Keepsake.ValueEncoder", "Keepsake.ValueDecoder"].contains(_typeName(type)) else { return }
    throw .misuse(
      "The process has two copies of Keepsake, and one meets models or wrappers of the other. Let the program and its "
        + "libraries link the same dynamic library"
    )
  }

  // MARK: The search

  private static let lookup = TypeLookup { name, parts in
    let candidates = standardTypes[name].map { [$0] } ?? index.value.types(named: parts)
    let found = candidates.filter { RuntimeTypes.name(of: $0).utf8.elementsEqual(name.utf8) }
    if !found.isEmpty || RuntimeMetadata.listsAllImages { return found }
    return RuntimeTypes.foundByRuntime(parts).map { [$0] } ?? []
  }

  private static let index = OfLoadedImages { TypeIndex(RuntimeMetadata.declarations()) }
  private static let modules = OfLoadedImages { index.value.modules() }

  /// The type with that name that the runtime finds in an image whose types cannot be listed. The runtime gets a name
  /// that is mangled here from plain ASCII identifiers.
  static func foundByRuntime(_ name: TypeName) -> Any.Type? {
    guard name.extending.isEmpty, name.components.allSatisfy({ TypeName.isPlainASCII($0) }) else {
      return nil
    }
    let names = name.components.dropFirst()
    let module = String(name.components[0])
    for module in module == foundationModules[0] ? foundationModules : [module] {
      if let type = search(names, in: module) { return type }
    }
    return nil
  }

  /// Searches from the outermost type to the innermost. A name alone does not distinguish a class, a structure and
  /// an enumeration, so each name takes up to three questions to the runtime.
  private static func search(_ names: ArraySlice<Substring>, in module: String) -> Any.Type? {
    var mangled = "\(module.utf8.count)\(module)"
    for name in names {
      mangled += "\(name.utf8.count)\(name)"
      guard let kind = ["C", "V", "O"].first(where: { _typeByName(mangled + $0) != nil }) else { return nil }
      mangled += kind
    }
    guard let innermost = _typeByName(mangled),
      String(reflecting: innermost) == "\(module).\(names.joined(separator: "."))"
    else { return nil }
    return innermost
  }

  // MARK: The standard types

  /// Foundation is one module on some platforms and several on others.
  private static let foundationModules = [
    "Foundation", "FoundationEssentials", "FoundationInternationalization",
  ]

  /// The types that are requested most often, and those whose names differ between platforms: `Decimal` is a C
  /// structure on Apple's.
  private static let standardTypes: [String: Any.Type] = [
    "Swift.Bool": Bool.self, "Swift.String": String.self,
    "Swift.Double": Double.self, "Swift.Float": Float.self,
    "Swift.Int": Int.self, "Swift.UInt": UInt.self,
    "Swift.Int8": Int8.self, "Swift.UInt8": UInt8.self,
    "Swift.Int16": Int16.self, "Swift.UInt16": UInt16.self,
    "Swift.Int32": Int32.self, "Swift.UInt32": UInt32.self,
    "Swift.Int64": Int64.self, "Swift.UInt64": UInt64.self,
    "Swift.Int128": Int128.self, "Swift.UInt128": UInt128.self,
    "Foundation.Data": Data.self, "Foundation.Date": Date.self, "Foundation.UUID": UUID.self,
    "Foundation.URL": URL.self, "Foundation.Decimal": Decimal.self,
  ]

  private static let standardNames = Dictionary(
    uniqueKeysWithValues: standardTypes.map { (ObjectIdentifier($0.value), $0.key) }
  )
}

// MARK: - Conformance

extension RuntimeTypes {
  /// Whether every value of `type` can be cast to `expected`: to a class, which `type` is or inherits from; to another
  /// concrete type, which it is; to `AnyHashable`; or to an existential to which it conforms, such as `any Shape`.
  ///
  /// - Returns: `nil` if that is unknown, as `type` is itself an existential, or `expected` is one that constrains
  ///   associated types (`any Collection<Int>`).
  package static func conforms(_ type: Any.Type, to expected: Any.Type) -> Bool? {
    if type == expected || expected == Any.self { return true }
    guard !RuntimeMetadata.isExistential(type) else { return nil }
    guard RuntimeMetadata.isExistential(expected) else { return isKind(type, of: expected) }
    guard let metatype = RuntimeMetadata.existentialMetatype(of: expected) else { return nil }
    return isValue(type, of: metatype)
  }

  private static func isKind<Expected>(_ type: Any.Type, of expected: Expected.Type) -> Bool {
    type is Expected.Type || expected == AnyHashable.self && type is any Hashable.Type
  }

  private static func isValue<Metatype>(_ value: Any, of metatype: Metatype.Type) -> Bool {
    value is Metatype
  }
}
