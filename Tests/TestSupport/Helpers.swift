package import Foundation
package import Keepsake
import RandomArchives
package import Testing

// Shared helpers of the tests: values whose coding is a closure, errors that can be compared, and reproducible random
// numbers.

/// A coding key of any string or index.
package struct AnyKey: CodingKey, Hashable, ExpressibleByStringLiteral {
  package let stringValue: String
  package let intValue: Int?

  package init(_ string: String) {
    stringValue = string
    intValue = nil
  }

  package init(stringValue: String) {
    self.init(stringValue)
  }

  package init(stringLiteral value: String) {
    self.init(value)
  }

  package init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }
}

/// A value whose `encode(to:)` is the closure.
package struct Writing: Encodable {
  package let body: (any Encoder) throws -> Void

  package init(_ body: @escaping (any Encoder) throws -> Void) {
    self.body = body
  }

  package func encode(to encoder: any Encoder) throws {
    try body(encoder)
  }
}

/// Archives a value whose `encode(to:)` is the closure.
package func write(_ body: @escaping (any Encoder) throws -> Void) throws -> Data {
  try ArchiveEncoder().encode(Writing(body))
}

/// Archives a value that writes into one keyed container.
package func writeKeyed(_ body: @escaping (inout KeyedEncodingContainer<AnyKey>) throws -> Void) throws
  -> Data
{
  try write { encoder in
    var container = encoder.container(keyedBy: AnyKey.self)
    try body(&container)
  }
}

/// Archives a value that writes into one unkeyed container.
package func writeUnkeyed(_ body: @escaping (inout any UnkeyedEncodingContainer) throws -> Void) throws
  -> Data
{
  try write { encoder in
    var container = encoder.unkeyedContainer()
    try body(&container)
  }
}

private struct ReadingBody<Result>: Sendable {
  let read: @Sendable (any Decoder) throws -> Result
}

extension CodingUserInfoKey {
  /// The key with that name.
  package static func named(_ name: String) -> CodingUserInfoKey {
    guard let key = CodingUserInfoKey(rawValue: name) else { preconditionFailure("no key is named \(name)") }
    return key
  }
}

/// A value whose `init(from:)` is the closure in the user info.
private struct Reading<Result>: Decodable {
  let result: Result

  init(from decoder: any Decoder) throws {
    let body = try #require(decoder.userInfo[.named("reading")] as? ReadingBody<Result>)
    result = try body.read(decoder)
  }
}

/// Reads the root of an archive with a closure as its `init(from:)`.
package func read<Result>(_ data: Data, _ body: @escaping @Sendable (any Decoder) throws -> Result) throws
  -> Result
{
  var decoder = ArchiveDecoder()
  decoder.userInfo[.named("reading")] = ReadingBody(read: body)
  return try decoder.decode(Reading<Result>.self, from: data).result
}

/// Reads the root of an archive through one keyed container.
package func readKeyed<Result>(
  _ data: Data,
  _ body: @escaping @Sendable (KeyedDecodingContainer<AnyKey>) throws -> Result
) throws -> Result {
  try read(data) { try body($0.container(keyedBy: AnyKey.self)) }
}

/// Reads the root of an archive through one unkeyed container.
package func readUnkeyed<Result>(
  _ data: Data,
  _ body: @escaping @Sendable (inout any UnkeyedDecodingContainer) throws -> Result
) throws -> Result {
  try read(data) { decoder throws in
    var container = try decoder.unkeyedContainer()
    return try body(&container)
  }
}

/// Archives a value and reads it back.
package func roundTrip<T: Codable>(_ value: T) throws -> T {
  try transcode(value, to: T.self)
}

/// Archives a value and reads it back as another type.
package func transcode<T: Decodable>(_ value: some Encodable, to type: T.Type) throws -> T {
  try ArchiveDecoder().decode(type, from: ArchiveEncoder().encode(value))
}

/// A coding path on one line: indices in brackets, `people/[3]/name`.
package func spelled(_ path: [any CodingKey]) -> String {
  path.map { key in key.intValue.map { "[\($0)]" } ?? key.stringValue }.joined(separator: "/")
}

/// The parts of an `EncodingError` or `DecodingError`.
package struct Failure: CustomStringConvertible {
  package enum Kind {
    case keyNotFound, typeMismatch, valueNotFound, dataCorrupted, invalidValue
  }

  package let kind: Kind
  package let path: String
  package let code: ArchiveError.Code?
  package let missingKey: String?
  package let description: String

  package init?(_ error: any Error) {
    let context: (path: [any CodingKey], debugDescription: String, underlying: (any Error)?)
    var missingKey: String?
    switch error {
    case EncodingError.invalidValue(_, let found):
      kind = .invalidValue
      context = (found.codingPath, found.debugDescription, found.underlyingError)
    case DecodingError.keyNotFound(let key, let found):
      kind = .keyNotFound
      missingKey = key.stringValue
      context = (found.codingPath, found.debugDescription, found.underlyingError)
    case DecodingError.typeMismatch(_, let found):
      kind = .typeMismatch
      context = (found.codingPath, found.debugDescription, found.underlyingError)
    case DecodingError.valueNotFound(_, let found):
      kind = .valueNotFound
      context = (found.codingPath, found.debugDescription, found.underlyingError)
    case DecodingError.dataCorrupted(let found):
      kind = .dataCorrupted
      context = (found.codingPath, found.debugDescription, found.underlyingError)
    default: return nil
    }
    path = spelled(context.path)
    code = (context.underlying as? ArchiveError)?.code
    self.missingKey = missingKey
    description = context.debugDescription
  }
}

/// The coding error that the body throws; records an issue if it throws nothing or another error.
package func failure<Result>(
  sourceLocation: SourceLocation = #_sourceLocation,
  of body: () throws -> Result
) throws -> Failure {
  do {
    _ = try body()
  } catch {
    return try #require(Failure(error), "\(error) is no coding error", sourceLocation: sourceLocation)
  }
  return try #require(nil as Failure?, "nothing was thrown", sourceLocation: sourceLocation)
}

/// The size of a test that takes long and finds nothing more without optimization: `count`, or `inDebug` in a debug
/// build. CI runs both.
package func sized(_ count: Int, inDebug: Int) -> Int {
  #if DEBUG
    inDebug
  #else
    count
  #endif
}

/// A class whose objects are equal only to themselves.
package protocol EqualByIdentity: AnyObject, Hashable {}

extension EqualByIdentity {
  package static func == (left: Self, right: Self) -> Bool { left === right }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// An error of the tests.
package struct Refusal: Error, Equatable {
  package var reason = ""

  package init(reason: String = "") {
    self.reason = reason
  }
}

/// Prints its seed, or takes it from `KEEPSAKE_SEED` to repeat a run.
package struct SeededGenerator: RandomNumberGenerator {
  private var numbers: SplitMix

  package init(_ purpose: String) {
    let given = ProcessInfo.processInfo.environment["KEEPSAKE_SEED"].flatMap { UInt64($0) }
    let seed = given ?? UInt64.random(in: .min ... .max)
    numbers = SplitMix(seed: seed)
    print("\(purpose): KEEPSAKE_SEED=\(seed)")
  }

  package mutating func next() -> UInt64 { numbers.next() }
}
