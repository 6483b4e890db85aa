import Foundation
import Keepsake

/// Prints the values of an archive line by line. It takes no recursion, whatever is nested.
struct TreePrinter {
  private let image: ArchiveImage
  private let output: any Output
  private let deepest: Int
  private let mostMembers: Int
  private let margin: String
  private var walk: ArchiveWalk
  /// What closes each value that is open: nothing for those that have no brackets of their own.
  private var closers: [String?] = []
  private var indentation = 0
  /// What stands before the next value on its line.
  private var prefix = ""
  private var seen: [Bool]

  /// Lines are not indented more than this, so that deep nesting does not multiply the output.
  private static let mostIndentation = 64

  init(
    _ image: ArchiveImage,
    _ output: any Output,
    deepest: Int = .max,
    mostMembers: Int = .max,
    margin: String = ""
  ) throws {
    self.image = image
    self.output = output
    self.deepest = deepest
    self.mostMembers = mostMembers
    self.margin = margin
    walk = ArchiveWalk(try image.topLevelValue)
    seen = Array(repeating: false, count: image.directory.bodyCount + 1)
  }

  mutating func printAll() throws {
    while let step = try walk.next() {
      switch step {
      case .leave:
        if let closer = closers.popLast() ?? nil {
          indentation -= 1
          try line(closer)
        }
      case .value(let value, let label):
        if walk.index >= mostMembers, walk.parentKind != .record {
          if walk.index == mostMembers { try line("… \(walk.siblingCount - mostMembers) more") }
          try walk.skipMembers()
          continue
        }
        prefix += label.map(text) ?? ""
        try print(value)
      }
    }
  }

  private mutating func print(_ value: ArchiveValue) throws {
    switch value.kind {
    case .some, .typed:
      prefix += "\(try value.typeName.map { escaped($0) } ?? "some") "
      closers.append(nil)
    case .url:
      try line(
        "URL " + (value.urlParts?.map(quoted).joined(separator: " relative to ") ?? "(of unknown form)")
      )
      try walk.skipMembers()
    case .array, .map, .record:
      try open(value)
    case .object, .value:
      try printReference(value)
    case .conditional:
      // Never followed: the object stands where something else refers to it.
      try line("weak " + (value.target.map { "\(escaped($0.className ?? "")) #\($0.number)" } ?? "nil"))
    case .numbers:
      try printNumbers(value)
    default:
      try line(scalarText(value))
    }
  }

  private mutating func open(_ value: ArchiveValue) throws {
    let (opening, closing) = value.kind == .array ? ("[", "]") : ("{", "}")
    if try value.count == 0 {
      try line(opening + closing)
      closers.append(nil)
    } else if indentation >= deepest {
      try line("\(opening)…\(closing)")
      try walk.skipMembers()
    } else {
      try line(opening)
      indentation += 1
      closers.append(closing)
    }
  }

  private mutating func printReference(_ value: ArchiveValue) throws {
    guard let target = try value.target else { return }
    let name = target.className.map { "\(escaped($0)) #\(target.number)" } ?? ""
    if seen[target.number] {
      try line(name.isEmpty ? "(value #\(target.number), above)" : name + " (above)")
    } else if indentation >= deepest {
      try line(name + (name.isEmpty ? "" : " ") + (target.value.kind == .array ? "[…]" : "{…}"))
    } else {
      seen[target.number] = true
      if !name.isEmpty { prefix += name + " " }
      walk.follow(target)
      closers.append(nil)
    }
  }

  private mutating func printNumbers(_ value: ArchiveValue) throws {
    let texts: [String] =
      switch try value.numbers {
      case .bools(let numbers)?: numbers.map(\.description)
      case .signed(let numbers)?: numbers.map(\.description)
      case .unsigned(let numbers)?: numbers.map(\.description)
      case .floats(let numbers)?: numbers.map(\.description)
      case .doubles(let numbers)?: numbers.map(\.description)
      case nil: []
      }
    if texts.isEmpty { return try line("[]") }
    if indentation >= deepest { return try line("[…]") }
    try line("[")
    indentation += 1
    for (index, text) in texts.prefix(mostMembers).enumerated() { try line("\(index) => \(text)") }
    if texts.count > mostMembers { try line("… \(texts.count - mostMembers) more") }
    indentation -= 1
    try line("]")
  }

  /// Ends a line: what was gathered for it, and then `text`.
  private mutating func line(_ text: String) throws {
    let indent = String(repeating: "  ", count: min(indentation, TreePrinter.mostIndentation))
    try output.write("\(margin)\(indent)\(prefix)\(text)\n")
    prefix = ""
  }

  private func text(_ label: PathElement) -> String {
    switch label {
    case .key(let name): "\(quoted(name)) => "
    case .intKey(let number): "\(number) => "
    case .index(let index): "\(index) => "
    }
  }

  private func scalarText(_ value: ArchiveValue) throws -> String {
    switch value.kind {
    case .none: return "nil"
    case .empty: return "(nothing)"
    case .bool: return value.bool == true ? "true" : "false"
    case .integer: return try value.integer?.text ?? ""
    case .float32: return try value.float32?.description ?? ""
    case .float64: return try value.float64?.description ?? ""
    case .decimal: return try value.decimal?.text ?? ""
    case .string: return quoted(try value.string ?? "")
    case .uuid: return "UUID \(uuidText(try value.uuid ?? []))"
    case .date:
      let seconds = try value.date ?? 0
      guard let time = CalendarTime(secondsSince2001: seconds) else { return "\(seconds) s from 2001-01-01" }
      return "\(time.date) \(time.time)\(time.fraction) +0000"
    case .bytes:
      let bytes = try value.bytes ?? []
      let shown = bytes.prefix(24).map { hexadecimal($0) }.joined()
      return "\(counted(bytes.count, "byte")): 0x\(shown)\(bytes.count > 24 ? "…" : "")"
    default: return value.kind.rawValue
    }
  }
}

extension IntegerValue {
  /// The digits.
  var text: String {
    switch self {
    case .signed(let number): number.description
    case .unsigned(let number): number.description
    case .wide(let number): number.description
    case .wideUnsigned(let number): number.description
    }
  }
}

extension DecimalParts {
  /// The digits, with a power of ten where there is one; a valid number in JSON, but for "nan".
  var text: String {
    guard let mantissa else { return "nan" }
    let digits = String(mantissa)
    let sign = isNegative ? "-" : ""
    if exponent == 0 { return sign + digits }
    guard exponent < 0, -exponent < digits.count + 6 else { return "\(sign)\(digits)e\(exponent)" }
    let padded = String(repeating: "0", count: max(0, 1 - exponent - digits.count)) + digits
    return "\(sign)\(padded.dropLast(-exponent)).\(padded.suffix(-exponent))"
  }
}

/// Sixteen bytes as a UUID is printed.
func uuidText(_ bytes: [UInt8]) -> String {
  let digits = bytes.map { hexadecimal($0).uppercased() }
  let parts = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0.clamped(to: digits.indices)].joined() }
  return parts.joined(separator: "-")
}

private func hexadecimal(_ byte: UInt8) -> String {
  (byte < 16 ? "0" : "") + String(byte, radix: 16)
}
