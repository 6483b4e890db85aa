// What is known of the type of a value without asking the runtime.

/// The bit pattern of a value of at most one byte, or `nil` for larger ones. Of synthesized `CodingKeys` it tells the case.
@inline(__always)
func bitPattern<Value>(of value: Value) -> Int? {
  switch MemoryLayout<Value>.size {
  case 0: 0
  // Exactly one byte, none of it padding or a reference. (Through a pointer it would cost ten times as much.)
  case 1: unsafe Int(unsafeBitCast(value, to: UInt8.self))
  default: nil
  }
}

/// `object`, whose class the caller knows: it was stored under that type's identifier.
@inline(__always)
func knownDowncast<Subclass: AnyObject>(_ object: AnyObject, to type: Subclass.Type) -> Subclass {
  // Checked in debug builds; see the callers for the table's invariant.
  unsafe unsafeDowncast(object, to: type)
}

/// A reference to an object that something else keeps as long as this one is used: so nothing is counted where it is copied
/// or used, which takes longer than most of what is done with it.
@safe
struct Unretained<Object: AnyObject> {
  private let reference: Unmanaged<Object>

  @inline(__always)
  init(_ object: Object) {
    unsafe reference = .passUnretained(object)
  }

  /// `object`, whose class the caller knows to be `Object`.
  @inline(__always)
  init(known object: AnyObject, as type: Object.Type) {
    // The caller has compared the class. Unlike a downcast, this counts nothing.
    unsafe reference = .fromOpaque(Unmanaged.passUnretained(object).toOpaque())
  }

  /// `object`, which is kept until ``letGo()``.
  @inline(__always)
  init(keeping object: Object) {
    unsafe reference = .passRetained(object)
  }

  @inline(__always)
  func letGo() { unsafe reference.release() }

  @inline(__always)
  var address: UInt { unsafe UInt(bitPattern: reference.toOpaque()) }

  @inline(__always)
  func isSame(as object: Object) -> Bool { address == Unretained(object).address }

  /// Lets `body` use the object, which must not keep it.
  @inline(__always)
  func use<Result>(_ body: (Object) throws -> Result) rethrows -> Result {
    try unsafe reference._withUnsafeGuaranteedRef(body)  // kept by somebody, see above
  }
}

/// An object that is known as long as something else keeps it.
struct WeakObject {
  weak var object: AnyObject?
}

/// `value` if it is exactly a `Known`.
@inline(__always)
func exactly<Value, Known>(_ value: Value, as type: Known.Type) -> Known? {
  guard ObjectIdentifier(Value.self) == ObjectIdentifier(Known.self) else { return nil }
  // The two types are one.
  return unsafe unsafeBitCast(value, to: Known.self)
}

/// The text of a string of at most 15 bytes, which stands in the string itself: hashed and written without branches.
struct SmallText {
  /// The bytes, the first one lowest, and zeros behind them. The highest byte of the second word is the number of bytes.
  let words: (UInt64, UInt64)

  @inline(__always)
  var byteCount: Int { Int(truncatingIfNeeded: words.1 &>> 56) }

  /// The text of `string`, if that has it in itself. To be asked only where ``isKnown``.
  @inline(__always)
  init?(_ string: String) {
    // As large as two words, as `isKnown` says.
    let words = unsafe unsafeBitCast(string, to: (UInt64, UInt64).self)
    // What the bits mean was compared by `isKnown`, too.
    guard words.1 & 0x2000_0000_0000_0000 != 0 else { return nil }
    self.words = (words.0, words.1 & 0x0FFF_FFFF_FFFF_FFFF)
  }

  /// The text of these bytes, of which there are at most 15.
  init(_ utf8: RawSpan) {
    let count = utf8.byteCount
    let length = UInt64(count) &<< 56
    if count >= 8 {
      let last = utf8.littleEndianWord(at: count - 8) >> (128 - count * 8)
      words = (utf8.littleEndianWord(at: 0), length | last)
    } else {
      words = ((0..<count).reduce(0) { $0 | UInt64(utf8.byte(at: $1)) << ($1 * 8) }, length)
    }
  }

  /// A text of `count` bytes, at most 15, which are the first ones of `words`; `nil` where it is not ASCII.
  @inline(__always)
  init?(ascii words: (UInt64, UInt64), count: Int) {
    let low = count >= 8 ? words.0 : words.0 & ((1 &<< UInt64(count &* 8)) &- 1)
    let high = count <= 8 ? 0 : words.1 & ((1 &<< UInt64((count &- 8) &* 8)) &- 1)
    guard (low | high) & 0x8080_8080_8080_8080 == 0 else { return nil }
    self.words = (low, high | UInt64(count) &<< 56)
  }

  @inline(__always)
  private var asciiWords: (UInt64, UInt64) { (words.0, words.1 | 0xE000_0000_0000_0000) }

  /// The string of this text, which is ASCII. To be asked for only where ``isKnown``.
  @inline(__always)
  var asciiString: String { unsafe unsafeBitCast(asciiWords, to: String.self) }  // as `isKnown` compared

  static let mostBytes = 15

  /// Whether strings have the form that is expected here: how they are made is the standard library's own business, and
  /// differs between systems. Looked at are a string of each length, ASCII and other, and one that has memory of its own.
  static let isKnown: Bool = {
    guard MemoryLayout<String>.size == 16 else { return false }
    let areSmall = (0...mostBytes).allSatisfy { count in
      let ascii = String("0123456789abcde".prefix(count))
      let other = String(repeating: "z", count: count % 2) + String(repeating: "é", count: count / 2)
      guard let known = SmallText(ascii), let known2 = SmallText(other) else { return false }
      return unsafe unsafeBitCast(ascii, to: (UInt64, UInt64).self) == known.asciiWords
        && ascii.withUTF8Bytes { SmallText($0).words == known.words }
        && other.withUTF8Bytes { SmallText($0).words == known2.words }
    }
    return areSmall && SmallText(String(repeating: "z", count: mostBytes + 1)) == nil
  }()
}
