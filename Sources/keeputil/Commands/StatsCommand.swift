import Foundation
import Keepsake

/// `keeputil stats`: where the bytes of an archive go.
enum StatsCommand: Command {
  static let name = "stats"
  static var manual: ManualPage { StatsManual.page }

  /// More than that nobody looks at, and each has a path to be found.
  static let mostTop = 1_000

  static func run(_ arguments: [String]) throws {
    let arguments = try Arguments(arguments, for: name, valued: ["--at", "--top"], flags: ["--json"])
    let file = try arguments.files("one file")[0]
    let top = try arguments.number("--top", in: 1...mostTop)
    let input = try Input(file, at: try arguments.number("--at"))
    let statistics = try ArchiveStatistics(of: input, top: top ?? 10)
    if arguments.has("--json") {
      try StatisticsJSON.write(statistics, StandardOutput.gathered)
    } else {
      let text = StatisticsText(statistics, StandardOutput.gathered, .standardOutput, mostRows: top ?? 20)
      try text.write(name: input.name)
    }
  }
}

extension ArchiveStatistics {
  /// Checks the archive and gathers its figures.
  init(of input: Input, top: Int) throws(CommandFailure) {
    self = try StatisticsPass.over(input, top: top).pass.statistics
  }
}

extension StatisticsPass {
  /// A pass over the archive in `input`, which is checked first.
  static func over(
    _ input: Input,
    top: Int,
    wantsClassKeys: Bool = false
  ) throws(CommandFailure) -> (image: ArchiveImage, summary: ArchiveSummary, pass: StatisticsPass) {
    let (image, summary) = try input.openArchive()
    let progress = Progress("counting", .whenUseful)
    defer { progress.finish() }
    do {
      let original = image.source == nil ? nil : ArchiveStatistics.Original(input.data)
      var pass = try StatisticsPass(image, summary, of: original, top: top, wantsClassKeys: wantsClassKeys)
      try pass.run(progress)
      return (image, summary, pass)
    } catch {
      throw CommandFailure(error, in: input.name)
    }
  }
}
