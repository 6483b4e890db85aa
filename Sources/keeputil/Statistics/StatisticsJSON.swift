import Keepsake

// The figures of an archive as JSON, for scripts: all rows, with unabridged names.

extension ArchiveStatistics {
  var json: JSONFields {
    [
      "madeOf": original.map { original in
        ["writer": Original.writer, "format": original.format, "bytes": original.byteCount] as JSONFields
      },
      "bytes": byteCount,
      "formatVersion": formatVersion,
      "hasChecksums": hasChecksums,
      "objects": objectCount,
      "values": valueCount,
      "parts": parts.map { part in
        [
          "name": "\(part.kind)", "lastSave": part.saves?.upperBound, "offset": part.range.lowerBound,
          "bytes": part.range.count, "entries": part.entryCount,
        ] as JSONFields
      },
      "classes": classes.map { row in
        ["name": row.entry.name, "version": row.entry.version] + row.bodies.json("objects")
      },
      "topLevelValues": topLevelValues.json("count"),
      "topLevel": topLevel.json("count"),
      "unreachedBodies": unreached.json("count"),
      "types": types.map { ["name": $0.name] + $0.values.json("values") },
      "keys": keys.map { key in
        ["name": key.name, "values": key.count, "bytes": key.ownBytes, "bytesWithNested": key.totalBytes]
          as JSONFields
      },
      "kinds": kinds.map { ["name": $0.kind.title] + $0.tally.json("values") },
      "classNumbers": classNumbers.json("count"),
      "largestValues": largestValues.map(\.json),
      "largestObjects": largestObjects.map(\.json),
      "sharing": [
        "objects": sharing.objectCount, "furtherReferences": sharing.furtherReferences,
        "savedBytes": sharing.savedBytes,
        "most": sharing.most.map {
          ["references": $0.referenceCount, "savedBytes": $0.savedBytes] + $0.json
        },
      ] as JSONFields,
      "strings": [
        "entries": strings.entryCount, "tableBytes": strings.tableBytes,
        "references": strings.references.count, "referenceBytes": strings.references.bytes,
        "inlineBytes": strings.inlineBytes, "savedBytes": strings.savedBytes,
      ] as JSONFields,
    ]
  }
}

extension ArchiveStatistics.Tally {
  fileprivate func json(_ counted: String) -> JSONFields { [counted: count, "bytes": bytes] }
}

extension ArchiveStatistics.ListedValue {
  fileprivate var json: JSONFields {
    [
      "path": path, "bytes": bytes, "kind": kind == .object ? nil : kind.title, "class": className,
      "offset": offset, "body": body == 0 ? nil : body,
    ]
  }
}
