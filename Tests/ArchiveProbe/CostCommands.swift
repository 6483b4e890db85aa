import Foundation
import HostileArchives
import Keepsake

/// The cost of refusing a crafted archive:
///
///     crafted-cost INDEX PATH RUNS
///
/// INDEX is the index in `CraftedArchive.all`, and PATH the file with the archive, since making it here would use
/// memory. Prints the time of the fastest run, relative to that of an ordinary archive; the bytes of memory of the
/// first run; and 1 if the archive was refused.
///
///     closed-cycle RUNS
///
/// Reads RUNS times a cycle that the archive does not name, so the reader finds the property that waits. Prints the
/// bytes of memory that this takes after a hundred times.
///
/// Returns false if the command is another one.
func runCostCommand(_ arguments: [String]) throws -> Bool {
  if arguments.first == "closed-cycle", arguments.count == 2, let runs = Int(arguments[1]) {
    try Knot.read(times: 100)
    print(try ReadingCost(runs: 1) { try Knot.read(times: runs) }.memory)
    return true
  }
  guard arguments.first == "crafted-cost" else { return false }
  guard arguments.count == 4, let index = Int(arguments[1]), CraftedArchive.all.indices.contains(index),
    let runs = Int(arguments[3])
  else {
    throw FileCommandError.wrongArguments(arguments)
  }
  let archive = CraftedArchive.all[index]
  let data = try Data(contentsOf: URL(filePath: arguments[2]))
  let cost = try ReadingCost(runs: runs) { try archive.read(data) }
  let ordinary = try ArchiveEncoder().encode((0..<1_000).map { ["number \($0)": "text \($0)"] })
  let yardstick = try ReadingCost(runs: runs) {
    _ = try ArchiveDecoder().decode([[String: String]].self, from: ordinary)
  }
  var figures = cost.figures
  figures[0] /= yardstick.nanoseconds
  print(figures.map { "\($0)" }.joined(separator: " "))
  return true
}

private final class Knot: Decodable {
  var next: Knot?
  var knots: [Knot] = []

  /// `next` leads forward, `knots` leads back.
  static func read(times: Int) throws {
    let data = HandmadeArchive.data(
      bodies: [[1, 0x60, 0x40, 2, 0x50], [1, 0x60, 0x01, 0x51, 0x40, 1]],
      topLevel: CraftedArchive.root([0x40, 1]),
      keys: [Array("next".utf8), Array("knots".utf8)],
      shapes: [[2, 0, 1]]
    )
    for _ in 0..<times {
      let knot = try KeyedUnarchiver.unarchive(Knot.self, from: data)
      guard let next = knot.next, next.knots.first === knot else { fail("the cycle is another") }
      next.knots = []
    }
  }
}
