#if canImport(Darwin)
  internal import Darwin
  internal import MachO
#endif

/// What the compiler tells the runtime about the types of a program.
///
/// This enumeration holds all unsafe code about types. It reads the records in which each loaded image lists its
/// types and conformances. Their layouts are those of the Swift ABI, which the compiler builds into every
/// program. Nothing that is read here comes from an archive. Nothing is written, and no function is called
/// through what is read: the runtime makes types from mangled names.
///
/// Three facts make the reads sound, and the comments below refer to them:
/// 1. a section lies in an image that stays loaded, and consists of whole records of four bytes;
/// 2. a relative pointer that is not zero leads to what its record says, in the same image or, if it is
///    indirect, to an address that the dynamic linker has filled in;
/// 3. metadata and descriptors begin with the fields that the ABI states, and are never freed.
enum RuntimeMetadata {
  // MARK: Types

  /// The descriptors of the types that the images list: classes, structures, enumerations and others.
  static func descriptors(in images: [Image]) -> [UInt] {
    images.lazy.flatMap { $0.types.records }.compactMap { record in
      // Facts 1 and 2: the low two bits distinguish a descriptor (0) from the place of its address (1).
      let offset = unsafe load(Int32.self, at: record)
      guard offset != 0, offset & 3 <= 1 else { return nil }
      let address = record &+ UInt(bitPattern: Int(offset & ~3))
      return offset & 3 == 0 ? address : unsafe load(UInt.self, at: address)
    }
  }

  /// The type that `descriptor` describes, or `nil` if it is generic.
  ///
  /// `descriptor` must be the address of the descriptor of a type.
  @unsafe
  static func describedType(at descriptor: UInt) -> Any.Type? {
    let flags = unsafe load(UInt32.self, at: descriptor)  // fact 3
    guard 16...18 ~= flags & 0x1F, flags & 0x80 == 0 else { return nil }
    // A mangled name can refer to a descriptor by a 2 and the distance to the place of its address. Here, that
    // place is right before the name.
    let word = MemoryLayout<UInt>.size
    return unsafe withUnsafeTemporaryAllocation(byteCount: word + 6, alignment: word) { bytes -> Any.Type? in
      // All within the word and six bytes that were requested: the address, the 2, the distance from its own
      // place back to the address, and a zero.
      unsafe bytes.storeBytes(of: descriptor, toByteOffset: 0, as: UInt.self)
      unsafe bytes.storeBytes(of: 2, toByteOffset: word, as: UInt8.self)
      unsafe bytes.storeBytes(of: -Int32(word + 1), toByteOffset: word + 1, as: Int32.self)
      unsafe bytes.storeBytes(of: 0, toByteOffset: word + 5, as: UInt8.self)
      guard let base = bytes.baseAddress else { return nil }
      // Five bytes are there, and any memory can be read as bytes. The runtime does not keep the name.
      let name = unsafe UnsafePointer((base + word).assumingMemoryBound(to: UInt8.self))
      return unsafe _getTypeByMangledNameInContext(name, 5, genericContext: nil, genericArguments: nil)
    }
  }

  // MARK: Kinds

  /// Whether `type` is an enumeration. `Optional` is a kind of its own.
  static func isEnumeration(_ type: Any.Type) -> Bool {
    // Fact 3: metadata begins with its kind.
    unsafe load(UInt.self, at: address(of: type)) == 0x201
  }

  /// The type that is wrapped, if `type` is an optional.
  static func wrappedType(of type: Any.Type) -> Any.Type? {
    let (metadata, word) = (address(of: type), UInt(MemoryLayout<UInt>.size))
    // Fact 3: the metadata of an optional is its kind, its descriptor and the wrapped type, a word each. A value of
    // Any.Type is just the address of metadata.
    guard unsafe load(UInt.self, at: metadata) == 0x202 else { return nil }
    return unsafe unsafeBitCast(load(UInt.self, at: metadata + 2 * word), to: Any.Type.self)
  }

  static func isOptional(_ type: Any.Type) -> Bool { wrappedType(of: type) != nil }

  // MARK: Existentials

  /// Whether `type` is a protocol type, with or without constraints, or the metatype of one.
  static func isExistential(_ type: Any.Type) -> Bool {
    // Fact 3: metadata begins with its kind. That of a class has an address or 0 there, neither of which is a
    // kind.
    [0x303, 0x306, 0x307].contains(unsafe load(UInt.self, at: address(of: type)))
  }

  /// For `any Shape`, `any Shape.Type`, to which the types that conform can be cast.
  static func existentialMetatype(of type: Any.Type) -> Any.Type? {
    #if _ptrauth(_arm64e)
      // Pointers in metadata are signed, so this uses the name, which private protocols do not have.
      return _mangledTypeName(type).flatMap { _typeByName($0 + "Xp") }
    #else
      return existentialMetatype(ofOpened: type)
    #endif
  }

  /// A generic type, whose metadata contains the type.
  private struct Carrier<Value> {}

  private static func existentialMetatype<Value>(ofOpened type: Value.Type) -> Any.Type? {
    let word = UInt(MemoryLayout<UInt>.size)
    let metadata = address(of: Carrier<Value>.self)
    // "The existential metatype of the first generic parameter", in the context of Carrier.
    let name = Array("xXp".utf8)
    return unsafe name.withUnsafeBufferPointer { bytes -> Any.Type? in
      guard let name = bytes.baseAddress else { return nil }
      // Fact 3: the metadata of a generic structure is its kind, its descriptor and its arguments, a word
      // each. Carrier has one argument. The name has the given length, and the runtime does not keep it.
      return unsafe _getTypeByMangledNameInContext(
        name,
        UInt(bytes.count),
        genericContext: UnsafeRawPointer(bitPattern: load(UInt.self, at: metadata + word)),
        genericArguments: UnsafeRawPointer(bitPattern: metadata + 2 * word)
      )
    }
  }

  // MARK: Memory

  /// The address of the metadata of `type`.
  static func address(of type: Any.Type) -> UInt {
    // A value of Any.Type is just the address of metadata.
    unsafe unsafeBitCast(type, to: UInt.self)
  }

  /// The address to which the four bytes at `address` lead, or `nil` if they are zero. If the lowest bit is
  /// set, they lead to the place of that address. Both places are aligned.
  ///
  /// `address` must be the address of a relative pointer that may be indirect.
  @unsafe
  static func relative(at address: UInt) -> UInt? {
    guard let target = unsafe direct(at: address) else { return nil }
    return target & 1 == 0 ? target : unsafe load(UInt.self, at: target & ~1)  // fact 2
  }

  /// The address to which the four bytes at `address` lead, or `nil` if they are zero.
  ///
  /// `address` must be the address of a relative pointer.
  @unsafe
  static func direct(at address: UInt) -> UInt? {
    let offset = unsafe load(Int32.self, at: address)
    return offset == 0 ? nil : address &+ UInt(bitPattern: Int(offset))
  }

  /// The end of the mangled name at `start`, where there is a zero.
  ///
  /// `start` must be the address of a mangled name.
  @unsafe
  static func end(ofNameAt start: UInt) -> UInt {
    var end = start
    // A relative pointer of four bytes follows a byte up to 0x17, and an address one up to 0x1F. They may contain
    // zeros.
    while case let byte = unsafe load(UInt8.self, at: end), byte != 0 {
      end += byte < 0x18 ? 5 : byte < 0x20 ? 1 + UInt(MemoryLayout<UInt>.size) : 1
    }
    return end
  }

  /// The number at `address`. There must be one.
  @unsafe
  static func load<Number: FixedWidthInteger & BitwiseCopyable>(
    _ type: Number.Type,
    at address: UInt
  ) -> Number {
    // The caller knows what is there, and no alignment is needed. Nothing has the address 0.
    guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else { return 0 }
    return unsafe pointer.loadUnaligned(as: Number.self)
  }
}

// MARK: - Images

extension RuntimeMetadata {
  /// The addresses of the records of a section.
  struct Section {
    var start: UInt = 0
    var byteCount = 0

    var records: StrideTo<UInt> {
      stride(from: start, to: start + UInt(byteCount & ~3), by: 4)
    }
  }

  /// The sections of a loaded image.
  struct Image {
    var conformances = Section()
    var types = Section()
  }

  #if canImport(Darwin) && !_ptrauth(_arm64e)

    /// Grows when an image is loaded.
    static func imageCount() -> Int { Int(_dyld_image_count()) }

    /// `images` leaves out the system's own libraries.
    static let listsAllImages = false

    static func images() -> [Image] {
      (0..<_dyld_image_count()).flatMap { index -> [Image] in
        // If an image was unloaded since, no image may have this index. Then there is no header.
        let found: UnsafePointer<mach_header>? = unsafe _dyld_get_image_header(index)
        guard let header = unsafe found else { return [] }
        // The system's own libraries (MH_DYLIB_IN_CACHE) know no protocol of this one.
        guard unsafe header.pointee.flags & 0x8000_0000 == 0 else { return [] }
        return unsafe [
          Image(
            conformances: section("__swift5_proto", of: header),
            types: section("__swift5_types", of: header)
          ),
          Image(types: section("__swift5_types2", of: header)),
        ]
      }
    }

    /// `header` must be the header of a loaded image.
    @unsafe
    private static func section(_ name: String, of header: UnsafePointer<mach_header>) -> Section {
      var byteCount: UInt = 0
      // In a process with 64-bit addresses, every header is of this kind, which begins like the other.
      let header = unsafe UnsafeRawPointer(header).assumingMemoryBound(to: mach_header_64.self)
      guard let start = unsafe getsectiondata(header, "__TEXT", name, &byteCount) else { return Section() }
      return Section(start: UInt(bitPattern: start), byteCount: Int(byteCount))
    }

  #elseif os(Linux) || os(Android) || os(FreeBSD)

    /// Grows when an image is loaded.
    static func imageCount() -> Int {
      var count = 0
      unsafe withUnsafeMutablePointer(to: &count) { count in
        unsafe enumerateAllMetadataSections(
          { _, context in
            // `context` is the count, which lives until the enumeration returns.
            unsafe context.assumingMemoryBound(to: Int.self).pointee &+= 1
            return true
          },
          count
        )
      }
      return count
    }

    static let listsAllImages = true

    static func images() -> [Image] {
      var images: [Image] = []
      unsafe withUnsafeMutablePointer(to: &images) { list in
        unsafe enumerateAllMetadataSections(
          { sections, context in
            // `context` is the list, which lives until the enumeration returns. `sections` is a table of words:
            // four that are not needed, then start and length of the protocols, the conformances, the types,
            // and others. Later runtimes append to it.
            unsafe context.assumingMemoryBound(to: [Image].self).pointee.append(
              Image(
                conformances: RuntimeMetadata.section(6, of: sections),
                types: RuntimeMetadata.section(8, of: sections)
              )
            )
            return true
          },
          list
        )
      }
      return images
    }

    /// The section whose start is word `index` of a table.
    ///
    /// `sections` must be a table that has this word and the next.
    @unsafe
    private static func section(_ index: Int, of sections: UnsafeRawPointer) -> Section {
      let word = MemoryLayout<UInt>.size
      // The caller guarantees that both words are in the table.
      return unsafe Section(
        start: sections.load(fromByteOffset: index * word, as: UInt.self),
        byteCount: sections.load(fromByteOffset: (index + 1) * word, as: Int.self)
      )
    }

  #else

    /// Unknown here. Types are found by registration, and by the names that the runtime knows.
    static func imageCount() -> Int { 0 }
    static let listsAllImages = false
    static func images() -> [Image] { [] }

  #endif
}

#if os(Linux) || os(Android) || os(FreeBSD)
  /// `swift_enumerateAllMetadataSections` of the runtime, a C function. Both of its arguments are pointers, which
  /// C and Swift pass alike on these systems.
  @_silgen_name("swift_enumerateAllMetadataSections")
  private func enumerateAllMetadataSections(
    _ body: @convention(c) (_ sections: UnsafeRawPointer, _ context: UnsafeMutableRawPointer) -> Bool,
    _ context: UnsafeMutableRawPointer
  )
#endif

/// The number of bytes of an instance of a class, including its header.
///
/// Tail allocations are not included.
func instanceByteCount(_ type: AnyClass) -> Int {
  Int(clamping: instanceExtents(type).positive)
}

/// This function is part of the stable interface that the standard library has for its own inlined code.
@_silgen_name("_swift_getSwiftClassInstanceExtents")
private func instanceExtents(_ type: AnyClass) -> (negative: UInt, positive: UInt)
