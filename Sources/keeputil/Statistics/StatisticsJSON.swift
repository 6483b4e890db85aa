import Keepsake

/// The figures of an archive as JSON, for scripts: all rows, names as they are.
enum StatisticsJSON {
  static func write(_ statistics: ArchiveStatistics, _ output: any Output) throws {
    var json = JSONWriter(output, pretty: true)
    try json.bracket(.object) { try write(statistics, &$0) }
    try json.finish()
  }

  private static func write(_ statistics: ArchiveStatistics, _ json: inout JSONWriter) throws {
    if let original = statistics.original {
      try json.bracket(.object, "madeOf") {
        try $0.field("writer", ArchiveStatistics.Original.writer)
        try $0.field("format", original.format)
        try $0.field("bytes", original.byteCount)
      }
    }
    try json.field("bytes", statistics.byteCount)
    try json.field("formatVersion", statistics.formatVersion)
    try json.field("hasChecksums", statistics.hasChecksums)
    try json.field("objects", statistics.objectCount)
    try json.field("values", statistics.valueCount)
    try list("parts", statistics.parts, &json) { json, part in
      try json.field("name", part.kind.rawValue)
      if let saves = part.saves { try json.field("lastSave", saves.upperBound) }
      try json.field("offset", part.range.lowerBound)
      try json.field("bytes", part.range.count)
      if let count = part.entryCount { try json.field("entries", count) }
    }
    try list("classes", statistics.classes, &json) { json, row in
      try json.field("name", row.entry.name)
      try json.field("version", row.entry.version)
      try json.field("objects", row.bodies.count)
      try json.field("bytes", row.bodies.bytes)
    }
    try write("topLevelValues", statistics.topLevelValues, &json)
    try write("topLevel", statistics.topLevel, &json)
    try write("unreachedBodies", statistics.unreached, &json)
    try list("types", statistics.types, &json) { json, row in
      try json.field("name", row.name)
      try json.field("values", row.values.count)
      try json.field("bytes", row.values.bytes)
    }
    try list("keys", statistics.keys, &json) { json, row in
      try json.field("name", row.name)
      try json.field("values", row.count)
      try json.field("bytes", row.ownBytes)
      try json.field("bytesWithNested", row.totalBytes)
    }
    try list("kinds", statistics.kinds, &json) { json, row in
      try json.field("name", row.kind.title)
      try json.field("values", row.tally.count)
      try json.field("bytes", row.tally.bytes)
    }
    try write("classNumbers", statistics.classNumbers, &json)
    try list("largestValues", statistics.largestValues, &json) { try write($1, &$0) }
    try list("largestObjects", statistics.largestObjects, &json) { try write($1, &$0) }
    try json.bracket(.object, "sharing") { try write(statistics.sharing, &$0) }
    try json.bracket(.object, "strings") { try write(statistics.strings, &$0) }
  }

  private static func write(_ sharing: ArchiveStatistics.Sharing, _ json: inout JSONWriter) throws {
    try json.field("objects", sharing.objectCount)
    try json.field("furtherReferences", sharing.furtherReferences)
    try json.field("savedBytes", sharing.savedBytes)
    try list("most", sharing.most, &json) { json, object in
      try json.field("references", object.referenceCount)
      try json.field("savedBytes", object.savedBytes)
      try write(object.place, &json)
    }
  }

  private static func write(_ strings: ArchiveStatistics.StringSharing, _ json: inout JSONWriter) throws {
    try json.field("entries", strings.entryCount)
    try json.field("tableBytes", strings.tableBytes)
    try json.field("references", strings.references.count)
    try json.field("referenceBytes", strings.references.bytes)
    try json.field("inlineBytes", strings.inlineBytes)
    try json.field("savedBytes", strings.savedBytes)
  }

  private static func write(
    _ name: String,
    _ tally: ArchiveStatistics.Tally,
    _ json: inout JSONWriter
  ) throws {
    try json.bracket(.object, name) {
      try $0.field("count", tally.count)
      try $0.field("bytes", tally.bytes)
    }
  }

  private static func write(_ place: ArchiveStatistics.Place, _ json: inout JSONWriter) throws {
    try json.field("path", place.path)
    try json.field("bytes", place.bytes)
    if place.kind != .object { try json.field("kind", place.kind.title) }
    if let name = place.className { try json.field("class", name) }
    try json.field("offset", place.offset)
    if place.body != 0 { try json.field("body", place.body) }
  }

  private static func list<Row>(
    _ name: String,
    _ rows: [Row],
    _ json: inout JSONWriter,
    _ fields: (inout JSONWriter, Row) throws -> Void
  ) throws {
    try json.bracket(.array, name) { json in
      for row in rows { try json.bracket(.object) { try fields(&$0, row) } }
    }
  }
}
