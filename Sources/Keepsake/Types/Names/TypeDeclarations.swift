/// The declarations of the program's types, from their descriptors.
///
/// A descriptor leads to that of the enclosing declaration, and that to the next one, up to the module. All of them
/// have names, even if the compiler left out what the runtime would need to find them. The facts are those of
/// `RuntimeMetadata`.
extension RuntimeMetadata {
  /// A class, a structure or an enumeration.
  struct Declaration {
    fileprivate let descriptor: UInt
    /// A hash of its own name, without those of the enclosing declarations.
    let nameHash: UInt32

    enum Kind {
      case named
      /// One type for each list of arguments.
      case generic
      /// Private or local, so that its name contains an address of the process.
      case hidden
    }
  }

  /// The types that the loaded images list. Some are there twice.
  static func declarations() -> [Declaration] {
    let images = images()
    return (descriptors(in: images) + descriptors(conformingTo: (any Decodable).self, in: images))
      .compactMap { descriptor in
        // Facts 2 and 3: all of these are descriptors. The library that was found may lack one.
        guard descriptor != 0, unsafe typeKinds ~= kind(ofContextAt: descriptor),
          let start = unsafe direct(at: descriptor + 8)
        else { return nil }
        return unsafe Declaration(descriptor: descriptor, nameHash: nameHash(bytes(ofTextAt: start)))
      }
  }

  /// Hashes the name of a declaration, with or without backticks.
  static func nameHash(_ utf8: some Sequence<UInt8>) -> UInt32 {
    utf8.reduce(0) { hash, byte in byte == backtick ? hash : (hash ^ UInt32(byte)) &* 0x0100_0193 }
  }

  /// The type with this declaration, or `nil` if it is generic.
  static func type(of declaration: Declaration) -> Any.Type? {
    // Facts 2 and 3: only `declarations` makes declarations, from descriptors of types.
    unsafe describedType(at: declaration.descriptor)
  }

  /// What `declaration` declares, if `name` is its name; for a hidden type, its name without the address.
  static func kind(of declaration: Declaration, named name: TypeName) -> Declaration.Kind? {
    var kind = Declaration.Kind.named
    var address = declaration.descriptor
    // The names of the type and of those that enclose it, from the innermost on.
    for depth in name.components.indices.reversed() {
      // Facts 2 and 3: the address is that of a descriptor, from here to the module.
      while unsafe self.kind(ofContextAt: address) == anonymousKind {
        kind = .hidden
        guard let parent = unsafe enclosing(address) else { return nil }
        address = parent
      }
      switch unsafe self.kind(ofContextAt: address) {
      case typeKinds where depth > 0:
        guard unsafe self.name(inDescriptorAt: address, is: name.components[depth]),
          let parent = unsafe enclosing(address)
        else { return nil }
        // The 8th bit marks generic types.
        if unsafe load(UInt32.self, at: address) & 0x80 != 0, kind == .named { kind = .generic }
        address = parent
      case moduleKind where depth == 0 && name.extending.isEmpty:
        let module = unsafe self.name(inDescriptorAt: address)
        return module.map(RuntimeTypes.commonModule) == String(name.components[0]) ? kind : nil
      case extensionKind where !name.extending.isEmpty:
        return unsafe extendedName(at: address, enclosing: name.components[(depth + 1)...]) == name.key
          ? kind : nil
      default: return nil
      }
    }
    return nil
  }

  /// The modules of `declarations`.
  static func modules(of declarations: [Declaration]) -> Set<String> {
    var seen: Set<UInt> = []
    var modules: Set<String> = []
    for declaration in declarations {
      // Facts 2 and 3, as above.
      var address: UInt? = declaration.descriptor
      while let current = address, seen.insert(current).inserted {
        if unsafe kind(ofContextAt: current) == moduleKind, let name = unsafe name(inDescriptorAt: current) {
          modules.insert(RuntimeTypes.commonModule(of: name))
        }
        address = unsafe enclosing(current)
      }
    }
    return modules
  }

  /// The name of the declaration of `type`, without those around it; `nil` if it has none.
  static func declaredName(of type: Any.Type) -> String? {
    let descriptor = typeContextDescriptor(address(of: type))
    return descriptor == 0 ? nil : unsafe name(inDescriptorAt: descriptor)
  }

  // MARK: Descriptors

  static let moduleKind: UInt32 = 0
  private static let extensionKind: UInt32 = 1
  private static let anonymousKind: UInt32 = 2
  static let classKind: UInt32 = 16
  /// Classes, structures and enumerations.
  private static let typeKinds: ClosedRange<UInt32> = 16...18
  private static let backtick = UInt8(ascii: "`")

  /// The kind of the descriptor at `address`, which must be the address of one.
  @unsafe
  static func kind(ofContextAt address: UInt) -> UInt32 {
    unsafe load(UInt32.self, at: address) & 0x1F  // fact 3
  }

  /// The descriptor of the declaration around that at `address`, which must be the address of a descriptor.
  @unsafe
  static func enclosing(_ address: UInt) -> UInt? {
    // Fact 3: a descriptor begins with its flags and a relative pointer to that of the enclosing declaration.
    unsafe relative(at: address + 4)
  }

  /// `address` must be the address of the descriptor of a module or a type.
  @unsafe
  static func name(inDescriptorAt address: UInt) -> String? {
    // Fact 3: the third field is a relative pointer to a zero-terminated text.
    guard let start = unsafe direct(at: address + 8),
      let text = unsafe UnsafePointer<CChar>(bitPattern: start)
    else { return nil }
    return unsafe String(validatingCString: text)
  }

  /// Whether the name in the descriptor of the type at `address` is `name`, which has no backticks.
  @unsafe
  private static func name(inDescriptorAt address: UInt, is name: Substring) -> Bool {
    guard let start = unsafe direct(at: address + 8) else { return false }  // fact 3
    return unsafe bytes(ofTextAt: start).lazy.filter { $0 != backtick }.elementsEqual(name.utf8)
  }

  /// The bytes up to the next zero.
  ///
  /// `start` must be the address of a zero-terminated text.
  @unsafe
  private static func bytes(ofTextAt start: UInt) -> some Sequence<UInt8> {
    sequence(state: start) { next in
      let byte = unsafe load(UInt8.self, at: next)
      next += 1
      return byte == 0 ? nil : byte
    }
  }

  /// The name of a type in the extension at `address`, which must be the address of its descriptor; `nil` if that
  /// extends a generic type.
  @unsafe
  private static func extendedName(at address: UInt, enclosing names: ArraySlice<Substring>) -> ExactString? {
    // Fact 3: the third field is a relative pointer to the mangled name of the extended type.
    guard let start = unsafe direct(at: address + 8), let type = unsafe type(ofNameAt: start),
      let extended = TypeName(RuntimeTypes.name(of: type)), let parent = unsafe enclosing(address),
      let module = unsafe name(inDescriptorAt: parent)
    else { return nil }
    let prefix = TypeName.extensionPrefix(RuntimeTypes.commonModule(of: module))
    return ExactString(
      string: prefix + extended.key.string + names.map { "." + TypeName.spelled($0) }.joined()
    )
  }

  /// The type of the mangled name at `start`, or `nil` if it is generic.
  ///
  /// `start` must be the address of a mangled name.
  @unsafe
  private static func type(ofNameAt start: UInt) -> Any.Type? {
    guard let name = unsafe UnsafePointer<UInt8>(bitPattern: start) else { return nil }
    return unsafe _getTypeByMangledNameInContext(
      name,
      end(ofNameAt: start) - start,
      genericContext: nil,
      genericArguments: nil
    )
  }
}
