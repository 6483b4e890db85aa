/// The name of a type, split into parts, as an archive may have it.
///
/// The name is the result of `String(reflecting:)`: a module and types nested in each other, with dots in between.
/// A raw identifier is in backticks, which may contain dots. `(extension in Module):` comes first if the type is
/// declared in an extension of a type of another module.
struct TypeName {
  /// The modules whose extensions contain the type, the last one first.
  let extending: [Substring]
  /// The module and the types, from the outermost on, without backticks.
  let components: [Substring]

  private static let extensionStart = "(extension in "
  private static let extensionEnd = "):"

  static let maximumLength = 1024

  /// The parts of `name`, or `nil` if no type with that name can be found: a name has at most 1,024 bytes, and 2 to 8
  /// parts of 1 to 255 bytes, and is not in a module that the compiler imports from C or makes up.
  init?(_ name: String) {
    guard name.utf8.count <= TypeName.maximumLength else { return nil }
    var rest = name[...]
    var extending: [Substring] = []
    while rest.utf8.starts(with: TypeName.extensionStart.utf8) {
      rest = Substring(rest.utf8.dropFirst(TypeName.extensionStart.utf8.count))
      guard let end = rest.utf8.firstIndex(of: UInt8(ascii: ")")),
        rest.utf8[end...].starts(with: TypeName.extensionEnd.utf8)
      else { return nil }
      extending.append(rest[..<end])
      rest = Substring(rest.utf8[end...].dropFirst(TypeName.extensionEnd.utf8.count))
    }
    guard let components = TypeName.components(of: rest), 2...8 ~= components.count,
      components.allSatisfy({ 1...255 ~= $0.utf8.count }), components[0] != "Builtin",
      !TypeName.isOfC(components[0])
    else { return nil }
    self.extending = extending
    self.components = components
  }

  /// The parts between the dots outside of backticks; `nil` if other characters outside of backticks cannot be in an
  /// identifier. Then it is the name of a generic, private or local type, or no name.
  private static func components(of name: Substring) -> [Substring]? {
    var components: [Substring] = []
    var rest = name.utf8
    while true {
      if rest.first == UInt8(ascii: "`") {
        rest = rest.dropFirst()
        guard let end = rest.firstIndex(of: UInt8(ascii: "`")) else { return nil }
        components.append(Substring(rest[..<end]))
        rest = rest[end...].dropFirst()
      } else {
        let end = rest.firstIndex { !isIdentifierByte($0) } ?? rest.endIndex
        guard let first = rest.first, !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= first) else { return nil }
        components.append(Substring(rest[..<end]))
        rest = rest[end...]
      }
      if rest.isEmpty { return components }
      guard rest.removeFirst() == UInt8(ascii: ".") else { return nil }
    }
  }

  /// Whether the types of `module` are imported from C, or made up by the compiler for imported ones.
  static func isOfC(_ module: some StringProtocol) -> Bool { module.utf8.starts(with: "__C".utf8) }

  /// Whether the runtime can look up `component` as it is: letters, digits and underscores, not beginning with a digit.
  static func isPlainASCII(_ component: some StringProtocol) -> Bool {
    component.utf8.allSatisfy { $0 < 0x80 && $0 != UInt8(ascii: "$") } && spelled(component) == component
  }

  // MARK: Keys

  /// The same for all spellings of a name: backticks only around identifiers that need them.
  var key: ExactString {
    let own = components.map { TypeName.spelled($0) }.joined(separator: ".")
    return ExactString(string: extending.map { TypeName.extensionPrefix($0) }.joined() + own)
  }

  /// The prefix of the name of a type in an extension that `module` declares.
  static func extensionPrefix(_ module: some StringProtocol) -> String {
    extensionStart + module + extensionEnd
  }

  /// `identifier`, given with or without backticks, as spelled in a key.
  static func spelled(_ identifier: some StringProtocol) -> String {
    let backtick = UInt8(ascii: "`")
    var identifier = Substring(identifier)
    if identifier.utf8.count > 2, identifier.utf8.first == backtick, identifier.utf8.last == backtick {
      identifier = identifier.dropFirst().dropLast()
    }
    guard let first = identifier.utf8.first else { return "``" }
    let isPlain =
      identifier.utf8.allSatisfy(isIdentifierByte) && !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= first)
    return isPlain ? String(identifier) : "`\(identifier)`"
  }

  /// Whether `byte` is in a letter, a digit, an underscore, a dollar sign, or anything that is not ASCII.
  private static func isIdentifierByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }
}
