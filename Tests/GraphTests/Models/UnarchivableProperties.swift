import Foundation
import Keepsake
import Synchronization
import TestSupport
import Testing

/// Properties that cannot be archived: errors that name the property, unless the class leaves it out.
@Suite struct UnarchivableProperties {
  @Test("a type that cannot be archived is an error that names the property, also in JSON")
  func notCodable() throws {
    for found in [
      try failure { try ArchiveEncoder().encode([PlainOdd()]) },
      try failure { try transcode([PlainUser()], to: [PlainOdd].self) },
      try failure { try JSONEncoder().encode([PlainOdd()]) },
      try failure { try JSONDecoder().decode([PlainOdd].self, from: Data("[{}]".utf8)) },
      try failure { try ArchiveEncoder().encode([PlainOddFields()]) },
    ] {
      #expect(found.code == .misuse && found.description.contains(".odd cannot be archived"), "\(found)")
      #expect(found.description.contains("@Polymorphic"))
    }
    let left = PlainLeftOut()
    left.number = 2
    #expect(try roundTrip(left).number == 2)
  }

  @Test("errors about properties that cannot be archived give advice")
  func refused() throws {
    func expect<Value: ArchivedFields>(_ words: String, _ value: Value) throws {
      for found in [
        try failure { try ArchiveEncoder().encode([value]) },
        try failure { try transcode([[String: Int]()], to: [Value].self) },
        try failure { try JSONEncoder().encode([value]) },
      ] {
        #expect(found.code == .misuse && found.description.contains(words), "\(found)")
      }
    }
    try expect(
      "PlainWeakFields.user cannot be archived: it is weak in a structure. Mark it @WeakReference",
      PlainWeakFields()
    )
    try expect(
      "PlainUnownedOdd.odd cannot be archived: it refers to NotCodableClass, which is not",
      PlainUnownedOdd()
    )
    try expect(
      "PlainWeakOdd.odd cannot be archived: it refers to NotCodableClass, which is not",
      PlainWeakOdd()
    )
    try expect("PlainUnsafe.user cannot be archived: it is unowned(unsafe). Make it weak", PlainUnsafe())
    try expect("PlainCase cannot be found: it is not a structure or class", PlainCase())
    // Inherited coding code would omit the properties.
    let encoding = try failure { try ArchiveEncoder().encode([PlainBelowOwnCoding()]) }
    #expect(encoding.code == .misuse)
    #expect(
      encoding.description.contains("PlainOwnCoding, a superclass of PlainBelowOwnCoding, implements its own")
    )
    let decoding = try failure { try transcode([[String: Int]()], to: [PlainBelowOwnEncoding].self) }
    #expect(decoding.code == .misuse)
    #expect(
      decoding.description.contains("PlainOwnEncoding, a superclass of PlainBelowOwnEncoding, implements")
    )
  }

  @Test("a noncopyable property is omitted if it is a let, and an error otherwise")
  func notCopyable() throws {
    let counting = PlainCounting()
    counting.number = 2
    #expect(try roundTrip(counting).number == 2)
    let found = try failure { try ArchiveEncoder().encode(PlainToken()) }
    #expect(found.code == .misuse && found.description.contains("PlainToken.token cannot be archived"))
    #expect(found.description.contains("cannot be copied"))
  }

  @Test("archivedKeys that name no property are an error")
  func misspelt() throws {
    let found = try failure { try ArchiveEncoder().encode([PlainMisspelt()]) }
    #expect(found.code == .misuse && found.description.contains("\"nmae\""))
  }

  @Test("a let keeps its value, and is an error if its value would be lost")
  func constants() throws {
    let back = try roundTrip(PlainConstants())
    #expect(back.kind == "constant" && back.number == 0)
    let found = try failure { try ArchiveEncoder().encode([PlainIdentified()]) }
    #expect(found.code == .misuse && found.path == "[0]", "\(found)")
    #expect(found.description.contains("PlainIdentified.id is a let"), "\(found)")
    let flat = try failure { try ArchiveEncoder().encode([PlainNumbered()]) }
    #expect(flat.code == .misuse && flat.path == "[0]", "\(flat)")
    #expect(flat.description.contains("PlainNumbered.id is a let"), "\(flat)")
    let opaque = try failure { try ArchiveEncoder().encode([PlainOpaque()]) }
    #expect(opaque.description.contains("is not Equatable, so this cannot be checked"), "\(opaque)")
  }
}

private struct NotCodable {}

private final class PlainOdd: ArchivedModel {
  var odd = NotCodable()
}

private struct PlainOddFields: ArchivedFields {
  var odd = NotCodable()
}

final class NotCodableClass: Sendable {
  static let shared = NotCodableClass()
}

private struct PlainWeakFields: ArchivedFields {
  weak var user: PlainUser?
}

private final class PlainUnownedOdd: ArchivedFields {
  unowned var odd = NotCodableClass.shared
}

private final class PlainWeakOdd: ArchivedFields {
  weak var odd: NotCodableClass?
}

private final class PlainUnsafe: ArchivedFields {
  unowned(unsafe) var user: PlainUser?
}

private struct PlainNumbered: ArchivedFields {
  let id = UInt64.random(in: .min ... .max)
  var number = 1
}

private enum PlainCase: ArchivedFields {
  case only

  init() { self = .only }
}

private class PlainOwnCoding: Codable {
  required init() {}
}

private final class PlainBelowOwnCoding: PlainOwnCoding, ArchivedFields {
  var number = 1
}

private class PlainOwnEncoding: Encodable {
  required init() {}
}

private final class PlainBelowOwnEncoding: PlainOwnEncoding, ArchivedFields {}

private final class PlainLeftOut: ArchivedModel {
  override class var archivedKeys: [String: String?] { ["odd": nil] }

  var odd = NotCodable()
  var number = 1
}

private struct Token: ~Copyable {
  var number = 1
}

private final class PlainToken: ArchivedModel {
  var token = Token()
}

private final class PlainCounting: ArchivedModel {
  let count = Mutex(0)
  let token: Token? = Token()
  var number = 1
}

private final class PlainMisspelt: ArchivedModel {
  override class var archivedKeys: [String: String?] { ["nmae": "n"] }

  var name = ""
}

private final class PlainConstants: ArchivedModel {
  let kind = "constant"
  let helper = NotCodable()
  var number = 0
}

private final class PlainIdentified: ArchivedModel {
  let id = UUID()
}

private final class PlainOpaque: ArchivedModel {
  struct Token: Codable { var number = 1 }

  let token = Token()
}
