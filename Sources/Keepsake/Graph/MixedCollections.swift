// Collections of anything, where anything may stand: `[Any]` in `[String: Any]`. They have no type that is `Codable`, so
// these stand for them, by names that belong to the format (Format §5.3).

/// A collection in a place where anything may stand.
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

/// Nil in a place where anything may stand.
struct MixedNothing: Codable, ValueStandIn {
  var original: Any { Any?.none as Any }
}

/// What can be archived for `value`, which stands behind a protocol and is not `Encodable`; `nil` if nothing can.
func mixed(_ value: Any) -> (any Encodable)? {
  if (value as? any NilHolding)?.holdsNil == true { return MixedNothing() }
  if let array = value as? [Any] { return MixedArray(array) }
  if let dictionary = value as? [String: Any] { return MixedDictionary(dictionary) }
  return nil
}
