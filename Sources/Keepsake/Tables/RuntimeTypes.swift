internal import Synchronization

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The types of the running process by their names, and the other way round.
package enum RuntimeTypes {
  // MARK: Names

  /// The name of `type`: what `String(reflecting:)` gives, except that the types of Foundation have the same
  /// name on every platform, whichever of its modules they are in.
  package static func name(of type: Any.Type) -> String {
    if let name = standardNames[ObjectIdentifier(type)] { return name }
    let name = String(reflecting: type)
    for module in foundationModules.dropFirst() where name.hasPrefix(module + ".") {
      return "Foundation" + name.dropFirst(module.count)
    }
    return name
  }

  /// The class, structure or enumeration whose name is `name`, or `nil`.
  ///
  /// The name may come from an untrusted file. It is taken apart into plain identifiers, which have to be
  /// what they should be; the runtime sees only what is made of those here, and the type it finds must have
  /// that very name. Generic, private and local types, and those nested in them, are not found.
  package static func type(named name: String) -> Any.Type? {
    // First of all, since `==` and hashing take some other characters for equal to ASCII ones.
    guard let components = components(of: name) else { return nil }
    if let type = standardTypes[name] { return type }
    if let type = found.withLock({ $0[name] }) { return type }
    guard let type = search(components) else { return nil }
    found.withLock {
      if $0.count >= foundLimit { $0.removeAll() }
      $0[name] = type
    }
    return type
  }

  /// What `type(named:)` has found. Only types are kept: they are as many as the program has, while a stream
  /// of names that mean nothing has no end. The limit is for programs with very many types.
  private static let found = Mutex<[String: Any.Type]>([:])
  private static let foundLimit = 10_000

  // MARK: The search

  /// The parts of `name` between the dots, or `nil` if it is not the name of a type that could be found: at
  /// most 1,024 bytes; 2 to 8 parts of 1 to 255 bytes; each of ASCII letters, digits and underscores, no
  /// digit in front.
  static func components(of name: String) -> [Substring]? {
    guard name.utf8.count <= 1024 else { return nil }
    var start = name.startIndex
    var components: [Substring] = []
    for index in name.utf8.indices {
      switch name.utf8[index] {
      case UInt8(ascii: "."):
        components.append(name[start..<index])
        start = name.utf8.index(after: index)
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
        break
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        guard index != start else { return nil }
      default: return nil
      }
    }
    components.append(name[start...])
    guard 2...8 ~= components.count, components.allSatisfy({ 1...255 ~= $0.utf8.count }) else { return nil }
    // What the compiler imports from C, or makes up, is in modules of these names; no type of a program is.
    guard components[0] != "Builtin", !components[0].hasPrefix("__C") else { return nil }
    return components
  }

  private static func search(_ components: [Substring]) -> Any.Type? {
    let names = components.dropFirst()
    let modules = components[0] == "Foundation" ? foundationModules : [String(components[0])]
    for module in modules {
      if let type = search(names, in: module) { return type }
    }
    return nil
  }

  /// Looks the types up from the outermost to the innermost. A name alone does not tell whether it is that of
  /// a class, a structure or an enumeration; going inwards, three questions for each name settle that.
  private static func search(_ names: ArraySlice<Substring>, in module: String) -> Any.Type? {
    var mangled = "\(module.utf8.count)\(module)"
    var innermost: Any.Type?
    for name in names {
      mangled += "\(name.utf8.count)\(name)"
      var next: (type: Any.Type, kind: String)?
      for kind in ["C", "V", "O"] {
        guard let type = _typeByName(mangled + kind) else { continue }
        next = (type, kind)
        break
      }
      guard let next else { return nil }
      mangled += next.kind
      innermost = next.type
    }
    guard let innermost, String(reflecting: innermost) == "\(module).\(names.joined(separator: "."))" else {
      return nil
    }
    return innermost
  }

  // MARK: The standard types

  /// Foundation is one module on some platforms and several on others.
  private static let foundationModules = [
    "Foundation", "FoundationEssentials", "FoundationInternationalization",
  ]

  /// What is asked for most often, and what goes by another name on some platform: `Decimal` is a structure
  /// of C on Apple's.
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
  /// Whether every value of `type` can be cast to `expected`: a class, of which `type` is to be the same or a
  /// subclass; any other concrete type, which it is to be; or an existential such as `any Shape & Codable`.
  ///
  /// - Returns: `nil` where it cannot be told: if `type` is itself an existential, and if `expected` is one
  ///   that constrains associated types (`any Collection<Int>`).
  package static func conforms(_ type: Any.Type, to expected: Any.Type) -> Bool? {
    if type == expected || expected == Any.self { return true }
    guard !RuntimeMetadata.isExistential(type) else { return nil }
    guard RuntimeMetadata.isExistential(expected) else { return isKind(type, of: expected) }
    guard let metatype = RuntimeMetadata.existentialMetatype(of: expected) else { return nil }
    return isValue(type, of: metatype)
  }

  private static func isKind<Expected>(_ type: Any.Type, of expected: Expected.Type) -> Bool {
    type is Expected.Type
  }

  private static func isValue<Metatype>(_ value: Any, of metatype: Metatype.Type) -> Bool {
    value is Metatype
  }
}
