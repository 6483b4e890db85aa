import Foundation
import Keepsake
import TestSupport
import Testing

/// Errors contain their message once, the value that caused them, and the path that it would have had.
@Suite struct EncodingErrors {
  private enum Keys: String, CodingKey { case first, second, inner }

  /// The value, the path and the text of an `EncodingError`.
  private func taken(_ error: any Error) throws -> (value: Any, path: String, text: String) {
    guard case EncodingError.invalidValue(let value, let context) = error else { throw error }
    return (value, spelled(context.codingPath), context.debugDescription)
  }

  private func thrown(_ body: () throws -> Void) throws -> (value: Any, path: String, text: String) {
    try taken(#require(throws: EncodingError.self, performing: body))
  }

  @Test("a printed error contains its message once")
  func saidOnce() throws {
    let archiver = KeyedArchiver()
    try archiver.finishEncoding()
    let data = try KeyedArchiver.archivedData(withRootObject: "text")
    var damaged = data
    damaged[20] ^= 1
    let calls: [() throws -> Void] = [
      { try archiver.encode(1, forKey: "late") },
      { _ = try KeyedUnarchiver.unarchive(Int.self, from: data) },
      { _ = try KeyedUnarchiver.unarchive(Int.self, from: damaged) },
      { _ = try KeyedUnarchiver.unarchive(Int.self, from: Data("no archive".utf8)) },
      { _ = try KeyedArchiver.archivedData(withRootObject: Polymorphic<Any>(Unsayable())) },
    ]
    for call in calls {
      let error = try #require(throws: (any Error).self, performing: call)
      let (sentence, reason) = try sentence(of: error)
      #expect("\(error)".components(separatedBy: sentence).count == 2, "\(error)")
      #expect(reason.description == "ArchiveError.\(reason.code)")
      #expect(sentence.hasPrefix(reason.message) && sentence == reason.localizedDescription)
    }
  }

  private struct Unsayable {}

  private func sentence(of error: any Error) throws -> (String, ArchiveError) {
    switch error {
    case EncodingError.invalidValue(_, let context):
      return (context.debugDescription, try #require(context.underlyingError as? ArchiveError))
    case DecodingError.dataCorrupted(let context), DecodingError.typeMismatch(_, let context):
      return (context.debugDescription, try #require(context.underlyingError as? ArchiveError))
    default: throw error
    }
  }

  @Test("an error after finishEncoding has the new value and its key")
  func afterTheEnd() throws {
    let archiver = KeyedArchiver()
    try archiver.encode("there", forKey: "before")
    var container = archiver.container(keyedBy: Keys.self)
    try container.encode(1, forKey: .first)
    try archiver.finishEncoding()
    let late = try thrown { try archiver.encode("too late", forKey: "after") }
    #expect(late.value as? String == "too late" && late.path == "after")
    let primitive = try thrown { try container.encode(7, forKey: .second) }
    #expect(primitive.value as? Int == 7 && primitive.path == "second")
    let other = try thrown { try container.encode([7], forKey: .second) }
    #expect(other.value as? [Int] == [7] && other.path == "second")
    let nothing = try thrown { try container.encodeNil(forKey: .second) }
    #expect(nothing.path == "second" && "\(nothing.value)" == "nil")
  }

  @Test("an error of an expired container has the new value, and its key if there is one")
  func containersThatAreOver() throws {
    let kept = KeptContainers()
    try kept.write()
    let keyed = try thrown { try kept.keyed?.encode(1, forKey: .second) }
    #expect(keyed.value as? Int == 1 && keyed.path == "second")
    let element = try thrown { try kept.unkeyed?.encode("x") }
    #expect(element.value as? String == "x" && element.path.isEmpty)
  }

  /// Keeps the containers of a value after its `encode(to:)` returns.
  private final class KeptContainers: Encodable {
    var keyed: KeyedEncodingContainer<Keys>?
    var unkeyed: (any UnkeyedEncodingContainer)?
    private let archiver = KeyedArchiver()

    func write() throws {
      try archiver.encode(["a": self], forKey: "kept")
      try archiver.finishEncoding()
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode("x", forKey: .first)
      unkeyed = container.nestedUnkeyedContainer(forKey: .inner)
      keyed = container
    }
  }

  @Test("an error in an element has the index of the element, and one of the archiver its own key")
  func elementOfAnOpenArray() throws {
    struct Writer: Encodable {
      let use: (any Encoder) throws -> Void
      func encode(to encoder: any Encoder) throws { try use(encoder) }
    }
    let archiver = KeyedArchiver()
    var found: [(value: Any, path: String, text: String)] = []
    try archiver.encode(
      Writer { encoder in
        var list = encoder.unkeyedContainer()
        try list.encode(1)
        try list.encode(
          Writer { inner in
            var value = inner.singleValueContainer()
            try value.encode(2)
            do { try value.encode(3) } catch { found.append(try taken(error)) }
            do { try archiver.encode(4, forKey: "top") } catch { found.append(try taken(error)) }
          }
        )
      },
      forKey: "list"
    )
    #expect(found.map(\.path) == ["list/[1]", "top"])
    #expect(found.map { $0.value as? Int } == [3, 4])
  }

  @Test("errors that the library finds later have the value that caused them")
  func values() throws {
    final class Local: Codable {}
    class Base: Codable {}
    final class Derived: Base {}
    let found = try thrown {
      _ = try KeyedArchiver.archivedData(withRootObject: ["a": [Derived()] as [Base]])
    }
    let value = (found.value as? [String: [Base]])?["a"]?.first ?? found.value
    #expect(value is Derived && found.text.contains("Derived"), "\(found)")
    let typed = try thrown {
      _ = try KeyedArchiver.archivedData(withRootObject: ["a": Polymorphic<Any>(Local())])
    }
    #expect(typed.value is Local || typed.value is Polymorphic<Any>, "\(typed)")
  }

  @Test("an error of the program is passed on unchanged")
  func ownErrors() throws {
    struct Thrower: Encodable {
      func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(
          Any?.none as Any,
          .init(codingPath: [Keys.first], debugDescription: "mine")
        )
      }
    }
    let found = try thrown { _ = try KeyedArchiver.archivedData(withRootObject: [Thrower()]) }
    #expect(found.text == "mine" && found.path == "first" && "\(found.value)" == "nil")
  }
}
