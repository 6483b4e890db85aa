/// What there is to say about `keeputil compact`: more than fits beside its code.
enum CompactManual {
  static var page: ManualPage {
    ManualPage(
      name: CompactCommand.name,
      summary: "removes the earlier saves of a document",
      synopsis: ["[--quiet] FILE"],
      description: [
        .text(
          """
          Writes the document FILE anew, as an archive of its newest save alone. What nothing leads to any more is left \
          out. The new file takes the place of the old one in one step, and readers of the old one are not disturbed. \
          A document that a program has open is refused.
          """
        ),
        Progress.note,
      ],
      options: [.init("--quiet", "says nothing of a file that was compacted")],
      statusMeanings: [.inputOutput: "The file cannot be written, or a program has it open."],
      examples: [.init("keeputil compact notes.keepsake", "A document without its history:")]
    )
  }
}
