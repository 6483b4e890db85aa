import Base
import Foundation
import Keepsake
import Observation

// A program that .ci/check-properties builds in several ways. The argument "none" states that it has no
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

/// A generic class in a generic namespace; a subclass of it that is not generic; and one with a base class in another
/// module.
enum Space<Tag> {
  class Box<Content: Codable & Equatable>: ArchivedModel {
    private var name = "box"
    private var content: Content?
    var contents: [Content] = []
    var next: Box<Content>?
    weak var previous: Box<Content>?

    @inline(never) func seen() -> String {
      "\(name) \(content.map { "\($0)" } ?? "nothing") \(contents)"
    }
  }
}

final class TextBox: Space<Bool>.Box<String> {
  private var count = 0

  override func seen() -> String { "\(super.seen()) \(count)" }
}

struct Pair<First: Codable & Equatable, Second: Codable & Equatable>: ArchivedFields {
  private var first: First?
  private var second: Second?
  var count = 0

  @inline(never) func seen() -> String {
    "\(first.map { "\($0)" } ?? "nothing") \(second.map { "\($0)" } ?? "nothing") \(count)"
  }
}

/// Properties with wrappers: one of the program, and those of the library.
@propertyWrapper struct Clamped: Codable {
  private var number = 1
  var wrappedValue: Int {
    get { number }
    set { number = min(newValue, 10) }
  }

  init() {}
  init(from decoder: any Decoder) throws { number = try decoder.singleValueContainer().decode(Int.self) }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }
}

final class Wrapped: ArchivedModel {
  @Clamped private var count
  @Deferred var next: Wrapped?
  @WeakReference var friend: Wrapped?
  private var name = "wrapped"

  @inline(never) func seen() -> String { "\(name) \(count)" }
}

@Observable final class Observed: ArchivedFields {
  private var name = "observed"
  private var count = 0
  var next: Observed?

  init() {}

  @inline(never) func seen() -> String { "\(name) \(count)" }
}

/// A plain class whose property is read last, by its record.
@Observable final class Plainly: Codable {
  var name = "plain"
  var friends: [Plainly] = []

  private enum CodingKeys: String, CodingKey {
    case _name = "name"
    case _friends = "friends"
  }

  init() {}
}

final class Linked<Content: Codable>: Codable {
  var content: Content
  private var others: [Linked] = []
  weak var parent: Linked?

  init(_ content: Content) { self.content = content }
  func add(_ other: Linked) { others.append(other) }
  @inline(never) func leadsBack() -> Bool {
    others.first?.others.first === self && others.first?.parent === self
  }
}

/// The values in an archive of properties to which the program never assigns.
struct Written: Encodable {
  var name = "N"
  var other = "O"
  var baseName = "B"
  var numbers = [1, 2]
  var text = "T"
  var count = 7
  var content = "C"
  var contents = ["c"]
  var first = 1
  var second = ["s"]
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
// Everything else works, with or without metadata.
check(
  try ArchiveDecoder().decode(Plain.self, from: ArchiveEncoder().encode(Plain())).name == "plain",
  "plain types"
)
if CommandLine.arguments.contains("none") {
  for attempt in [
    { _ = try ArchiveEncoder().encode(Fields()) }, { _ = try ArchiveEncoder().encode(Leaf()) },
    { _ = try ArchiveDecoder().decode(Fields.self, from: data) },
    { _ = try ArchiveEncoder().encode(Wrapped()) },
    { _ = try ArchiveEncoder().encode(Space<Int>.Box<String>()) },
    { _ = try ArchiveEncoder().encode(Observed()) },
    { _ = try ArchiveDecoder().decode(Pair<Int, [String]>.self, from: data) },
    { _ = try JSONEncoder().encode(Leaf()) },
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

  let box = try ArchiveDecoder().decode(Space<Int>.Box<String>.self, from: data)
  check(box.seen() == "N C [\"c\"]", box.seen())
  let textBox = try ArchiveDecoder().decode(TextBox.self, from: data)
  check(textBox.seen() == "N C [\"c\"] 7", textBox.seen())
  (textBox.next, textBox.previous) = (textBox, textBox)
  let boxCopy = try KeyedArchiver.copy(of: textBox)
  check(
    boxCopy.next === boxCopy && boxCopy.previous === boxCopy && boxCopy.seen() == textBox.seen(),
    boxCopy.seen()
  )
  let pair = try ArchiveDecoder().decode(Pair<Int, [String]>.self, from: data)
  check(pair.seen() == "1 [\"s\"] 7", pair.seen())
  check(try KeyedArchiver.copy(of: [pair, pair])[1].seen() == pair.seen(), "pairs")

  let wrapped = try ArchiveDecoder().decode(Wrapped.self, from: data)
  check(wrapped.seen() == "N 7", wrapped.seen())
  (wrapped.next, wrapped.friend) = (wrapped, wrapped)
  let wrappedCopy = try KeyedArchiver.copy(of: wrapped)
  check(wrappedCopy.next === wrappedCopy && wrappedCopy.friend === wrappedCopy, "wrappers")
  check(wrappedCopy.seen() == "N 7", wrappedCopy.seen())

  let observed = try ArchiveDecoder().decode(Observed.self, from: data)
  check(observed.seen() == "N 7", observed.seen())
  observed.next = observed
  let observedCopy = try KeyedArchiver.copy(of: observed)
  check(observedCopy.next === observedCopy && observedCopy.seen() == "N 7", observedCopy.seen())

  // The records of their properties close cycles of plain classes.
  let plain = Plainly()
  plain.friends = [plain]
  let plainCopy = try KeyedArchiver.copy(of: plain)
  check(plainCopy.friends.first === plainCopy, "an observable class")
  let (parent, child) = (Linked(1), Linked(2))
  parent.add(child)
  child.add(parent)
  child.parent = parent
  check(try KeyedArchiver.copy(of: parent).leadsBack(), "a generic class")
}
