import Foundation
import Keepsake
import TestSupport
import Testing

/// If a value writes into an outer container and then throws, its writes cannot be undone. A caller that catches the
/// error gets no archive; but if an outer value throws, too, all of its writes are undone.
@Suite struct WritesElsewhere {
  private final class Cat: Codable { var name = "cat" }
  private final class Owner: Codable { var name = "owner" }

  /// Writes strings and objects into `elsewhere`, and throws.
  private static func failing(_ elsewhere: @escaping (any Encodable) throws -> Void) -> Writing {
    Writing { encoder in
      var own = encoder.container(keyedBy: AnyKey.self)
      try own.encode("a string worth sharing", forKey: "own")
      try elsewhere(["a string worth sharing", "a string worth sharing"])
      try elsewhere(Cat())
      throw Refusal()
    }
  }

  private func isRefused(_ found: Failure) -> Bool {
    found.kind == .invalidValue && found.code == .misuse && found.description.contains("an outer container")
  }

  @Test("archiving throws if a failed value wrote into an outer container", arguments: [false, true])
  func refused(writesMore: Bool) throws {
    let found = try failure {
      try writeKeyed { container throws in
        var kept = container.nestedUnkeyedContainer(forKey: "kept")
        #expect(throws: Refusal.self) {
          try container.encode(WritesElsewhere.failing { try kept.encode($0) }, forKey: "failing")
        }
        guard writesMore else { return }
        #expect(try isRefused(failure { try container.encode(Owner(), forKey: "owner") }))
        #expect(try isRefused(failure { try kept.encode(1) }))
      }
    }
    #expect(isRefused(found))
  }

  @Test("archiving throws in arrays, single-value containers and kept encoders, too")
  func otherContainers() throws {
    let inList = try failure {
      try writeUnkeyed { list in
        let kept = list.superEncoder()
        let failing = WritesElsewhere.failing { value in try value.encode(to: kept) }
        try? list.encode(failing)
      }
    }
    #expect(isRefused(inList))
    let inSingle = try failure {
      try writeKeyed { container in
        var kept = container.nestedContainer(keyedBy: AnyKey.self, forKey: "kept")
        let inner = container.superEncoder(forKey: "inner")
        var single = inner.singleValueContainer()
        try? single.encode(WritesElsewhere.failing { try kept.encode($0, forKey: "x") })
        try single.encode("instead")
      }
    }
    #expect(isRefused(inSingle))
  }

  @Test("if the outer value throws, too, all of its writes are undone")
  func takenBackFurtherOut() throws {
    func archive(trying: Bool) throws -> Data {
      try writeKeyed { container in
        try container.encode(Owner(), forKey: "before")
        let around = Writing { encoder in
          var outer = encoder.container(keyedBy: AnyKey.self)
          var kept = outer.nestedUnkeyedContainer(forKey: "kept")
          try? outer.encode(WritesElsewhere.failing { try kept.encode($0) }, forKey: "failing")
          throw Refusal()
        }
        if trying { #expect(throws: Refusal.self) { try container.encode(around, forKey: "around") } }
        try container.encode([Owner(), Owner()], forKey: "after")
        try container.encode("a string worth sharing", forKey: "text")
      }
    }
    #expect(try archive(trying: true) == archive(trying: false))
  }

  @Test("after a refused key, the archiver archives the next ones")
  func nextKey() throws {
    let archiver = KeyedArchiver()
    try archiver.encode(Owner(), forKey: "a")
    let wrong = Writing { encoder in
      var container = encoder.container(keyedBy: AnyKey.self)
      var kept = container.nestedUnkeyedContainer(forKey: "kept")
      try? container.encode(WritesElsewhere.failing { try kept.encode($0) }, forKey: "failing")
    }
    #expect(try isRefused(failure { try archiver.encode(wrong, forKey: "b") }))
    try archiver.encode(Cat(), forKey: "c")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData, verification: .everything)
    #expect(unarchiver.allKeys == ["a", "c"])
    #expect(try unarchiver.decode(Owner.self, forKey: "a").name == "owner")
    #expect(try unarchiver.decode(Cat.self, forKey: "c").name == "cat")
  }

  @Test("what a successful value writes into an outer container is archived")
  func succeeding() throws {
    let data = try writeKeyed { container in
      var kept = container.nestedUnkeyedContainer(forKey: "kept")
      for number in 0..<3 {
        let value = Writing { encoder in
          try kept.encode(Cat())
          try ["number": number].encode(to: encoder)
        }
        try container.encode(value, forKey: AnyKey("\(number)"))
        try? container.encode(Writing { _ in throw Refusal() }, forKey: "none")
      }
    }
    try readKeyed(data) { container throws in
      #expect(container.allKeys.count == 4)
      #expect(try container.decode([Cat].self, forKey: "kept").count == 3)
    }
  }

  @Test("a container throws while one of its values writes into the container around it")
  func inTurns() throws {
    let data = try writeUnkeyed { root in
      var outer = root.nestedUnkeyedContainer()
      var inner = outer.nestedUnkeyedContainer()
      try root.encode([["here"]])
      var sameInner = inner
      let innermost = Writing { encoder in
        try #expect(failure { try sameInner.encode(1) }.code == .misuse)
        try ["a text in the outer one"].encode(to: encoder)
      }
      try inner.encode(
        Writing { encoder in
          try outer.encode(innermost)
          try "inner".encode(to: encoder)
        }
      )
    }
    let lists = try ArchiveDecoder().decode([[[String]]].self, from: data)
    #expect(lists == [[["inner"], ["a text in the outer one"]], [["here"]]])
  }

  @Test("an error of a suspended container has the path that the value would have had")
  func pathsOfRefusals() throws {
    _ = try writeUnkeyed { root in
      try root.encode("before")
      var list = root.nestedUnkeyedContainer()
      var sameList = list
      try list.encode(
        Writing { encoder in
          try #expect(failure { try sameList.encode(1) }.path == "[1]/[1]")
          try "an element".encode(to: encoder)
        }
      )
      var record = root.nestedContainer(keyedBy: AnyKey.self)
      var sameRecord = record
      try record.encode(
        Writing { encoder in
          try #expect(failure { try sameRecord.encode(1, forKey: "b") }.path == "[2]/b")
          try "a value".encode(to: encoder)
        },
        forKey: "a"
      )
    }
  }

  @Test("a container of a failed value throws")
  func keptOfAFailedValue() throws {
    let data = try writeUnkeyed { list in
      var kept: [any UnkeyedEncodingContainer] = []
      let failing = Writing { encoder in
        var own = encoder.unkeyedContainer()
        var inner = own.nestedUnkeyedContainer()
        kept = [inner, inner.nestedUnkeyedContainer()]
        try own.encode(1)
        try kept[1].encode("detached")
        throw Refusal()
      }
      try? list.encode(failing)
      for index in kept.indices { #expect(try failure { try kept[index].encode("lost") }.code == .misuse) }
      try list.encode("after")
    }
    #expect(try ArchiveDecoder().decode([String].self, from: data) == ["after"])
  }

  @Test("a top-level container throws while a value with its own body is encoded")
  func topLevelMeanwhile() throws {
    let archiver = KeyedArchiver()
    var container = archiver.container(keyedBy: AnyKey.self)
    var kept = container.nestedUnkeyedContainer(forKey: "kept")
    try kept.encode("before")
    var found: Failure?
    let value = Writing { encoder in
      found = try failure { try kept.encode(Cat()) }
      try ["a": "b"].encode(to: encoder)
    }
    try archiver.encode(value, forKey: "value")
    #expect(found?.code == .misuse)
    try kept.encode("after")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData, verification: .everything)
    #expect(try unarchiver.decode([String].self, forKey: "kept") == ["before", "after"])
    #expect(try unarchiver.decode([String: String].self, forKey: "value") == ["a": "b"])
  }
}
