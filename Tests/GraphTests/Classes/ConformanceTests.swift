import Foundation
import Testing

@testable import Keepsake

/// Types that conform to no protocol of the library are recognized without a cast.
@Suite struct ConformanceTests {
  private static let protocols: [(existential: Any.Type, isMet: @Sendable (Any.Type) -> Bool)] = [
    ((any NativelyEncodable).self, { $0 is any NativelyEncodable.Type }),
    ((any NativelyDecodable).self, { $0 is any NativelyDecodable.Type }),
    ((any ArchivedFields).self, { $0 is any ArchivedFields.Type }),
    ((any ArchivableClass).self, { $0 is any ArchivableClass.Type }),
    ((any NilHolding).self, { $0 is any NilHolding.Type }),
    ((any ArchiveAwakening).self, { $0 is any ArchiveAwakening.Type }),
    ((any ConformsToNothing).self, { $0 is any ConformsToNothing.Type }),
    ((any Codable).self, { $0 is any Codable.Type }),
  ]

  private static let types: [Any.Type] = [
    Int.self, String.self, Date.self, Decimal.self, URL.self, [Int].self, [Any].self, Int?.self, Any?.self,
    [String: Plain].self, Set<Plain>.self, Plain.self, PlainEnum.self, Generic<Int>.self, Generic<Any>.self,
    PlainClass.self, Fields.self, Model.self, SubModel.self, Named.self, SubNamed.self, NSObject.self,
    FromFoundation.self, Any.self, (any Codable).self, (Int, Int).self, (() -> Void).self, Int.Type.self,
    Deferred<Plain>.self, ArchiveValue.self, timespec.self,
  ]

  @Test("mayConform is true for every type that conforms, by inheritance or conditionally")
  func none() {
    for type in ConformanceTests.types {
      for (existential, isMet) in ConformanceTests.protocols where isMet(type) {
        #expect(RuntimeMetadata.mayConform(type, to: existential), "\(type): \(existential)")
      }
    }
  }

  @Test(
    "mayConform is false for plain types and protocols of the library",
    .enabled(if: RuntimeMetadata.listsAllImages, "the images of this system are not listed")
  )
  func plain() {
    let plain: [Any.Type] = [
      Plain.self, PlainEnum.self, Generic<Int>.self, PlainClass.self, ArchiveValue.self,
    ]
    for type in plain {
      for (existential, _) in ConformanceTests.protocols.dropLast(2) {
        #expect(!RuntimeMetadata.mayConform(type, to: existential), "\(type): \(existential)")
      }
    }
    #expect(!RuntimeMetadata.mayConform(Int.self, to: (any ArchivedFields).self))
    #expect(!RuntimeMetadata.mayConform(SubNamed.self, to: (any ArchivedFields).self))
  }

  @Test("the type that an optional wraps is known without a cast")
  func optionals() {
    let wrapped: [Any.Type] = [
      Int.self, Int?.self, [Int].self, PlainClass.self, PlainEnum.self, Generic<Any>.self, Any.self,
      (any Codable).self, AnyObject.self, (Int, Int).self, (() -> Void).self, Int.Type.self,
    ]
    func optional<Value>(_ type: Value.Type) -> Any.Type { Value?.self }
    for type in wrapped {
      #expect(RuntimeMetadata.wrappedType(of: _openExistential(type, do: optional)) == type)
    }
    let others: [Any.Type] = [
      Int.self, [Int?].self, PlainClass.self, PlainEnum.self, Result<Int, any Error>.self, Any.self,
      Int?.Type.self, (Int?, Int?).self, Generic<Int?>.self,
    ]
    for type in others { #expect(!RuntimeMetadata.isOptional(type), "\(type)") }
  }

  @Test("the type of a class keeps its conformance")
  func classes() throws {
    let type = try #require(RuntimeMetadata.classType(PlainClass.self as any Encodable.Type))
    #expect(ObjectIdentifier(type as Any.Type) == ObjectIdentifier(PlainClass.self))
    func encode<Object: Encodable & AnyObject>(_ type: Object.Type) throws -> Data {
      try JSONEncoder().encode([PlainClass() as? Object])
    }
    #expect(try encode(type) == JSONEncoder().encode([PlainClass()]))
    let decodable = try #require(RuntimeMetadata.classType(PlainClass.self as any Decodable.Type))
    #expect(try JSONDecoder().decode(decodable, from: Data("{}".utf8)) is PlainClass)
    #expect(RuntimeMetadata.classType(Plain.self as any Encodable.Type) == nil)
    #expect(RuntimeMetadata.classType([PlainClass].self as any Decodable.Type) == nil)
  }
}

private protocol ConformsToNothing {}
private struct Plain: Codable, Hashable {}
private enum PlainEnum: String, Codable { case one }
private struct Generic<Value> {}
private class PlainClass: Codable {}
private struct Fields: ArchivedFields { var number = 1 }
private class Model: ArchivedModel {}
private final class SubModel: Model {}
private class Named: ArchivableClass { class var archivedClassName: String { "conformances.named" } }
private final class SubNamed: Named {}
private final class FromFoundation: NSObject, ArchiveAwakening { func awakeFromArchive() {} }
