import Foundation
internal import Keepsake

/// Archives in the format of NSKeyedArchiver that it does not write.
extension CraftedArchive {
  static let old: [CraftedArchive] = [
    // Small files with large contents.
    CraftedArchive(
      "old: twelve levels of ten arrays",
      .limitExceeded,
      as: CraftedTree.self,
      HostileFoundationArchives.laugh(levels: 12, width: 10)
    ),
    CraftedArchive(
      "old: twelve levels of ten dictionaries",
      .limitExceeded,
      as: CraftedTree.self,
      HostileFoundationArchives.laughingTables(levels: 12, width: 10)
    ),
    CraftedArchive(
      "old: forty levels of two arrays that are objects",
      .limitExceeded,
      as: CraftedTree.self,
      HostileFoundationArchives.levels(40, width: 2)
    ),
    CraftedArchive(
      "old: an array in itself, without a reference",
      .limitExceeded,
      as: CraftedTree.self,
      HostileFoundationArchives.listInItself()
    ),
    CraftedArchive(
      "old: two arrays that contain each other",
      .limitExceeded,
      as: CraftedTree.self,
      HostileFoundationArchives.ring()
    ),
    CraftedArchive(
      "old: one text that hundreds of objects copy",
      .limitExceeded,
      as: [String].self,
      HostileFoundationArchives.sharedText(objects: 400, byteCount: 2_500)
    ),
    CraftedArchive(
      "old: one key that a thousand objects hash",
      .limitExceeded,
      as: CraftedTree.self,
      HostileFoundationArchives.sharedKey(objects: 1_000, byteCount: 40_000)
    ),
    CraftedArchive(
      "old: one list of numbers that a thousand sets of indexes unpack",
      .limitExceeded,
      as: [IndexSet].self,
      HostileFoundationArchives.sharedIndexes(objects: 1_000, byteCount: 1_000)
    ),
    CraftedArchive(
      "old: one dictionary for a thousand objects",
      .limitExceeded,
      as: CraftedTree.self,
      HostileFoundationArchives.oneNodeAsObjects(1_000, members: 250)
    ),
    CraftedArchive(
      "old: a hundred classes of a hundred superclasses with long names",
      .limitExceeded,
      as: CraftedTree.self,
      HostileFoundationArchives.classes(100, superclasses: 100, nameByteCount: 1_000)
    ),
    // Files that contradict themselves.
    CraftedArchive(
      "old: objects that are all the same text",
      .damaged,
      as: String.self,
      HostileFoundationArchives.overlapping(100_000)
    ),
    CraftedArchive(
      "old: an array with more elements than fit in memory",
      .damaged,
      as: CraftedTree.self,
      HostileFoundationArchives.binary([0xAF, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
    ),
    CraftedArchive(
      "old: more objects than fit in memory",
      .damaged,
      as: CraftedTree.self,
      HostileFoundationArchives.binary([0x09], count: .max)
    ),
    CraftedArchive(
      "old: a negative number of objects",
      .damaged,
      as: CraftedTree.self,
      HostileFoundationArchives.binary([0x09], count: -1)
    ),
    CraftedArchive(
      "old: an object of an unknown kind",
      .damaged,
      as: CraftedTree.self,
      HostileFoundationArchives.binary([0xF0])
    ),
    CraftedArchive(
      "old: a property list that is no archive",
      .notAnArchive,
      as: Bool.self,
      HostileFoundationArchives.binary([0x09])
    ),
    CraftedArchive(
      "old: XML that declares entities",
      .damaged,
      as: String.self,
      HostileFoundationArchives.document(
        "<!DOCTYPE plist [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;\">]><plist><string>&b;</string></plist>"
      )
    ),
    CraftedArchive(
      "old: XML that ends within a text",
      .damaged,
      as: String.self,
      HostileFoundationArchives.document("<plist><string>" + String(repeating: "a", count: 100_000))
    ),
    CraftedArchive(
      "old: XML of nothing but opening tags of arrays",
      .damaged,
      as: CraftedTree.self,
      HostileFoundationArchives.document("<plist>" + String(repeating: "<array>", count: 10_000))
    ),
  ]
}
