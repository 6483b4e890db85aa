/// Families of archives in the format of NSKeyedArchiver.
extension HostileFamily {
  static let old: [HostileFamily] = [
    HostileFamily("old: a list of very many values", as: [Bool].self) {
      HostileFoundationArchives.wideList($0)
    },
    HostileFamily("old: one number with many references", as: [Int].self) {
      HostileFoundationArchives.oneNumber($0)
    },
    HostileFamily("old: one rectangle with many references", as: [OldThing].self) {
      HostileFoundationArchives.oneRectangle($0)
    },
    HostileFamily("old: nested arrays without references", as: CraftedTree.self) {
      HostileFoundationArchives.nestedLists(depth: $0 / 7)
    },
    HostileFamily("old: levels of ten arrays without references", as: CraftedTree.self) {
      HostileFoundationArchives.laugh(levels: $0 / 35, width: 10)
    },
    HostileFamily("old: levels of two arrays that are objects", as: CraftedTree.self) {
      HostileFoundationArchives.levels($0 / 30, width: 2)
    },
    HostileFamily("old: one text that many objects copy", as: [String].self) {
      HostileFoundationArchives.sharedText(objects: $0 / 40, byteCount: $0 / 2)
    },
    HostileFamily("old: one key that many objects hash", as: [OldThing].self) {
      HostileFoundationArchives.sharedKey(objects: $0 / 40, byteCount: $0 / 2)
    },
    HostileFamily("old: one list of numbers that many sets of indexes unpack", as: [OldThing].self) {
      HostileFoundationArchives.sharedIndexes(objects: $0 / 40, byteCount: $0 / 2)
    },
    HostileFamily("old: one set of very many ranges", as: [OldThing].self) {
      HostileFoundationArchives.sharedIndexes(objects: 1, byteCount: $0)
    },
    HostileFamily("old: one dictionary for many objects", as: [OldThing].self) {
      HostileFoundationArchives.oneNodeAsObjects($0 / 9, members: 2)
    },
    HostileFamily("old: one measurement for many objects", as: [OldThing].self) {
      HostileFoundationArchives.measurements($0)
    },
    HostileFamily("old: dictionaries of one member", as: [[String: String]].self) {
      HostileFoundationArchives.smallTables($0)
    },
    HostileFamily("old: objects with different keys", as: [OldThing].self) {
      HostileFoundationArchives.manyShapes($0)
    },
    HostileFamily("old: classes", as: [OldThing].self) {
      HostileFoundationArchives.classes($0 / 60, superclasses: 3, nameByteCount: 20)
    },
    HostileFamily("old: objects that are all the same text", as: [String].self) {
      HostileFoundationArchives.overlapping($0)
    },
    HostileFamily("old: XML of the shortest elements", as: CraftedTree.self) {
      HostileFoundationArchives.tinyElements($0)
    },
    HostileFamily("old: XML of nested arrays", as: CraftedTree.self) {
      HostileFoundationArchives.nestedXML(depth: $0 / 15)
    },
    HostileFamily("old: XML of data", as: [UInt8].self) { HostileFoundationArchives.base64($0) },
  ]
}

/// An object of which nothing is read.
private final class OldThing: Decodable {
  init(from decoder: any Decoder) throws {}
}
