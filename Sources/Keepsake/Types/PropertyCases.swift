/// The names that the stored property of a key may have.
///
/// The key of a synthesized `CodingKeys` is a case with the name of the property, whatever its string is. A wrapper or a
/// macro keeps the value of `title` in `_title`.
func propertyNames<Key: CodingKey>(of key: Key) -> [String] {
  let name = caseName(of: key) ?? key.stringValue
  return [name, "_" + name]
}

extension CodingKey {
  /// The names of the properties of the key of this type that has the string `name`.
  static func propertyNames(ofKey name: String) -> [String] {
    Self(stringValue: name).map { Keepsake.propertyNames(of: $0) } ?? []
  }
}

/// The name of a case, as the compiler has written it down for reflection; `nil` for what is no enumeration, and where
/// the program was built without that.
private func caseName<Key>(of key: Key) -> String? {
  // The runtime reads the name from its own tables, which stay as long as the process does. It ends with a zero.
  unsafe enumerationCaseName(key).map { identifier(reflectedAs: unsafe String(cString: $0)) }
}

/// The identifier that reflection calls `name`, as synthesized keys have it: a raw one stands in backticks there, with
/// no-break spaces for its spaces.
func identifier(reflectedAs name: String) -> String {
  let backtick = UInt8(ascii: "`")
  guard name.utf8.first == backtick, name.utf8.count > 2, name.utf8.last == backtick else { return name }
  let scalars = name.unicodeScalars.dropFirst().dropLast().map { $0 == "\u{A0}" ? " " : $0 }
  return String(String.UnicodeScalarView(scalars))
}

/// The entry point by which the standard library prints cases of enumerations, since Swift 5.
@_silgen_name("swift_EnumCaseName")
private func enumerationCaseName<Value>(_ value: Value) -> UnsafePointer<CChar>?

extension StoredProperties {
  /// The one property that has one of `names`, the first name first; `nil` where there is none, or where two classes of
  /// a chain each have one.
  func property(named names: [String]) -> StoredProperty? {
    for name in names {
      let found = list.filter { $0.name == name }
      if let property = found.first { return found.count == 1 ? property : nil }
    }
    return nil
  }
}
