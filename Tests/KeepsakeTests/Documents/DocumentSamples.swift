import Foundation
import Keepsake
import TestSupport

/// A document of pages that refer to each other in every way that archives support.
final class Notebook: Codable {
  var title = "Notebook"
  var pages: [NotePage] = []
  var pinned: NotePage?
  var tags: Set<String> = []
  var counts: [String: Int] = [:]

  init(pageCount: Int = 0) {
    for index in 0..<pageCount { pages.append(NotePage("page \(index)")) }
    pinned = pages.first
  }

  /// Equal for equal contents. Taken from a copy, in which weak references to objects outside of it are nil, as after
  /// reading.
  var bytes: Data {
    get throws {
      let copy = try KeyedArchiver.copy(of: self)
      return try KeyedArchiver.archivedData(withRootObject: copy, outputFormatting: .sortedKeys)
    }
  }
}

class NotePage: Codable {
  var title: String
  var text: String
  var links: [NotePage] = []
  weak var back: NotePage?

  init(_ title: String) {
    self.title = title
    text = "the text of \(title)"
  }
}

final class Drawing: NotePage {
  var points: [Double]

  init(_ title: String, _ points: [Double]) {
    self.points = points
    super.init(title)
  }

  required init(from decoder: any Decoder) throws {
    points = try decoder.container(keyedBy: CodingKeys.self).decode([Double].self, forKey: .points)
    try super.init(from: decoder)
  }

  override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(points, forKey: .points)
  }

  enum CodingKeys: String, CodingKey { case points }
}

extension TemporaryFolder {
  /// The size of a file in the folder.
  func byteCount(_ name: String) throws -> Int { try read(name).count }
}

/// The code of an `ArchiveError`, or of the one that underlies a decoding error.
func archiveErrorCode(_ error: (any Error)?) -> ArchiveError.Code? {
  switch error {
  case let error as ArchiveError: error.code
  case DecodingError.dataCorrupted(let context)?: (context.underlyingError as? ArchiveError)?.code
  case DecodingError.typeMismatch(_, let context)?: (context.underlyingError as? ArchiveError)?.code
  default: nil
  }
}
