#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ArchiveValue {
  /// Opens the archive in the file at `path`, and maps it into memory: only the parts that you ask for are read. The
  /// value is the top level, which has the keys of the archive.
  ///
  /// The file must not be truncated while this value, or one that it contains, is in use.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - verification: which parts are compared with their checksums.
  ///   - limits: limits on what the archive may demand: bytes, depth, elements, strings other than keys. The other
  ///     limits apply only to decoding.
  /// - Throws: ``ArchiveError`` when the file cannot be read, is not an archive, or is damaged.
  public init(
    forReadingFile path: String,
    verification: ArchiveVerification = .onDemand,
    limits: ArchiveLimits = ArchiveLimits()
  ) throws(ArchiveError) {
    try self.init(forReadingFrom: mapArchiveFile(path), verification: verification, limits: limits)
  }

  /// Opens the archive in `data`. ``init(forReadingFile:verification:limits:)`` describes the parameters.
  public init(
    forReadingFrom data: Data,
    verification: ArchiveVerification = .onDemand,
    limits: ArchiveLimits = ArchiveLimits()
  ) throws(ArchiveError) {
    self = try ArchiveImage(data: data, verification: verification, limits: limits).topLevelValue
  }
}

// The content of single values. Each is `nil` for a value of another kind, and for nil. References are followed.
extension ArchiveValue {
  /// The Boolean; `nil` for a value of another kind.
  public var boolValue: Bool? {
    get throws(ArchiveError) { try content.bool }
  }

  /// The integer; `nil` if it does not fit, and for a value of another kind.
  public var intValue: Int? {
    get throws(ArchiveError) { try content.integer.flatMap { Int(exactly: $0) } }
  }

  /// The floating-point number, or an integer that a `Double` holds exactly; `nil` for a value of another kind.
  public var doubleValue: Double? {
    get throws(ArchiveError) {
      let content = try content
      if let number = try content.float64 { return number }
      if let number = try content.float32 { return Double(number) }
      return try content.integer.flatMap { Double(exactly: $0) }
    }
  }

  /// The text; `nil` for a value of another kind.
  public var stringValue: String? {
    get throws(ArchiveError) { try content.string }
  }

  /// The bytes; `nil` for a value of another kind.
  public var dataValue: Data? {
    get throws(ArchiveError) { try content.bytes.map { Data($0) } }
  }

  /// The date; `nil` for a value of another kind.
  public var dateValue: Date? {
    get throws(ArchiveError) { try content.date.map { Date(timeIntervalSinceReferenceDate: $0) } }
  }

  /// The UUID; `nil` for a value of another kind.
  public var uuidValue: UUID? {
    get throws(ArchiveError) {
      let content = try content
      return content.kind == .uuid ? try UUID(content.reader, at: content.offset + 1) : nil
    }
  }

  /// The URL, with its base; `nil` for a value of another kind, and if Foundation does not accept the text.
  public var urlValue: URL? {
    get throws(ArchiveError) {
      var url: URL?
      for text in try content.urlParts?.reversed() ?? [] {
        guard let next = URL(string: text, relativeTo: url) else { return nil }
        url = next
      }
      return url
    }
  }

  /// The decimal number; `nil` for a value of another kind.
  public var decimalValue: Decimal? {
    get throws(ArchiveError) { try content.decimal?.decimal }
  }

  /// The elements of a packed array of integers; `nil` for a value of another kind, and if one does not fit.
  public var integersValue: [Int]? {
    get throws(ArchiveError) {
      switch try content.numbers {
      case .signed(let numbers)?: numbers.map(Int.init)
      case .unsigned(let numbers)?:
        numbers.allSatisfy { $0 <= UInt64(Int.max) } ? numbers.map { Int(truncatingIfNeeded: $0) } : nil
      default: nil
      }
    }
  }

  /// The elements of a packed array; `nil` for a value of another kind. Integers of more than 53 bits are rounded, and
  /// Booleans are 0 and 1.
  public var doublesValue: [Double]? {
    get throws(ArchiveError) {
      switch try content.numbers {
      case .bools(let numbers)?: numbers.map { $0 ? 1 : 0 }
      case .signed(let numbers)?: numbers.map(Double.init)
      // `Double.init` would be that of a bit pattern.
      case .unsigned(let numbers)?: numbers.map { Double($0) }
      case .floats(let numbers)?: numbers.map(Double.init)
      case .doubles(let numbers)?: numbers
      case nil: nil
      }
    }
  }
}
