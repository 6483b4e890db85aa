import Foundation
import HostileArchives

/// What it costs to refuse a crafted archive:
///
///     crafted-cost INDEX PATH RUNS
///
/// INDEX is that in `CraftedArchive.all`, and PATH the file that it is in: who has made it has used memory for that.
/// Prints the nanoseconds of computing of the best run, the bytes of memory of the first, and 1 if it was refused.
///
/// Returns false if the command is another one.
func runCostCommand(_ arguments: [String]) throws -> Bool {
  guard arguments.first == "crafted-cost" else { return false }
  guard arguments.count == 4, let index = Int(arguments[1]), CraftedArchive.all.indices.contains(index),
    let runs = Int(arguments[3])
  else {
    throw FileCommandError.wrongArguments(arguments)
  }
  let archive = CraftedArchive.all[index]
  let data = try Data(contentsOf: URL(filePath: arguments[2]))
  let cost = try ReadingCost(runs: runs) { try archive.read(data) }
  print(cost.figures.map { "\($0)" }.joined(separator: " "))
  return true
}
