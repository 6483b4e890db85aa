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

/// The bits of `value` if it is exactly a `Known`, which is laid out as `Bits`: references in it are not counted then.
@inline(__always)
func bits<Value, Known, Bits: BitwiseCopyable>(
  of value: Value,
  as type: Known.Type,
  _ bits: Bits.Type
) -> Bits? {
  guard ObjectIdentifier(Value.self) == ObjectIdentifier(Known.self) else { return nil }
  // The caller says that it is laid out so, and a `Bits` has no invariants.
  return unsafe unsafeBitCast(value, to: Bits.self)
}

/// The bits of `value`, as those of a type that has as many.
@inline(__always)
func bits<Value: BitwiseCopyable, Bits: BitwiseCopyable>(of value: Value, _ bits: Bits.Type) -> Bits {
  // Neither has invariants or padding.
  unsafe unsafeBitCast(value, to: Bits.self)
}

/// An array of `objects`, each of which the caller knows to be an `Element`.
@inline(__always)
func knownElements<Element: AnyObject>(_ objects: [AnyObject], as type: Element.Type) -> [Element] {
  // The memory of an array of objects is the same for all classes.
  unsafe unsafeBitCast(objects, to: [Element].self)
}
