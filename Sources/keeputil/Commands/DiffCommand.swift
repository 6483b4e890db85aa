import Keepsake

/// `keeputil diff`: what changed between two archives.
enum DiffCommand: Command {
  static let name = "diff"
  static var manual: ManualPage { DiffManual.page }

  static func run(_ arguments: [String]) throws {
    let arguments = try Arguments(arguments, for: name, valued: ["--color"], flags: ["--quiet"])
    let files = try arguments.files("A", "B")
    let palette = try Palette(option: arguments.value("--color"), for: name)
    guard files != ["-", "-"] else {
      throw CommandFailure.usage("\(name): standard input can be one of the two only")
    }
    let isQuiet = arguments.has("--quiet")
    let (first, second) = (try DiffSide(files[0]), try DiffSide(files[1]))
    var count = 0
    let names = files.map { displayed($0 == "-" ? "standard input" : $0) }.joined(separator: " and ")
    let progress = Progress("comparing \(names)", isQuiet ? .never : .whenUseful)
    defer { progress.finish() }
    let comparison = Comparison(first, second, progress) { sign, path, text in
      count += 1
      if isQuiet { throw CommandFailure(.different, nil) }
      progress.makeWay()
      let ink: Palette.Ink =
        switch sign {
        case .added: .added
        case .removed: .removed
        case .changed: .changed
        }
      let mark = palette.paint(String(sign.rawValue), ink)
      try StandardOutput.write("\(mark) \(palette.paint(path, .key)): \(text)\n")
    }
    do {
      try comparison.run()
    } catch let failure as CommandFailure where failure.status == .badData {
      // What was found before stays.
      try StandardOutput.flush()
      throw failure
    }
    guard count == 0 else {
      try StandardOutput.flush()
      throw CommandFailure(.different, nil)
    }
  }
}
