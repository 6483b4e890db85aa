/// The names that the stored property of a key may have.
///
/// The key of a synthesized `CodingKeys` is a case with the name of the property, whatever its string is. A wrapper or
/// a macro stores the value of `title` in `_title`.
func propertyNames<Key: CodingKey>(of key: Key) -> [String] {
  let name = caseName(of: key) ?? key.stringValue
  return [name, "_" + name]
}

extension CodingKey {
  /// The names that the stored property may have for the key of this type with the string `name`.
  static func propertyNames(ofKey name: String) -> [String] {
    Self(stringValue: name).map { Keepsake.propertyNames(of: $0) } ?? []
  }
}

/// The name of a case, from the compiler's records for reflection; `nil` if the key is not an enumeration, or the
/// program was built without these records.
func caseName<Key>(of key: Key) -> String? {
  // The runtime returns a zero-terminated name from its own tables, which exist as long as the process.
  unsafe enumerationCaseName(key).map { identifier(reflectedAs: unsafe String(cString: $0)) }
}

/// The identifier that reflection calls `name`, spelled as in synthesized keys: reflection puts a raw identifier in
/// backticks, and replaces its spaces by no-break spaces.
func identifier(reflectedAs name: String) -> String {
  let backtick = UInt8(ascii: "`")
  guard name.utf8.first == backtick, name.utf8.count > 2, name.utf8.last == backtick else { return name }
  let scalars = name.unicodeScalars.dropFirst().dropLast().map { $0 == "\u{A0}" ? " " : $0 }
  return String(String.UnicodeScalarView(scalars))
}

/// The entry point by which the standard library prints cases of enumerations, since Swift 5.
@_silgen_name("swift_EnumCaseName")
private func enumerationCaseName<Value>(_ value: Value) -> UnsafePointer<CChar>?

extension [StoredProperty] {
  /// The only property with one of `names`, of which the first takes precedence; `nil` if there is none, or if several
  /// classes of a chain have one.
  func property(named names: [String]) -> StoredProperty? {
    for name in names {
      let found = filter { $0.name == name }
      if let property = found.first { return found.count == 1 ? property : nil }
    }
    return nil
  }
}
