import Foundation
import Keepsake
import TestSupport
import Testing

/// @Deferred does not change values that are in no cycle.
@Suite struct DeferredValues {
  @Test("@Deferred values of every kind come back")
  func plainValues() throws {
    var values = Values()
    values.number = 7
    values.text = "text"
    values.dates = [.distantPast, Date(timeIntervalSinceReferenceDate: 0.25)]
    values.choice = .some("chosen")
    values.maybe = 3
    values.data = Data([1, 2])
    values.tables = ["a": [1.5, nil]]
    #expect(try roundTrip(values) == values)
    #expect(try roundTrip(Values()) == Values())
  }

  @Test("optionals of optionals come back exactly")
  func optionals() throws {
    for value in [Int??.none, .some(.none), .some(.some(4))] {
      #expect(try roundTrip(Doubly(value: value)).value == value)
      #expect(try roundTrip([Deferred(wrappedValue: value)])[0].wrappedValue == value)
    }
    let listed: [Deferred<Int?>?] = [nil, Deferred(wrappedValue: nil), Deferred(wrappedValue: 1)]
    #expect(try roundTrip(listed) == listed)
  }

  @Test("an optional property needs no initial value, and memberwise initializers take the value")
  func initializers() throws {
    #expect(
      Doubly(value: nil).value == nil && Memberwise(number: 3).number == 3
        && Memberwise(number: 1).text == nil
    )
    var copy = Memberwise(number: 3)
    copy.number += 1
    copy.text = "x"
    #expect(copy == Memberwise(number: 4, text: "x") && copy != Memberwise(number: 3, text: "x"))
    #expect(Set([copy, copy]).count == 1)
  }

  @Test("wrappers are nil by default, also nested")
  func defaults() throws {
    #expect(Deferred<Int?>().wrappedValue == nil && Lazy<Int?>().wrappedValue == nil)
    #expect(
      Polymorphic<(any Codable)?>().wrappedValue == nil && WeakReference<PlainPart>().wrappedValue == nil
    )
    let (deferred, weak): (Deferred<Int?>, WeakReference<PlainPart>) = (nil, nil)
    #expect(deferred.wrappedValue == nil && deferred.isDecoded && weak.wrappedValue == nil)
    for wrappers in [Wrappers(), try roundTrip(Wrappers())] {
      #expect(wrappers.number == nil && wrappers.any == nil && wrappers.weak == nil && wrappers.twice == nil)
    }
    var wrappers = Wrappers()
    let part = PlainPart(number: 3)
    (wrappers.number, wrappers.any, wrappers.weak, wrappers.twice) = (1, 2, part, 4)
    wrappers.part = part
    let back = try roundTrip(wrappers)
    #expect(back.number == 1 && back.any as? Int == 2 && back.twice == 4)
    #expect(back.weak?.number == 3 && back.weak === back.part)
  }

  @Test("wrappers come back from super encoders and super decoders")
  func byHand() throws {
    let part = PlainPart(number: 3)
    let data = try writeKeyed { container in
      try Lazy(wrappedValue: [1, 2]).encode(to: container.superEncoder(forKey: "lazy"))
      try Lazy(wrappedValue: Int?.none).encode(to: container.superEncoder(forKey: "nil"))
      try Deferred(wrappedValue: [3]).encode(to: container.superEncoder(forKey: "deferred"))
      try WeakReference(wrappedValue: part).encode(to: container.superEncoder(forKey: "weak"))
      try Polymorphic<any Codable>(4).encode(to: container.superEncoder(forKey: "any"))
      try container.encode(part, forKey: "part")
    }
    let (lazies, deferred, any, weak, back) = try read(data) { decoder throws in
      let container = try decoder.container(keyedBy: AnyKey.self)
      func coder(_ key: AnyKey) throws -> any Decoder { try container.superDecoder(forKey: key) }
      let lazies = (try Lazy<[Int]>(from: coder("lazy")), try Lazy<Int?>(from: coder("nil")))
      let weak = try WeakReference<PlainPart>(from: coder("weak"))
      #expect(weak.wrappedValue == nil && !lazies.0.isLoaded)
      let any = try Polymorphic<any Codable>(from: coder("any"))
      let part = try container.decode(PlainPart.self, forKey: "part")
      return SharedValue((lazies, try Deferred<[Int]>(from: coder("deferred")), any, weak, part))
    }.value
    #expect(lazies.0.wrappedValue == [1, 2] && lazies.1.wrappedValue == nil && lazies.1.error == nil)
    #expect(deferred.wrappedValue == [3] && any.wrappedValue as? Int == 4)
    #expect(back.number == 3 && weak.wrappedValue === back)
  }

  @Test("assigning to one copy of a structure leaves the others alone")
  func copies() throws {
    let pair = try roundTrip(Copies(number: 1))
    #expect(pair.one.number == 1 && pair.other.number == 1)
    pair.one.number = 2
    #expect(pair.one.number == 2 && pair.other.number == 1)
    var later = pair.other
    later.number = 3
    #expect(pair.other.number == 1 && later.number == 3)
    let third = pair.other
    pair.other.number = 4
    #expect(third.number == 1)
  }

  @Test("a value assigned while decoding replaces the one in the archive")
  func assignedMeanwhile() throws {
    let back = try transcode(Memberwise(number: 5), to: Overriding.self)
    #expect(back.number == 99)
  }

  @Test("a missing key is nil for an optional, and an error for anything else")
  func missingKeys() throws {
    #expect(try transcode(Empty(), to: OnlyOptional.self).value == nil)
    #expect(try transcode(ExplicitNil(), to: OnlyOptional.self).value == nil)
    #expect(try transcode(Empty(), to: OnlyOptionalAny.self).value == nil)
    #expect(try transcode(ExplicitNil(), to: OnlyOptionalAny.self).value == nil)
    let found = try failure { try transcode([Empty()], to: [Required].self) }
    #expect(found.kind == .keyNotFound && found.missingKey == "value" && found.path == "[0]")
    let none = try failure { try transcode(["x": ExplicitNil()], to: [String: Required].self) }
    #expect(none.kind == .valueNotFound && none.path == "x/value")
  }

  @Test("archives with plain properties are read by @Deferred ones, and the other way round")
  func oldAndNew() throws {
    let plain = PlainOwner()
    plain.part = PlainPart(number: 1)
    plain.parts = [PlainPart(number: 2), try #require(plain.part)]
    let deferred = try transcode(plain, to: DeferredOwner.self)
    #expect(deferred.part?.number == 1 && deferred.parts.map(\.number) == [2, 1])
    #expect(deferred.parts[1] === deferred.part)
    let again = try transcode(deferred, to: PlainOwner.self)
    #expect(again.part?.number == 1 && again.parts.map(\.number) == [2, 1] && again.parts[1] === again.part)
    #expect(try ArchiveEncoder().encode(plain) == ArchiveEncoder().encode(again))
    #expect(try transcode(PlainOwner(), to: DeferredOwner.self).part == nil)
  }

  @Test("nested deferred values come back")
  func nested() throws {
    let owner = Outer()
    owner.inner = [Inner(number: 1, owner: owner), Inner(number: 2, owner: Outer())]
    let back = try roundTrip(owner)
    #expect(back.inner.map(\.number) == [1, 2] && back.inner[0].owner === back)
    #expect(back.inner[1].owner !== back && back.inner[1].owner.inner.isEmpty)
    let layers = Deferred(wrappedValue: Deferred(wrappedValue: [Deferred(wrappedValue: "deep")]))
    #expect(try roundTrip(layers) == layers)
  }
}

// MARK: - Types

private enum Choice: Codable, Equatable { case some(String), other }

private struct Values: Codable, Equatable {
  @Deferred var number = 0
  @Deferred var text = ""
  @Deferred var dates: [Date] = []
  @Deferred var choice = Choice.other
  @Deferred var maybe: Int?
  @Deferred var data = Data()
  @Deferred var tables: [String: [Double?]] = [:]
}

private struct Doubly: Codable {
  @Deferred var value: Int??
}

private struct Memberwise: Codable, Hashable {
  @Deferred var number: Int
  @Deferred var text: String?
}

/// Copies the structure before its value is decoded.
private final class Copies: Codable {
  var one: Memberwise
  var other: Memberwise
  private enum CodingKeys: CodingKey { case one }

  init(number: Int) {
    one = Memberwise(number: number)
    other = one
  }

  init(from decoder: any Decoder) throws {
    one = try decoder.container(keyedBy: CodingKeys.self).decode(Memberwise.self, forKey: .one)
    other = one
  }
}

private struct Overriding: Decodable {
  @Deferred var number: Int
  private enum CodingKeys: CodingKey { case number }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    _number = try container.decode(Deferred<Int>.self, forKey: .number)
    number = 99
  }
}

private struct Empty: Codable {}

private struct ExplicitNil: Encodable {
  private enum CodingKeys: CodingKey { case value }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeNil(forKey: .value)
  }
}

private struct OnlyOptionalAny: Codable {
  @Deferred @Polymorphic var value: (any Codable)?
}

private struct Wrappers: Codable {
  @Deferred var number: Int?
  @Deferred @Polymorphic var any: (any Codable)?
  @Deferred @WeakReference var weak: PlainPart?
  @Deferred @Deferred var twice: Int?
  var part: PlainPart?

  init() {}
}

private struct OnlyOptional: Codable {
  @Deferred var value: Int?
}

private struct Required: Codable {
  @Deferred var value: Int
}

private final class PlainPart: Codable {
  let number: Int

  init(number: Int) {
    self.number = number
  }
}

private final class PlainOwner: Codable {
  var part: PlainPart?
  var parts: [PlainPart] = []
}

private final class DeferredOwner: Codable {
  @Deferred var part: PlainPart?
  @Deferred var parts: [PlainPart] = []
}

private final class Outer: Codable {
  @Deferred var inner: [Inner] = []
}

private struct Inner: Codable {
  var number: Int
  @Deferred var owner: Outer
}
