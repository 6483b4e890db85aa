/// The declarations of the program's types, from their descriptors.
///
/// A descriptor leads to that of the enclosing declaration, and that to the next one, up to the module. All of them
/// have names, even if the compiler left out what the runtime would need to find them. The facts are those of
/// `RuntimeMetadata`.
extension RuntimeMetadata {
  struct Declaration {
    let descriptor: UInt
    /// The type itself, as the enclosing declaration of others.
    let context: Context
    /// Whether the descriptor describes not one type, but one for each list of arguments.
    let isGeneric: Bool
  }

  /// The types of the loaded images: those in extensions of types of other modules, or all others. To name the former,
  /// the runtime has to find the extended types.
  static func declarations(inExtensions: Bool) -> [Declaration] {
    let images = images()
    var reader = ContextReader(resolvesExtensions: inExtensions)
    var seen: Set<UInt> = []
    var declarations: [Declaration] = []
    for descriptor in descriptors(in: images) + descriptors(conformingTo: (any Decodable).self, in: images)
    where seen.insert(descriptor).inserted {
      // Facts 2 and 3: all of these are descriptors.
      guard let flags = unsafe flags(ofContextAt: descriptor), typeKinds ~= flags & kindMask else { continue }
      let isGeneric = flags & genericFlag != 0
      // Generic types cannot be named without their arguments.
      guard !(isGeneric && inExtensions), let context = unsafe reader.context(at: descriptor),
        context.isExtended == inExtensions
      else { continue }
      declarations.append(Declaration(descriptor: descriptor, context: context, isGeneric: isGeneric))
    }
    return declarations
  }

  private static let kindMask: UInt32 = 0x1F
  private static let genericFlag: UInt32 = 0x80
  /// Classes, structures and enumerations.
  private static let typeKinds: ClosedRange<UInt32> = 16...18

  /// The first four bytes of the descriptor at `descriptor`, which state its kind; `nil` if the library that was found
  /// lacks the descriptor.
  ///
  /// `descriptor` must be the address of a descriptor, or 0.
  @unsafe
  private static func flags(ofContextAt descriptor: UInt) -> UInt32? {
    descriptor == 0 ? nil : unsafe load(UInt32.self, at: descriptor)
  }

  /// The enclosing declaration of a type: a module, an extension, a type, or something without a name.
  struct Context {
    /// The name as `TypeName.key` spells it; for a hidden type, without the address.
    fileprivate(set) var name: String
    let module: String
    /// Whether the type is private or local, so its name contains an address of the process.
    fileprivate(set) var isHidden = false
    fileprivate var isExtended = false
  }

  /// Reads each context once.
  private struct ContextReader {
    let resolvesExtensions: Bool
    private var known: [UInt: Context?] = [:]

    init(resolvesExtensions: Bool) {
      self.resolvesExtensions = resolvesExtensions
    }

    /// The context that the descriptor at `address` describes, or `nil` if it cannot be named.
    ///
    /// `address` must be the address of a descriptor, or 0.
    @unsafe
    mutating func context(at address: UInt) -> Context? {
      if let context = known[address] { return context }
      let context = unsafe read(at: address)
      known[address] = .some(context)
      return context
    }

    @unsafe
    private mutating func read(at address: UInt) -> Context? {
      // Fact 3: a descriptor begins with its flags and a relative pointer to that of the enclosing declaration.
      guard let flags = unsafe flags(ofContextAt: address) else { return nil }
      let kind = flags & kindMask
      if kind == 0 {
        // A module; its name is the third field.
        guard let name = unsafe text(at: address + 8), !TypeName.isOfC(name) else { return nil }
        let module = RuntimeTypes.commonModule(of: name)
        return Context(name: TypeName.spelled(module), module: module)
      }
      guard let parentAddress = unsafe relative(at: address + 4),
        var context = unsafe context(at: parentAddress)
      else {
        return nil
      }
      switch kind {
      case 1:
        // An extension; its third field is a relative pointer to the mangled name of the type.
        guard resolvesExtensions, let name = unsafe direct(at: address + 8),
          let type = unsafe type(ofNameAt: name), let extended = TypeName(RuntimeTypes.name(of: type))
        else {
          context.isExtended = true
          return resolvesExtensions ? nil : context
        }
        context.name = TypeName.extensionPrefix(context.module) + extended.key.string
        context.isExtended = true
      case 2: context.isHidden = true
      case typeKinds:
        // The third field of a type is its name.
        guard let name = unsafe text(at: address + 8) else { return nil }
        context.name += "." + TypeName.spelled(name)
      default: return nil
      }
      return context
    }

    /// `address` must be the address of a relative pointer to a zero-terminated text.
    @unsafe
    private func text(at address: UInt) -> String? {
      guard let start = unsafe direct(at: address), let bytes = unsafe UnsafePointer<CChar>(bitPattern: start)
      else { return nil }
      return unsafe String(validatingCString: bytes)
    }

    /// The type of the mangled name at `start`, or `nil` if it is generic.
    ///
    /// `start` must be the address of a mangled name.
    @unsafe
    private func type(ofNameAt start: UInt) -> Any.Type? {
      guard let name = unsafe UnsafePointer<UInt8>(bitPattern: start) else { return nil }
      return unsafe _getTypeByMangledNameInContext(
        name,
        end(ofNameAt: start) - start,
        genericContext: nil,
        genericArguments: nil
      )
    }
  }
}
