import Foundation

/// One file that savers use until they are stopped, and the content that it may have then.
struct SaveRound {
  let path: String
  let seed: UInt64
  /// The content of the file; `nil` if there is none.
  private(set) var known: GenerationArchive.Name?
  /// For each saver, the first number that it has not used.
  private var next: [Int: Int] = [:]

  /// - Parameter path: a file in an otherwise empty folder.
  init(path: String, seed: UInt64) {
    self.path = path
    self.seed = seed
  }

  func startSaver(_ saver: Int, prefix: [String] = []) throws -> SaverProcess {
    try SaverProcess(saver: saver, path: path, first: next[saver, default: 0], seed: seed, prefix: prefix)
  }

  /// Checks the file after the savers were stopped and their output was read to the end.
  ///
  /// - Throws: an error if a save was lost or a file is incomplete.
  mutating func check(_ savers: [SaverProcess]) throws {
    for saver in savers { next[saver.saver] = (saver.begun?.number).map { $0 + 1 } ?? next[saver.saver] }
    let found = try GenerationArchive.read(path, seed: seed)
    let before = known
    known = found
    if found == before {
      // Nothing was acknowledged, or an acknowledged save is lost.
      guard let lost = savers.first(where: { $0.acknowledged != nil }) else { return }
      throw GenerationFault(
        "what saver \(lost.saver) acknowledged is lost: there is \(spelled(found)) as before"
      )
    }
    guard let found, let saver = savers.first(where: { $0.saver == found.saver }) else {
      throw GenerationFault("there is \(spelled(found)), which nobody has saved last")
    }
    let last = saver.acknowledged?.save.number ?? -1
    if found.number > last, let begun = saver.begun, found.number <= begun.number {
      // Stopped after the rename and before the report.
      return
    }
    guard let acknowledged = saver.acknowledged, acknowledged.save.number == found.number else {
      throw GenerationFault(
        "there is \(spelled(found)), but the last that was acknowledged is number "
          + (saver.acknowledged.map { "\($0.save.number)" } ?? "none")
      )
    }
    // No other saver may have begun after this save's end and been acknowledged.
    for other in savers where other.saver != found.saver {
      guard let later = other.acknowledged, later.save.begin > acknowledged.end else { continue }
      throw GenerationFault("there is \(spelled(found)), but saver \(other.saver) saved later")
    }
  }

  /// The temporary files beside the file.
  func leftovers() throws -> [String] {
    let url = URL(filePath: path)
    let names = try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path)
    return names.filter { $0.hasPrefix(".\(url.lastPathComponent).keepsake-") }
  }

  /// Saves in this process, which removes leftover files.
  mutating func saveHere() throws {
    let name = GenerationArchive.Name(saver: -1, number: next[-1, default: 0])
    next[-1] = name.number + 1
    try GenerationArchive(name, seed: seed).save(to: path)
    guard try GenerationArchive.read(path, seed: seed) == name else {
      throw GenerationFault("a save that nothing disturbed is not in the file")
    }
    known = name
    let left = try leftovers()
    guard left.isEmpty else { throw GenerationFault("a save left \(left) where it was") }
  }

  /// Removes the file, so the next save replaces none.
  mutating func removeFile() throws {
    if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
    known = nil
  }

  private func spelled(_ name: GenerationArchive.Name?) -> String {
    name.map { "saver \($0.saver)'s number \($0.number)" } ?? "no file"
  }
}
