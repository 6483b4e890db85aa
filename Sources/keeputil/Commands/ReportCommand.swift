import Foundation

enum ReportCommand: Command {
  static let manual = ManualPage(
    "report",
    "writes an HTML page that shows what is in an archive",
    synopsis: ["[--top N] -o OUT FILE"],
    """
    Writes an HTML page about the archive FILE to OUT: a map of its bytes by path or by class, into which you can zoom;
    tables of classes, keys, the largest values and shared values; and the tree of values. FILE may be - for standard
    input, and OUT may be - for standard output. The archive is first checked, as by verify.

    The page is self-contained: it opens without a network. The same archive under the same name gives the same page.

    The page shows up to about \(grouped(ReportTree.mostNodes)) values one by one: the largest, each with the start of
    its content. In a larger archive, small values are combined as "others", and the page says so.

    A file of NSKeyedArchiver is converted to an archive in memory. The page describes that archive, and says so.

    \(ManualPage.progress)

    \(ManualPage.savedFile)

    The page contains texts and numbers from the archive. Do not give it to anybody who must not see them.
    """,
    options: """
      \(ManualPage.saveOption)
      -o OUT
        the file to write, which must not be FILE
      --top N
        lists N of the largest values and objects; 25 by default
      """,
    examples: """
      A page about an archive:
        keeputil report library.keepsake -o report.html
      A page to try:
        keeputil demo -o demo.keepsake && keeputil report demo.keepsake -o demo.html
      """
  )

  /// More rows would make the page slow, and nobody reads them.
  private static let mostTop = 200

  static func run(_ arguments: Arguments) throws {
    let file = try arguments.file()
    guard let target = arguments.value("-o") else {
      throw arguments.misuse("give a file for the page, with '-o report.html' or '-o -'")
    }
    let top = try arguments.number("--top", in: 1...mostTop) ?? 25
    let input = try arguments.input()
    try input.refuseAsOutput(target, for: name, "give another file with '-o'")
    let pass = try StatisticsPass.over(input, top: top, wantsClassKeys: true)
    let shownName = file == "-" ? input.name : URL(fileURLWithPath: file).lastPathComponent
    try withOutput(target) { output in
      try input.reading {
        try ReportPage.write(shownName, to: output) {
          var data = try ReportData(pass, name: shownName, to: output)
          try data.write()
        }
      }
    }
  }
}
