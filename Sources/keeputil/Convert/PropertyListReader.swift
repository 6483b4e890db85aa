import Foundation

/// Reads property lists in XML or binary form. Keeps the kind of each number.
enum PropertyListReader {
  static let deepest = 500

  static func read(_ data: Data) throws -> PlainValue {
    guard let list = try? unsafe PropertyListSerialization.propertyList(from: data, format: nil) else {
      throw CommandFailure.badData("this is not a valid property list")
    }
    return try value(list, depth: 0)
  }

  private static func value(_ value: Any, depth: Int) throws -> PlainValue {
    guard depth < deepest else { throw CommandFailure.badData("values are nested more than \(deepest) deep") }
    switch value {
    // Checked before Swift's numbers and strings, since an NSNumber converts to any of them.
    case let number as NSNumber: return self.number(number)
    case let string as String: return string == "$null" ? .null : .single(string)
    case let data as Data: return .single(data)
    case let date as Date: return .single(date)
    case let array as [Any]: return .array(try array.map { try self.value($0, depth: depth + 1) })
    case let dictionary as [String: Any]:
      // The keys of a property list have no order. Sorted keys give the same archive for the same list.
      let keys = dictionary.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      return .object(
        try keys.map { PlainMember(key: $0, value: try self.value(dictionary[$0] ?? "", depth: depth + 1)) }
      )
    default:
      throw CommandFailure.badData(
        "the property list contains a value of the type \(type(of: value)), as the archives of "
          + "NSKeyedArchiver do"
      )
    }
  }

  private static func number(_ number: NSNumber) -> PlainValue {
    // The code of the C type: all that Foundation says about the kind of a number.
    switch unsafe UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "c"), UInt8(ascii: "B"): .single(number.boolValue)
    case UInt8(ascii: "d"), UInt8(ascii: "f"): .single(number.doubleValue)
    case UInt8(ascii: "Q") where number.uint64Value > Int64.max: .single(number.uint64Value)
    default: .single(number.int64Value)
    }
  }
}
