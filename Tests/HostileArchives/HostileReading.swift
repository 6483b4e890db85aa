internal import Foundation
internal import Keepsake

/// The results of reading bytes.
package struct HostileOutcome: Sendable {
  /// The faults; errors of the library are none.
  package var faults: [String] = []
  /// The number of reads that gave a value, and of those that gave an error.
  package var accepted = 0
  package var refused = 0
  /// Whether the archive could be opened without checksums, so that more than its header and trailer was read.
  package var wasOpened = false
}

/// Reads bytes in every way.
///
/// The library may refuse them, but only with its own errors. It must not end the program, take long, use unlimited
/// memory, or keep any.
package enum HostileReading {
  /// Reads the bytes as all models, in all ways, and with the dynamic view.
  package static func readEverything(_ bytes: [UInt8]) -> HostileOutcome {
    read(bytes, as: HostileModel.all)
  }

  /// Reads the bytes as some models, in all ways, and with the dynamic view.
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
    // Keys that records share are stored once in both; nothing is multiplied.
    if rewrittenByteCount > 40 * bytes.count + 4_096 {
      outcome.faults.append("writing anew: \(bytes.count) bytes became \(rewrittenByteCount)")
    }
    // The rest of the dynamic view is the same with any verification.
    attempt("opening", &outcome) { _ = try ArchiveImage(data: data, verification: .everything) }
    for model in models {
      // An archive that does not open for the first type does not open for any.
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

  /// The fault of an error: it is not one of the library's, or has no message.
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
