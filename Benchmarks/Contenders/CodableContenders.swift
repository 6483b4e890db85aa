import Foundation
import Keepsake

/// The contenders that take any Codable value.
struct CodableContenders<Value: Codable & Equatable> {
  /// The value to encode.
  var value: Value

  /// Makes a remark about a decoded value for the last column.
  var remark: ((Value) throws -> String?)?

  /// Keepsake with verification of checksums, and, for decoding, without it.
  var keepsake: [Contender] {
    let unverified = Contender.checked(
      "Keepsake, unverified",
      role: .keepsake,
      value: value,
      size: \.count,
      encode: { try ArchiveEncoder().encode($0) },
      decode: { data in
        var decoder = ArchiveDecoder()
        decoder.verification = .disabled
        return try decoder.decode(Value.self, from: data)
      },
      remark: remark
    )
    return [keepsake(named: "Keepsake"), unverified.onlyDecoding()]
  }

  /// Keepsake with verification of checksums, under a name that states the form of the data.
  func keepsake(named name: String) -> Contender {
    Contender.checked(
      name,
      role: .keepsake,
      value: value,
      size: \.count,
      encode: { try ArchiveEncoder().encode($0) },
      decode: { try ArchiveDecoder().decode(Value.self, from: $0) },
      remark: remark
    )
  }

  /// Keepsake with archives without checksums: the cost of coding without them, in both directions.
  var keepsakeWithoutChecksums: Contender {
    Contender.checked(
      "Keepsake, no checksums",
      role: .keepsake,
      value: value,
      size: \.count,
      encode: { value in
        var encoder = ArchiveEncoder()
        encoder.outputFormatting = .withoutChecksums
        return try encoder.encode(value)
      },
      decode: { try ArchiveDecoder().decode(Value.self, from: $0) },
      remark: remark
    )
  }

  /// Foundation's JSON coder with default settings.
  var json: Contender {
    Contender.checked(
      "JSON",
      value: value,
      size: \.count,
      encode: { try JSONEncoder().encode($0) },
      decode: { try JSONDecoder().decode(Value.self, from: $0) },
      remark: remark
    )
  }

  /// Foundation's property list coder, writing binary lists.
  var propertyList: Contender {
    Contender.checked(
      "binary property list",
      value: value,
      size: \.count,
      encode: { value in
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return try encoder.encode(value)
      },
      decode: { try PropertyListDecoder().decode(Value.self, from: $0) },
      remark: remark
    )
  }

  /// The visiting encoder and the replaying decoder.
  ///
  /// The floor is checked, too: the tape must give back an equal value, and the encoder must visit as many values as
  /// the tape has.
  var floor: Contender {
    Contender(name: "floor of Codable", role: .floor) { [value, remark] in
      var trial = Trial()
      do {
        let tape = try TapeRecorder.tape(of: value)
        let replayed = try TapeReader.replay(Value.self, from: tape)
        guard replayed == value else { return trial.failed("the tape brings back another value") }
        let visited = try VisitCount.values(in: value)
        guard visited == tape.valueCount else {
          return trial.failed("visits \(visited) values of \(tape.valueCount)")
        }
        trial.note = try remark?(replayed)
        trial.encode = { try value.encode(to: VisitingEncoder()) }
        trial.decode = { try TapeReader.replay(Value.self, from: tape) }
        return trial
      } catch {
        return trial.failed("fails: \(error)")
      }
    }
  }
}
