import Foundation
import HostileArchives
import Keepsake
import TestSupport

@testable import keeputil

/// Reads an archive in each way that reads all of it, and gives the verdict of each.
struct EveryReader {
  /// The verdict of a reader on an archive.
  enum Verdict: Equatable {
    case accepted
    /// The archive is not valid (Format §10): the offset and the reason.
    case refused(Int?, String)
    /// The reader cannot tell: a limit was reached, or its types cannot hold a value.
    case undecided(String)

    var isRefused: Bool { if case .refused = self { true } else { false } }

    init(_ read: () throws -> Void) {
      do {
        try read()
        self = .accepted
      } catch let error as ArchiveError {
        self.init(error)
      } catch DecodingError.dataCorrupted(let context) {
        self.init(context)
      } catch DecodingError.typeMismatch(_, let context) {
        self.init(context)
      } catch {
        self = .undecided("\(error)")
      }
    }

    private init(_ context: DecodingError.Context) {
      if let error = context.underlyingError as? ArchiveError {
        self.init(error)
      } else {
        self = .undecided(context.debugDescription)
      }
    }

    private init(_ error: ArchiveError) {
      self = error.code == .damaged ? .refused(error.byteOffset, error.message) : .undecided(error.message)
    }
  }

  private let data: Data

  init(_ data: Data) { self.data = data }

  /// Each reader has its own image, so that none uses what another has found.
  private func image() throws -> ArchiveImage { try ArchiveImage(data: data, verification: .everything) }

  var verified: Verdict {
    Verdict {
      let image = try image()
      try image.verifyContents()
      try image.verifyStructure()
    }
  }

  var printed: Verdict {
    Verdict {
      var tree = TreePrinter(try image().topLevelValue, NoOutput(), TreeOptions())
      try tree.printAll()
    }
  }

  var printedAsJSON: Verdict {
    Verdict {
      var tree = try JSONTree(image().topLevelValue, NoOutput(), TreeOptions())
      try tree.write()
    }
  }

  private final class NoOutput: Output {
    func write(_ text: String) throws(CommandFailure) {}
    func write(_ data: Data) throws(CommandFailure) {}
  }

  // MARK: The dynamic view

  /// The verdict of a program that visits each value and each object through `ArchiveValue`, the bodies that it
  /// reached, and the ranges of URLs. In URLs, it skips keys other than those of URLs.
  var viewed: (verdict: Verdict, bodies: Set<Int>, urls: [Range<Int>]) {
    var bodies: Set<Int> = []
    var urls: [Range<Int>] = []
    let verdict = Verdict {
      var pending = [try ArchiveValue(forReadingFrom: data, verification: .everything)]
      while let value = pending.popLast() {
        switch value.kind {
        case .object, .value:
          if let target = try value.target, bodies.insert(target.number).inserted {
            pending.append(target.value)
          }
        case .some, .typed: pending += try [value.wrapped].compactMap(\.self)
        case .array, .map, .record: pending += try value.members().map(\.value)
        case .url:
          try read(value)
          urls.append(try value.byteRange)
        default: try read(value)
        }
        _ = try (value.className, value.objectNumber, value.objectByteRange, value.byteRange)
      }
    }
    return (verdict, bodies, urls)
  }

  private func read(_ value: ArchiveValue) throws {
    switch value.kind {
    case .integer: _ = try value.intValue
    case .float32, .float64: _ = try value.doubleValue
    case .date: _ = try value.dateValue
    case .uuid: _ = try value.uuidValue
    case .decimal: _ = try value.decimalValue
    case .url: _ = try value.urlValue
    case .string: _ = try value.stringValue
    case .bytes: _ = try value.dataValue
    case .numbers: _ = try (value.doublesValue, value.integersValue)
    default: _ = try value.boolValue
    }
  }

  // MARK: The decoder

  var decoded: Verdict {
    Verdict {
      let unarchiver = try KeyedUnarchiver(forReadingFrom: data, verification: .everything)
      defer { unarchiver.finishDecoding() }
      for type in try image().classes { unarchiver.setClass(WalkedValue.self, forClassName: type.name) }
      do {
        _ = try unarchiver.container(keyedBy: AnyKey.self)
      } catch DecodingError.typeMismatch {
        _ = try WalkedValue(from: unarchiver)
        return
      }
      // Makes the decoder look at all keys.
      _ = try unarchiver.decodeIfPresent(Int.self, forKey: "a key that is not there")
      for key in unarchiver.allKeys { _ = try unarchiver.decode(WalkedValue.self, forKey: key) }
    }
  }

  private struct AnyKey: CodingKey {
    let stringValue: String
    let intValue: Int? = nil
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

/// Decodes any value with everything in it, and keeps nothing.
private final class WalkedValue: Decodable, SelfRegistering {
  private struct NoType: Error {}

  private static var types: [any Decodable.Type] {
    [
      Bool.self, Int128.self, UInt128.self, Double.self, String.self, Decimal.self, Bool??.self,
      [WalkedValue].self, [String: WalkedValue].self,
    ]
  }

  init(from decoder: any Decoder) throws {
    decoder.register(self)
    let value = try decoder.singleValueContainer()
    if value.decodeNil() { return }
    for type in WalkedValue.types where try WalkedValue.read(value, as: type) { return }
    throw NoType()
  }

  /// Whether the value has that type.
  private static func read(
    _ value: any SingleValueDecodingContainer,
    as type: any Decodable.Type
  ) throws -> Bool {
    func read<Value: Decodable>(_: Value.Type) throws { _ = try value.decode(Value.self) }
    do {
      try read(type)
      return true
    } catch let error as DecodingError {
      guard let context = error.context, let reason = context.underlyingError as? ArchiveError else {
        return false
      }
      if reason.code == .typeMismatch { return false }
      throw error
    }
  }
}

extension DecodingError {
  fileprivate var context: Context? {
    switch self {
    case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context),
      .keyNotFound(_, let context):
      context
    @unknown default: nil
    }
  }
}
