// The names of classes in archives, and the classes of names. The mapping of one coder takes precedence over that of
// the process, and both over the names that classes declare or have in the runtime.

extension KeyedArchiver {
  /// Gives `type` another name in all archives that this process writes from now on; `nil` removes the name again.
  ///
  /// ```swift
  /// KeyedArchiver.setClassName("Hound", for: Dog.self)
  /// ```
  ///
  /// Encoding an instance throws if the name is empty or reserved by the format, such as `Keepsake.Lazy`.
  ///
  /// You may call this on any thread, at any time. An archive that is being written keeps the names that it already
  /// contains.
  public static func setClassName(_ name: String?, for type: Any.Type) {
    ClassNames.setName(name, for: type)
  }

  /// The name that ``setClassName(_:for:)-swift.type.method`` gave to `type` for the whole process, or `nil`.
  public static func className(for type: Any.Type) -> String? {
    ClassNames.name(setFor: type)
  }
}

extension KeyedUnarchiver {
  /// Makes `name` refer to `type` in all archives that this process reads from now on; `nil` removes the name again.
  ///
  /// A reader uses `type` where the archive has `name`, if `type` fits the declaration: the declared class or a
  /// subclass of it, or a type that conforms to the declared protocol. If it does not fit and the name counts
  /// (<doc:SubclassesAndProtocols>), decoding throws.
  ///
  /// ```swift
  /// KeyedUnarchiver.setClass(Dog.self, forClassName: "Hound")
  /// ```
  ///
  /// You may call this on any thread, at any time.
  public static func setClass(_ type: (any Decodable.Type)?, forClassName name: String) {
    ClassNames.setType(type, forName: name)
  }

  /// The type that ``setClass(_:forClassName:)-swift.type.method`` gave to `name` for the whole process, or
  /// `nil`.
  public static func `class`(forClassName name: String) -> Any.Type? {
    ClassNames.type(setForName: name)
  }
}
