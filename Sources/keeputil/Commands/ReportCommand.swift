import Foundation
import Keepsake

enum ReportCommand: Command {
  static let manual = ManualPage(
    "report",
    "makes a page that shows what is in an archive",
    synopsis: ["[--top N] -o OUT FILE"],
    """
    Writes an HTML page about the archive FILE to OUT: where the bytes go, as a map that one can click into, by path
    or by class; tables of classes, keys, the largest values and what is shared; and the tree of values. FILE may be
    - for standard input and OUT may be - for standard output. The archive is checked first, as by verify.

    The page is one file that needs nothing else: it can be kept, sent and opened without a network. The same archive
    under the same name makes the same page.

    The page shows up to about \(grouped(ReportTree.mostNodes)) values of an archive one by one: the largest, each with
    the start of its content. In a larger archive the small ones are folded into "others", and the page says so.

    A file of NSKeyedArchiver is converted to an archive in memory. The page is about that archive, and says so.

    \(ManualPage.progress)

    \(ManualPage.savedFile)

    The page holds texts and numbers from the archive. Do not give it to anybody who may not see these.
    """,
    options: """
      \(ManualPage.saveOption)
      -o OUT
        the file to write, another than FILE
      --top N
        lists N of the largest values and objects; 25 if it is not given
      """,
    examples: """
      A page about an archive:
        keeputil report library.keepsake -o report.html
      One to try:
        keeputil demo -o demo.keepsake && keeputil report demo.keepsake -o demo.html
      """
  )

  /// More would make the page slow for what nobody reads.
  private static let mostTop = 200

  static func run(_ arguments: Arguments) throws {
    let file = try arguments.file()
    guard let target = arguments.value("-o") else {
      throw arguments.misuse("say where the page is to be written, with '-o report.html' or '-o -'")
    }
    let top = try arguments.number("--top", in: 1...mostTop) ?? 25
    let input = try arguments.input()
    try input.refuseAsOutput(target, for: name, "give another file with '-o'")
    let pass = try StatisticsPass.over(input, top: top, wantsClassKeys: true)
    let shownName = file == "-" ? input.name : URL(fileURLWithPath: file).lastPathComponent
    try withOutput(target) { output in
      try input.reading {
        try ReportPage(name: shownName).write(to: output) {
          var data = try ReportData(pass, name: shownName, to: output)
          try data.write()
        }
      }
    }
  }
}
