package import Foundation

/// NSKeyedArchiver archives that are made to do harm, of any size: for ``CraftedArchive`` and ``HostileFamily``.
package struct HostileFoundationArchives {
  private var list = BinaryPropertyList()
  private var objects: [Int] = []
  private var texts: [String: Int] = [:]
  private var references: [Int: Int] = [:]

  private init() {}

  // MARK: Parts

  private mutating func text(_ text: String) -> Int {
    if let known = texts[text] { return known }
    let node = list.string(text)
    texts[text] = node
    return node
  }

  private mutating func reference(_ number: Int) -> Int {
    if let known = references[number] { return known }
    let node = list.reference(number)
    references[number] = node
    return node
  }

  /// Adds an object, and returns its number.
  @discardableResult
  private mutating func add(_ node: Int) -> Int {
    objects.append(node)
    return objects.count
  }

  private mutating func add(class name: String) -> Int { add(list.type(name)) }

  private mutating func instance(of type: Int, _ members: [(String, Int)]) -> Int {
    instance(of: type, nodes: members.map { (text($0.0), $0.1) })
  }

  private mutating func instance(of type: Int, nodes: [(key: Int, value: Int)]) -> Int {
    list.dictionary(nodes + [(text("$class"), reference(type))])
  }

  private mutating func archive(top: Int) -> Data { list.archive(objects: objects, top: top) }

  /// The archive of `count` objects in one list; `make` returns their nodes.
  private static func many(
    _ count: Int,
    class name: String,
    _ make: (inout HostileFoundationArchives, _ type: Int, _ index: Int) -> Int
  ) -> Data {
    var archive = HostileFoundationArchives()
    let type = archive.add(class: name)
    let numbers = (0..<count).map { archive.add(make(&archive, type, $0)) }
    return archive.archive(top: archive.list.array(numbers.map { archive.reference($0) }))
  }

  // MARK: Values

  /// A list of as many objects as it has elements: the smallest nodes that can be referred to.
  static func wideList(_ byteCount: Int) -> Data {
    many(byteCount / 12, class: "Thing") { archive, _, index in archive.list.bool(index.isMultiple(of: 2)) }
  }

  /// A list that is an object and refers to one number many times.
  static func oneNumber(_ byteCount: Int) -> Data {
    var archive = HostileFoundationArchives()
    let number = archive.add(archive.list.integer(7))
    let node = archive.reference(number)
    return archive.archive(top: archive.list.array(Array(repeating: node, count: byteCount)))
  }

  /// The same with a rectangle, which is written for each reference.
  package static func oneRectangle(_ count: Int) -> Data {
    one(count, class: "NSValue") { archive in
      [("NS.special", archive.list.integer(3)), ("NS.rectval", archive.text("{{1, 2}, {3, 4}}"))]
    }
  }

  package static func oneData(_ count: Int, byteCount: Int) -> Data {
    one(count, class: "NSData") { archive in
      [("NS.data", archive.list.data([UInt8](repeating: 7, count: byteCount)))]
    }
  }

  private static func one(
    _ count: Int,
    class name: String,
    _ members: (inout HostileFoundationArchives) -> [(String, Int)]
  ) -> Data {
    var archive = HostileFoundationArchives()
    let type = archive.add(class: name)
    let object = archive.instance(of: type, members(&archive))
    let node = archive.reference(archive.add(object))
    return archive.archive(top: archive.list.array(Array(repeating: node, count: count)))
  }

  /// Lists without references that each hold the next one several times.
  package static func laugh(levels: Int, width: Int) -> Data {
    var archive = HostileFoundationArchives()
    var inner = archive.list.array([])
    for _ in 1..<levels { inner = archive.list.array(Array(repeating: inner, count: width)) }
    return archive.archive(top: inner)
  }

  /// The same with dictionaries.
  static func laughingTables(levels: Int, width: Int) -> Data {
    var archive = HostileFoundationArchives()
    var inner = archive.list.dictionary([])
    for _ in 1..<levels {
      inner = archive.list.dictionary((0..<width).map { (archive.text("\($0)"), inner) })
    }
    return archive.archive(top: inner)
  }

  /// Nested lists without references.
  static func nestedLists(depth: Int) -> Data {
    var archive = HostileFoundationArchives()
    var inner = archive.list.array([])
    for _ in 1..<depth { inner = archive.list.array([inner]) }
    return archive.archive(top: inner)
  }

  /// A list that holds itself twice.
  package static func listInItself() -> Data {
    var archive = HostileFoundationArchives()
    let node = archive.list.nextNode
    return archive.archive(top: archive.list.array([node, node]))
  }

  /// Arrays that are objects, and each hold the next one `width` times.
  static func levels(_ count: Int, width: Int) -> Data {
    var archive = HostileFoundationArchives()
    let type = archive.add(class: "NSArray")
    for level in 0..<count {
      let isLast = level + 1 == count
      let next = isLast ? [] : Array(repeating: archive.reference(archive.objects.count + 2), count: width)
      archive.add(archive.instance(of: type, [("NS.objects", archive.list.array(next))]))
    }
    return archive.archive(top: archive.reference(type + 1))
  }

  /// Arrays that hold each other.
  static func ring() -> Data {
    var archive = HostileFoundationArchives()
    let type = archive.add(class: "NSArray")
    for next in [3, 2] {
      let elements = archive.list.array([archive.reference(next)])
      archive.add(archive.instance(of: type, [("NS.objects", elements)]))
    }
    return archive.archive(top: archive.reference(2))
  }

  // MARK: Shared values

  /// Texts that share one data.
  static func sharedText(objects count: Int, byteCount: Int) -> Data {
    var data: Int?
    return many(count, class: "NSString") { archive, type, _ in
      let bytes = data ?? archive.list.data([UInt8](repeating: 0x61, count: byteCount))
      data = bytes
      return archive.instance(of: type, [("NS.bytes", bytes)])
    }
  }

  /// Objects that share one long key, which begins with the "$" that NSKeyedArchiver adds.
  static func sharedKey(objects count: Int, byteCount: Int) -> Data {
    var key: Int?
    return many(count, class: "Thing") { archive, type, _ in
      // Made once: to look it up takes as long as the text is.
      let node = key ?? archive.text("$$" + String(repeating: "k", count: byteCount))
      key = node
      return archive.instance(of: type, nodes: [(node, archive.reference(0))])
    }
  }

  /// Sets of indexes that share one data.
  static func sharedIndexes(objects count: Int, byteCount: Int) -> Data {
    var data: Int?
    return many(count, class: "NSIndexSet") { archive, type, _ in
      let bytes = data ?? archive.list.data([UInt8](repeating: 1, count: byteCount))
      data = bytes
      let ranges = archive.list.integer(byteCount / 2)
      return archive.instance(of: type, [("NSRangeCount", ranges), ("NSRangeData", bytes)])
    }
  }

  /// One dictionary of many members for any number of objects.
  static func oneNodeAsObjects(_ count: Int, members memberCount: Int) -> Data {
    var node: Int?
    return many(count, class: "Thing") { archive, type, _ in
      let members = (0..<memberCount).map { ("\($0)", archive.reference(0)) }
      let known = node ?? archive.instance(of: type, members)
      node = known
      return known
    }
  }

  /// Classes that all have the same superclasses with long names.
  static func classes(_ count: Int, superclasses: Int, nameByteCount: Int) -> Data {
    var archive = HostileFoundationArchives()
    let names = archive.list.array(
      (0..<superclasses).map { number in
        archive.text(
          "_TtC1a\(nameByteCount)" + String(repeating: "n", count: nameByteCount - 5) + "\(10_000 + number)"
        )
      }
    )
    let numbers = (0..<count).map { index in
      let type = archive.add(
        archive.list.dictionary([
          (archive.text("$classname"), archive.text("Thing\(index)")), (archive.text("$classes"), names),
        ])
      )
      return archive.add(archive.instance(of: type, []))
    }
    return archive.archive(top: archive.list.array(numbers.map { archive.reference($0) }))
  }

  // MARK: Objects

  /// Dictionaries of one member.
  static func smallTables(_ byteCount: Int) -> Data {
    many(byteCount / 34, class: "NSDictionary") { archive, type, _ in
      let keys = archive.list.array([archive.text("k")])
      return archive.instance(of: type, [("NS.keys", keys), ("NS.objects", keys)])
    }
  }

  /// Objects with different keys.
  static func manyShapes(_ byteCount: Int) -> Data {
    many(byteCount / 70, class: "Thing") { archive, type, index in
      let members = (0..<12).filter { index >> $0 & 1 == 1 }.map { ("key \($0)", archive.reference(0)) }
      let more = (0..<6).map { ("other \((index / 4_096 * 7 + $0 * 13) % 97)", archive.reference(0)) }
      return archive.instance(of: type, members + more)
    }
  }

  /// Objects with many values in Swift: a measurement has a unit, which has a converter.
  static func measurements(_ byteCount: Int) -> Data {
    var node: Int?
    return many(byteCount / 9, class: "NSMeasurement") { archive, type, _ in
      if let node { return node }
      let converter = archive.list.dictionary([(archive.text("NS.coefficient"), archive.list.integer(2))])
      let unit = archive.list.dictionary([
        (archive.text("NS.symbol"), archive.text("km")), (archive.text("NS.converter"), converter),
      ])
      let known = archive.instance(of: type, [("NS.value", archive.list.integer(3)), ("NS.unit", unit)])
      node = known
      return known
    }
  }

  // MARK: XML

  private static func xml(_ content: String) -> Data {
    Data(
      ("<plist><dict><key>$archiver</key><string>NSKeyedArchiver</string><key>$version</key><integer>100000</integer>"
        + "<key>$objects</key><array><string>$null</string></array>"
        + "<key>$top</key><dict><key>root</key>\(content)</dict></dict></plist>").utf8
    )
  }

  /// A list of the shortest elements.
  static func tinyElements(_ byteCount: Int) -> Data {
    xml("<array>" + String(repeating: "<array/>", count: byteCount / 8) + "</array>")
  }

  static func base64(_ byteCount: Int) -> Data {
    xml("<data>" + String(repeating: "AQID", count: byteCount / 4) + "</data>")
  }

  /// Nested lists.
  package static func nestedXML(depth: Int) -> Data {
    xml(String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth))
  }

  /// Nested dictionaries.
  package static func nestedXMLTables(depth: Int) -> Data {
    xml(
      String(repeating: "<dict><key>k</key>", count: depth) + "<true/>"
        + String(repeating: "</dict>", count: depth)
    )
  }

  /// XML as given, which may be malformed.
  static func document(_ text: String) -> Data { Data(text.utf8) }

  // MARK: Faulty binary files

  /// A binary property list of one object and a trailer.
  static func binary(_ object: [UInt8], count: Int = 1) -> Data {
    var bytes = [UInt8]("bplist00".utf8) + object
    let table = bytes.count
    bytes += [8, 0, 0, 0, 0, 0, 0, 1, 1]
    for number in [count, 0, table] {
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * (7 - $0))) }
    }
    return Data(bytes)
  }

  /// Objects with the same offset, which is that of a text.
  static func overlapping(_ byteCount: Int) -> Data {
    let (text, count) = (min(byteCount / 2, 60_000), byteCount / 6)
    var bytes = [UInt8]("bplist00".utf8) + [0x5F, 0x12] + [0, 0, UInt8(text >> 8), UInt8(text & 0xFF)]
    bytes += [UInt8](repeating: 0x61, count: text)
    let table = bytes.count
    for _ in 0..<count { bytes += [0, 0, 8] }
    bytes += [0, 0, 0, 0, 0, 0, 3, 3]
    for number in [count, 0, table] {
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * (7 - $0))) }
    }
    return Data(bytes)
  }
}
