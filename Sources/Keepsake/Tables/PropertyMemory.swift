/// Reading and assigning stored properties of objects, where the record of the property says they are.
///
/// This file holds all unsafe code that touches them. Three facts make it sound, and the comments below refer to them:
/// 1. `StoredProperties` alone makes a `StoredProperty`, of what the compiler has written down: at its offset in an
///    instance of its owner, or of a subclass, there is a value of its type, held as its ownership says;
/// 2. each function compares type, ownership and class before it touches memory, and assigns to a `var` alone;
/// 3. the object is initialized, as a reference to it exists outside of its initializer or a later phase of it, and is kept
///    until the access is over. So the memory is initialized and bound to the type.
extension StoredProperty {
  /// The value in `object`.
  ///
  /// - Returns: `nil` if the property is not exactly of `type`, not strong, or not one of the class of `object`.
  func value<Value>(as type: Value.Type, in object: AnyObject) -> Value? {
    guard ownership == .strong, self.type == type, isProperty(of: object) else { return nil }
    return withExtendedLifetime(object) {
      unsafe memory(in: object).assumingMemoryBound(to: Value.self).pointee  // facts 1 to 3
    }
  }

  /// Assigns `value` to the property of `object`. Observers are not called.
  ///
  /// - Returns: `false`, without doing anything, if the property is a `let`, not exactly of `type`, not strong, or not
  ///   one of the class of `object`.
  func assign<Value>(_ value: Value, as type: Value.Type, in object: AnyObject) -> Bool {
    guard isVariable, ownership == .strong, self.type == type, isProperty(of: object) else { return false }
    withExtendedLifetime(object) {
      // Facts 1 to 3; what was there is let go of.
      unsafe memory(in: object).assumingMemoryBound(to: Value.self).pointee = value
    }
    return true
  }

  /// The object to which a `weak` or `unowned` property of `object` refers. That of an `unowned` one must be there.
  ///
  /// - Returns: `nil` where there is none; and if the property is of another kind or type, or not one of the class of
  ///   `object`.
  func reference<Target: AnyObject>(to type: Target.Type, in object: AnyObject) -> Target? {
    guard isProperty(of: object) else { return nil }
    return withExtendedLifetime(object) {
      // Facts 1 to 3: a structure of one reference is laid out as that reference.
      switch ownership {
      case .weak where self.type == Target?.self:
        unsafe memory(in: object).assumingMemoryBound(to: WeakField<Target>.self).pointee.target
      case .unowned where self.type == Target?.self:
        unsafe memory(in: object).assumingMemoryBound(to: OptionalUnownedField<Target>.self).pointee.target
      case .unowned where self.type == Target.self:
        unsafe memory(in: object).assumingMemoryBound(to: UnownedField<Target>.self).pointee.target
      default: nil
      }
    }
  }

  /// Makes a `weak` or `unowned` property of `object` refer to `target`. Observers are not called.
  ///
  /// - Returns: `false`, without doing anything, if the property is a `let`, of another kind or type, or not one of the
  ///   class of `object`, and if it cannot be nil and `target` is.
  func assign<Target: AnyObject>(reference target: Target?, in object: AnyObject) -> Bool {
    guard isVariable, isProperty(of: object) else { return false }
    return withExtendedLifetime(object) {
      // Facts 1 to 3; the reference that was there is let go of.
      switch ownership {
      case .weak where type == Target?.self:
        unsafe memory(in: object).assumingMemoryBound(to: WeakField<Target>.self).pointee.target = target
      case .unowned where type == Target?.self:
        unsafe memory(in: object).assumingMemoryBound(to: OptionalUnownedField<Target>.self).pointee.target =
          target
      case .unowned where type == Target.self:
        guard let target else { return false }
        unsafe memory(in: object).assumingMemoryBound(to: UnownedField<Target>.self).pointee.target = target
      default: return false
      }
      return true
    }
  }

  /// Whether the class of `object` is the owner or a subclass of it.
  private func isProperty(of object: AnyObject) -> Bool {
    var next: AnyClass? = Swift.type(of: object)
    while let current = next {
      if current == owner { return true }
      next = _getSuperclass(current)
    }
    return false
  }

  /// Where the property is in `object`, whose class has been compared with the owner.
  @unsafe
  private func memory(in object: AnyObject) -> UnsafeMutableRawPointer {
    // The address of an object is that of its memory, and offsets are counted from there.
    unsafe Unmanaged.passUnretained(object).toOpaque() + offset
  }
}

// MARK: - Layouts

private struct WeakField<Target: AnyObject> {
  weak var target: Target?
}

private struct UnownedField<Target: AnyObject> {
  unowned var target: Target
}

private struct OptionalUnownedField<Target: AnyObject> {
  unowned var target: Target?
}
