import Keepsake

/// A value as part of a line. Reads only the beginning of the value.
enum BriefText {
  private static let mostMembers = 3
  private static let mostCharacters = 60
  /// The most references, optionals and names of types around a value that are shown.
  private static let mostWrappers = 4

  static func text(of value: ArchiveValue) throws(ArchiveError) -> String {
    var text = ""
    var value = value
    for _ in 0..<mostWrappers {
      switch value.kind {
      case .typed, .some:
        guard let content = try value.wrapped else { return text }
        text += try value.typeName.map { escaped(shortened($0, mostCharacters)) + " " } ?? "some "
        value = content
      case .object, .value:
        guard let target = try value.target else { return text }
        text += name(of: target).map { $0 + " " } ?? ""
        // A second object would be the content of the first.
        if target.value.kind == .object { return text + "{…}" }
        value = target.value
      case .array, .map, .record: return text + (try members(of: value))
      case .numbers: return text + (try numbers(of: value))
      default: return text + (try scalar(value))
      }
    }
    return text + "…"
  }

  private static func short(_ value: ArchiveValue) throws(ArchiveError) -> String {
    switch value.kind {
    case .array, .numbers: return try value.count == 0 ? "[]" : "[…]"
    case .map, .record: return try value.count == 0 ? "{}" : "{…}"
    case .typed, .some:
      return try value.typeName.map { escaped(shortened($0, mostCharacters)) + " …" } ?? "some …"
    case .object: return try value.target.flatMap(name) ?? ""
    case .value: return "…"
    default: return try scalar(value)
    }
  }

  static func name(of body: ArchiveBody) -> String? {
    body.className.map { "\(escaped(shortened($0, mostCharacters))) #\(body.number)" }
  }

  private static func scalar(_ value: ArchiveValue) throws(ArchiveError) -> String {
    switch value.kind {
    case .string: return quoted(shortened(try value.string ?? "", mostCharacters))
    case .url: return shortened(try value.scalarText(longest: mostCharacters * 2), mostCharacters * 2)
    case .conditional: return "weak \(try value.target.flatMap(name) ?? "nil")"
    default: return try value.scalarText()
    }
  }

  private static func members(of value: ArchiveValue) throws(ArchiveError) -> String {
    let (opening, closing) = value.kind == .array ? ("[", "]") : ("{", "}")
    let count = try value.count ?? 0
    var texts: [String] = []
    var walk = ArchiveWalk(value)
    while texts.count < min(count, mostMembers), let member = try walk.nextMember(),
      let label = member.label
    {
      let text = try short(member.value)
      texts.append(value.kind == .array ? text : "\(key(label)): \(text)")
    }
    if count > mostMembers { texts.append("… \(grouped(count - mostMembers)) more") }
    return opening + texts.joined(separator: ", ") + closing
  }

  private static func key(_ label: PathElement) -> String {
    let text = escaped(shortened(label.keyText, mostCharacters))
    return text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } && !text.isEmpty ? text : "\"\(text)\""
  }

  private static func numbers(of value: ArchiveValue) throws(ArchiveError) -> String {
    guard var numbers = try ArchiveNumberWalk(value), let first = try numbers.next() else { return "[]" }
    var texts = first[0..<min(first.count, mostMembers)].texts
    if numbers.count > mostMembers { texts.append("… \(grouped(numbers.count - mostMembers)) more") }
    return "[\(texts.joined(separator: ", "))]"
  }
}
