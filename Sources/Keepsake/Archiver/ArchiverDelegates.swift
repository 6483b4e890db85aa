/// Methods that a ``KeyedArchiver`` calls for each object, and that may replace it. All are optional.
///
/// For each object, the archiver calls `willEncode` when it first reaches the object, `willReplace` if `willEncode`
/// returned another one, and `didEncode` when the object and everything first reached from it are archived. It reports
/// only objects, no other values.
///
/// ```swift
/// final class WithoutPreviews: KeyedArchiverDelegate {
///   func archiver(_ archiver: KeyedArchiver, willEncode object: Any) -> Any? {
///     object is Preview ? nil : object
///   }
/// }
/// ```
///
/// The signatures are those of NSKeyedArchiverDelegate. A method with other parameter types compiles without a warning,
/// but the archiver never calls it.
///
/// The archiver holds its delegate weakly. While it reports objects, the delegate can neither encode another value nor
/// finish the archive; both throw.
public protocol KeyedArchiverDelegate: AnyObject {
  /// Returns what to archive for `object`: itself, another object, or nil.
  ///
  /// The archiver calls this once for each object, but not for the objects that it returns. It archives the result
  /// wherever it reaches `object`. If the result does not fit the declared type, archiving throws. Only an optional can
  /// read nil.
  func archiver(_ archiver: KeyedArchiver, willEncode object: Any) -> Any?

  /// The archiver will archive `newObject`, or nil, instead of `object`.
  func archiver(_ archiver: KeyedArchiver, willReplace object: Any?, with newObject: Any?)

  /// The archiver has archived `object`.
  func archiver(_ archiver: KeyedArchiver, didEncode object: Any?)

  /// The archiver is about to complete the archive. You can still encode values. If you ask for the bytes here, it
  /// completes the archive at once.
  func archiverWillFinish(_ archiver: KeyedArchiver)

  /// The archive is complete.
  func archiverDidFinish(_ archiver: KeyedArchiver)
}

extension KeyedArchiverDelegate {
  /// Returns `object` itself.
  public func archiver(_ archiver: KeyedArchiver, willEncode object: Any) -> Any? { object }
  /// Does nothing.
  public func archiver(_ archiver: KeyedArchiver, willReplace object: Any?, with newObject: Any?) {}
  /// Does nothing.
  public func archiver(_ archiver: KeyedArchiver, didEncode object: Any?) {}
  /// Does nothing.
  public func archiverWillFinish(_ archiver: KeyedArchiver) {}
  /// Does nothing.
  public func archiverDidFinish(_ archiver: KeyedArchiver) {}
}

/// Methods that a ``KeyedUnarchiver`` calls for each object, and that may replace it or supply its class. All are
/// optional.
///
/// ```swift
/// final class StyleCatalog: KeyedUnarchiverDelegate {
///   let plain = Style(name: "plain")
///
///   func unarchiver(_ unarchiver: KeyedUnarchiver, didDecode object: Any?) -> Any? {
///     guard let style = object as? Style else { return object }
///     return style.name == plain.name ? plain : style
///   }
/// }
/// ```
///
/// The unarchiver holds its delegate weakly.
public protocol KeyedUnarchiverDelegate: AnyObject {
  /// Returns the class to use if the archive names one that cannot be found.
  ///
  /// - Parameters:
  ///   - unarchiver: the unarchiver that asks.
  ///   - name: the name in the archive.
  ///   - classNames: `name` and the names of its superclasses, the nearest first.
  /// - Returns: a `Decodable` class that fits the declaration, or `nil`; then decoding throws.
  func unarchiver(
    _ unarchiver: KeyedUnarchiver,
    cannotDecodeObjectOfClassName name: String,
    originalClasses classNames: [String]
  ) -> AnyClass?

  /// Returns what to use for `object`, whose initializer has just returned: itself, another object, or nil.
  /// References that were resolved while the object was being decoded keep the original.
  func unarchiver(_ unarchiver: KeyedUnarchiver, didDecode object: Any?) -> Any?

  /// The unarchiver will use `newObject` instead of `object`.
  func unarchiver(_ unarchiver: KeyedUnarchiver, willReplace object: Any, with newObject: Any)

  /// ``KeyedUnarchiver/finishDecoding()`` begins. You can still decode values.
  func unarchiverWillFinish(_ unarchiver: KeyedUnarchiver)

  /// ``KeyedUnarchiver/finishDecoding()`` is done.
  func unarchiverDidFinish(_ unarchiver: KeyedUnarchiver)
}

extension KeyedUnarchiverDelegate {
  /// Returns `nil`.
  public func unarchiver(
    _ unarchiver: KeyedUnarchiver,
    cannotDecodeObjectOfClassName name: String,
    originalClasses classNames: [String]
  ) -> AnyClass? { nil }
  /// Returns `object` itself.
  public func unarchiver(_ unarchiver: KeyedUnarchiver, didDecode object: Any?) -> Any? { object }
  /// Does nothing.
  public func unarchiver(_ unarchiver: KeyedUnarchiver, willReplace object: Any, with newObject: Any) {}
  /// Does nothing.
  public func unarchiverWillFinish(_ unarchiver: KeyedUnarchiver) {}
  /// Does nothing.
  public func unarchiverDidFinish(_ unarchiver: KeyedUnarchiver) {}
}

extension KeyedArchiver {
  /// Passes the calls of a session to the delegate. A container of the session may outlive the archiver.
  var observer: EncodingObserver {
    EncodingObserver { [weak self] object in
      guard let self, let delegate else { return object }
      // A value becomes a box here, an object of no class that the model declares.
      let other = delegate.archiver(self, willEncode: object).map { $0 as AnyObject }
      if other !== object { delegate.archiver(self, willReplace: object, with: other) }
      return other
    } didEncode: { [weak self] object in
      if let self { delegate?.archiver(self, didEncode: object) }
    }
  }
}

extension KeyedUnarchiver {
  /// Passes the calls of a session to the delegate. A container of the session may outlive the unarchiver.
  var observer: DecodingObserver {
    DecodingObserver { [weak self] object in
      guard let self, let delegate else { return object }
      let other = delegate.unarchiver(self, didDecode: object).map { $0 as AnyObject }
      if let other, other !== object { delegate.unarchiver(self, willReplace: object, with: other) }
      return other
    } typeForUnknownName: { [weak self] name, names in
      guard let self else { return nil }
      return delegate?.unarchiver(self, cannotDecodeObjectOfClassName: name, originalClasses: names)
    }
  }
}
