import Foundation
import Keepsake
import TestSupport
import Testing

/// The delegate of an unarchiver sees every object after it is made, and may replace it or supply classes.
@Suite struct UnarchiverDelegates {
  @Test("each object is reported once, when its initializer has returned, and the end once")
  func calls() throws {
    let shared = Piece("shared")
    let root = Piece("root", [Piece("a", [shared]), shared, Piece("b")])
    let recorder = UnarchivingRecorder()
    let unarchiver = try recorder.unarchiver(of: root)
    _ = try unarchiver.decode(Piece.self, forKey: "root")
    #expect(recorder.calls == ["did shared", "did a", "did b", "did root"])
    _ = try unarchiver.decode(Piece.self, forKey: "root")
    #expect(recorder.calls.count == 4)
    recorder.calls = []
    unarchiver.finishDecoding()
    unarchiver.finishDecoding()
    #expect(recorder.calls == ["will finish", "did finish"])
  }

  @Test("an object is replaced everywhere")
  func replacement() throws {
    let old = Piece("old")
    let root = Piece("root", [old, Piece("a", [old])])
    root.maybe = old
    root.watched = old
    let new = Piece("new")
    let recorder = UnarchivingRecorder { ($0 as? Piece)?.name == "old" ? new : $0 }
    let back = try recorder.unarchiver(of: root).decode(Piece.self, forKey: "root")
    #expect(back.children[0] === new && back.children[1].children[0] === new)
    #expect(back.maybe === new && back.watched === new)
    #expect(recorder.calls == ["did old", "replace old by new", "did a", "did root"])
  }

  @Test("the root object is replaced")
  func replacedRoot() throws {
    let new = Piece("new")
    let recorder = UnarchivingRecorder { ($0 as? Piece)?.name == "old" ? new : $0 }
    #expect(try recorder.unarchiver(of: Piece("old")).decode(Piece.self, forKey: "root") === new)
  }

  @Test("a weak property of a replaced object gets its object, although the delegate is gone")
  func replacedOwner() throws {
    let (piece, owner, new) = (Piece("piece"), Watcher(), Watcher())
    owner.piece = piece
    let archiver = KeyedArchiver()
    try archiver.encode(owner, forKey: "owner")
    try archiver.encode(piece, forKey: "piece")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    var original: Watcher?
    let recorder = UnarchivingRecorder { object in
      guard let watcher = object as? Watcher else { return object }
      original = watcher
      return new
    }
    unarchiver.delegate = recorder
    #expect(try unarchiver.decode(Watcher.self, forKey: "owner") === new)
    unarchiver.delegate = nil
    let back = try unarchiver.decode(Piece.self, forKey: "piece")
    #expect(original?.piece === back && new.piece == nil)
  }

  private final class Watcher: Codable {
    weak var piece: Piece?

    init() {}
  }

  @Test("nil replaces an object, and reading it as a non-optional is an error with its path")
  func replacedByNil() throws {
    let secret = Piece("secret")
    let root = Piece("root")
    root.maybe = secret
    root.gaps = [secret, Piece("a"), secret, nil]
    root.watched = secret
    let recorder = UnarchivingRecorder { ($0 as? Piece)?.name == "secret" ? nil : $0 }
    let back = try recorder.unarchiver(of: root).decode(Piece.self, forKey: "root")
    #expect(back.maybe == nil && back.watched == nil && back.gaps.map { $0?.name } == [nil, "a", nil, nil])

    let unarchiver = try recorder.unarchiver(of: [Piece("a"), secret])
    let found = try failure { try unarchiver.decode([Piece].self, forKey: "root") }
    #expect(found.kind == .valueNotFound && found.path == "root/[1]")
    #expect(try unarchiver.decode([Piece?].self, forKey: "root").map { $0?.name } == ["a", nil])
    #expect(try recorder.unarchiver(of: secret).decodeIfPresent(Piece.self, forKey: "root") == nil)
  }

  @Test("a deferred object is replaced, by another one and by nil")
  func deferred() throws {
    let root = LatePiece()
    root.next = LatePiece()
    root.next?.name = "old"
    root.next?.next = root
    let new = LatePiece()
    let recorder = UnarchivingRecorder { ($0 as? LatePiece)?.name == "old" ? new : $0 }
    #expect(try recorder.unarchiver(of: root).decode(LatePiece.self, forKey: "root").next === new)
    let nothing = UnarchivingRecorder { ($0 as? LatePiece)?.name == "old" ? nil : $0 }
    #expect(try nothing.unarchiver(of: root).decode(LatePiece.self, forKey: "root").next == nil)
  }

  @Test("a replaced object stays alive until it gets its deferred value")
  func deferredByHand() throws {
    let root = HandPiece()
    root.next = HandPiece()
    root.next?.next = root
    let new = HandPiece()
    var given = 0
    let recorder = UnarchivingRecorder {
      given += 1
      return given == 1 ? new : $0
    }
    let back = try recorder.unarchiver(of: root).decode(HandPiece.self, forKey: "root")
    #expect(back === new && given == 2)
  }

  @Test("after an object was decoded again, the kept instance gets the deferred values")
  func keptLater() throws {
    let (piece, owner) = (LoopPiece(), LoopPiece())
    (piece.next, owner.next) = (owner, piece)
    var given = 0
    let recorder = UnarchivingRecorder {
      given += 1
      return given == 1 ? LoopPiece() : $0
    }
    let back = try recorder.unarchiver(of: TwiceRead(piece: piece)).decode(TwiceRead.self, forKey: "root")
    #expect(back.piece.next?.next === back.piece && given == 3)
  }

  @Test("a replacement of a class that does not fit is an error")
  func wrongClass() throws {
    let recorder = UnarchivingRecorder { ($0 as? Piece)?.name == "old" ? DelegatePet(name: "x") : $0 }
    let unarchiver = try recorder.unarchiver(of: [Piece("a"), Piece("old")])
    let found = try failure { try unarchiver.decode([Piece].self, forKey: "root") }
    #expect(found.kind == .typeMismatch && found.path == "root/[1]")
  }

  @Test("the delegate is asked for an unknown class, with the names of its superclasses")
  func unknownClass() throws {
    let data = try archive([DelegatePet(name: "a"), DelegateDog(name: "b"), DelegateDog(name: "c")])
    let recorder = UnarchivingRecorder()
    recorder.classes = ["Nowhere.Dog": DelegateDog.self]
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.delegate = recorder
    let pets = try unarchiver.decode([DelegatePet].self, forKey: "pets")
    #expect(pets[1] is DelegateDog && pets[2] is DelegateDog && pets.map(\.name) == ["a", "b", "c"])
    let asked = recorder.calls.filter { $0.hasPrefix("class") }
    #expect(
      !asked.isEmpty && asked.allSatisfy { $0 == "class Nowhere.Dog: Nowhere.Dog, GraphTests.DelegatePet" }
    )
  }

  @Test("an unknown class and an unsuitable one from the delegate are errors")
  func noClass() throws {
    let data = try archive([DelegatePet(name: "a"), DelegateDog(name: "b")])
    let recorder = UnarchivingRecorder()
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.delegate = recorder
    let found = try failure { try unarchiver.decode([DelegatePet].self, forKey: "pets") }
    #expect(
      found.code == .unresolvableClass && found.path == "pets/[1]"
        && found.description.contains("Nowhere.Dog")
    )
    for other in [Piece.self, NoCoding.self] as [AnyClass] {
      recorder.classes = ["Nowhere.Dog": other]
      let wrong = try failure { try unarchiver.decode([DelegatePet].self, forKey: "pets") }
      #expect(wrong.kind == .typeMismatch && wrong.path == "pets/[1]")
    }
    recorder.classes = ["Nowhere.Dog": DelegatePet.self]
    let pets = try unarchiver.decode([DelegatePet].self, forKey: "pets")
    #expect(type(of: pets[1]) == DelegatePet.self && pets[1].name == "b")
    let alone = try KeyedUnarchiver(forReadingFrom: data)
    #expect(try failure { try alone.decode([DelegatePet].self, forKey: "pets") }.code == .unresolvableClass)
  }

  private func archive(_ pets: [DelegatePet]) throws -> Data {
    let archiver = KeyedArchiver()
    archiver.setClassName("Nowhere.Dog", for: DelegateDog.self)
    try archiver.encode(pets, forKey: "pets")
    return try archiver.encodedData
  }
}

// MARK: - Types

private final class NoCoding {}

private final class LatePiece: Codable {
  var name = "late"
  @Deferred var next: LatePiece?
}

private final class HandPiece: Codable {
  var next: HandPiece?
  private enum CodingKeys: CodingKey { case next }

  init() {}

  init(from decoder: any Decoder) throws {
    try decoder.container(keyedBy: CodingKeys.self)
      .decodeDeferredIfPresent(HandPiece.self, forKey: .next) { [unowned self] in next = $0 }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    if let next { try container.encodeDeferred(next, forKey: .next) }
  }
}

private final class LoopPiece: Codable {
  var next: LoopPiece?

  init() {}
}

/// Reads its piece twice; first in a value that then throws.
private struct TwiceRead: Codable {
  let piece: LoopPiece

  private struct Failing: Decodable {
    init(from decoder: any Decoder) throws {
      _ = try decoder.singleValueContainer().decode(TwiceRead.Plain.self)
      throw CancellationError()
    }
  }

  private struct Plain: Codable { let piece: LoopPiece }

  init(piece: LoopPiece) { self.piece = piece }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    _ = try? container.decode(Failing.self)
    piece = try container.decode(Plain.self).piece
  }

  func encode(to encoder: any Encoder) throws { try Plain(piece: piece).encode(to: encoder) }
}

private final class UnarchivingRecorder: KeyedUnarchiverDelegate {
  var calls: [String] = []
  var classes: [String: AnyClass] = [:]
  private let replace: (Any) -> Any?

  init(_ replace: @escaping (Any) -> Any? = { $0 }) {
    self.replace = replace
  }

  func unarchiver<Root: Encodable>(of root: Root) throws -> KeyedUnarchiver {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: ArchiveEncoder().encode(root))
    unarchiver.delegate = self
    return unarchiver
  }

  private func name(_ object: Any?) -> String {
    guard let object else { return "nil" }
    return (object as? Piece)?.name ?? (object as? DelegatePet)?.name ?? "\(type(of: object))"
  }

  func unarchiver(
    _ unarchiver: KeyedUnarchiver,
    cannotDecodeObjectOfClassName name: String,
    originalClasses classNames: [String]
  ) -> AnyClass? {
    calls.append("class \(name): \(classNames.joined(separator: ", "))")
    return classes[name]
  }

  func unarchiver(_ unarchiver: KeyedUnarchiver, didDecode object: Any?) -> Any? {
    calls.append("did \(name(object))")
    return object.flatMap(replace)
  }

  func unarchiver(_ unarchiver: KeyedUnarchiver, willReplace object: Any, with newObject: Any) {
    calls.append("replace \(name(object)) by \(name(newObject))")
  }

  func unarchiverWillFinish(_ unarchiver: KeyedUnarchiver) { calls.append("will finish") }
  func unarchiverDidFinish(_ unarchiver: KeyedUnarchiver) { calls.append("did finish") }
}
