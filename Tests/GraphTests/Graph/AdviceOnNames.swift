import Foundation
import Keepsake
import TestSupport
import Testing

/// Errors about names give advice.
@Suite struct AdviceOnNames {
  private class Base: Codable {}
  private final class First: Base {}
  private final class Second: Base {}

  @Test("an error says that two names differ only by Unicode normalization")
  func normalization() throws {
    let archiver = KeyedArchiver()
    archiver.setClassName("Caf\u{E9}", for: First.self)
    archiver.setClassName("Cafe\u{301}", for: Second.self)
    let found = try failure { try archiver.encode([First(), Second()] as [Base], forKey: "list") }
    #expect(found.code == .unresolvableClass && found.description.contains("Unicode normalization"))
    archiver.setClassName("Caf\u{E9}", for: Second.self)
    let same = try failure { try archiver.encode([First(), Second()] as [Base], forKey: "list") }
    #expect(same.code == .unresolvableClass && !same.description.contains("Unicode"))
  }

  private struct Bag: Codable {
    @Polymorphic var content: [String: Any]
  }

  @Test("an error advises to convert an optional or a typed collection behind Any")
  func standardTypes() throws {
    for content in [Optional(3) as Any, [1, 2], ["a": 1], Set(["a"]), [Base()]] {
      let found = try failure { try ArchiveEncoder().encode(Bag(content: ["key": content])) }
      #expect(found.code == .unresolvableClass && found.path == "content/key")
      #expect(found.description.contains("convert a collection to [Any] or [String: Any]"))
      #expect(!found.description.contains("ArchivableClass"))
    }
    let advised: [String: Any] = [
      "number": 3, "list": [1, 2] as [Any], "dictionary": ["a": 1] as [String: Any],
    ]
    let back = try roundTrip(Bag(content: advised)).content
    #expect(back["number"] as? Int == 3 && back["list"] as? [Int] == [1, 2])
    #expect(back["dictionary"] as? [String: Int] == ["a": 1])
  }
}
