/// The memory of stored properties, which the library reads and assigns in place.
///
/// This file holds all unsafe code that touches them. Three facts make it sound, and the comments below refer to them:
/// 1. Only `RuntimeMetadata` makes a `StoredProperty`, from the compiler's records: at its offset in a value or an
///    instance of its owner, or of a subclass, there is a value of its type, held as its ownership says. Callers here
///    pass the offset of a property of the type of the memory, with the type and the layout of the property; or 0
///    with the type itself. Nothing ever assigns to a `let`.
/// 2. `StoredProperty` itself compares type, ownership and class before it touches the memory of an object.
/// 3. The value is initialized: an object is, once a reference to it exists outside of its initializer, or in a later
///    phase of the initializer. So its memory is initialized and bound to the types of its properties. The memory is
///    valid during the call of the closure that gets it, which never keeps it.
@safe
struct PropertyMemory {
  private let base: UnsafeRawPointer

  @unsafe
  fileprivate init(_ base: UnsafeRawPointer) {
    unsafe self.base = base
  }

  /// Calls `body` with the value at `offset`, without a copy, since the type need not be copyable.
  @inline(__always)
  func withValue<Value: ~Copyable, Result>(
    _ type: Value.Type,
    at offset: Int,
    _ body: (borrowing Value) throws -> Result
  ) rethrows -> Result {
    try body(unsafe (base + offset).assumingMemoryBound(to: Value.self).pointee)  // facts 1 and 3
  }

  /// The memory of a property that itself has archived properties.
  @inline(__always)
  func field(at offset: Int) -> PropertyMemory {
    unsafe PropertyMemory(base + offset)  // facts 1 and 3
  }
}

/// Calls `body` with the memory of `value`, which is not an object.
@inline(__always)
func withPropertyMemory<Root: ~Copyable, Result>(
  of value: borrowing Root,
  _ body: (PropertyMemory) throws -> Result
) rethrows -> Result {
  // The pointer is valid for the call, and the memory is not kept.
  try unsafe withUnsafePointer(to: value) { try body(unsafe PropertyMemory(UnsafeRawPointer($0))) }
}

/// Calls `body` with the memory of `object`.
@inline(__always)
func withPropertyMemory<Result>(ofObject object: AnyObject, _ body: (PropertyMemory) throws -> Result)
  rethrows
  -> Result
{
  // The address of an object is that of its memory, where offsets begin. The object is kept alive for the call.
  defer { extendLifetime(object) }
  return try body(unsafe PropertyMemory(UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())))
}

/// The memory of a value whose properties can be assigned. All facts about ``PropertyMemory`` hold for it, too.
@safe
struct MutablePropertyMemory {
  private let base: UnsafeMutableRawPointer
  private let isObject: Bool

  @unsafe
  fileprivate init(_ base: UnsafeMutableRawPointer, isObject: Bool) {
    unsafe self.base = base
    self.isObject = isObject
  }

  /// Assigns to the property at `offset`, which is of `type`. The type is explicit, so the compiler cannot infer an
  /// optional and store the bits of that.
  @inline(__always)
  func store<Value>(_ type: Value.Type, _ value: consuming Value, at offset: Int) {
    // Facts 1 and 3; the old value is released.
    unsafe (base + offset).assumingMemoryBound(to: Value.self).pointee = value
  }

  /// Calls `body` with the value at `offset`, which it can change.
  @inline(__always)
  func withValue<Value, Result>(
    _ type: Value.Type,
    at offset: Int,
    _ body: (inout Value) throws -> Result
  ) rethrows -> Result {
    try body(&(unsafe (base + offset).assumingMemoryBound(to: Value.self).pointee))  // facts 1 and 3
  }

  /// The object with this memory, unless it is the memory of a value.
  var object: AnyObject? {
    // The address of an object is that of its memory. The object is kept alive while the memory is used.
    isObject ? unsafe Unmanaged<AnyObject>.fromOpaque(base).takeUnretainedValue() : nil
  }
}

/// Lets `body` assign to the properties of `value`, which is not an object.
@inline(__always)
func withMutablePropertyMemory<Root>(of value: inout Root, _ body: (MutablePropertyMemory) throws -> Void)
  rethrows
{
  // The pointer is valid for the call, and the memory is not kept.
  try unsafe withUnsafeMutablePointer(to: &value) {
    try body(unsafe MutablePropertyMemory(UnsafeMutableRawPointer($0), isObject: false))
  }
}

/// Lets `body` assign to the properties of `object`.
@inline(__always)
func withMutablePropertyMemory<Result>(
  ofObject object: AnyObject,
  _ body: (MutablePropertyMemory) throws -> Result
) rethrows -> Result {
  // The address of an object is that of its memory, where offsets begin. The object is kept alive for the call.
  defer { extendLifetime(object) }
  return try body(unsafe MutablePropertyMemory(Unmanaged.passUnretained(object).toOpaque(), isObject: true))
}

// MARK: - References that are not strong

/// A structure that has only a reference, and the layout of a property that holds a reference in this way.
protocol ReferenceField<Target> {
  associatedtype Target: AnyObject

  var object: Target? { get }
}

extension Weak: ReferenceField {}

/// A reference that is optional. The layout of one that cannot be nil is the same.
struct UnownedField<Target: AnyObject>: ReferenceField {
  unowned var object: Target?
}

extension MutablePropertyMemory {
  /// Makes `property`, which is `unowned`, refer to `target`. If it cannot be nil, `nil` does nothing.
  func store<Target: AnyObject>(unowned target: Target?, _ property: StoredProperty) {
    assert(property.ownership == .unowned && property.target == Target.self)
    if target == nil, property.type == Target.self { return }
    withValue(UnownedField<Target>.self, at: property.offset) { $0.object = target }
  }

  /// The same for a class that is known only at run time, to which `target` belongs.
  fileprivate func store(unowned target: AnyObject?, as type: Any.Type, _ property: StoredProperty) {
    func store<Target: AnyObject>(_ type: Target.Type) {
      self.store(unowned: target.map { knownDowncast($0, to: type) }, property)
    }
    if let type = type as? any AnyObject.Type { store(type) }
  }
}

/// The optional of a class.
private protocol OptionalReference { var object: AnyObject? { get } }
extension Optional: OptionalReference where Wrapped: AnyObject {
  fileprivate var object: AnyObject? { self }
}

// MARK: - Single properties of objects

extension StoredProperty {
  /// The value in `object`.
  ///
  /// - Returns: `nil` if the property is not exactly of `type`, not strong, or not one of the class of `object`.
  func value<Value>(as type: Value.Type, in object: AnyObject) -> Value? {
    withValue(as: type, in: object) { copy $0 }
  }

  /// Calls `body` with the value in `object`.
  ///
  /// - Returns: `nil` if the property is not exactly of `type`, not strong, or not one of the class of `object`.
  @inline(__always)
  func withValue<Value, Result>(
    as type: Value.Type,
    in object: AnyObject,
    _ body: (borrowing Value) -> Result
  ) -> Result? {
    guard ownership == .strong, self.type == type, isInstance(object, of: owner) else { return nil }
    return withPropertyMemory(ofObject: object) { $0.withValue(type, at: offset, body) }  // fact 2
  }

  /// Assigns `value` to the property of `object`. Observers are not called.
  ///
  /// - Returns: `false`, without doing anything, if the property is a `let`, not exactly of `type`, neither strong nor an
  ///   `unowned` optional, or not one of the class of `object`.
  func assign<Value>(_ value: Value, as type: Value.Type, in object: AnyObject) -> Bool {
    guard isVariable, self.type == type, isInstance(object, of: owner) else { return false }
    if ownership == .unowned, let reference = value as? any OptionalReference {
      // Fact 2.
      withMutablePropertyMemory(ofObject: object) { $0.store(unowned: reference.object, as: target, self) }
      return true
    }
    guard ownership == .strong else { return false }
    withMutablePropertyMemory(ofObject: object) { $0.store(type, value, at: offset) }  // fact 2
    return true
  }

  /// The object to which a `weak` property of `object` refers, or an `unowned` one that is optional.
  ///
  /// - Returns: `nil` if there is no object, or if the property is of another kind or not one of the class of `object`.
  func reference(in object: AnyObject) -> AnyObject? {
    // A reference that is not optional cannot say that there is no object.
    guard type != target, let target = target as? any AnyObject.Type, isInstance(object, of: owner) else {
      return nil
    }
    // Fact 2.
    return withPropertyMemory(ofObject: object) { memory in
      func unowned<Target: AnyObject>(_ type: Target.Type) -> AnyObject? {
        memory.withValue(UnownedField<Target>.self, at: offset) { $0.object }
      }
      return switch ownership {
      case .weak: memory.withValue(Weak<AnyObject>.self, at: offset) { $0.object }
      case .unowned: unowned(target)
      case .strong, .unmanaged: nil
      }
    }
  }

  /// Makes a `weak` or `unowned` property of `object` refer to `target`. Observers are not called.
  ///
  /// - Returns: `false`, without doing anything, if the property is a `let`, of another kind or type, or not one of the
  ///   class of `object`.
  func assign(reference target: AnyObject, in object: AnyObject) -> Bool {
    guard isVariable, ownership == .weak || ownership == .unowned, isInstance(target, of: self.target),
      isInstance(object, of: owner)
    else { return false }
    // Fact 2.
    withMutablePropertyMemory(ofObject: object) { memory in
      if ownership == .weak {
        // Weak references have the same form for all classes. Looking up the form for a class takes longer.
        memory.withValue(Weak<AnyObject>.self, at: offset) { $0.object = target }
      } else {
        memory.store(unowned: target, as: self.target, self)
      }
    }
    return true
  }
}

/// Whether the class of `object` is `type` or a subclass of it.
@inline(__always)
func isInstance(_ object: AnyObject, of type: Any.Type) -> Bool {
  RuntimeTypes.isSubclass(Swift.type(of: object), of: type)
}
