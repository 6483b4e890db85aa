// Facts about the type of a value that need no call to the runtime.

/// The bit pattern of a value of at most one byte, else `nil`. It identifies a case of synthesized `CodingKeys`.
@inline(__always)
func bitPattern<Value>(of value: Value) -> Int? {
  switch MemoryLayout<Value>.size {
  case 0: 0
  // Exactly one byte, without padding or references. (A load through a pointer would cost ten times as much.)
  case 1: unsafe Int(unsafeBitCast(value, to: UInt8.self))
  default: nil
  }
}

/// `object` as a `Subclass`: the caller stored it under that type's identifier, so it knows the class.
@inline(__always)
func knownDowncast<Subclass: AnyObject>(_ object: AnyObject, to type: Subclass.Type) -> Subclass {
  // Checked in debug builds; see the callers for the table's invariant.
  unsafe unsafeDowncast(object, to: type)
}

/// A reference to an object that something else keeps alive while this reference is used. Copies and uses do no
/// reference counting, which would take longer than most of what is done with the object.
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
    // The caller has checked the class. Unlike a downcast, this retains nothing.
    unsafe reference = .fromOpaque(Unmanaged.passUnretained(object).toOpaque())
  }

  /// `object`, retained until ``letGo()``.
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

  /// Calls `body` with the object, which it must not keep.
  @inline(__always)
  func use<Result>(_ body: (Object) throws -> Result) rethrows -> Result {
    try unsafe reference._withUnsafeGuaranteedRef(body)  // something else keeps it alive, see above
  }
}

/// An object, as long as something else keeps it alive.
struct Weak<Object: AnyObject> {
  weak var object: Object?
}

extension ObjectIdentifier {
  /// The slot of a type in a table of `count` slots, a power of 2, by some bits of its address.
  @inline(__always)
  func slot(of count: Int) -> Int {
    let bits = UInt(bitPattern: self)
    return Int(bitPattern: bits >> 4 ^ bits >> 10) & (count - 1)
  }
}

/// `value` if it is exactly a `Known`.
@inline(__always)
func exactly<Value, Known>(_ value: Value, as type: Known.Type) -> Known? {
  guard ObjectIdentifier(Value.self) == ObjectIdentifier(Known.self) else { return nil }
  // The two types are the same.
  return unsafe unsafeBitCast(value, to: Known.self)
}

/// The bits of `value` if it is exactly a `Known`, which has the layout of `Bits`. References in it are not retained.
@inline(__always)
func bits<Value, Known, Bits: BitwiseCopyable>(
  of value: Value,
  as type: Known.Type,
  _ bits: Bits.Type
) -> Bits? {
  guard ObjectIdentifier(Value.self) == ObjectIdentifier(Known.self) else { return nil }
  // The caller vouches for the layout, and a `Bits` has no invariants.
  return unsafe unsafeBitCast(value, to: Bits.self)
}

/// Returns the bits of `value` as a value of another type of the same size.
@inline(__always)
func bits<Value: BitwiseCopyable, Bits: BitwiseCopyable>(of value: Value, _ bits: Bits.Type) -> Bits {
  // Neither type has invariants or padding.
  unsafe unsafeBitCast(value, to: Bits.self)
}

/// An array of `objects`, each of which the caller knows to be an `Element`.
@inline(__always)
func knownElements<Element: AnyObject>(_ objects: [AnyObject], as type: Element.Type) -> [Element] {
  // Arrays of objects have the same memory for all classes.
  unsafe unsafeBitCast(objects, to: [Element].self)
}
