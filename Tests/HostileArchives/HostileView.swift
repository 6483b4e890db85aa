internal import Foundation
internal import Keepsake

/// Reads bytes as `keeputil` does, without types: verifies the structure, then visits each value and makes its text.
enum HostileView {
  /// The maximum number of values to visit: objects are followed once, but each level has a text.
  private static let mostValues = 20_000

  /// The number of characters of all texts.
  @discardableResult
  static func visit(_ data: Data) throws -> Int {
    let image = try ArchiveImage(data: data, verification: .disabled)
    // An invalid archive can also be printed, up to the fault.
    var fault: (any Error)?
    do { try image.verifyStructure() } catch { fault = error }
    var characters = 0
    var seen: Set<Int> = []
    var count = 0
    var walk = ArchiveWalk(try image.topLevelValue)
    while let step = try walk.next(), count < mostValues {
      count += 1
      guard case .value(let value, let label) = step else { continue }
      characters += try text(of: value).utf8.count
      if case .key(let name)? = label { characters += name.utf8.count }
      if value.kind == .object || value.kind == .value, let target = try value.target,
        seen.insert(target.number).inserted
      {
        characters += target.className?.utf8.count ?? 0
        walk.follow(target)
      }
    }
    characters += try members(image)
    if let fault { throw fault }
    return characters
  }

  /// Access to values without a walk: by key, by index, all at once.
  private static func members(_ image: ArchiveImage) throws -> Int {
    let top = try image.topLevelValue
    var found = 0
    if let root = try top["root"] { found += try root[0]?.offset ?? 0 }
    for member in try top.members().prefix(20) {
      found += try member.value.byteRange.count
      found += try member.value.count ?? 0
      found += try member.value.wrapped?.offset ?? 0
    }
    for offset in stride(from: 0, to: image.reader.count, by: 97) {
      found += image.bodyNumber(containing: offset) ?? 0
    }
    return found
  }

  private static func text(of value: ArchiveValue) throws -> String {
    switch value.kind {
    case .integer: return try value.integer.map(text) ?? ""
    case .float32: return try value.float32?.description ?? ""
    case .float64: return try value.float64?.description ?? ""
    case .date: return try value.date?.description ?? ""
    case .uuid: return try value.uuidValue?.description ?? ""
    case .decimal: return try value.decimal?.decimal?.description ?? ""
    case .url: return try value.urlParts?.joined(separator: " ") ?? ""
    case .string: return try value.string ?? ""
    case .bytes: return try value.bytes?.count.description ?? ""
    case .numbers: return try value.numbers.map(text) ?? ""
    case .typed: return try value.typeName ?? ""
    case .conditional: return try value.target?.className ?? "nil"
    case .bool: return value.bool?.description ?? ""
    default: return value.kind.rawValue
    }
  }

  // By hand, since an enumeration prints itself through reflection, which would take most of the time.
  private static func text(of integer: IntegerValue) -> String {
    switch integer {
    case .signed(let number): number.description
    case .unsigned(let number): number.description
    }
  }

  private static func text(of numbers: ArchiveNumbers) -> String {
    switch numbers {
    case .bools(let numbers): numbers.count.description
    case .signed(let numbers): numbers.last?.description ?? ""
    case .unsigned(let numbers): numbers.last?.description ?? ""
    case .floats(let numbers): numbers.last?.description ?? ""
    case .doubles(let numbers): numbers.last?.description ?? ""
    }
  }
}
