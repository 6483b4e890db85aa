import Keepsake

/// The figures of an archive as tables for people.
struct StatisticsText {
  private let statistics: ArchiveStatistics
  private let output: any Output
  private let palette: Palette
  /// How many rows a table of classes or keys has; the rest is one row.
  private let mostRows: Int

  private static let longestName = 44
  private static let longestPath = 64

  init(_ statistics: ArchiveStatistics, _ output: any Output, _ palette: Palette, mostRows: Int) {
    self.statistics = statistics
    self.output = output
    self.palette = palette
    self.mostRows = mostRows
  }

  func write(name: String) throws {
    let size = statistics.original?.byteCount ?? statistics.byteCount
    try output.write("\(palette.paint(displayed(name), .bold)): \(counted(size, "byte"))")
    if size >= 1_000 { try output.write(" (\(readableBytes(size)))") }
    try output.write(
      ", \(origin)\n"
        + "\(counted(statistics.objectCount, "object")) of "
        + "\(counted(statistics.classCount, "class", "classes")), "
        + "\(counted(statistics.valueCount, "value"))\n"
    )
    try writeParts()
    try writeClasses()
    try writeKeys()
    try writeKinds()
    try writePlaces("Largest values", statistics.largestValues, isObjects: false)
    try writePlaces("Largest objects", statistics.largestObjects, isObjects: true)
    try writeSharing()
  }

  /// What wrote the file, and in which form.
  private var origin: String {
    guard let original = statistics.original else {
      return "format \(statistics.formatVersion)\(statistics.hasChecksums ? "" : ", without checksums")"
    }
    return
      "written by \(ArchiveStatistics.Original.writer) (\(original.format)); the figures are of the archive of "
      + "\(counted(statistics.byteCount, "byte")) that it is turned into"
  }

  private func heading(_ text: String) throws { try output.write("\n\(palette.paint(text, .bold))\n") }

  private func put(_ table: TextTable) throws {
    for line in table.lines(margin: "  ") { try output.write(line + "\n") }
  }

  private func writeParts() throws {
    try heading("The file")
    var table = TextTable([("part", .left), ("bytes", .right), ("share", .right), ("entries", .right)])
    for part in statistics.parts where !part.range.isEmpty {
      table.add(
        part.title,
        grouped(part.range.count),
        percentText(statistics.share(part.range.count)),
        part.entryCount.map(grouped) ?? ""
      )
    }
    table.add("in all", grouped(statistics.byteCount), percentText(1), "")
    try put(table)
  }

  private func writeClasses() throws {
    try heading("Classes")
    var table = TextTable([
      ("class", .left), ("objects", .right), ("bytes", .right), ("average", .right), ("share", .right),
    ])
    func add(_ name: String, _ tally: ArchiveStatistics.Tally) {
      guard tally.count > 0 else { return }
      let average = (Double(tally.bytes) / Double(tally.count) * 10).rounded() / 10
      table.add(
        abridged(name, StatisticsText.longestName),
        grouped(tally.count),
        grouped(tally.bytes),
        average >= 1_000 ? grouped(Int(average)) : "\(average)",
        percentText(statistics.share(tally.bytes))
      )
    }
    let classes = statistics.classes.filter { $0.bodies.count > 0 }
    for row in classes.prefix(mostRows) { add(displayedName(row.entry.name), row.bodies) }
    let rest = classes.dropFirst(mostRows)
    add(
      "(\(grouped(rest.count)) more)",
      .init(
        count: rest.reduce(0) { $0 + $1.bodies.count },
        bytes: rest.reduce(0) { $0 + $1.bodies.bytes }
      )
    )
    add("(values of the top level)", statistics.topLevelValues)
    add("(the top level itself)", statistics.topLevel)
    try put(table)
    guard !statistics.types.isEmpty else { return }
    try heading("Types of values behind protocols (their bytes are in the above)")
    var types = TextTable([("type", .left), ("values", .right), ("bytes", .right)])
    for row in statistics.types.prefix(mostRows) {
      types.add(
        abridged(displayedName(row.name), StatisticsText.longestName),
        grouped(row.values.count),
        grouped(row.values.bytes)
      )
    }
    try put(types)
  }

  private func writeKeys() throws {
    try heading("Keys")
    var table = TextTable([
      ("key", .left), ("values", .right), ("bytes", .right), ("share", .right), ("with nested", .right),
    ])
    for row in statistics.keys.prefix(mostRows) {
      table.add(
        abridged(displayedName(row.name), StatisticsText.longestName),
        grouped(row.count),
        grouped(row.ownBytes),
        percentText(statistics.share(row.ownBytes)),
        grouped(row.totalBytes)
      )
    }
    let rest = statistics.keys.dropFirst(mostRows)
    if !rest.isEmpty {
      let bytes = rest.reduce(0) { $0 + $1.ownBytes }
      table.add(
        "(\(grouped(rest.count)) more)",
        grouped(rest.reduce(0) { $0 + $1.count }),
        grouped(bytes),
        percentText(statistics.share(bytes)),
        ""
      )
    }
    try put(table)
  }

  private func writeKinds() throws {
    try heading("Kinds of values")
    var table = TextTable([("kind", .left), ("values", .right), ("bytes", .right), ("share", .right)])
    for (kind, tally) in statistics.kinds {
      table.add(
        kind.title,
        grouped(tally.count),
        grouped(tally.bytes),
        percentText(statistics.share(tally.bytes))
      )
    }
    table.add(
      "(class numbers of bodies)",
      grouped(statistics.classNumbers.count),
      grouped(statistics.classNumbers.bytes),
      percentText(statistics.share(statistics.classNumbers.bytes))
    )
    try put(table)
  }

  private func writePlaces(_ title: String, _ places: [ArchiveStatistics.Place], isObjects: Bool) throws {
    guard !places.isEmpty else { return }
    try heading(title)
    var table = TextTable([("bytes", .right), (isObjects ? "class" : "kind", .left), ("path", .left)])
    for place in places {
      table.add(
        grouped(place.bytes),
        isObjects ? abridged(displayed(place.className ?? ""), 32) : place.kind.title,
        abridged(place.path, StatisticsText.longestPath)
      )
    }
    try put(table)
  }

  private func writeSharing() throws {
    try heading("Sharing")
    let sharing = statistics.sharing
    let strings = statistics.strings
    var lines: [String] = []
    if sharing.objectCount > 0 {
      lines.append(
        "\(counted(sharing.objectCount, "object")) referred to more than once, in \(grouped(sharing.furtherReferences)) "
          + "further references: their bodies written again each time would be \(counted(sharing.savedBytes, "byte")) more."
      )
    } else {
      lines.append("No object is referred to more than once.")
    }
    if strings.references.count > 0 {
      let saved = strings.savedBytes
      lines.append(
        "\(counted(strings.entryCount, "text")) in the string table, with \(counted(strings.references.count, "reference")): "
          + (saved >= 0
            ? "that saved \(counted(saved, "byte")), the table counted."
            : "the table costs \(counted(-saved, "byte")) more than it saves.")
      )
    }
    if statistics.unreached.count > 0 {
      lines.append(
        "\(counted(statistics.unreached.count, "body", "bodies")) to which no way leads from the top level, in "
          + "\(counted(statistics.unreached.bytes, "byte"))."
      )
    }
    for line in lines { try output.write("  \(line)\n") }
    guard !sharing.most.isEmpty else { return }
    try output.write("\n")
    var table = TextTable([
      ("saved", .right), ("references", .right), ("class", .left), ("path", .left),
    ])
    for object in sharing.most {
      table.add(
        grouped(object.savedBytes),
        grouped(object.referenceCount),
        abridged(displayed(object.place.className ?? ""), 32),
        abridged(object.place.path, StatisticsText.longestPath)
      )
    }
    try put(table)
  }
}
