import Keepsake

// The figures of an archive as JSON, for scripts: all rows, names as they are.

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
      "parts": parts.map(\.json),
      "classes": classes.map { row in
        ["name": row.entry.name, "version": row.entry.version] + row.bodies.json("objects")
      },
      "topLevelValues": topLevelValues.json("count"),
      "topLevel": topLevel.json("count"),
      "unreachedBodies": unreached.json("count"),
      "types": types.map { ["name": $0.name] + $0.values.json("values") },
      "keys": keys.map(\.json),
      "kinds": kinds.map { ["name": $0.kind.title] + $0.tally.json("values") },
      "classNumbers": classNumbers.json("count"),
      "largestValues": largestValues.map(\.json),
      "largestObjects": largestObjects.map(\.json),
      "sharing": sharing.json,
      "strings": strings.json,
    ]
  }
}

extension ArchiveStatistics.Tally {
  fileprivate func json(_ counted: String) -> JSONFields { [counted: count, "bytes": bytes] }
}

extension ArchivePart {
  fileprivate var json: JSONFields {
    [
      "name": "\(kind)", "lastSave": saves?.upperBound, "offset": range.lowerBound, "bytes": range.count,
      "entries": entryCount,
    ]
  }
}

extension KeyRows.Row {
  fileprivate var json: JSONFields {
    ["name": name, "values": count, "bytes": ownBytes, "bytesWithNested": totalBytes]
  }
}

extension ArchiveStatistics.ListedValue {
  fileprivate var json: JSONFields {
    [
      "path": path, "bytes": bytes, "kind": kind == .object ? nil : kind.title, "class": className,
      "offset": offset, "body": body == 0 ? nil : body,
    ]
  }
}

extension ArchiveStatistics.Sharing {
  fileprivate var json: JSONFields {
    [
      "objects": objectCount, "furtherReferences": furtherReferences, "savedBytes": savedBytes,
      "most": most.map { ["references": $0.referenceCount, "savedBytes": $0.savedBytes] + $0.json },
    ]
  }
}

extension ArchiveStatistics.StringSharing {
  fileprivate var json: JSONFields {
    [
      "entries": entryCount, "tableBytes": tableBytes, "references": references.count,
      "referenceBytes": references.bytes, "inlineBytes": inlineBytes, "savedBytes": savedBytes,
    ]
  }
}
