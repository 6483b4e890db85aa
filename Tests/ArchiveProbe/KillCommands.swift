import Foundation
import RandomArchives

/// Kills savers at random moments and reads what they saved. Returns false for other commands.
///
///     kill-saves FOLDER COUNT [SEED]    COUNT kills; FOLDER is empty or does not exist
///
/// The seed determines the archives and the delays, but not their effect on this machine.
func runKillCommand(_ arguments: [String]) throws -> Bool {
  guard arguments.first == "kill-saves" else { return false }
  guard (3...4).contains(arguments.count), let count = Int(arguments[2]),
    let seed = arguments.count > 3 ? UInt64(arguments[3]) : UInt64.random(in: .min ... .max)
  else { throw FileCommandError.wrongArguments(arguments) }
  print("kill-saves: seed \(seed)")
  var run = KillRun(folder: arguments[1], seed: seed)
  try FileManager.default.createDirectory(atPath: arguments[1], withIntermediateDirectories: true)
  do {
    while run.kills < count { try run.round() }
    try run.finish()
  } catch {
    fail("after \(run.kills) kills, seed \(seed): \(error)")
  }
  print(run.summary)
  return true
}

private struct KillRun {
  private var saves: SaveRound
  private var generator: SplitMix
  private(set) var kills = 0
  private var rounds = 0
  private var killsBeforeTheName = 0
  private var killsAfterTheName = 0
  private var roundsOfSeveral = 0

  init(folder: String, seed: UInt64) {
    saves = SaveRound(path: folder + "/archive", seed: seed)
    generator = SplitMix(seed: seed)
  }

  mutating func round() throws {
    rounds += 1
    if generator.chance(0.1) { try saves.removeFile() }
    // Most run alone, some at once with the same path.
    let count = generator.chance(0.1) ? Int.random(in: 2...4, using: &generator) : 1
    let savers = try (0..<count).map { try saves.startSaver($0) }
    for saver in savers { try saver.waitForSave() }
    let pause = Double.random(in: 0..<0.012, using: &generator)
    Thread.sleep(forTimeInterval: pause)
    for saver in savers { saver.stop() }
    for saver in savers { saver.finish() }
    kills += count
    if count > 1 { roundsOfSeveral += 1 }
    try saves.check(savers)
    let left = try saves.leftovers()
    guard left.count <= count else {
      throw GenerationFault("\(left.count) temporary files are left of \(count) savers")
    }
    killsBeforeTheName += left.count
    if let saver = savers.first(where: { $0.saver == saves.known?.saver }),
      saver.acknowledged?.save.number != saves.known?.number
    {
      killsAfterTheName += 1
    }
    // Otherwise, the next saver removes them.
    if generator.chance(0.2) { try saves.saveHere() }
  }

  mutating func finish() throws {
    try saves.saveHere()
    guard killsBeforeTheName > 0 else { throw GenerationFault("no kill hit a save: nothing is proved") }
  }

  var summary: String {
    """
    kill-saves: \(kills) kills in \(rounds) rounds, \(roundsOfSeveral) of them with several savers; \
    \(killsBeforeTheName) while a new file was being written, \(killsAfterTheName) after it had its name and before \
    the save returned; every file was whole, and none older than what was acknowledged
    """
  }
}
