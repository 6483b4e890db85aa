import Foundation
import Keepsake

/// Contenders that read something other than what was written: another order, or a part. Only reading is timed.
struct PartialContenders<Whole: Encodable, Part: Decodable & Equatable> {
  /// The value that is written.
  var whole: Whole

  /// The value that reading must give.
  var part: Part

  /// Keepsake, with and without verification of checksums.
  var keepsake: [Contender] {
    var unverified = ArchiveDecoder()
    unverified.verification = .disabled
    return [keepsake("Keepsake", ArchiveDecoder()), keepsake("Keepsake, unverified", unverified)]
  }

  private func keepsake(_ name: String, _ decoder: ArchiveDecoder) -> Contender {
    contender(
      name,
      role: .keepsake,
      encode: { try ArchiveEncoder().encode($0) },
      decode: { try decoder.decode(Part.self, from: $0) }
    )
  }

  /// Foundation's JSON coder.
  var json: Contender {
    contender(
      "JSON",
      encode: { try JSONEncoder().encode($0) },
      decode: { try JSONDecoder().decode(Part.self, from: $0) }
    )
  }

  /// Foundation's property list coder, with binary lists.
  var propertyList: Contender {
    contender(
      "binary property list",
      encode: { value in
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return try encoder.encode(value)
      },
      decode: { try PropertyListDecoder().decode(Part.self, from: $0) }
    )
  }

  private func contender(
    _ name: String,
    role: Contender.Role = .other,
    encode: @escaping (Whole) throws -> Data,
    decode: @escaping (Data) throws -> Part
  ) -> Contender {
    Contender.checked(
      name,
      role: role,
      value: whole,
      expecting: part,
      size: { $0.count },
      encode: encode,
      decode: decode
    )
    .onlyDecoding()
  }
}
