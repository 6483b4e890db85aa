import Foundation
import Keepsake
import RandomArchives

/// A document that is changed step by step; only the number of a step determines what it does.
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

  func isSame(as other: Ledger) -> Bool {
    step == other.step && entries.map(\.text) == other.entries.map(\.text)
      && entries.map(\.history) == other.entries.map(\.history)
  }
}

/// Edits a document until it is killed, or kills such editors. Returns false if the command is neither.
///
///     edit-document PATH 0 STEP SEED      takes the steps from STEP on, and saves each; its output is that of
///                                         `save-generations`
///     kill-documents FOLDER COUNT [SEED]  COUNT kills, and a check of the document after each
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
  // If this process hangs, the alarm ends it, and the parent reports a fault.
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

/// One document that an editor saves until it is stopped, and the content that it must have then.
struct DocumentRound {
  let path: String
  let seed: UInt64
  /// The content of the document.
  private(set) var known = Ledger()
  /// How many editors left an incomplete save, and how many a complete one that they had not acknowledged.
  private(set) var (torn, unheard) = (0, 0)

  /// - Parameter path: a path without a file.
  init(path: String, seed: UInt64) {
    self.path = path
    self.seed = seed
  }

  func create() throws { try ArchiveDocument(creating: path, root: known).close() }

  func startEditor(prefix: [String] = []) throws -> SaverProcess {
    let first = known.step + 1
    return try SaverProcess(
      saver: 0,
      path: path,
      first: first,
      seed: seed,
      prefix: prefix,
      command: "edit-document"
    )
  }

  /// Checks the document after its editor was stopped and its output was read to the end.
  ///
  /// - Throws: an error if a save was lost or is incomplete.
  mutating func check(_ editor: SaverProcess) throws {
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    // Opening takes the lock, which the dead process has released.
    let document = try ArchiveDocument<Ledger>(opening: path, verification: .everything)
    defer { document.close() }
    if document.saves.reduce(0, { $0 + $1.byteCount }) < size { torn += 1 }
    let acknowledged = editor.acknowledged?.save.number ?? known.step
    let begun = max(acknowledged, editor.begun?.number ?? known.step)
    let found = document.root.step
    guard acknowledged...begun ~= found else {
      throw GenerationFault("there is step \(found), but \(acknowledged) was saved and \(begun) begun")
    }
    if found > acknowledged { unheard += 1 }
    while known.step < found { known.take(step: known.step + 1, seed: seed) }
    guard document.root.isSame(as: known) else {
      throw GenerationFault("step \(found) is not what was saved")
    }
  }

  /// Saves in this process.
  mutating func saveHere() throws {
    let document = try ArchiveDocument<Ledger>(opening: path)
    defer { document.close() }
    known.take(step: known.step + 1, seed: seed)
    document.root.take(step: known.step, seed: seed)
    guard try document.save() else { throw GenerationFault("a save of a changed document wrote nothing") }
  }
}

private func killEditors(in folder: String, _ count: Int, seed: UInt64) throws {
  var generator = SplitMix(seed: seed)
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  var round = DocumentRound(path: folder + "/ledger", seed: seed)
  try round.create()
  for kill in 1...count {
    let editor = try round.startEditor()
    try editor.waitForSave()
    Thread.sleep(forTimeInterval: Double.random(in: 0..<0.012, using: &generator))
    editor.stop()
    editor.finish()
    do { try round.check(editor) } catch { throw GenerationFault("kill \(kill): \(error)") }
  }
  print(
    "kill-documents: \(count) kills in \(round.known.step) saves; \(round.torn) left part of a save, \(round.unheard) a "
      + "whole one that was not acknowledged; each time the document was as the last save that returned, or the next, has "
      + "left it"
  )
}
