internal import Foundation
internal import Keepsake

/// A valid archive to make mutants from, and its model.
package struct SeedArchive: Sendable {
  package let name: String
  package let bytes: [UInt8]
  /// The model as which its mutants are read first; `nil` for an archive from a file.
  package let model: HostileModel?
}

package enum SeedArchives {
  /// An archive of each model, one with several keys and values, some without checksums, and one with many objects.
  package static func make() throws -> [SeedArchive] {
    var seeds: [SeedArchive] = []
    for model in HostileModel.all {
      guard let archive = model.archive else { continue }
      let written = Array(try archive())
      let bytes = try longForm(written)
      seeds.append(SeedArchive(name: model.name, bytes: bytes, model: model))
      if written != bytes {
        seeds.append(SeedArchive(name: model.name + " short", bytes: written, model: model))
      }
      if seeds.count % 4 < 2 {
        seeds.append(
          SeedArchive(name: model.name + " unchecked", bytes: withoutChecksums(bytes), model: model)
        )
      }
    }
    seeds.append(
      SeedArchive(
        name: "several keys",
        bytes: try longForm(Array(severalKeys())),
        model: HostileModel.own.first
      )
    )
    seeds.append(SeedArchive(name: "many objects", bytes: Array(try manyObjects()), model: nil))
    return seeds
  }

  /// The archives of a folder, in the order of their names; also files of other types.
  package static func files(in folder: String) throws -> [SeedArchive] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted().compactMap { name in
      let url = URL(fileURLWithPath: folder).appendingPathComponent(name)
      guard !name.hasPrefix("."), !name.hasSuffix(".md") else { return nil }
      return SeedArchive(name: name, bytes: Array(try Data(contentsOf: url)), model: nil)
    }
  }

  /// The same archive in the long form, whose pieces are known.
  package static func longForm(_ bytes: [UInt8]) throws -> [UInt8] {
    let long = try ArchiveImage(data: Data(bytes), verification: .everything).longForm()
    return long.bytes(0..<long.count)
  }

  /// The same archive with the flag for no block checksums.
  private static func withoutChecksums(_ bytes: [UInt8]) -> [UInt8] {
    guard var pieces = ArchivePieces(bytes) else { return bytes }
    pieces.flags = 1
    return pieces.bytes
  }

  private static func severalKeys() throws -> Data {
    let archiver = KeyedArchiver()
    archiver.outputFormatting = .sortedKeys
    try archiver.encode(FuzzedRecord(), forKey: "root")
    try archiver.encode(5, forKey: "five")
    try archiver.encode(["a", "b"], forKey: "list")
    try archiver.encode(FuzzedRecord(), forKey: "list")
    let animals = FuzzedAnimal.sample()
    defer { for animal in animals { animal.sever() } }
    try archiver.encode(animals, forKey: "animals")
    try archiver.encode(nil as Int?, forKey: "nothing")
    return try archiver.encodedData
  }

  /// More than one group of the offset table, and references of two bytes.
  private static func manyObjects() throws -> Data {
    let animals = (0..<300).map { FuzzedAnimal("n\($0 % 7)") }
    defer { for animal in animals { animal.sever() } }
    for (index, animal) in animals.enumerated() { animal.enemy = animals[(index * 7 + 1) % animals.count] }
    return try KeyedArchiver.archivedData(withRootObject: animals)
  }
}
