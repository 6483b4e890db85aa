internal import Foundation
internal import Keepsake

/// What reading bytes came to.
package struct HostileOutcome: Sendable {
  /// What was wrong; an error of the library is not.
  package var faults: [String] = []
  /// How many reads gave a value, and how many an error.
  package var accepted = 0
  package var refused = 0
  /// Whether the archive was opened without a look at checksums, so that the mutant met more than its ends.
  package var wasOpened = false
}

/// Reads bytes as everything there is a reader for.
///
/// The library may refuse them, by its errors and by no others. It may not stop the program, take long, take memory
/// without bound, or keep any.
package enum HostileReading {
  /// Reads the bytes as all models, by all ways, and by the dynamic view.
  package static func readEverything(_ bytes: [UInt8]) -> HostileOutcome {
    read(bytes, as: HostileModel.all)
  }

  /// Reads the bytes as some models, by all ways, and by the dynamic view.
  package static func read(_ bytes: [UInt8], as models: [HostileModel]) -> HostileOutcome {
    let data = Data(bytes)
    var outcome = HostileOutcome()
    do {
      _ = try ArchiveImage(data: data, verification: .disabled)
      outcome.wasOpened = true
    } catch {
      outcome.refused += 1
    }
    attempt("the dynamic view", &outcome) { try HostileView.visit(data) }
    var rewrittenByteCount = 0
    attempt("writing anew", &outcome) {
      rewrittenByteCount = try ArchiveEditor(forReadingFrom: data).encodedData.count
    }
    // Keys that records share stand once in both; nothing is multiplied.
    if rewrittenByteCount > 40 * bytes.count + 4_096 {
      outcome.faults.append("writing anew: \(bytes.count) bytes became \(rewrittenByteCount)")
    }
    // The rest of the view is the same, whatever was compared before.
    attempt("opening", &outcome) { _ = try ArchiveImage(data: data, verification: .everything) }
    for model in models {
      // One that is not opened is not opened for any type: that is tried with the first.
      if !outcome.wasOpened, model.name != models.first?.name { break }
      for way in HostileModel.Way.allCases {
        attempt(model.name, &outcome) { try model.read(data, way) }
      }
    }
    return outcome
  }

  private static func attempt(_ name: String, _ outcome: inout HostileOutcome, _ body: () throws -> Void) {
    do {
      try body()
      outcome.accepted += 1
    } catch {
      outcome.refused += 1
      if let fault = fault(error) { outcome.faults.append("\(name): \(fault)") }
    }
  }

  /// What is wrong with an error: another type than the library's, or nothing to read in it.
  private static func fault(_ error: any Error) -> String? {
    switch error {
    case is HostileLeash.Exhausted: nil
    case let error as ArchiveError:
      error.message.isEmpty ? "an error without a message" : nil
    case DecodingError.dataCorrupted(let context), DecodingError.keyNotFound(_, let context),
      DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      context.debugDescription.isEmpty ? "an error without a description" : nil
    default: "an error of another type, \(type(of: error)): \(error)"
    }
  }
}
