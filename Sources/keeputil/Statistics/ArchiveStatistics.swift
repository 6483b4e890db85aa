import Foundation
import Keepsake

extension ArchiveImage {
  /// The number of objects of each class, and the bytes of their bodies.
  func classTallies() throws(ArchiveError) -> [ArchiveStatistics.Tally] {
    var tallies = [ArchiveStatistics.Tally](repeating: .init(), count: classes.count)
    for number in bodyNumbers {
      let body = try numberedBody(number)
      if let classNumber = body.classNumber { tallies[classNumber].add(body.byteRange.count) }
    }
    return tallies
  }
}

/// The sizes of an archive's contents. `keeputil stats` prints them, and `keeputil report` shows them on a page.
struct ArchiveStatistics {
  /// A number of things, and their bytes.
  struct Tally: Equatable {
    var count = 0
    var bytes = 0

    mutating func add(_ bytes: Int) {
      count += 1
      self.bytes += bytes
    }

    static func sum(_ tallies: [Tally]) -> Tally {
      tallies.reduce(into: Tally()) { sum, tally in
        sum.count += tally.count
        sum.bytes += tally.bytes
      }
    }
  }

  struct ClassRow {
    let number: Int
    let entry: ClassEntry
    /// The bodies of its objects, without the objects to which they refer.
    var bodies = Tally()
  }

  /// A type of values behind a protocol. Its bytes also count for the objects that contain the values.
  struct TypeRow {
    let name: String
    var values = Tally()
  }

  /// A value in a list of the largest or the most shared values.
  struct ListedValue {
    /// The number of its body, or of the body that contains it. 0 is the top level.
    let body: Int
    let offset: Int
    let bytes: Int
    let kind: StatisticKind
    /// Its class, or that of the object that contains it.
    let className: String?
    /// The number of references to it, if it is an object.
    var referenceCount = 1
    /// The path to it from the top level.
    var path = ""
    /// The bytes of its body for each reference except the first.
    var savedBytes: Int { (referenceCount - 1) * bytes }
  }

  struct Sharing {
    /// Objects with several references.
    var objectCount = 0
    /// References to them, except the first of each.
    var furtherReferences = 0
    /// The bytes that these objects would add if each of those references were the object.
    var savedBytes = 0
    var most: [ListedValue] = []
  }

  struct StringSharing {
    var entryCount = 0
    var tableBytes = 0
    /// References to the table, including those that are keys of dictionaries.
    var references = Tally()
    /// The bytes that the texts would take in place of the references.
    var inlineBytes = 0
    /// Negative if the table costs more than it saves.
    var savedBytes: Int { inlineBytes - references.bytes - tableBytes }
  }

  /// The file from which the archive was made in memory.
  struct Original {
    let byteCount: Int
    private let isBinary: Bool

    init(_ data: Data) {
      byteCount = data.count
      isBinary = data.starts(with: "bplist".utf8)
    }

    static let writer = "NSKeyedArchiver"
    var format: String { isBinary ? "binary property list" : "XML property list" }
  }

  /// `nil` if the archive is the file itself.
  let original: Original?
  let byteCount: Int
  let formatVersion: String
  let hasChecksums: Bool
  let parts: [ArchivePart]
  /// These three add up to all bodies and the top level: objects by class, values of the top level, the top level.
  var classes: [ClassRow] = []
  var topLevelValues = Tally()
  var topLevel = Tally()
  var types: [TypeRow] = []
  /// The bytes of these rows add up to the same.
  var keys: [KeyRows.Row] = []
  /// So do the bytes of the kinds and of the class numbers at the start of bodies.
  var kinds: [(kind: StatisticKind, tally: Tally)] = []
  var classNumbers = Tally()
  /// Bodies to which no path leads from the top level.
  var unreached = Tally()
  var largestValues: [ListedValue] = []
  var largestObjects: [ListedValue] = []
  var sharing = Sharing()
  var strings = StringSharing()

  var classCount: Int { classes.count { $0.bodies.count > 0 } }
  var objectCount: Int { classes.reduce(0) { $0 + $1.bodies.count } }
  var valueCount: Int { kinds.reduce(0) { $0 + $1.tally.count } }

  /// The fraction of the file that these bytes take, from 0 to 1.
  func share(_ bytes: Int) -> Double { byteCount == 0 ? 0 : Double(bytes) / Double(byteCount) }
}
