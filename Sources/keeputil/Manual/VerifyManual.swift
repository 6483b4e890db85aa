/// What there is to say about `keeputil verify`: more than fits beside its code.
enum VerifyManual {
  static var page: ManualPage {
    ManualPage(
      name: VerifyCommand.name,
      summary: "tells whether an archive is whole",
      synopsis: ["[--progress | --quiet] FILE"],
      description: [
        .text(
          """
          Compares the whole archive FILE with its checksums, and looks at every object and value in it: that each is \
          of a known kind and ends where it should, that texts are valid and that what is referred to is there. FILE \
          may be - for standard input.
          """
        ),
        .text(
          """
          The answer is one sentence. If the archive is not whole, it is on standard error, and says what is wrong, at \
          which byte, and in which object and at which path where that can be told.
          """
        ),
        .text(
          """
          An archive that was written without checksums is looked at as well, and the sentence says that it has none: \
          of such an archive nobody can tell whether a number or a text in it is the one that was written.
          """
        ),
        Progress.note,
      ],
      options: [
        .init("--at N", "takes the file as its save N has left it; so does FILE@N"),
        .init("--progress", "tells how far it is anywhere, and from the beginning"),
        .init("--quiet", "does not tell how far it is, and is silent about an archive that is whole"),
      ],
      statusMeanings: [.done: "The archive is whole.", .badData: "It is not, or it is no archive."],
      examples: [
        .init("keeputil verify library.keepsake", "An answer for people:"),
        .init(
          "keeputil verify --quiet backup.keepsake || echo \"the backup is damaged\"",
          "In a script that looks after backups:"
        ),
      ]
    )
  }
}
