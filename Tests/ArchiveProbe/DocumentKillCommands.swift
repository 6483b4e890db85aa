import Foundation
import Keepsake
import RandomArchives

/// A document that is changed step by step; what each step does depends on its number alone.
final class Ledger: Codable {
  private(set) var step = 0
  private(set) var entries: [Entry] = []

  final class Entry: Codable {
    var text: String
    @Lazy var history: [String] = []

    init(_ text: String) { self.text = text }
  }

  func take(step: Int, seed: UInt64) {
    self.step = step
    var generator = SplitMix(seed: SplitMix.seed(seed, part: step))
    if let entry = entries.randomElement(using: &generator) {
      entry.text = "changed in step \(step)"
      entry.history.append("step \(step)")
    }
    let size = generator.chance(0.1) ? 100_000 : Int.random(in: 0..<300, using: &generator)
    entries.append(Entry(String(repeating: "\(step) ", count: size / 4)))
    if entries.count > 60 { entries.removeFirst(20) }
  }

  /// What the ledger is after so many steps.
  static func after(_ steps: Int, seed: UInt64) -> Ledger {
    let ledger = Ledger()
    for step in stride(from: 1, through: steps, by: 1) { ledger.take(step: step, seed: seed) }
    return ledger
  }

  func isSame(as other: Ledger) -> Bool {
    step == other.step && entries.map(\.text) == other.entries.map(\.text)
      && entries.map(\.history) == other.entries.map(\.history)
  }
}

/// Edits a document until it is killed, or kills those who do. Returns false if the command is neither.
///
///     edit-document PATH 0 STEP SEED      takes the steps from STEP on, and saves each; what it says is that of
///                                         `save-generations`
///     kill-documents FOLDER COUNT [SEED]  COUNT kills, after each of which the document is looked at
func runDocumentKillCommand(_ arguments: [String]) throws -> Bool {
  switch arguments.first {
  case "edit-document":
    guard arguments.count == 5, let first = Int(arguments[3]), let seed = UInt64(arguments[4]) else {
      throw FileCommandError.wrongArguments(arguments)
    }
    try edit(arguments[1], from: first, seed: seed)
  case "kill-documents":
    guard (3...4).contains(arguments.count), let count = Int(arguments[2]),
      let seed = arguments.count > 3 ? UInt64(arguments[3]) : UInt64.random(in: .min ... .max)
    else { throw FileCommandError.wrongArguments(arguments) }
    print("kill-documents: seed \(seed)")
    try killEditors(in: arguments[1], count, seed: seed)
  default: return false
  }
  return true
}

private func edit(_ path: String, from first: Int, seed: UInt64) throws {
  // One that hangs ends all the same; who started it takes that for the fault that it is.
  alarm(60)
  func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
  say("process \(getpid())")
  let document = try ArchiveDocument<Ledger>(opening: path)
  for step in first... {
    document.root.take(step: step, seed: seed)
    say("begin \(step) \(DispatchTime.now().uptimeNanoseconds)")
    try document.save()
    if step % 37 == 0 { try document.compact() }
    say("end \(step) \(DispatchTime.now().uptimeNanoseconds)")
  }
}

private func killEditors(in folder: String, _ count: Int, seed: UInt64) throws {
  var generator = SplitMix(seed: seed)
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  let path = folder + "/ledger"
  try ArchiveDocument(creating: path, root: Ledger()).close()
  var (step, torn, unheard) = (0, 0, 0)
  for kill in 1...count {
    let editor = try SaverProcess(saver: 0, path: path, first: step + 1, seed: seed, command: "edit-document")
    try editor.waitForSave()
    Thread.sleep(forTimeInterval: Double.random(in: 0..<0.012, using: &generator))
    editor.stop()
    editor.finish()
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    // Opening takes the lock, which the dead process has no more.
    let document = try ArchiveDocument<Ledger>(opening: path, verification: .everything)
    if document.saves.reduce(0, { $0 + $1.byteCount }) < size { torn += 1 }
    let acknowledged = editor.acknowledged?.save.number ?? step
    let begun = editor.begun?.number ?? step
    let found = document.root.step
    guard acknowledged...begun ~= found else {
      throw GenerationFault("kill \(kill): step \(found), but \(acknowledged) was saved and \(begun) begun")
    }
    if found > acknowledged { unheard += 1 }
    guard document.root.isSame(as: .after(found, seed: seed)) else {
      throw GenerationFault("kill \(kill): step \(found) is not what was saved")
    }
    step = found
  }
  print(
    "kill-documents: \(count) kills in \(step) saves; \(torn) left part of a save, \(unheard) a whole one that was not "
      + "acknowledged; each time the document was as the last save that returned, or the next, has left it"
  )
}
