// Which name a class has in archives, and which class a name stands for. The mapping of one coder wins over that
// of the process, and both over what classes declare and what the runtime calls them.

extension KeyedArchiver {
  /// Gives `type` another name in all archives that this process writes from now on; `nil` takes it back.
  ///
  /// ```swift
  /// KeyedArchiver.setClassName("Hound", for: Dog.self)
  /// ```
  ///
  /// It may be called on any thread, at any time. An archive that is being written keeps the names that it has
  /// met already.
  public static func setClassName(_ name: String?, for type: Any.Type) {
    ClassNames.setName(name, for: type)
  }

  /// The name that ``setClassName(_:for:)-swift.type.method`` gave to `type` for the whole process, or `nil`.
  public static func className(for type: Any.Type) -> String? {
    ClassNames.name(setFor: type)
  }
}

extension KeyedUnarchiver {
  /// Lets `name` stand for `type` in all archives that this process reads from now on; `nil` takes it back.
  ///
  /// The type is used where the archive says `name` and `type` fits what is declared: the declared class or a
  /// subclass of it, a type that conforms to the declared protocol. It must be `Decodable`, or decoding throws.
  ///
  /// ```swift
  /// KeyedUnarchiver.setClass(Dog.self, forClassName: "Hound")
  /// ```
  ///
  /// It may be called on any thread, at any time.
  public static func setClass(_ type: (any Decodable.Type)?, forClassName name: String) {
    ClassNames.setType(type, forName: name)
  }

  /// The type that ``setClass(_:forClassName:)-swift.type.method`` gave to `name` for the whole process, or
  /// `nil`.
  public static func `class`(forClassName name: String) -> Any.Type? {
    ClassNames.type(setForName: name)
  }
}
