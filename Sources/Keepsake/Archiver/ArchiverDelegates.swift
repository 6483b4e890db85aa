/// Follows a ``KeyedArchiver`` at its work, and may replace objects. All methods may be left out.
///
/// For each object the calls come in the order of NSKeyedArchiver: `willEncode` when the object is first
/// reached, `willReplace` if that gave another one, `didEncode` when it and all that was first reached from it
/// are archived. Values that are no objects are not reported.
///
/// ```swift
/// final class WithoutPreviews: KeyedArchiverDelegate {
///   func archiver(_ archiver: KeyedArchiver, willEncode object: Any) -> Any? {
///     object is Preview ? nil : object
///   }
/// }
/// ```
///
/// The signatures are those of NSKeyedArchiverDelegate: of a method with other types the compiler says nothing, and it is
/// never called.
///
/// The archiver holds its delegate weakly. From the calls about objects it cannot be used to encode other values, nor be
/// finished, which throws: a value is being encoded then.
public protocol KeyedArchiverDelegate: AnyObject {
  /// Asks what to archive instead of `object`: itself, another object, or nothing.
  ///
  /// It is called once for each object, and not for what it returned. What it returns is archived wherever
  /// `object` is reached; it must be of the class that is declared there, or archiving throws.
  func archiver(_ archiver: KeyedArchiver, willEncode object: Any) -> Any?

  /// Tells that `newObject` is archived in the place of `object`, or nil if it is nil.
  func archiver(_ archiver: KeyedArchiver, willReplace object: Any?, with newObject: Any?)

  /// Tells that `object` is archived.
  func archiver(_ archiver: KeyedArchiver, didEncode object: Any?)

  /// Tells that the archive is about to be completed. Values may still be encoded. Whoever asks for the bytes here
  /// completes it at once.
  func archiverWillFinish(_ archiver: KeyedArchiver)

  /// Tells that the archive is complete.
  func archiverDidFinish(_ archiver: KeyedArchiver)
}

extension KeyedArchiverDelegate {
  /// Archives `object` itself.
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

/// Follows a ``KeyedUnarchiver`` at its work, and may replace objects and supply classes. All methods may be
/// left out.
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
  /// Asks for the class to build where the archive names one that cannot be found.
  ///
  /// - Parameters:
  ///   - unarchiver: the unarchiver that asks.
  ///   - name: the name in the archive.
  ///   - classNames: `name` and the names of its superclasses, the nearest first.
  /// - Returns: a `Decodable` class that fits what is declared, or `nil`, and then decoding throws.
  func unarchiver(
    _ unarchiver: KeyedUnarchiver,
    cannotDecodeObjectOfClassName name: String,
    originalClasses classNames: [String]
  ) -> AnyClass?

  /// Asks what to use instead of `object`, whose initializer has just returned: itself, another object, or
  /// nothing. References that were resolved while it was being decoded keep the original.
  func unarchiver(_ unarchiver: KeyedUnarchiver, didDecode object: Any?) -> Any?

  /// Tells that `newObject` is used in the place of `object`.
  func unarchiver(_ unarchiver: KeyedUnarchiver, willReplace object: Any, with newObject: Any)

  /// Tells that ``KeyedUnarchiver/finishDecoding()`` begins. Values may still be decoded.
  func unarchiverWillFinish(_ unarchiver: KeyedUnarchiver)

  /// Tells that ``KeyedUnarchiver/finishDecoding()`` is done.
  func unarchiverDidFinish(_ unarchiver: KeyedUnarchiver)
}

extension KeyedUnarchiverDelegate {
  /// Knows no class.
  public func unarchiver(
    _ unarchiver: KeyedUnarchiver,
    cannotDecodeObjectOfClassName name: String,
    originalClasses classNames: [String]
  ) -> AnyClass? { nil }
  /// Uses `object` itself.
  public func unarchiver(_ unarchiver: KeyedUnarchiver, didDecode object: Any?) -> Any? { object }
  /// Does nothing.
  public func unarchiver(_ unarchiver: KeyedUnarchiver, willReplace object: Any, with newObject: Any) {}
  /// Does nothing.
  public func unarchiverWillFinish(_ unarchiver: KeyedUnarchiver) {}
  /// Does nothing.
  public func unarchiverDidFinish(_ unarchiver: KeyedUnarchiver) {}
}

/// Hands the questions of a session to the delegate of its archiver.
final class ArchiverObserver: EncodingObserver {
  // A container that somebody kept may outlive the archiver.
  private weak var archiver: KeyedArchiver?

  init(_ archiver: KeyedArchiver) {
    self.archiver = archiver
  }

  func replacement(for object: AnyObject) -> AnyObject? {
    guard let archiver, let delegate = archiver.delegate else { return object }
    // A value in a box would be no object that the model knows.
    let other = delegate.archiver(archiver, willEncode: object).map { $0 as AnyObject }
    if other !== object { delegate.archiver(archiver, willReplace: object, with: other) }
    return other
  }

  func didEncode(_ object: AnyObject) {
    guard let archiver else { return }
    archiver.delegate?.archiver(archiver, didEncode: object)
  }
}

/// Hands the questions of a session to the delegate of its unarchiver.
final class UnarchiverObserver: DecodingObserver {
  private weak var unarchiver: KeyedUnarchiver?

  init(_ unarchiver: KeyedUnarchiver) {
    self.unarchiver = unarchiver
  }

  func replacement(forDecoded object: AnyObject) -> AnyObject? {
    guard let unarchiver, let delegate = unarchiver.delegate else { return object }
    let other = delegate.unarchiver(unarchiver, didDecode: object).map { $0 as AnyObject }
    if let other, other !== object { delegate.unarchiver(unarchiver, willReplace: object, with: other) }
    return other
  }

  func type(forUnknownName name: String, superclasses: [String]) -> Any.Type? {
    guard let unarchiver else { return nil }
    return unarchiver.delegate?.unarchiver(
      unarchiver,
      cannotDecodeObjectOfClassName: name,
      originalClasses: superclasses
    )
  }
}
