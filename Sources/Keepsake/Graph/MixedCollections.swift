// Stand-ins for collections of anything where a value may be of any type, such as an `[Any]` in a `[String: Any]`:
// those are not `Codable`. The names of the stand-ins belong to the format (Format §5.3).

/// A stand-in for a collection where a value may be of any type.
protocol MixedCollection: Codable, ValueStandIn {
  associatedtype Contents
  var contents: Contents { get }
  init(_ contents: Contents)
}

extension MixedCollection {
  var original: Any { contents }

  init(from decoder: any Decoder) throws {
    self.init(try Polymorphic<Contents>(from: decoder).wrappedValue)
  }

  func encode(to encoder: any Encoder) throws { try Polymorphic(contents).encode(to: encoder) }
}

struct MixedArray: MixedCollection {
  let contents: [Any]
  init(_ contents: [Any]) { self.contents = contents }
}

struct MixedDictionary: MixedCollection {
  let contents: [String: Any]
  init(_ contents: [String: Any]) { self.contents = contents }
}

/// A stand-in for nil where a value may be of any type.
struct MixedNothing: Codable, ValueStandIn {
  var original: Any { Any?.none as Any }
}

/// The stand-in for `value`, which is behind a protocol and not `Encodable`; `nil` if there is none.
func mixed(_ value: Any) -> (any Encodable)? {
  if (value as? any NilHolding)?.holdsNil == true { return MixedNothing() }
  if let array = value as? [Any] { return MixedArray(array) }
  if let dictionary = value as? [String: Any] { return MixedDictionary(dictionary) }
  return nil
}
