/// The memory of stored properties, which are read and assigned where they are.
///
/// This file holds all unsafe code that touches them. Three facts make it sound, and the comments below refer to them:
/// 1. `StoredProperties` alone makes a `StoredProperty`, of what the compiler has written down: at its offset in a value
///    or an instance of its owner, or of a subclass, there is a value of its type, held as its ownership says. Whoever
///    passes an offset here passes that of a property of the type of the memory, with the type and the layout of the
///    property; or 0 with the type itself. Nothing is ever assigned to a `let`;
/// 2. `StoredProperty` itself compares type, ownership and class before it touches the memory of an object;
/// 3. the value is initialized: an object is, from where a reference to it exists outside of its initializer or a later
///    phase of that. So its memory is initialized and bound to the types of its properties. It is valid for the call of
///    the closure to which it is given, and never kept.
@safe
struct PropertyMemory {
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
    try body(unsafe (base + offset).assumingMemoryBound(to: Value.self).pointee)  // facts 1 and 3
  }

  /// The memory of a property that itself has properties which are archived.
  @inline(__always)
  func field(at offset: Int) -> PropertyMemory {
    unsafe PropertyMemory(base + offset)  // facts 1 and 3
  }
}

/// Lets `body` see the memory of `value`, which is no object.
@inline(__always)
func withPropertyMemory<Root: ~Copyable, Result>(
  of value: borrowing Root,
  _ body: (PropertyMemory) throws -> Result
) rethrows -> Result {
  // The pointer is valid for the call, and the memory is not kept.
  try unsafe withUnsafePointer(to: value) { try body(unsafe PropertyMemory(UnsafeRawPointer($0))) }
}

/// Lets `body` see the memory of `object`.
@inline(__always)
func withPropertyMemory<Result>(ofObject object: AnyObject, _ body: (PropertyMemory) throws -> Result)
  rethrows
  -> Result
{
  // The address of an object is that of its memory, and offsets are counted from there. It is kept for the call.
  defer { extendLifetime(object) }
  return try body(unsafe PropertyMemory(UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())))
}

/// The memory of a value to whose properties is assigned; all said about ``PropertyMemory`` holds for it, too.
@safe
struct MutablePropertyMemory {
  private let base: UnsafeMutableRawPointer
  private let isObject: Bool

  @unsafe
  fileprivate init(_ base: UnsafeMutableRawPointer, isObject: Bool) {
    unsafe self.base = base
    self.isObject = isObject
  }

  /// Assigns to the property at `offset`, which is of `type`: that is said, so that it cannot be inferred to be an
  /// optional, of which the bits would be stored.
  @inline(__always)
  func store<Value>(_ type: Value.Type, _ value: consuming Value, at offset: Int) {
    // Facts 1 and 3; the old value is released.
    unsafe (base + offset).assumingMemoryBound(to: Value.self).pointee = value
  }

  /// Lets `body` change the value at `offset`.
  @inline(__always)
  func withValue<Value, Result>(
    _ type: Value.Type,
    at offset: Int,
    _ body: (inout Value) throws -> Result
  ) rethrows -> Result {
    try body(&(unsafe (base + offset).assumingMemoryBound(to: Value.self).pointee))  // facts 1 and 3
  }

  /// The memory of a property that itself has properties which are archived.
  @inline(__always)
  func field(at offset: Int) -> MutablePropertyMemory {
    unsafe MutablePropertyMemory(base + offset, isObject: false)  // facts 1 and 3
  }

  /// The object whose memory this is, if it is one's.
  var object: AnyObject? {
    // The address of an object is that of its memory, and it is kept as long as the memory is used.
    isObject ? unsafe Unmanaged<AnyObject>.fromOpaque(base).takeUnretainedValue() : nil
  }
}

/// Lets `body` assign to the properties of `value`, which is no object.
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
  // The address of an object is that of its memory, and offsets are counted from there. It is kept for the call.
  defer { extendLifetime(object) }
  return try body(unsafe MutablePropertyMemory(Unmanaged.passUnretained(object).toOpaque(), isObject: true))
}

// MARK: - References that are not strong

/// A structure of nothing but a reference, which is laid out as a property that holds the reference in this way.
protocol ReferenceField<Target> {
  associatedtype Target: AnyObject

  /// The object. Where there must be one, nil is not assigned.
  var object: Target? { get set }
}

struct WeakField<Target: AnyObject>: ReferenceField {
  weak var object: Target?
}

struct OptionalUnownedField<Target: AnyObject>: ReferenceField {
  unowned var object: Target?
}

struct UnownedField<Target: AnyObject>: ReferenceField {
  private unowned var target: Target

  var object: Target? {
    get { target }
    set { if let newValue { target = newValue } }
  }
}

extension MutablePropertyMemory {
  /// Makes `property`, which is `unowned`, refer to `target`.
  func store<Target: AnyObject>(unowned target: Target?, _ property: StoredProperty) {
    assert(property.ownership == .unowned && property.target == Target.self)
    if property.type == Target.self {
      withValue(UnownedField<Target>.self, at: property.offset) { $0.object = target }
    } else {
      withValue(OptionalUnownedField<Target>.self, at: property.offset) { $0.object = target }
    }
  }
}

// MARK: - Single properties of objects

extension StoredProperty {
  /// The value in `object`.
  ///
  /// - Returns: `nil` if the property is not exactly of `type`, not strong, or not one of the class of `object`.
  func value<Value>(as type: Value.Type, in object: AnyObject) -> Value? {
    guard ownership == .strong, self.type == type, isProperty(of: object) else { return nil }
    return withPropertyMemory(ofObject: object) { $0.withValue(type, at: offset) { copy $0 } }  // fact 2
  }

  /// Assigns `value` to the property of `object`. Observers are not called.
  ///
  /// - Returns: `false`, without doing anything, if the property is a `let`, not exactly of `type`, not strong, or not
  ///   one of the class of `object`.
  func assign<Value>(_ value: Value, as type: Value.Type, in object: AnyObject) -> Bool {
    guard isVariable, ownership == .strong, self.type == type, isProperty(of: object) else { return false }
    withMutablePropertyMemory(ofObject: object) { $0.store(type, value, at: offset) }  // fact 2
    return true
  }

  /// The object to which a `weak` property of `object` refers, or an `unowned` one that is optional.
  ///
  /// - Returns: `nil` where there is none; and if the property is of another kind, or not one of the class of `object`.
  func reference(in object: AnyObject) -> AnyObject? {
    // One that is not optional has no way to say that there is none.
    guard type != target, let target = target as? any AnyObject.Type, isProperty(of: object) else {
      return nil
    }
    // Fact 2.
    return withPropertyMemory(ofObject: object) { memory in
      func unowned<Target: AnyObject>(_ type: Target.Type) -> AnyObject? {
        memory.withValue(OptionalUnownedField<Target>.self, at: offset) { $0.object }
      }
      return switch ownership {
      case .weak: memory.withValue(WeakField<AnyObject>.self, at: offset) { $0.object }
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
      isProperty(of: object)
    else { return false }
    // Fact 2.
    withMutablePropertyMemory(ofObject: object) { memory in
      func store<Target: AnyObject>(unowned type: Target.Type) {
        memory.store(unowned: knownDowncast(target, to: type), self)
      }
      if ownership == .weak {
        // A weak reference has one form, whatever class it is declared with. To look up that of the class takes longer.
        memory.withValue(WeakField<AnyObject>.self, at: offset) { $0.object = target }
      } else if let type = self.target as? any AnyObject.Type {
        store(unowned: type)
      }
    }
    return true
  }

  /// Whether the class of `object` is the owner or a subclass of it.
  fileprivate func isProperty(of object: AnyObject) -> Bool { isInstance(object, of: owner) }
}

/// Whether the class of `object` is `type` or a subclass of it.
@inline(__always)
func isInstance(_ object: AnyObject, of type: Any.Type) -> Bool {
  RuntimeTypes.isSubclass(Swift.type(of: object), of: type)
}
