import Keepsake

/// Digests of texts, keys and names of classes, which are the same for the same text in both archives.
///
/// A text that an archive contains once is hashed once, however many references lead to it.
final class NameDigests {
  private let image: ArchiveImage
  private var texts: [Int: UInt64] = [:]
  private var keys: [Int: UInt64] = [:]
  private lazy var classes = image.classes.map { Self.digest(of: $0.name) }

  init(_ image: ArchiveImage) {
    self.image = image
  }

  func digest(ofText value: ArchiveValue) throws(ArchiveError) -> UInt64 {
    guard let number = try value.sharedStringNumber else { return Self.digest(of: try value.string ?? "") }
    if let known = texts[number] { return known }
    let digest = Self.digest(of: try value.string ?? "")
    texts[number] = digest
    return digest
  }

  func digest(ofKey label: PathElement, at walk: ArchiveWalk) throws(ArchiveError) -> UInt64 {
    guard case .key(let name) = label else { return Self.digest(of: label.keyText) }
    guard let number = walk.keyNumber else { return try digest(ofText: walk.key) }
    if let known = keys[number] { return known }
    let digest = Self.digest(of: name)
    keys[number] = digest
    return digest
  }

  /// The digest of the name of a class, or 0 for `nil`.
  func digest(ofClass number: Int?) -> UInt64 { number.map { classes[$0] } ?? 0 }

  /// The hash includes the bytes of the text, since strings with different bytes may be equal.
  private static func digest(of text: String) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(text)
    if !text.utf8.allSatisfy({ $0 < 0x80 }) { hasher.combine(Array(text.utf8)) }
    return hasher.digest
  }
}

extension Hasher {
  var digest: UInt64 { UInt64(truncatingIfNeeded: finalize()) }
}
