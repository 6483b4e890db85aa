import Foundation
import Keepsake
import TestSupport
import Testing

/// Records whose keys differ from those of the type that reads them.
@Suite struct FieldEvolution {
  private struct Reordered: Codable {
    var number = 7
    var extra = ["a": [1, 2]]
    var name = "n"
    var more: String? = "m"
  }

  @Test("fields may be reordered, removed and added")
  func keys() throws {
    let street = try transcode([Reordered(), Reordered()], to: [Street].self)
    #expect(street == [Street(name: "n", number: 7), Street(name: "n", number: 7)])
    #expect(try transcode(Holding(), to: Street.self) == Street())
  }

  @Test("records of alternating shapes have their own keys")
  func shapesInTurns() throws {
    let data = try write { encoder in
      var list = encoder.unkeyedContainer()
      for index in 0..<40 {
        switch index % 4 {
        case 0: try list.encode(Reordered())
        case 1: try list.encode(PlainStreet(name: "p", number: index))
        case 2: try list.encode(["number": index])
        default: try list.encode([String: Int]())
        }
      }
    }
    let streets = try ArchiveDecoder().decode([Street].self, from: data)
    for (index, street) in streets.enumerated() {
      let expected: Street =
        switch index % 4 {
        case 0: Street(name: "n", number: 7)
        case 1: Street(name: "p", number: index)
        case 2: Street(number: index)
        default: Street()
        }
      #expect(street == expected)
    }
  }

  @Test("a property that keeps its underscore is read under the key without it, too")
  func underscore() throws {
    struct Counted: ArchivedFields { var _count = 0 }
    var counted = Counted()
    counted._count = 4
    #expect(try transcode(counted, to: [String: Int].self) == ["_count": 4])
    #expect(try transcode(["count": 3], to: Counted.self)._count == 3)
  }

  private struct Inches: EncodingConfigurationProviding, DecodingConfigurationProviding {
    static let encodingConfiguration = 25.4
    static let decodingConfiguration = 25.4
  }

  private struct Length: EncodableWithConfiguration, DecodableWithConfiguration {
    var millimeters = 0.0
    init(_ millimeters: Double) { self.millimeters = millimeters }
    init(from decoder: any Decoder, configuration: Double) throws {
      millimeters = try Double(from: decoder) * configuration
    }
    func encode(to encoder: any Encoder, configuration: Double) throws {
      try (millimeters / configuration).encode(to: encoder)
    }
  }

  @propertyWrapper private final class Shared: Codable {
    var wrappedValue: Int
    init(wrappedValue: Int) { self.wrappedValue = wrappedValue }
  }

  private struct Wrapped: ArchivedFields {
    @CodableConfiguration(from: Inches.self) var width = Length(25.4)
    @Shared var count = 1
  }

  private struct PlainWrapped: Codable {
    @CodableConfiguration(from: Inches.self) var width = Length(25.4)
    @Shared var count = 1
  }

  @Test("the key of a property with a wrapper of Foundation, or one that is a class, has no underscore")
  func wrappers() throws {
    let (value, plain) = (Wrapped(), PlainWrapped())
    (value.count, plain.count) = (2, 2)
    #expect(try ArchiveEncoder().encode(value) == ArchiveEncoder().encode(plain))
    let back = try transcode(plain, to: Wrapped.self)
    #expect(back.width.millimeters == 25.4 && back.count == 2)
    #expect(try transcode(["_width": 2.0], to: Wrapped.self).width.millimeters == 50.8)
  }

  /// The inner value has another default here than in its own type.
  private struct Outer: ArchivedFields, Equatable {
    var street = Street(name: "default", number: 3)
  }

  @Test("a missing property of a nested record has the default of its own type")
  func nestedDefaults() throws {
    struct Part: Codable { var street = Name() }
    struct Name: Codable { var name = "n" }
    #expect(try transcode(Part(), to: Outer.self).street == Street(name: "n", number: 0))
    #expect(try transcode(["street": ["name": "n"]], to: Outer.self).street == Street(name: "n", number: 0))
    #expect(try transcode([String: Int](), to: Outer.self) == Outer())
  }

  private final class Place: Codable {
    var name = "object"
    var number = 2
  }

  @Test("objects and dictionaries read as declared fields, and these as type-erased values")
  func otherForms() throws {
    struct Old: Codable { var street = Place() }
    #expect(try transcode(Place(), to: Street.self) == Street(name: "object", number: 2))
    #expect(try transcode(Old(), to: Outer.self).street == Street(name: "object", number: 2))
    #expect(try transcode([Place(), Place()], to: [Street].self).count == 2)
    #expect(try transcode(["name": "n"], to: Street.self) == Street(name: "n"))
    #expect(try transcode(Street(name: "n", number: 1), to: [String: JSONish].self).count == 2)
  }

  private enum JSONish: Codable {
    case string(String), int(Int)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let string = try? container.decode(String.self) {
        self = .string(string)
      } else {
        self = .int(try container.decode(Int.self))
      }
    }

    func encode(to encoder: any Encoder) throws {}
  }

  @Test("optional fields read nil and values at every level of optionals")
  func optionals() throws {
    struct Doubled: Codable {
      var maybeInt: Int??
      var maybeStreet: PlainStreet??
    }
    for value in [Int?.none, 1] {
      // Present at one level more, or absent.
      let old = value.map {
        Doubled(maybeInt: .some($0), maybeStreet: .some(PlainStreet(name: "n", number: $0)))
      }
      let read = try transcode(old ?? Doubled(), to: Everything.self)
      #expect(read.maybeInt == value && read.maybeStreet == value.map { Street(name: "n", number: $0) })
    }
    // A value that would read as nil is marked as present.
    let values = [Nihilist(nothing: nil), Nihilist(nothing: Nothing())]
    #expect(try roundTrip(values) == values)
  }

  /// A value that encodes itself as nil.
  private struct Nothing: Codable, Equatable {
    init() {}
    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      #expect(container.decodeNil())
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    }
  }
  private struct Nihilist: ArchivedFields, Equatable {
    var nothing: Nothing?
  }
}
