import Foundation
import Keepsake
import TestSupport
import Testing

/// A coder may reuse a keyed container that the program no longer holds. Callers do not notice.
@Suite struct ContainersUsedAgain {
  /// Nested values of one type, so that many of its containers are in use at a time.
  private struct Nest: Codable, Equatable {
    var before: Int
    var inner: [Nest]
    var after: String

    static func make(depth: Int, width: Int) -> Nest {
      let inner = depth == 0 ? [] : (0..<width).map { _ in make(depth: depth - 1, width: width) }
      return Nest(before: depth, inner: inner, after: "after \(depth)")
    }
  }

  @Test("nested values of one type come back", arguments: [(0, 0), (3, 4), (12, 1), (40, 1)])
  func nested(depth: Int, width: Int) throws {
    let nest = Nest.make(depth: depth, width: width)
    #expect(try ArchiveDecoder().decode(Nest.self, from: ArchiveEncoder().encode(nest)) == nest)
  }

  private enum Keys: CodingKey { case first, second }

  @Test("a container kept after encoding throws and does not write into other values")
  func keptForWriting() throws {
    var kept: KeyedEncodingContainer<Keys>?
    let value = Writing { encoder in
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(1, forKey: .first)
      kept = container
    }
    let later = Writing { encoder in
      var container = encoder.container(keyedBy: Keys.self)
      // Another value with the same keys is open now; the container of the first must not reach it.
      #expect(throws: EncodingError.self) { try kept?.encode(3, forKey: .second) }
      try container.encode(2, forKey: .first)
    }
    let data = try ArchiveEncoder().encode([value, later, value])
    #expect(throws: EncodingError.self) { try kept?.encode(3, forKey: .second) }
    #expect(
      try ArchiveDecoder().decode([[String: Int]].self, from: data) == [
        ["first": 1], ["first": 2], ["first": 1],
      ]
    )
  }

  /// A value that keeps the container it was read from.
  private struct Keeping: Decodable {
    let container: KeyedDecodingContainer<Keys>

    init(from decoder: any Decoder) throws {
      container = try decoder.container(keyedBy: Keys.self)
    }
  }

  @Test("a container kept after a failure throws the error of that failure")
  func keptAfterFailure() throws {
    var kept: KeyedEncodingContainer<Keys>?
    let value = Writing { encoder in
      kept = encoder.container(keyedBy: Keys.self)
      throw Refusal(reason: "the value is not ready")
    }
    #expect(throws: Refusal(reason: "the value is not ready")) { try ArchiveEncoder().encode(value) }
    #expect(throws: Refusal(reason: "the value is not ready")) { try kept?.encode(1, forKey: .first) }
  }

  @Test("an error of an expired container has the object of a conditional reference")
  func conditionalAfterwards() throws {
    var kept: KeyedEncodingContainer<Keys>?
    _ = try write { kept = $0.container(keyedBy: Keys.self) }
    let object = Referred()
    let error = #expect(throws: EncodingError.self) { try kept?.encodeConditional(object, forKey: .first) }
    guard case .invalidValue(let value, _)? = error else { return }
    #expect((value as? Referred) === object, "\(value)")
  }

  private final class Referred: Codable {}

  @Test("containers kept after decoding still read their own values")
  func keptForReading() throws {
    let data = try ArchiveEncoder().encode((0..<30).map { ["first": $0, "second": -$0] })
    let values = try ArchiveDecoder().decode([Keeping].self, from: data)
    for (number, value) in values.enumerated().reversed() {
      #expect(try value.container.decode(Int.self, forKey: .second) == -number)
      #expect(try value.container.decode(Int.self, forKey: .first) == number)
    }
  }

  private final class Witness: Sendable {}

  /// A coder's user info lives as long as the coder.
  private func userInfo(_ witness: Witness) -> [CodingUserInfoKey: Any] { [.named("witness"): witness] }

  @Test("an unfinished archiver is deallocated with its last reference, also after an error")
  func archiversGo() throws {
    weak var witness: Witness?
    do {
      let strong = Witness()
      witness = strong
      let archiver = KeyedArchiver()
      archiver.userInfo = userInfo(strong)
      try archiver.encode(Nest.make(depth: 2, width: 2), forKey: "nest")
      #expect(throws: (any Error).self) {
        try archiver.encode(Writing { _ in throw Failure() }, forKey: "none")
      }
    }
    #expect(witness == nil)
  }

  @Test("an unarchiver is deallocated with the last container of its values")
  func unarchiversGo() throws {
    let data = try ArchiveEncoder().encode([["first": 1]])
    weak var witness: Witness?
    var kept: [Keeping]?
    do {
      let strong = Witness()
      witness = strong
      kept = try KeyedUnarchiver.unarchive([Keeping].self, from: data, userInfo: userInfo(strong))
    }
    #expect(witness != nil)
    #expect(try kept?.first?.container.decode(Int.self, forKey: .first) == 1)
    kept = nil
    #expect(witness == nil)
  }

  private struct Failure: Error {}
}
