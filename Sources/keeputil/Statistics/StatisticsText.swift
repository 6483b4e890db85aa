import Keepsake

/// The figures of an archive as tables for people.
struct StatisticsText {
  let statistics: ArchiveStatistics
  let output: any Output
  let palette: Palette
  /// The most rows of a table of classes or keys. The rest become one row.
  let mostRows: Int

  private static let longestName = 44
  private static let longestClassName = 32
  private static let longestPath = 64

  func write(name: String) throws {
    let size = statistics.original?.byteCount ?? statistics.byteCount
    try output.write(
      "\(palette.paint(displayed(name), .bold)): \(counted(size, "byte"))"
        + "\(size >= 1_000 ? " (\(readableBytes(size)))" : ""), \(origin)\n"
        + "\(counted(statistics.objectCount, "object")) of "
        + "\(counted(statistics.classCount, "class", "classes")), \(counted(statistics.valueCount, "value"))\n"
    )
    try put("The file", parts)
    try put("Classes", classes)
    if !statistics.types.isEmpty {
      try put("Types of values behind protocols (their bytes are in the above)", types)
    }
    try put("Keys", keys)
    try put("Kinds of values", kinds)
    if !statistics.largestValues.isEmpty { try put("Largest values", largestValues) }
    if !statistics.largestObjects.isEmpty { try put("Largest objects", largestObjects) }
    try heading("Sharing")
    for line in sharing { try output.write("  \(line)\n") }
    guard !statistics.sharing.most.isEmpty else { return }
    try output.write("\n")
    try put(mostShared)
  }

  /// The format of the archive, or the kind of file from which it was converted.
  private var origin: String {
    guard let original = statistics.original else {
      return "format \(statistics.formatVersion)\(statistics.hasChecksums ? "" : ", without checksums")"
    }
    return
      "written by \(ArchiveStatistics.Original.writer) (\(original.format)); the figures are of the archive of "
      + "\(counted(statistics.byteCount, "byte")) that it is converted to"
  }

  private func heading(_ text: String) throws { try output.write("\n\(palette.paint(text, .bold))\n") }

  private func put(_ title: String, _ table: TextTable) throws {
    try heading(title)
    try put(table)
  }

  private func put(_ table: TextTable) throws {
    for line in table.lines(margin: "  ") { try output.write(line + "\n") }
  }

  private func name(_ name: String) -> String {
    abridged(displayedName(name), StatisticsText.longestName)
  }

  private func className(_ value: ArchiveStatistics.ListedValue) -> String {
    abridged(displayed(value.className ?? ""), StatisticsText.longestClassName)
  }

  private func path(_ value: ArchiveStatistics.ListedValue) -> String {
    abridged(value.path, StatisticsText.longestPath)
  }

  private func share(_ bytes: Int) -> String { percentText(statistics.share(bytes)) }

  private func size(_ bytes: Int) -> [String] { [grouped(bytes), share(bytes)] }

  private func cells(_ tally: ArchiveStatistics.Tally) -> [String] {
    [grouped(tally.count)] + size(tally.bytes)
  }

  private var parts: TextTable {
    let rows = statistics.parts.filter { !$0.range.isEmpty }.map { part in
      [part.title] + size(part.range.count) + [part.entryCount.map(grouped) ?? ""]
    }
    let sum = ["in all", grouped(statistics.byteCount), percentText(1), ""]
    return TextTable("part", ">bytes", ">share", ">entries", rows: rows + [sum])
  }

  private var classes: TextTable {
    let classes = statistics.classes.filter { $0.bodies.count > 0 }
    let rest = classes.dropFirst(mostRows)
    let tallies =
      classes.prefix(mostRows).map { (name($0.entry.name), $0.bodies) } + [
        ("(\(grouped(rest.count)) more)", .sum(rest.map(\.bodies))),
        ("(values of the top level)", statistics.topLevelValues),
        ("(the top level itself)", statistics.topLevel),
      ]
    let rows = tallies.filter { $1.count > 0 }.map { name, tally in
      let average = (Double(tally.bytes) / Double(tally.count) * 10).rounded() / 10
      let averageText = average >= 1_000 ? grouped(Int(average)) : "\(average)"
      return [name, grouped(tally.count), grouped(tally.bytes), averageText, share(tally.bytes)]
    }
    return TextTable("class", ">objects", ">bytes", ">average", ">share", rows: rows)
  }

  private var types: TextTable {
    let rows = statistics.types.prefix(mostRows).map { row in
      [name(row.name), grouped(row.values.count), grouped(row.values.bytes)]
    }
    return TextTable("type", ">values", ">bytes", rows: rows)
  }

  private var keys: TextTable {
    var rows = statistics.keys.prefix(mostRows).map { row in
      [name(row.name)] + cells(row.own) + [grouped(row.totalBytes)]
    }
    let rest = statistics.keys.dropFirst(mostRows)
    if !rest.isEmpty { rows.append(["(\(grouped(rest.count)) more)"] + cells(.sum(rest.map(\.own))) + [""]) }
    return TextTable("key", ">values", ">bytes", ">share", ">with nested", rows: rows)
  }

  private var kinds: TextTable {
    let rows = statistics.kinds.map { [$0.kind.title] + cells($0.tally) }
    let numbers = ["(class numbers of bodies)"] + cells(statistics.classNumbers)
    return TextTable("kind", ">values", ">bytes", ">share", rows: rows + [numbers])
  }

  private var largestValues: TextTable {
    let rows = statistics.largestValues.map { [grouped($0.bytes), $0.kind.title, path($0)] }
    return TextTable(">bytes", "kind", "path", rows: rows)
  }

  private var largestObjects: TextTable {
    let rows = statistics.largestObjects.map { [grouped($0.bytes), className($0), path($0)] }
    return TextTable(">bytes", "class", "path", rows: rows)
  }

  private var mostShared: TextTable {
    let rows = statistics.sharing.most.map { object in
      [grouped(object.savedBytes), grouped(object.referenceCount), className(object), path(object)]
    }
    return TextTable(">saved", ">references", "class", "path", rows: rows)
  }

  private var sharing: [String] {
    let (sharing, strings, unreached) = (statistics.sharing, statistics.strings, statistics.unreached)
    var lines = ["No object is referred to more than once."]
    if sharing.objectCount > 0 {
      lines[0] =
        "\(counted(sharing.objectCount, "object")) referred to more than once, in \(grouped(sharing.furtherReferences)) "
        + "further references: their bodies written again each time would be \(counted(sharing.savedBytes, "byte")) more."
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
    if unreached.count > 0 {
      lines.append(
        "\(counted(unreached.count, "body", "bodies")) to which no path leads from the top level, in "
          + "\(counted(unreached.bytes, "byte"))."
      )
    }
    return lines
  }
}
