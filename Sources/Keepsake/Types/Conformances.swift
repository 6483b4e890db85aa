typealias EncodableClass = any (Encodable & AnyObject).Type
typealias DecodableClass = any (Decodable & AnyObject).Type

/// Which types conform to a protocol, from the records of conformance in the loaded images.
///
/// The facts are those of `RuntimeMetadata`.
extension RuntimeMetadata {
  // MARK: Casts

  /// Whether a cast of `type` to that of a protocol may succeed, such as to `any P.Type` for `any P`.
  ///
  /// Most types conform to no protocol of this library. For each such type and protocol, a cast first searches the
  /// conformances of all libraries of the process, which takes as long as encoding a small archive. Here, one search
  /// finds the types that conform to any protocol of this library, and only those need a cast. The callers cast them,
  /// since a generic cast fails on threads other than that of the actor to which a conformance is isolated.
  static func mayConform(_ type: Any.Type, to existential: Any.Type) -> Bool {
    guard let wanted = protocolDescriptor(of: existential) else { return true }
    let conforming = ownConformances.value
    guard let types = conforming.first(where: { $0.protocol == wanted })?.types else {
      // Nothing conforms to it, or it is another's, or images cannot be listed.
      return unsafe conforming.isEmpty || !isOwn(protocolAt: wanted)
    }
    var next: Any.Type? = type
    while let current = next {
      let descriptor = typeContextDescriptor(address(of: current))
      // Fact 3: the first word of a descriptor is its flags. Bit 17 marks types that are imported from C, of which each
      // image has a descriptor. Classes in Objective-C have none.
      guard descriptor != 0, unsafe load(UInt32.self, at: descriptor) & 1 << 17 == 0 else { return true }
      if types.contains(descriptor) { return true }
      next = RuntimeTypes.superclass(of: current)
    }
    return false
  }

  /// `type`, if its stored properties are archived as they are.
  static func fieldsType(_ type: Any.Type) -> (any ArchivedFields.Type)? {
    mayConform(type, to: (any ArchivedFields).self) ? type as? any ArchivedFields.Type : nil
  }

  /// `type`, if it declares its name or version.
  static func archivableType(_ type: Any.Type) -> (any ArchivableClass.Type)? {
    mayConform(type, to: (any ArchivableClass).self) ? type as? any ArchivableClass.Type : nil
  }

  /// `type`, if it is a class. A cast would search for the conformance, which the argument already has.
  static func classType(_ type: any Encodable.Type) -> EncodableClass? {
    guard type is AnyClass else { return nil }
    // Both consist of the type and its conformance: there is none to AnyObject. Without `as`, `type` would be opened.
    return unsafe unsafeBitCast(type as any Encodable.Type, to: EncodableClass.self)
  }

  /// The same for decoding.
  static func classType(_ type: any Decodable.Type) -> DecodableClass? {
    guard type is AnyClass else { return nil }
    return unsafe unsafeBitCast(type as any Decodable.Type, to: DecodableClass.self)  // as above
  }

  /// For each protocol of this library, the types with a record of conformance, by their descriptors.
  private static let ownConformances = OfLoadedImages {
    // Not a dictionary: the first of each type has the runtime search for conformances.
    var known: [(protocol: UInt, types: [UInt])] = []
    for image in images() {
      for record in image.conformances.records {
        // Facts 1 and 2.
        guard let conformance = unsafe conformance(at: record), unsafe isOwn(protocolAt: conformance.protocol)
        else { continue }
        if let index = known.firstIndex(where: { $0.protocol == conformance.protocol }) {
          known[index].types.append(conformance.type)
        } else {
          known.append((conformance.protocol, [conformance.type]))
        }
      }
    }
    return known
  }

  /// Whether a protocol is one of this library, unless it is private to a file.
  ///
  /// `address` must be the address of the descriptor of a protocol.
  @unsafe
  private static func isOwn(protocolAt address: UInt) -> Bool {
    // The name decides, as a module has several descriptors.
    guard let module = unsafe enclosing(address), unsafe kind(ofContextAt: module) == moduleKind,
      // Few names begin with this letter, so few strings are made.
      let start = unsafe direct(at: module + 8), unsafe load(UInt8.self, at: start) == UInt8(ascii: "K")
    else { return false }
    return unsafe name(inDescriptorAt: module) == "Keepsake"
  }

  // MARK: Records

  /// The types that conform to the protocol of `existential`, and subclasses of those that are classes.
  /// Generic types are missing, as there is none without its arguments.
  static func types(conformingTo existential: Any.Type) -> [Any.Type] {
    let images = images()
    var descriptors = descriptors(conformingTo: existential, in: images)
    descriptors += subclasses(of: Set(descriptors), in: images)
    var seen: Set<UInt> = []
    return descriptors.filter { seen.insert($0).inserted }.compactMap { descriptor in
      // Facts 2 and 3: all of these are the descriptors of types.
      unsafe describedType(at: descriptor)
    }
  }

  /// The descriptors of the types that have a record of conformance to the protocol of `existential`.
  static func descriptors(conformingTo existential: Any.Type, in images: [Image]) -> [UInt] {
    guard let wanted = protocolDescriptor(of: existential) else { return [] }
    return images.lazy.flatMap { $0.conformances.records }.compactMap { record in
      // Fact 1.
      unsafe conformance(at: record).flatMap { $0.protocol == wanted ? $0.type : nil }
    }
  }

  /// The descriptors of the protocol and the type of a conformance; `nil` for a class in Objective-C.
  ///
  /// `record` must be the address of a record of conformance.
  @unsafe
  private static func conformance(at record: UInt) -> (protocol: UInt, type: UInt)? {
    // Fact 2: a record is a relative pointer to a conformance. It begins with the protocol, the type, the witness table
    // and the flags, four bytes each.
    guard let conformance = unsafe relative(at: record), let wanted = unsafe relative(at: conformance),
      wanted != 0
    else { return nil }
    let flags = unsafe load(UInt32.self, at: conformance + 12)  // fact 3
    // 0 and 1 mean a descriptor and the place of its address; other numbers are Objective-C classes. Fact 2; the low
    // bit, which marks indirect pointers elsewhere, is clear in both cases, as the targets are aligned.
    guard flags >> 3 & 7 <= 1, let address = unsafe relative(at: conformance + 4) else { return nil }
    return (wanted, flags >> 3 & 7 == 0 ? address : unsafe load(UInt.self, at: address))
  }

  /// The classes below those of `roots`, which inherit the conformance and have no record of it.
  private static func subclasses(of roots: Set<UInt>, in images: [Image]) -> [UInt] {
    guard roots.contains(where: { unsafe kind(ofContextAt: $0) == classKind }) else { return [] }
    var classes: [UInt] = []
    var children: [UInt: [UInt]] = [:]
    for descriptor in descriptors(in: images) {
      // Fact 3; the sixth field of a class is the name of its superclass.
      guard unsafe kind(ofContextAt: descriptor) == classKind,
        let name = unsafe direct(at: descriptor + 20),
        let parent = unsafe firstReference(ofNameAt: name)
      else { continue }
      classes.append(descriptor)
      children[parent, default: []].append(descriptor)
    }
    var below: Set<UInt> = []
    var rest = Array(roots)
    while let parent = rest.popLast() {
      rest += (children[parent] ?? []).filter { below.insert($0).inserted }
    }
    return classes.filter(below.contains)
  }

  /// The first descriptor to which the mangled name at `name` refers: that of a class, if it is the name of a
  /// superclass.
  ///
  /// `name` must be the address of a mangled name of the same image.
  @unsafe
  private static func firstReference(ofNameAt name: UInt) -> UInt? {
    // A name has at least one byte, if only the zero at its end. Four bytes follow a byte of 1 or 2: a relative
    // pointer to a descriptor, or to the place of its address (fact 2).
    let directness = unsafe load(UInt8.self, at: name)
    guard directness == 1 || directness == 2, let address = unsafe direct(at: name + 1) else { return nil }
    return directness == 1 ? address : unsafe load(UInt.self, at: address)
  }

  /// The descriptor of the protocol P, for `any P`.
  private static func protocolDescriptor(of existential: Any.Type) -> UInt? {
    let metadata = address(of: existential)
    let word = UInt(MemoryLayout<UInt>.size)
    // Fact 3: the metadata of an existential is its kind, its flags and the number of protocols, the latter two
    // of four bytes, and then, unless a superclass is required, the protocols. So kind and number are checked
    // first, and bit 30 of the flags, which says that there is a superclass.
    guard unsafe load(UInt.self, at: metadata) == 0x303,
      unsafe load(UInt32.self, at: metadata + word) & 1 << 30 == 0,
      unsafe load(UInt32.self, at: metadata + word + 4) == 1
    else { return nil }
    return unsafe load(UInt.self, at: metadata + word + 8)
  }
}
