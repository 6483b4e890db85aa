import Base
import Foundation
import Keepsake

// A program of its own for .ci/check-properties, which builds it in several ways. "none" as an argument says that it has no
// reflection metadata.

final class Leaf: BaseModel {
  private var name = "leaf"
  var numbers: [Int] = []
  weak var friend: Leaf?
  var next: Leaf?

  override class var archivedKeys: [String: String?] { ["secret": "other"] }

  @inline(never) func seen() -> String { "\(name) \(seenSecret) \(baseName) \(numbers)" }
}

struct Fields: ArchivedFields {
  private var text = "text"
  var count = 0

  @inline(never) func seen() -> String { "\(text) \(count)" }
}

/// What an archive says of properties to which the program never assigns.
struct Written: Encodable {
  var name = "N"
  var other = "O"
  var baseName = "B"
  var numbers = [1, 2]
  var text = "T"
  var count = 7
}

struct Plain: Codable {
  var name = "plain"
}

func check(_ isTrue: Bool, _ what: String) {
  guard !isTrue else { return }
  print("check-properties: \(what)")
  exit(1)
}

let data = try ArchiveEncoder().encode(Written())
// Everything else works, whatever there is of metadata.
check(
  try ArchiveDecoder().decode(Plain.self, from: ArchiveEncoder().encode(Plain())).name == "plain",
  "plain types"
)
if CommandLine.arguments.contains("none") {
  for attempt in [
    { _ = try ArchiveEncoder().encode(Fields()) }, { _ = try ArchiveEncoder().encode(Leaf()) },
    { _ = try ArchiveDecoder().decode(Fields.self, from: data) }, { _ = try JSONEncoder().encode(Leaf()) },
  ] as [() throws -> Void] {
    do {
      try attempt()
      check(false, "nothing was thrown")
    } catch { check("\(error)".contains("-disable-reflection-metadata"), "\(error)") }
  }
} else {
  let fields = try ArchiveDecoder().decode(Fields.self, from: data)
  check(fields.seen() == "T 7", fields.seen())
  let leaf = try ArchiveDecoder().decode(Leaf.self, from: data)
  check(leaf.seen() == "N O B [1, 2]", leaf.seen())
  leaf.next = leaf
  leaf.friend = leaf
  let copy = try KeyedArchiver.copy(of: leaf)
  check(copy.next === copy && copy.friend === copy && copy.seen() == leaf.seen(), copy.seen())
}
