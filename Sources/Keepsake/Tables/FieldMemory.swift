/// The memory of a value, of which fields are read where they are.
///
/// This file holds all unsafe code about declared fields. It stands on one fact: `MemoryLayout<Root>.offset(of:)` is
/// not nil only for a stored property that is laid out inline in `Root`, and then a pointer to a `Root` plus the offset
/// is a valid pointer to the property. Whoever uses the functions below passes an offset that was found so for the type
/// of the memory, with the type of that property, or 0 with the type itself. The memory is valid for the call of the
/// closure to which it is given; it is never kept.
@safe
struct FieldMemory {
  private let base: UnsafeRawPointer

  @unsafe
  fileprivate init(_ base: UnsafeRawPointer) {
    unsafe self.base = base
  }

  /// Lets `body` see the value at `offset`. As it need not be copyable here, it is not copied.
  @inline(__always)
  func withValue<Value: ~Copyable, Result>(
    _ type: Value.Type,
    at offset: Int,
    _ body: (borrowing Value) throws -> Result
  ) rethrows -> Result {
    // The fact above; the memory is that of an initialized value, so it is bound to the type of the property.
    try body(unsafe (base + offset).assumingMemoryBound(to: Value.self).pointee)
  }

  /// The memory of a field that itself has fields.
  @inline(__always)
  func field(at offset: Int) -> FieldMemory {
    unsafe FieldMemory(base + offset)  // the fact above
  }
}

/// Lets `body` see the memory of `value`.
@inline(__always)
func withFieldMemory<Root: ~Copyable>(of value: borrowing Root, _ body: (FieldMemory) throws -> Void) rethrows
{
  // The pointer is valid for the call, and the memory is not kept.
  try unsafe withUnsafePointer(to: value) { try body(unsafe FieldMemory(UnsafeRawPointer($0))) }
}

/// The memory of a value to whose fields is assigned; all said about ``FieldMemory`` holds for it, too.
@safe
struct MutableFieldMemory {
  private let base: UnsafeMutableRawPointer

  @unsafe
  fileprivate init(_ base: UnsafeMutableRawPointer) {
    unsafe self.base = base
  }

  /// Assigns to the property at `offset`.
  @inline(__always)
  func store<Value>(_ value: consuming Value, at offset: Int) {
    // The fact above; the memory is initialized, and what was there is let go of.
    unsafe (base + offset).assumingMemoryBound(to: Value.self).pointee = value
  }

  /// Assigns what `make` returns to the property at `offset`, and lets `body` see its memory.
  @inline(__always)
  func replace<Value>(at offset: Int, _ make: () -> Value, _ body: (MutableFieldMemory) throws -> Void)
    rethrows
  {
    let place = unsafe (base + offset).assumingMemoryBound(to: Value.self)  // the fact above
    // Nothing looks at the place between the two, and `make` does not throw, so it is always initialized for others.
    unsafe place.deinitialize(count: 1)
    unsafe place.initialize(to: make())
    try body(unsafe MutableFieldMemory(base + offset))
  }

  /// Lets `body` change the value at `offset`.
  @inline(__always)
  func withValue<Value>(_ type: Value.Type, at offset: Int, _ body: (inout Value) throws -> Void) rethrows {
    // The fact above; the memory is initialized.
    try body(&(unsafe (base + offset).assumingMemoryBound(to: Value.self).pointee))
  }
}

/// Lets `body` assign to the fields of `value`.
@inline(__always)
func withMutableFieldMemory<Root>(of value: inout Root, _ body: (MutableFieldMemory) throws -> Void) rethrows
{
  // The pointer is valid for the call, and the memory is not kept.
  try unsafe withUnsafeMutablePointer(to: &value) {
    try body(unsafe MutableFieldMemory(UnsafeMutableRawPointer($0)))
  }
}
