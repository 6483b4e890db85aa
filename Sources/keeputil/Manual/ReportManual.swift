/// What there is to say about `keeputil report`: more than fits beside its code.
enum ReportManual {
  static var page: ManualPage {
    ManualPage(
      name: ReportCommand.name,
      summary: "makes a page that shows what is in an archive",
      synopsis: ["[--top N] -o OUT FILE"],
      description: [
        .text(
          """
          Writes an HTML page about the archive FILE to OUT: where the bytes go, as a map that one can click into, by \
          path or by class; tables of classes, keys, the largest values and what is shared; and the tree of values. \
          FILE may be - for standard input and OUT may be - for standard output. The archive is checked first, as by \
          verify.
          """
        ),
        .text(
          """
          The page is one file that asks for nothing else: it can be kept, sent and opened without a network. The same \
          archive under the same name makes the same page.
          """
        ),
        .text(
          """
          A page tells some \(grouped(ReportTree.mostNodes)) places of an archive apart: the largest, each with the \
          start of its value. In a larger archive the small ones are folded into "others", and the page says so.
          """
        ),
        .text(
          """
          A file of NSKeyedArchiver is turned into an archive in memory, and the page is about that archive, as it says.
          """
        ),
        Progress.note,
        .savedFile,
        .text("The page holds texts and numbers from the archive. Give it to nobody who may not see these."),
      ],
      options: [
        .init("--at N", "takes the file as its save N has left it; so does FILE@N"),
        .init("-o OUT", "the file to be written, another than FILE"),
        .init("--top N", "lists N of the largest values and objects; 25 if it is not given"),
      ],
      examples: [
        .init("keeputil report library.keepsake -o report.html", "A page about an archive:"),
        .init("keeputil demo -o demo.keepsake && keeputil report demo.keepsake -o demo.html", "One to try:"),
      ]
    )
  }
}
