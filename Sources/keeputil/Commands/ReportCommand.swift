import Foundation
import Keepsake

/// `keeputil report`: a page that shows what is in an archive.
enum ReportCommand: Command {
  static let name = "report"
  static var manual: ManualPage { ReportManual.page }

  /// More would make the page slow for what nobody reads.
  private static let mostTop = 200

  static func run(_ arguments: [String]) throws {
    let arguments = try Arguments(arguments, for: name, valued: ["--at", "-o", "--top"])
    let file = try arguments.files("one file")[0]
    guard let target = arguments.value("-o") else {
      throw CommandFailure.usage(
        "\(name): say where the page is to be written, with '-o report.html' or '-o -'"
      )
    }
    let top = try arguments.number("--top", in: 1...mostTop) ?? 25
    let input = try Input(file, at: try arguments.number("--at"))
    try input.refuseAsOutput(target, for: name, "give another file with '-o'")
    let (image, summary, pass) = try StatisticsPass.over(input, top: top, wantsClassKeys: true)
    let shownName = file == "-" ? "standard input" : URL(fileURLWithPath: file).lastPathComponent
    try withOutput(target) { output in
      do {
        try ReportPage(name: shownName).write(to: output) {
          var data = try ReportData(image, summary, pass, name: shownName, to: output)
          try data.write()
        }
      } catch let error as ArchiveError {
        throw CommandFailure(error, in: input.name)
      }
    }
  }
}
