import Keepsake

/// The figures of an archive as JSON, for scripts: all rows, names as they are.
struct StatisticsJSON {
  private var json: JSONWriter

  init(_ output: any Output) {
    json = JSONWriter(output, pretty: true)
  }

  mutating func write(_ statistics: ArchiveStatistics) throws {
    try json.open(.object)
    try put("bytes", statistics.byteCount)
    try put("formatVersion", statistics.formatVersion)
    try json.key("hasChecksums")
    try json.bool(statistics.hasChecksums)
    try put("objects", statistics.objectCount)
    try put("values", statistics.valueCount)
    try list("parts", statistics.parts) { json, part in
      try json.put("name", part.kind.rawValue)
      try json.put("offset", part.range.lowerBound)
      try json.put("bytes", part.range.count)
      if let count = part.entryCount { try json.put("entries", count) }
    }
    try list("classes", statistics.classes) { json, row in
      try json.put("name", row.entry.name)
      try json.put("version", row.entry.version)
      try json.put("objects", row.bodies.count)
      try json.put("bytes", row.bodies.bytes)
    }
    try put("topLevelValues", statistics.topLevelValues)
    try put("topLevel", statistics.topLevel)
    try put("unreachedBodies", statistics.unreached)
    try list("types", statistics.types) { json, row in
      try json.put("name", row.name)
      try json.put("values", row.values.count)
      try json.put("bytes", row.values.bytes)
    }
    try list("keys", statistics.keys) { json, row in
      try json.put("name", row.name)
      try json.put("values", row.count)
      try json.put("bytes", row.ownBytes)
      try json.put("bytesWithNested", row.totalBytes)
    }
    try list("kinds", statistics.kinds) { json, row in
      try json.put("name", row.kind.title)
      try json.put("values", row.tally.count)
      try json.put("bytes", row.tally.bytes)
    }
    try put("classNumbers", statistics.classNumbers)
    try list("largestValues", statistics.largestValues) { try $0.put($1) }
    try list("largestObjects", statistics.largestObjects) { try $0.put($1) }
    try write(statistics.sharing)
    try write(statistics.strings)
    try json.close()
    try json.finish()
  }

  private mutating func write(_ sharing: ArchiveStatistics.Sharing) throws {
    try json.key("sharing")
    try json.open(.object)
    try put("objects", sharing.objectCount)
    try put("furtherReferences", sharing.furtherReferences)
    try put("savedBytes", sharing.savedBytes)
    try list("most", sharing.most) { json, object in
      try json.put("references", object.referenceCount)
      try json.put("savedBytes", object.savedBytes)
      try json.put(object.place)
    }
    try json.close()
  }

  private mutating func write(_ strings: ArchiveStatistics.StringSharing) throws {
    try json.key("strings")
    try json.open(.object)
    try put("entries", strings.entryCount)
    try put("tableBytes", strings.tableBytes)
    try put("references", strings.references.count)
    try put("referenceBytes", strings.references.bytes)
    try put("inlineBytes", strings.inlineBytes)
    try put("savedBytes", strings.savedBytes)
    try json.close()
  }

  // MARK: Pieces

  private mutating func list<Row>(
    _ name: String,
    _ rows: [Row],
    _ fields: (inout StatisticsJSON, Row) throws -> Void
  ) throws {
    try json.key(name)
    try json.open(.array)
    for row in rows {
      try json.open(.object)
      try fields(&self, row)
      try json.close()
    }
    try json.close()
  }

  private mutating func put(_ name: String, _ number: Int) throws {
    try json.key(name)
    try json.integer(String(number))
  }

  private mutating func put(_ name: String, _ text: String) throws {
    try json.key(name)
    try json.string(text)
  }

  private mutating func put(_ name: String, _ tally: ArchiveStatistics.Tally) throws {
    try json.key(name)
    try json.open(.object)
    try put("count", tally.count)
    try put("bytes", tally.bytes)
    try json.close()
  }

  private mutating func put(_ place: ArchiveStatistics.Place) throws {
    try put("path", place.path)
    try put("bytes", place.bytes)
    if place.kind != .object { try put("kind", place.kind.title) }
    if let name = place.className { try put("class", name) }
    try put("offset", place.offset)
    if place.body != 0 { try put("body", place.body) }
  }
}
