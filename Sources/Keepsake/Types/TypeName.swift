/// The name of a type, taken apart as an archive may have it.
///
/// It is what `String(reflecting:)` gives: a module and the types that are nested in each other, with dots between
/// them. A raw identifier stands in backticks, in which there may be dots. In front stands `(extension in Module):` if
/// the type is declared in an extension of a type of another module.
struct TypeName {
  /// The modules whose extensions the type is in, the last one first.
  let extending: [Substring]
  /// The module and the types from the outermost on, without backticks.
  let components: [Substring]

  private static let extensionStart = "(extension in "
  private static let extensionEnd = "):"

  static let maximumLength = 1024

  /// The parts of `name`, or `nil` if it is not the name of a type that could be found: at most 1,024 bytes; 2 to 8
  /// parts of 1 to 255 bytes, in no module of what the compiler imports from C, or makes up.
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

  /// What stands between the dots that are not in backticks; `nil` where something else is not in backticks that no
  /// identifier has: then it is the name of a generic, private or local type, or of none.
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

  /// Whether the types of `module` are imported from C, or made up by the compiler for such ones.
  static func isOfC(_ module: some StringProtocol) -> Bool { module.utf8.starts(with: "__C".utf8) }

  /// Whether the runtime may be asked for `component` as it is: letters, digits and underscores, no digit in front.
  static func isPlainASCII(_ component: some StringProtocol) -> Bool {
    component.utf8.allSatisfy { $0 < 0x80 && $0 != UInt8(ascii: "$") } && spelled(component) == component
  }

  // MARK: Keys

  /// The same for all spellings of one name: with backticks where an identifier needs them.
  var key: ExactString {
    let own = components.map { TypeName.spelled($0) }.joined(separator: ".")
    return ExactString(string: extending.map { TypeName.extensionPrefix($0) }.joined() + own)
  }

  /// What stands before the name of a type in an extension that `module` makes.
  static func extensionPrefix(_ module: some StringProtocol) -> String {
    extensionStart + module + extensionEnd
  }

  /// `identifier`, with or without backticks, as it stands in a key.
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

  /// Letters, digits, underscores, dollar signs, and all that is not ASCII.
  private static func isIdentifierByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }
}
