import Foundation
import Keepsake
import TestSupport
import Testing

/// The content of an archiver after it threw and its caller continued.
@Suite struct AfterErrors {
  @Test("objects of a container nested at the top level stay after a later value throws")
  func nestedAtTheTop() throws {
    let archiver = KeyedArchiver()
    var container = archiver.container(keyedBy: AnyKey.self)
    var nested = container.nestedContainer(keyedBy: AnyKey.self, forKey: "nested")
    try nested.encode(ErrorLink("one", ErrorLink("two", ErrorLink("three", nil))), forKey: "first")
    #expect(throws: Refusal(reason: "never")) { try archiver.encode(Unencodable(), forKey: "failing") }
    try archiver.encode(ErrorLink("later", ErrorLink("last", nil)), forKey: "later")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(try unarchiver.decode(ErrorLink.self, forKey: "later").names == ["later", "last"])
    let inner = try unarchiver.container(keyedBy: AnyKey.self).nestedContainer(
      keyedBy: AnyKey.self,
      forKey: "nested"
    )
    #expect(try inner.decode(ErrorLink.self, forKey: "first").names == ["one", "two", "three"])
  }

  @Test("a value that throws leaves objects of a nested container intact")
  func drainedBeforeTheFailure() throws {
    let archiver = KeyedArchiver()
    var container = archiver.container(keyedBy: AnyKey.self)
    var nested = container.nestedContainer(keyedBy: AnyKey.self, forKey: "nested")
    let link = ErrorLink("one", nil)
    try nested.encode(link, forKey: "first")
    try nested.encode(link, forKey: "again")
    #expect(throws: Refusal(reason: "never")) { try container.encode(Unencodable(), forKey: "failing") }
    try container.encode(link, forKey: "last")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(try unarchiver.decode(ErrorLink.self, forKey: "last").names == ["one"])
  }

  @Test("a failed value inside a nested top-level container leaves other objects intact")
  func takenBackInside() throws {
    let archiver = KeyedArchiver()
    var container = archiver.container(keyedBy: AnyKey.self)
    var nested = container.nestedContainer(keyedBy: AnyKey.self, forKey: "nested")
    let kept = ErrorLink("kept", ErrorLink("too", nil))
    let value = Writing { encoder in
      var inner = encoder.container(keyedBy: AnyKey.self)
      let doomed = Writing { encoder in
        var innermost = encoder.container(keyedBy: AnyKey.self)
        try innermost.encode(ErrorLink("doomed", nil), forKey: "object")
        try innermost.encode(["a": Writing { try $0.singleValueContainer().encodeOne() }], forKey: "more")
        throw Refusal(reason: "never")
      }
      #expect(throws: Refusal(reason: "never")) { try inner.encode(doomed, forKey: "doomed") }
      try inner.encode(kept, forKey: "kept")
    }
    try nested.encode(value, forKey: "value")
    try archiver.encode(kept, forKey: "kept")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(try unarchiver.decode(ErrorLink.self, forKey: "kept").names == ["kept", "too"])
    let inner = try unarchiver.container(keyedBy: AnyKey.self)
      .nestedContainer(keyedBy: AnyKey.self, forKey: "nested")
      .nestedContainer(keyedBy: AnyKey.self, forKey: "value")
    #expect(inner.allKeys.map(\.stringValue) == ["kept"])
    #expect(try inner.decode(ErrorLink.self, forKey: "kept").names == ["kept", "too"])
  }

  @Test("a failed value with many objects leaves other objects intact", arguments: [10, 63, 64, 130])
  func manyTakenBack(keptCount: Int) throws {
    let archiver = KeyedArchiver()
    try archiver.encode((1...keptCount).map { ErrorLink("kept \($0)", nil) }, forKey: "kept")
    for count in [60, 200] {
      let doomed = Writing { encoder in
        var list = encoder.unkeyedContainer()
        for number in 0..<count { try list.encode(ErrorLink("doomed \(number)", nil)) }
        try list.encode(UnencodableObject())
      }
      #expect(throws: Refusal(reason: "never")) { try archiver.encode(doomed, forKey: "doomed") }
    }
    try archiver.encode((1...100).map { ErrorLink("later \($0)", nil) }, forKey: "later")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    for (key, count) in [("kept", keptCount), ("later", 100)] {
      let names = try unarchiver.decode([ErrorLink].self, forKey: key).map(\.name)
      #expect(names == (1...count).map { "\(key) \($0)" })
    }
  }

  @Test("a deinit cannot use the archiver while objects of a failed value are released")
  func usedByADeinit() throws {
    let archiver = KeyedArchiver()
    var codes: [ArchiveError.Code?] = []
    let value = Writing { encoder in
      var list = encoder.unkeyedContainer()
      for name in ["a", "b", "c"] {
        let last = {
          codes.append(try? failure { try archiver.encode([ErrorLink(name, nil)], forKey: name) }.code)
        }
        try list.encode(Parting(last))
      }
      throw Refusal(reason: "never")
    }
    #expect(throws: Refusal(reason: "never")) { try archiver.encode(value, forKey: "value") }
    #expect(codes == [.misuse, .misuse, .misuse])
    try archiver.encode([ErrorLink("end", nil)], forKey: "end")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(unarchiver.allKeys == ["end"])
    #expect(try unarchiver.decode([ErrorLink].self, forKey: "end").map(\.names) == [["end"]])
  }

  @Test("finishing succeeds after the cause of an error is corrected")
  func finishedAtTheSecondAttempt() throws {
    let archiver = KeyedArchiver()
    let hidden = HiddenErrorClass()
    for index in 0..<200 { try archiver.encode(index, forKey: "key \(index)") }
    try archiver.encode(hidden, forKey: "hidden")
    try archiver.encode(WeakToBase(object: hidden), forKey: "weak")
    #expect(try failure { try archiver.finishEncoding() }.code == .unresolvableClass)
    archiver.setClassName("HiddenErrorClass, named", for: HiddenErrorClass.self)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    unarchiver.setClass(HiddenErrorClass.self, forClassName: "HiddenErrorClass, named")
    #expect(unarchiver.allKeys.count == 202)
    #expect(try unarchiver.decode(Int.self, forKey: "key 150") == 150)
    let back = try unarchiver.decode(HiddenErrorClass.self, forKey: "hidden")
    #expect(try unarchiver.decode(WeakToBase.self, forKey: "weak").object === back)
  }

  @Test("the declared type of a weak reference in a failed value is forgotten")
  func declaredByAFailure() throws {
    let archiver = KeyedArchiver()
    let hidden = HiddenErrorClass()
    try archiver.encode(hidden, forKey: "hidden")
    try archiver.encode(WeakToHidden(object: hidden), forKey: "weak")
    #expect(throws: Refusal(reason: "never")) {
      try archiver.encode(FailingWeakToBase(object: hidden), forKey: "x")
    }
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(try unarchiver.decode(HiddenErrorClass.self, forKey: "hidden").number == 1)
  }

  @Test("a cycle that only its initializer can read does not hide an unreadable one")
  func secondRing() throws {
    let early = EarlyError()
    let late = LateError(early)
    early.late = late
    let hand = HandError()
    hand.myself = hand
    let archiver = KeyedArchiver()
    try archiver.encode([hand], forKey: "hand")
    try archiver.encode(early, forKey: "early")
    #expect(try failure { try archiver.encode(late, forKey: "late") }.code == .cycle)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let back = try unarchiver.decode(EarlyError.self, forKey: "early")
    #expect(back.late?.early === back)
    let hands = try unarchiver.decode([HandError].self, forKey: "hand")
    #expect(hands[0].myself === hands[0])
    for hand in hands + [hand] { hand.myself = nil }
    back.late = nil
    early.late = nil
  }

  @Test("a value of 8,000 levels comes back if each level catches errors")
  func deepErrors() throws {
    // Each level tries other types first, as enumerations of JSON values do.
    var deep = TriedValue.text("bottom")
    for _ in 0..<8_000 { deep = .array([deep]) }
    let data = try ArchiveEncoder().encode(deep)
    var back = try ArchiveDecoder().decode(TriedValue.self, from: data)
    var levels = 0
    while case .array(let inner) = back, let first = inner.first {
      back = first
      levels += 1
    }
    #expect(levels == 8_000)
    while case .array(let inner) = deep, let first = inner.first { deep = first }
  }
}

private final class ErrorLink: Codable {
  let name: String
  let next: ErrorLink?

  init(_ name: String, _ next: ErrorLink?) {
    self.name = name
    self.next = next
  }

  var names: [String] { [name] + (next?.names ?? []) }
}

private struct Unencodable: Codable {
  init() {}
  init(from decoder: any Decoder) throws {}
  func encode(to encoder: any Encoder) throws { throw Refusal(reason: "never") }
}

private final class UnencodableObject: Encodable {
  func encode(to encoder: any Encoder) throws { throw Refusal(reason: "never") }
}

private class ErrorBase: Codable {
  var number = 1
  init() {}
}

private final class HiddenErrorClass: ErrorBase {}

private struct WeakToBase: Codable {
  @WeakReference var object: ErrorBase?
}

private struct WeakToHidden: Codable {
  @WeakReference var object: HiddenErrorClass?
}

private struct FailingWeakToBase: Codable {
  @WeakReference var object: ErrorBase?
  var failing = Unencodable()
}

/// The key is not the name of the property, so this cannot be read last.
private final class EarlyError: Codable, SelfRegistering {
  var late: LateError?

  init() {}

  init(from decoder: any Decoder) throws {
    decoder.register(self)
    late = try decoder.container(keyedBy: AnyKey.self).decodeIfPresent(LateError.self, forKey: "other")
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: AnyKey.self)
    try container.encode(late, forKey: "other")
  }
}

private final class LateError: Codable {
  let early: EarlyError

  init(_ early: EarlyError) {
    self.early = early
  }
}

private final class HandError: Codable {
  var myself: HandError?

  private enum CodingKeys: CodingKey { case myself }

  init() {}

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try container.decodeDeferredIfPresent(HandError.self, forKey: .myself) { [weak self] in self?.myself = $0
    }
  }
}

private enum TriedValue: Codable {
  case text(String)
  case number(Double)
  case array([TriedValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else {
      self = .array(try container.decode([TriedValue].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .number(let number): try container.encode(number)
    case .array(let array): try container.encode(array)
    }
  }
}

extension SingleValueEncodingContainer {
  fileprivate func encodeOne() throws {
    var container = self
    try container.encode(1)
  }
}

private final class Parting: Encodable {
  private let last: () -> Void

  init(_ last: @escaping () -> Void) { self.last = last }
  deinit { last() }
  func encode(to encoder: any Encoder) {}
}
