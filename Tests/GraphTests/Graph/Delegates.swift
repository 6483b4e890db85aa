import Foundation
import Keepsake
import TestSupport
import Testing

/// The delegate of an archiver sees every object once, and may replace it.
@Suite struct ArchiverDelegates {
  @Test("each object is reported once before and once after it was archived, the end once")
  func calls() throws {
    let shared = Piece("shared")
    let root = Piece("root", [Piece("a", [shared]), shared, Piece("b")])
    let recorder = ArchivingRecorder()
    let archiver = KeyedArchiver()
    archiver.delegate = recorder
    try archiver.encode(root, forKey: "root")
    #expect(
      recorder.calls == [
        "will root", "will a", "will shared", "will b", "did a", "did shared", "did b", "did root",
      ]
    )
    recorder.calls = []
    try archiver.encode([shared, Piece("c")], forKey: "list")
    #expect(recorder.calls == ["will c", "did c"])
    recorder.calls = []
    try archiver.encode("text", forKey: "text")
    try archiver.finishEncoding()
    _ = try archiver.encodedData
    try archiver.finishEncoding()
    #expect(recorder.calls == ["will finish", "did finish"])
  }

  @Test("an object is replaced everywhere by the same one")
  func replacement() throws {
    let old = Piece("old")
    let new = Piece("new", [Piece("inner")])
    let root = Piece("root", [old, Piece("a", [old]), new])
    root.maybe = old
    root.watched = old
    let recorder = ArchivingRecorder { ($0 as? Piece) === old ? new : $0 }
    let back = try recorder.roundTrip(root)
    #expect(recorder.calls.filter { $0.contains("old") } == ["will old", "replace old by new"])
    #expect(recorder.calls.filter { $0.contains("new") } == ["replace old by new", "did new"])
    #expect(back.children[0].name == "new" && back.children[0].children[0].name == "inner")
    #expect(back.children[1].children[0] === back.children[0] && back.children[2] === back.children[0])
    #expect(back.maybe === back.children[0] && back.watched === back.children[0])
  }

  @Test("several objects replaced by one are one")
  func unified() throws {
    let one = Piece("one")
    let root = Piece("root", [Piece("x"), Piece("x"), Piece("y")])
    let recorder = ArchivingRecorder { ($0 as? Piece)?.name == "x" ? one : $0 }
    let back = try recorder.roundTrip(root)
    #expect(back.children.map(\.name) == ["one", "one", "y"] && back.children[0] === back.children[1])
  }

  @Test("nil replaces an object, and reading it as a non-optional is an error with its path")
  func replacedByNil() throws {
    let secret = Piece("secret")
    let root = Piece("root")
    root.maybe = secret
    root.gaps = [secret, Piece("a"), nil]
    root.watched = secret
    let recorder = ArchivingRecorder { ($0 as? Piece) === secret ? nil : $0 }
    let back = try recorder.roundTrip(root)
    #expect(back.maybe == nil && back.watched == nil && back.gaps.map { $0?.name } == [nil, "a", nil])
    #expect(recorder.calls.contains("replace secret by nil") && !recorder.calls.contains("did secret"))

    let archiver = KeyedArchiver()
    archiver.delegate = recorder
    try archiver.encode([Piece("a"), secret], forKey: "list")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let found = try failure { try unarchiver.decode([Piece].self, forKey: "list") }
    #expect(found.kind == .valueNotFound && found.path == "list/[1]")
    #expect(try unarchiver.decode([Piece?].self, forKey: "list").map { $0?.name } == ["a", nil])
  }

  @Test("a weak reference to an object that nil replaces is nil, though the object replaces another one")
  func replacedByNilAndReplacing() throws {
    let (gone, old, root) = (Piece("gone"), Piece("old"), Piece("root"))
    (root.maybe, root.gaps, root.watched) = (old, [gone], gone)
    let recorder = ArchivingRecorder { object in
      let piece = object as? Piece
      return piece === gone ? nil : piece === old ? gone : object
    }
    // The delegate is asked about it before it becomes the replacement.
    let back = try recorder.roundTrip([root])[0]
    let replacements = recorder.calls.filter { $0.hasPrefix("replace") }
    #expect(replacements == ["replace gone by nil", "replace old by gone"])
    #expect(back.maybe?.name == "gone" && back.gaps.count == 1 && back.gaps[0] == nil && back.watched == nil)
  }

  @Test("a replacement of an unsuitable class is refused and leaves no trace")
  func wrongClass() throws {
    let old = Piece("old")
    let recorder = ArchivingRecorder { ($0 as? Piece) === old ? OtherPiece() : $0 }
    let archiver = KeyedArchiver()
    archiver.delegate = recorder
    let found = try failure { try archiver.encode([Piece("a"), old], forKey: "list") }
    #expect(found.kind == .invalidValue && found.code == .typeMismatch && found.path == "list/[1]")
    try archiver.encode([Piece("b")], forKey: "good")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(unarchiver.allKeys == ["good"])
    #expect(try unarchiver.decode([Piece].self, forKey: "good")[0].name == "b")
  }

  @Test("a replacement must also be of the class that a weak reference declares")
  func wrongClassOfWeakReference() throws {
    let dog = DelegateDog(name: "old")
    let recorder = ArchivingRecorder { ($0 as? DelegateDog) === dog ? DelegateCat(name: "new") : $0 }
    let archiver = KeyedArchiver()
    archiver.delegate = recorder
    let owner = DelegateOwner(dog)
    try archiver.encode(owner, forKey: "owner")
    let found = try failure { try archiver.finishEncoding() }
    #expect(found.kind == .invalidValue && found.code == .typeMismatch)
    owner.asDog = nil
    #expect(try recorder.roundTrip(owner).asPet?.name == "new")
  }

  @Test("a subclass may replace an object, and is found by its name")
  func subclass() throws {
    let recorder = ArchivingRecorder {
      ($0 as? DelegatePet)?.name == "old" ? DelegateDog(name: "new") : $0
    }
    let archiver = KeyedArchiver()
    archiver.delegate = recorder
    try archiver.encode([DelegatePet(name: "old"), DelegatePet(name: "b")], forKey: "pets")
    let pets = try KeyedUnarchiver(forReadingFrom: archiver.encodedData).decode(
      [DelegatePet].self,
      forKey: "pets"
    )
    #expect(pets[0] is DelegateDog && pets[0].name == "new" && !(pets[1] is DelegateDog))
  }

  @Test("values can still be encoded when the archive is about to be finished")
  func lateValues() throws {
    let recorder = ArchivingRecorder()
    recorder.atTheEnd = { try? $0.encode(Piece("late"), forKey: "late") }
    let archiver = KeyedArchiver()
    archiver.delegate = recorder
    try archiver.encode(Piece("early"), forKey: "early")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(unarchiver.allKeys == ["early", "late"])
    #expect(try unarchiver.decode(Piece.self, forKey: "late").name == "late")
    #expect(recorder.calls.suffix(4) == ["will finish", "will late", "did late", "did finish"])
  }

  @Test("a failed value is not reported as archived, and a later one is archived correctly")
  func failedValue() throws {
    let piece = Piece("piece")
    let recorder = ArchivingRecorder { ($0 as? Piece) === piece ? Piece("replacement") : $0 }
    let archiver = KeyedArchiver()
    archiver.delegate = recorder
    let refused = Writing { encoder in
      var container = encoder.unkeyedContainer()
      try container.encode(piece)
      throw Refusal()
    }
    #expect(throws: Refusal()) { try archiver.encode(refused, forKey: "refused") }
    #expect(!recorder.calls.contains { $0.hasPrefix("did") })
    try archiver.encode([piece, piece], forKey: "list")
    let back = try KeyedUnarchiver(forReadingFrom: archiver.encodedData).decode([Piece].self, forKey: "list")
    #expect(back[0] === back[1] && back[0].name == "replacement")
  }

  @Test("an archiver does not retain its delegate, and continues without it")
  func weakDelegate() throws {
    let archiver = KeyedArchiver()
    do {
      let recorder = ArchivingRecorder { _ in nil }
      archiver.delegate = recorder
      try archiver.encode(Piece?.some(Piece("a")), forKey: "a")
    }
    #expect(archiver.delegate == nil)
    try archiver.encode(Piece("b"), forKey: "b")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(try unarchiver.decodeIfPresent(Piece.self, forKey: "a") == nil)
    #expect(try unarchiver.decode(Piece.self, forKey: "b").name == "b")
  }
}

// MARK: - Types

final class Piece: Codable {
  let name: String
  var children: [Piece] = []
  var gaps: [Piece?] = []
  var maybe: Piece?
  @WeakReference var watched: Piece?

  init(_ name: String, _ children: [Piece] = []) {
    self.name = name
    self.children = children
  }
}

private final class OtherPiece: Codable {}

class DelegatePet: Codable {
  let name: String

  init(name: String) {
    self.name = name
  }
}

final class DelegateDog: DelegatePet {}
final class DelegateCat: DelegatePet {}

final class DelegateOwner: Codable {
  let pet: DelegatePet
  @WeakReference var asPet: DelegatePet?
  @WeakReference var asDog: DelegateDog?

  init(_ dog: DelegateDog) {
    (pet, asPet, asDog) = (dog, dog, dog)
  }
}

private final class ArchivingRecorder: KeyedArchiverDelegate {
  var calls: [String] = []
  var atTheEnd: ((KeyedArchiver) -> Void)?
  private let replace: (Any) -> Any?

  init(_ replace: @escaping (Any) -> Any? = { $0 }) {
    self.replace = replace
  }

  func roundTrip<Root: Codable>(_ root: Root) throws -> Root {
    let archiver = KeyedArchiver()
    archiver.delegate = self
    try archiver.encode(root, forKey: "root")
    return try KeyedUnarchiver(forReadingFrom: archiver.encodedData).decode(Root.self, forKey: "root")
  }

  private func name(_ object: Any?) -> String {
    guard let object else { return "nil" }
    return (object as? Piece)?.name ?? (object as? DelegatePet)?.name ?? "\(type(of: object))"
  }

  func archiver(_ archiver: KeyedArchiver, willEncode object: Any) -> Any? {
    calls.append("will \(name(object))")
    return replace(object)
  }

  func archiver(_ archiver: KeyedArchiver, willReplace object: Any?, with newObject: Any?) {
    calls.append("replace \(name(object)) by \(name(newObject))")
  }

  func archiver(_ archiver: KeyedArchiver, didEncode object: Any?) {
    calls.append("did \(name(object))")
  }

  func archiverWillFinish(_ archiver: KeyedArchiver) {
    calls.append("will finish")
    atTheEnd?(archiver)
  }

  func archiverDidFinish(_ archiver: KeyedArchiver) {
    calls.append("did finish")
  }
}
