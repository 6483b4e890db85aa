import Foundation
import FoundationArchives
import Keepsake

/// Reads property lists in XML or binary form. Keeps the kind of each number, and all characters of keys and texts.
struct PropertyListReader {
  static let deepest = 500

  private let list: PropertyList
  private var budget: ReadingBudget

  static func read(_ data: Data) throws -> PlainValue {
    do {
      var budget = ReadingBudget(.init(), byteCount: data.count)
      if let list = try PropertyList([UInt8](data), &budget) {
        var reader = PropertyListReader(list: list, budget: budget)
        return try reader.value(list.root, depth: 0)
      }
    } catch is ReadingError {
      throw CommandFailure.badData(
        "the property list has its values in more places than are in proportion to its size"
      )
    }
    throw CommandFailure.badData("this is not a valid property list")
  }

  private mutating func value(_ number: Int, depth: Int) throws -> PlainValue {
    let deepest = PropertyListReader.deepest
    guard depth < deepest else { throw CommandFailure.badData("values are nested more than \(deepest) deep") }
    // In binary form, one value can be in any number of places.
    try budget.charge(ReadingBudget.valueByteCount, at: list.offsets[number])
    switch list[number] {
    case .bool(let value): return .single(value)
    case .integer(let value):
      let smaller: [(any Encodable)?] = [Int64(exactly: value), UInt64(exactly: value)]
      return .single(smaller.compactMap(\.self).first ?? value)
    case .real(let value): return .single(value)
    case .date(let seconds): return .single(Date(timeIntervalSinceReferenceDate: seconds))
    case .data(let bytes):
      try budget.charge(bytes.count, at: list.offsets[number])
      return .single(Data(bytes))
    case .string(let text): return text == "$null" ? .null : .single(text)
    case .array(let elements): return .array(try elements.map { try value($0, depth: depth + 1) })
    case .dictionary(let members):
      var values: [ExactString: PlainValue] = [:]
      for member in members {
        guard case .string(let key) = list[member.key] else {
          throw CommandFailure.badData("a key is not a text")
        }
        values[ExactString(string: key)] = try value(member.value, depth: depth + 1)
      }
      // The keys of a property list have no order. Sorted keys give the same archive for the same list.
      return .object(
        values.sorted { $0.key.string.utf8.lexicographicallyPrecedes($1.key.string.utf8) }
          .map { PlainMember(key: $0.key.string, value: $0.value) }
      )
    case .reference:
      throw CommandFailure.badData(
        "the property list contains a reference, as the archives of NSKeyedArchiver do"
      )
    }
  }
}
