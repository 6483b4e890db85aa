import Foundation
import Keepsake
import TestSupport
import Testing

/// Delegates that replace objects behind protocols.
@Suite struct DelegatesBehindProtocols {
  @Test("an archiver's delegate may return an object of another conforming class")
  func otherClass() throws {
    let delegate = Replacing { $0 is FirstStandIn ? SecondStandIn() : $0 }
    let archiver = KeyedArchiver()
    archiver.delegate = delegate
    try archiver.encode(StandInHolder(member: FirstStandIn()), forKey: "holder")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(try unarchiver.decode(StandInHolder.self, forKey: "holder").member is SecondStandIn)
  }

  @Test("an unarchiver's delegate may return an object of another conforming class")
  func otherClassRead() throws {
    let first = FirstStandIn()
    let members: [(any StandIn)?] = [first, SecondStandIn(), first]
    let data = try ArchiveEncoder().encode(MaybeStandInHolder(members: members))
    func read(_ replace: @escaping (Any) -> Any?) throws -> MaybeStandInHolder {
      let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
      let delegate = ReplacingRead(replace)
      unarchiver.delegate = delegate
      return try unarchiver.decode(MaybeStandInHolder.self, forKey: KeyedArchiver.rootKey)
    }
    let back = try read { $0 is FirstStandIn ? SecondStandIn() : $0 }
    #expect(back.members.allSatisfy { $0 is SecondStandIn } && back.after == 7)
    #expect(back.members[0] as? SecondStandIn === back.members[2] as? SecondStandIn)
    let mismatch = try failure { try read { $0 is FirstStandIn ? NoStandIn() : $0 } }
    #expect(mismatch.kind == .typeMismatch && mismatch.path == "root/members/[0]", "\(mismatch)")
  }

  @Test("a replacement that does not conform is an error")
  func wrongClass() throws {
    let delegate = Replacing { $0 is FirstStandIn ? NoStandIn() : $0 }
    let archiver = KeyedArchiver()
    archiver.delegate = delegate
    #expect(
      try failure { try archiver.encode(StandInHolder(member: FirstStandIn()), forKey: "holder") }.code
        == .typeMismatch
    )
  }

  @Test("a replacement that is not Encodable is an error, and the value leaves no trace")
  func notEncodable() throws {
    let delegate = Replacing { $0 is FirstStandIn ? NSObject() : $0 }
    let archiver = KeyedArchiver()
    archiver.delegate = delegate
    let list = [Polymorphic<Any>(SecondStandIn()), Polymorphic<Any>(FirstStandIn())]
    let found = try failure { try archiver.encode(list, forKey: "list") }
    #expect(found.code == .misuse && found.path == "list/[1]", "\(found)")
    #expect(found.description.contains("NSObject, which is not Encodable"), "\(found)")
    try archiver.encode(StandInHolder(member: SecondStandIn()), forKey: "holder")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(try unarchiver.decode(StandInHolder.self, forKey: "holder").member is SecondStandIn)
    #expect(unarchiver.allKeys == ["holder"])
  }

  @Test("an archiver's delegate may return nil for an object")
  func nothingArchived() throws {
    let delegate = Replacing { $0 is FirstStandIn ? nil : $0 }
    let archiver = KeyedArchiver()
    archiver.delegate = delegate
    try archiver.encode(
      MaybeStandInHolder(members: [FirstStandIn(), SecondStandIn(), nil]),
      forKey: "holder"
    )
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let back = try unarchiver.decode(MaybeStandInHolder.self, forKey: "holder")
    #expect(back.members.map { $0 is SecondStandIn } == [false, true, false] && back.after == 7)
    #expect(back.members[0] == nil && back.members[2] == nil)
  }

  @Test("an unarchiver's delegate may return nil for an object")
  func nothingRead() throws {
    let data = try ArchiveEncoder().encode(
      MaybeStandInHolder(members: [FirstStandIn(), SecondStandIn(), nil])
    )
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    let delegate = ReplacingRead { $0 is FirstStandIn ? nil : $0 }
    unarchiver.delegate = delegate
    let back = try unarchiver.decode(MaybeStandInHolder.self, forKey: KeyedArchiver.rootKey)
    #expect(back.members.map { $0 is SecondStandIn } == [false, true, false] && back.after == 7)
  }

  @Test("a replacement in an unreadable cycle is refused")
  func ringOfReplacements() throws {
    let ring = RingStandIn()
    ring.myself = ring
    let delegate = Replacing { type(of: $0) == NoStandIn.self ? ring : $0 }
    let archiver = KeyedArchiver()
    archiver.delegate = delegate
    #expect(try failure { try archiver.encode([NoStandIn()], forKey: "ring") }.code == .cycle)
    ring.myself = nil
  }

  @Test("a value of a protocol at the top level comes back with its graph")
  func topLevel() throws {
    let (one, other) = (DeferredStandIn(), DeferredStandIn())
    one.other = other
    other.other = one
    let archiver = KeyedArchiver()
    try Polymorphic<any StandIn>(one).encode(to: archiver)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let back = try Polymorphic<any StandIn>(from: unarchiver).wrappedValue as? DeferredStandIn
    #expect(back != nil && back?.other?.other === back)
    for object in [one, back] { object?.other = nil }
  }
}

// Not private, since types behind protocols are found by name.

protocol StandIn: Codable {}

final class FirstStandIn: StandIn { var number = 1 }
final class SecondStandIn: StandIn { var number = 2 }
class NoStandIn: Codable { init() {} }

final class RingStandIn: NoStandIn {
  var myself: RingStandIn?

  private enum CodingKeys: String, CodingKey { case me = "myself" }

  override init() { super.init() }

  required init(from decoder: any Decoder) throws {
    myself = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(
      RingStandIn.self,
      forKey: .me
    )
    try super.init(from: decoder)
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(myself, forKey: .me)
  }
}

final class DeferredStandIn: StandIn {
  @Deferred var other: DeferredStandIn?
  init() {}
}

private struct StandInHolder: Codable {
  @Polymorphic var member: any StandIn
}

private struct MaybeStandInHolder: Codable {
  @Polymorphic var members: [(any StandIn)?]
  var after = 7
}

private final class Replacing: KeyedArchiverDelegate {
  let replace: (Any) -> Any?

  init(_ replace: @escaping (Any) -> Any?) {
    self.replace = replace
  }

  func archiver(_ archiver: KeyedArchiver, willEncode object: Any) -> Any? { replace(object) }
}

private final class ReplacingRead: KeyedUnarchiverDelegate {
  let replace: (Any?) -> Any?

  init(_ replace: @escaping (Any?) -> Any?) {
    self.replace = replace
  }

  func unarchiver(_ unarchiver: KeyedUnarchiver, didDecode object: Any?) -> Any? { replace(object) }
}
