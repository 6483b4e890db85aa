import Foundation
import Keepsake
import TestSupport
import Testing

/// Values coded with a configuration, at the root and under keys.
@Suite struct Configurations {
  private struct Units: EncodingConfigurationProviding, DecodingConfigurationProviding {
    static let encodingConfiguration = 10
    static let decodingConfiguration = 10
  }

  /// A length, archived in the unit that the configuration gives.
  private struct Length: Equatable, EncodableWithConfiguration, DecodableWithConfiguration {
    var value: Int

    init(_ value: Int) { self.value = value }

    init(from decoder: any Decoder, configuration: Int) throws {
      let container = try decoder.container(keyedBy: AnyKey.self)
      value = try container.decode(Int.self, forKey: "value") * configuration
    }

    func encode(to encoder: any Encoder, configuration: Int) throws {
      var container = encoder.container(keyedBy: AnyKey.self)
      try container.encode(value / configuration, forKey: "value")
    }
  }

  @Test("ArchiveEncoder and ArchiveDecoder take a configuration or its provider")
  func dropIn() throws {
    for data in [
      try ArchiveEncoder().encode(Length(120), configuration: 10),
      try ArchiveEncoder().encode(Length(120), configuration: Units.self),
    ] {
      #expect(try ArchiveDecoder().decode([String: Int].self, from: data) == ["value": 12])
      #expect(try ArchiveDecoder().decode(Length.self, from: data, configuration: 1) == Length(12))
      #expect(try ArchiveDecoder().decode(Length.self, from: data, configuration: Units.self) == Length(120))
    }
  }

  @Test("KeyedArchiver and KeyedUnarchiver take a configuration for a key")
  func keyed() throws {
    let archiver = KeyedArchiver()
    try archiver.encode(Length(120), forKey: "a", configuration: 10)
    try archiver.encode(Length(120), forKey: "b", configuration: Units.self)
    try archiver.encode(["value": "x"], forKey: "wrong")
    try archiver.encode(Int?.none, forKey: "nil")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(try unarchiver.decode(Length.self, forKey: "a", configuration: 2) == Length(24))
    #expect(try unarchiver.decode(Length.self, forKey: "b", configuration: Units.self) == Length(120))
    #expect(
      try unarchiver.decodeIfPresent(Length.self, forKey: "b", configuration: Units.self) == Length(120)
    )
    #expect(try unarchiver.decodeIfPresent(Length.self, forKey: "nil", configuration: 1) == nil)
    #expect(try unarchiver.decodeIfPresent(Length.self, forKey: "none", configuration: 1) == nil)
    let found = try failure { try unarchiver.decode(Length.self, forKey: "wrong", configuration: 1) }
    #expect(found.kind == .typeMismatch && found.path == "wrong/value")
    #expect(
      try failure { try unarchiver.decode(Length.self, forKey: "none", configuration: 1) }.kind
        == .keyNotFound
    )
  }

  private class Shape: DecodableWithConfiguration {
    let side: Int
    required init(from decoder: any Decoder, configuration: Int) throws {
      side = try decoder.singleValueContainer().decode(Int.self) * configuration
    }
  }
  private final class Square: Shape {}

  @Test("a type known only at run time is decoded with a configuration")
  func runtimeSubclass() throws {
    let type: Shape.Type = Square.self
    let shape = try ArchiveDecoder().decode(type, from: ArchiveEncoder().encode(3), configuration: 2)
    #expect(shape is Square && shape.side == 6)
  }
}
