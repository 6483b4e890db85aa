import Foundation
import Keepsake
import TestSupport
import Testing

/// `super.encode(to:)` into the same container, into a super encoder with and without a key, and out of turn.
@Suite struct SuperEncoders {
  @Test("three classes of a hierarchy come back from nested super encoders")
  func chainOfSuperEncoders() throws {
    let puppy = Puppy()
    puppy.legs = 3
    puppy.name = "Rex"
    puppy.age = 0.5
    let back = try roundTrip(puppy)
    #expect(back.legs == 3 && back.name == "Rex" && back.age == 0.5)
    try readKeyed(ArchiveEncoder().encode(puppy)) { container throws in
      let dog = try container.nestedContainer(keyedBy: AnyKey.self, forKey: "super")
      #expect(try dog.decode(String.self, forKey: "name") == "Rex")
      let animal = try dog.nestedContainer(keyedBy: AnyKey.self, forKey: "super")
      #expect(try animal.decode(Int.self, forKey: "legs") == 3)
    }
  }

  @Test("three classes of a hierarchy come back from one container")
  func oneContainer() throws {
    let derived = Third()
    derived.a = 1
    derived.b = "two"
    derived.c = [3]
    let back = try roundTrip(derived)
    #expect(back.a == 1 && back.b == "two" && back.c == [3])
    let keys = try readKeyed(ArchiveEncoder().encode(derived)) { $0.allKeys.map(\.stringValue).sorted() }
    #expect(keys == ["a", "b", "c"])
  }

  @Test("super encoders with keys are beside the one without")
  func withAndWithoutKey() throws {
    let data = try writeKeyed { container in
      try ["a": 1].encode(to: container.superEncoder())
      try [2, 3].encode(to: container.superEncoder(forKey: "list"))
      try "four".encode(to: container.superEncoder(forKey: "text"))
    }
    try readKeyed(data) { container throws in
      #expect(Set(container.allKeys.map(\.stringValue)) == ["super", "list", "text"])
      #expect(try [String: Int](from: container.superDecoder()) == ["a": 1])
      #expect(try [Int](from: container.superDecoder(forKey: "list")) == [2, 3])
      #expect(try String(from: container.superDecoder(forKey: "text")) == "four")
      #expect(try container.decode([String: Int].self, forKey: "super") == ["a": 1])
      #expect(try container.decode(String.self, forKey: "text") == "four")
    }
  }

  @Test("a super encoder is written after its siblings, and alternately with them")
  func late() throws {
    let data = try writeKeyed { container in
      let first = container.superEncoder()
      let second = container.superEncoder(forKey: "second")
      try container.encode(1, forKey: "own")
      var ofSecond = second.container(keyedBy: AnyKey.self)
      var ofFirst = first.unkeyedContainer()
      for number in 0..<3 {
        try ofSecond.encode(number, forKey: AnyKey("\(number)"))
        try ofFirst.encode("\(number)")
      }
      try container.encode(2, forKey: "last")
      try ofFirst.encode("end")
    }
    try readKeyed(data) { container throws in
      #expect(try container.decode(Int.self, forKey: "own") == 1)
      #expect(try container.decode(Int.self, forKey: "last") == 2)
      #expect(try [String](from: container.superDecoder()) == ["0", "1", "2", "end"])
      #expect(try container.decode([String: Int].self, forKey: "second") == ["0": 0, "1": 1, "2": 2])
    }
  }

  @Test("super encoders of an unkeyed container are its elements")
  func inUnkeyed() throws {
    let data = try writeUnkeyed { list in
      let first = list.superEncoder()
      try list.encode(1)
      let second = list.superEncoder()
      #expect(list.count == 3)
      try list.encode(2)
      try ["late": true].encode(to: second)
      try 0.encode(to: first)
    }
    try readUnkeyed(data) { list throws in
      #expect(try Int(from: list.superDecoder()) == 0)
      #expect(try list.decode(Int.self) == 1)
      #expect(try [String: Bool](from: list.superDecoder()) == ["late": true])
      #expect(list.currentIndex == 3)
      #expect(try list.decode(Int.self) == 2)
      #expect(throws: DecodingError.self) { try list.superDecoder() }
    }
  }

  @Test("super encoders nest in containers of every kind")
  func nested() throws {
    let data = try writeKeyed { container in
      var list = container.superEncoder().unkeyedContainer()
      var record = list.superEncoder().container(keyedBy: AnyKey.self)
      try "deep".encode(to: record.superEncoder(forKey: "x"))
      try record.encode(1, forKey: "y")
      try list.encode(2)
    }
    try readKeyed(data) { container throws in
      var list = try container.superDecoder().unkeyedContainer()
      let record = try list.superDecoder().container(keyedBy: AnyKey.self)
      #expect(try String(from: record.superDecoder(forKey: "x")) == "deep")
      #expect(try record.decode(Int.self, forKey: "y") == 1)
      #expect(try list.decode(Int.self) == 2)
    }
  }

  @Test("thousands of nested super encoders take time in proportion, and paths keep their last steps")
  func deep() throws {
    @Sendable func encodeDeep(_ depth: Int) throws -> Data {
      try write { encoder in
        var containers = [encoder.container(keyedBy: AnyKey.self)]
        for level in 0..<depth {
          try containers[level].encode(level, forKey: "level")
          containers.append(containers[level].superEncoder(forKey: "next").container(keyedBy: AnyKey.self))
        }
        let path = containers[depth].codingPath.map(\.stringValue)
        #expect(path.last == "next" && (path.first == "…") == (depth > path.count))
        for level in containers.indices { try containers[level].encode("late", forKey: "late") }
      }
    }
    try expectTimeInProportion(to: sized(16_000, inDebug: 4_000)) { depth in
      try read(encodeDeep(depth)) { decoder in
        var decoder = decoder
        for level in 0..<depth {
          let container = try decoder.container(keyedBy: AnyKey.self)
          #expect(try container.decode(Int.self, forKey: "level") == level)
          #expect(try container.decode(String.self, forKey: "late") == "late")
          decoder = try container.superDecoder(forKey: "next")
        }
        #expect(try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue) == ["late"])
      }
    }
    #expect(try onThread(stackSize: 512 << 10) { try encodeDeep(10_000) } == encodeDeep(10_000))
  }

  @Test("decoding does not depend on an earlier archive with values at the same offsets")
  func inTurns() throws {
    for count in [1, 5, 2, 7, 3] {
      let data = try writeKeyed { container in
        var list = container.superEncoder().unkeyedContainer()
        for number in 0..<count { try list.encode(number) }
      }
      try readKeyed(data) { container throws in
        var list = try container.superDecoder().unkeyedContainer()
        // Out of order, so that the decoder must find the end of the container.
        #expect(!container.contains("absent") && list.count == count)
        for number in 0..<count { #expect(try list.decode(Int.self) == number) }
        #expect(list.isAtEnd)
      }
    }
  }

  @Test("a super encoder that is never written is an empty container")
  func neverWritten() throws {
    let data = try writeKeyed { container in
      _ = container.superEncoder()
      _ = container.superEncoder(forKey: "named")
      try container.encode(1, forKey: "own")
    }
    try readKeyed(data) { container throws in
      #expect(container.contains("super") && container.contains("named"))
      #expect(try container.superDecoder().container(keyedBy: AnyKey.self).allKeys.isEmpty)
      #expect(try container.superDecoder(forKey: "named").unkeyedContainer().isAtEnd)
      #expect(try container.decode(Int.self, forKey: "own") == 1)
    }
  }

  @Test("an object that is shared by the class and its superclass is one object")
  func sharedAcrossLevels() throws {
    let collar = Collar(size: 12)
    let pet = Pet(collar: collar, spare: collar)
    let back = try roundTrip(pet)
    #expect(back.collar === back.spare)
    #expect(back.collar.size == 12)
  }

  @Test("a subclass that inherits Codable comes back as itself")
  func inheriting() throws {
    let plain = try roundTrip(Plain())
    #expect(type(of: plain) == Plain.self)
    #expect(plain.legs == 4)
  }

  /// Nested values, nearly as deep as is allowed.
  private struct Nested: Encodable {
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: AnyKey.self)
      for _ in 1..<39_000 { container = container.nestedContainer(keyedBy: AnyKey.self, forKey: "next") }
    }
  }

  /// Passes on the decoders of its containers, so the library calls none of its initializers but the first.
  private struct Forwarding: Decodable {
    let depth: Int

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: AnyKey.self)
      guard container.contains("next") else {
        depth = 1
        return
      }
      depth = try Forwarding(from: container.superDecoder(forKey: "next")).depth + 1
    }
  }

  @Test("passing on decoders from initializers throws before the stack ends")
  func passedOn() throws {
    let data = try ArchiveEncoder().encode(Nested())
    let found = try onThread(stackSize: 512 << 10) {
      try failure { try ArchiveDecoder().decode(Forwarding.self, from: data) }.code
    }
    #expect(found == .limitExceeded)
    let depth = try onThread(stackSize: 256 << 20) {
      try ArchiveDecoder().decode(Forwarding.self, from: data).depth
    }
    #expect(depth == 39_000)
  }
}

// MARK: - Classes

private class Beast: Codable {
  var legs = 4
}

private class Plain: Beast {}

private class Hound: Beast {
  var name = ""
  private enum CodingKeys: CodingKey { case name }

  override init() { super.init() }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    try super.init(from: container.superDecoder())
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try super.encode(to: container.superEncoder())
  }
}

private final class Puppy: Hound {
  var age = 0.0
  private enum CodingKeys: CodingKey { case age }

  override init() { super.init() }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    age = try container.decode(Double.self, forKey: .age)
    try super.init(from: container.superDecoder())
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try super.encode(to: container.superEncoder())
    try container.encode(age, forKey: .age)
  }
}

private class First: Codable {
  var a = 0
}

private class Second: First {
  var b = ""
  private enum CodingKeys: CodingKey { case b }

  override init() { super.init() }

  required init(from decoder: any Decoder) throws {
    b = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .b)
    try super.init(from: decoder)
  }

  override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(b, forKey: .b)
  }
}

private final class Third: Second {
  var c: [Int] = []
  private enum CodingKeys: CodingKey { case c }

  override init() { super.init() }

  required init(from decoder: any Decoder) throws {
    c = try decoder.container(keyedBy: CodingKeys.self).decode([Int].self, forKey: .c)
    try super.init(from: decoder)
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(c, forKey: .c)
    try super.encode(to: encoder)
  }
}

private final class Collar: Codable {
  let size: Int

  init(size: Int) {
    self.size = size
  }
}

private class Owner: Codable {
  let collar: Collar

  init(collar: Collar) {
    self.collar = collar
  }
}

private final class Pet: Owner {
  let spare: Collar
  private enum CodingKeys: CodingKey { case spare }

  init(collar: Collar, spare: Collar) {
    self.spare = spare
    super.init(collar: collar)
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    spare = try container.decode(Collar.self, forKey: .spare)
    try super.init(from: container.superDecoder())
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try super.encode(to: container.superEncoder())
    try container.encode(spare, forKey: .spare)
  }
}
