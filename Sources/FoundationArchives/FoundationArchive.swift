/// The content of an NSKeyedArchiver archive: numbered objects, and the values of the top level, which refer to them.
package struct FoundationArchive {
  package let list: PropertyList
  /// The nodes of the objects, by number; object 0 stands for nil.
  package let objects: [Int]
  package let topLevel: [PropertyList.Member]

  /// The version that all releases of NSKeyedArchiver write.
  private static let version = 100_000

  package init(_ list: PropertyList) throws(ReadingError) {
    self.list = list
    guard let archiver = list.value(of: "$archiver", in: list.root), list.string(archiver) != nil else {
      throw .fault(
        .notAnArchive,
        "This is a property list, but not an archive of NSKeyedArchiver",
        byteOffset: nil
      )
    }
    guard let version = list.value(of: "$version", in: list.root), case .integer(let number) = list[version],
      Int(exactly: number) == FoundationArchive.version
    else {
      throw .fault(
        .unsupportedVersion,
        "The archive has an unknown version of NSKeyedArchiver's format",
        byteOffset: list.offsets[list.root]
      )
    }
    guard let objects = list.value(of: "$objects", in: list.root).flatMap({ list.array($0) }),
      let topLevel = list.value(of: "$top", in: list.root).flatMap({ list.dictionary($0) })
    else {
      throw list.damaged("The property list lacks the $objects and $top of NSKeyedArchiver", at: list.root)
    }
    self.objects = objects
    self.topLevel = topLevel
  }

  /// The meaning of a node in the place of a value.
  package enum Meaning {
    case null
    /// The object with this number.
    case object(Int)
    /// The node itself: a number, a text, bytes.
    case plain
  }

  package func meaning(of node: Int) throws(ReadingError) -> Meaning {
    guard case .reference(let number) = list[node] else { return .plain }
    guard number < objects.count else {
      throw list.damaged("A reference to an object is out of range", at: node)
    }
    return number == 0 ? .null : .object(number)
  }

  /// The node that `node` leads to: that of the object, if it is a reference; `nil` for nil.
  func resolved(_ node: Int) throws(ReadingError) -> Int? {
    switch try meaning(of: node) {
    case .null: nil
    case .object(let number): objects[number]
    case .plain: node
    }
  }

  /// The number, text or bytes of a node.
  package func plainValue(_ node: Int) throws(ReadingError) -> FoundationValue {
    switch list[node] {
    case .bool(let value): return .bool(value)
    case .integer(let value): return .integer(value)
    case .real(let value): return .real(value)
    case .date(let seconds): return .date(seconds)
    case .data(let bytes): return .bytes(bytes)
    case .string(let text): return .string(text)
    case .reference: throw list.damaged("An object consists of a reference only", at: node)
    case .array, .dictionary:
      throw list.damaged("A collection is where NSKeyedArchiver writes none", at: node)
    }
  }

  /// The number of objects that no references from the top level reach.
  package var unreachedCount: Int {
    var isReached = Array(repeating: false, count: objects.count)
    var seen = Array(repeating: false, count: list.nodes.count)
    var rest = topLevel.map(\.value)
    while let node = rest.popLast() {
      guard !seen[node] else { continue }
      seen[node] = true
      switch list[node] {
      case .reference(let number) where number < objects.count:
        isReached[number] = true
        rest.append(objects[number])
      case .array(let elements): rest += elements
      case .dictionary(let members): rest += members.map(\.value)
      default: break
      }
    }
    return isReached.dropFirst().count { !$0 }
  }
}

/// A class of an NSKeyedArchiver archive.
package final class ArchivedClass: Sendable {
  /// The name in the form that this library uses: `Module.Name` for a class of Swift.
  package let name: String
  package let originalName: String
  /// The names of the superclasses, the nearest first; without NSObject.
  package let superclasses: [String]
  /// The note on objects of one of Apple's classes, which stay objects; `nil` for a class of a program.
  let change: String?

  init(_ originalName: String, _ superclasses: [String]) {
    self.originalName = originalName
    name = ArchivedClass.plainName(originalName)
    self.superclasses = superclasses.map(ArchivedClass.plainName).filter { $0 != "NSObject" }
    // With the prefix of one of Apple's frameworks.
    let isOfFramework =
      ["NS", "UI", "CA", "CI", "CL", "CN", "MK", "SK", "_NS"].contains(where: name.hasPrefix)
      && !name.contains(".")
    change = isOfFramework ? "\(name) stayed an object, with the keys that its coder wrote" : nil
  }

  /// The name of a Swift class without its mangling: `Module.Outer.Inner` for `_TtCC6Module5Outer5Inner`. Other names,
  /// including those of generic and private classes, stay as they are.
  static func plainName(_ name: String) -> String {
    guard name.hasPrefix("_Tt") else { return name }
    var rest = name.utf8.dropFirst(3)
    let kinds = rest.prefix { [UInt8(ascii: "C"), UInt8(ascii: "V"), UInt8(ascii: "O")].contains($0) }
    rest = rest.dropFirst(kinds.count)
    var parts: [Substring] = []
    while !rest.isEmpty {
      let digits = rest.prefix { 48...57 ~= $0 }
      // A `String`, as wherever numbers are parsed: each other type of text takes 1.5 KB of code.
      guard let count = Int(String(Substring(digits))), count > 0, count <= rest.count - digits.count else {
        return name
      }
      rest = rest.dropFirst(digits.count)
      parts.append(Substring(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    guard !kinds.isEmpty, parts.count == kinds.count + 1 else { return name }
    return parts.joined(separator: ".")
  }
}
