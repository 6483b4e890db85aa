/// What there is to say about `keeputil log`: more than fits beside its code.
enum LogManual {
  static var page: ManualPage {
    ManualPage(
      name: LogCommand.name,
      summary: "lists the saves of a document",
      synopsis: ["[--json] FILE"],
      description: [
        .text(
          """
          Lists the saves that the document FILE has, the oldest first: the number of each, the date if the program gave \
          one, how many bytes it has written, and how many objects it has changed and added. An archive that was written \
          in one go has one save.
          """
        ),
        .text(
          """
          The other commands take a file as one of its saves has left it with --at N, or with @N behind its name, as in \
          notes.keepsake@3. Without that they take the newest save.
          """
        ),
      ],
      options: [.init("--json", "writes the list as JSON")],
      examples: [
        .init("keeputil log notes.keepsake", "The saves of a document:"),
        .init("keeputil diff notes.keepsake@3 notes.keepsake", "What changed since the third save:"),
      ]
    )
  }
}
