/// What there is to say about `keeputil diff`: more than fits beside its code.
enum DiffManual {
  static var page: ManualPage {
    ManualPage(
      name: DiffCommand.name,
      summary: "tells what changed between two archives",
      synopsis: ["[--color WHEN] [--quiet] A B"],
      description: [
        .text(
          """
          Compares what is in the archives A and B, of which one may be - for standard input, and prints a line for \
          each difference:
          """
        ),
        .verbatim(
          """
          ~ root.books[3].title: "Momo" -> "Momo!"
          + root.books[4]: Library.Book #17 {title: "Jim", pages: 256}
          - root.author: Library.Author #3 {name: "Michael Ende"}
          ~ root.shelf: class Library.Shelf -> Library.Case
          """
        ),
        .text(
          """
          ~ is a change, + what is only in B, - what is only in A. The place is the way to it from the top level, that \
          in A for -, that in B for the others; keys that are no plain words stand in brackets and quotes. It can be \
          given to 'keeputil print --key', unless it was cut: of a key or a name of a class that is longer than \
          \(Comparison.longestName) characters the start is shown, and of a long way both ends.
          """
        ),
        .text(
          """
          Objects are the same if they are met at the same places, whatever their numbers: each is compared once, \
          where it is met first. Where a reference leads to another object than before, the line says so. Arrays are \
          aligned, so that one more element is one line; dictionaries and records are compared by their keys, and in \
          which order these stand does not count, nor whether an array of numbers is packed, nor how the archive was \
          written otherwise. What nothing refers to is not compared.
          """
        ),
        Progress.note,
      ],
      options: [
        Palette.option,
        .init("--quiet", "prints nothing; the exit status tells, and the first difference ends the work"),
      ],
      exitStatuses: [.done, .different, .usage, .badData, .noInput, .inputOutput],
      statusMeanings: [
        .done: "The archives have the same contents.",
        .different: "The archives are different.",
        .badData: "One of the archives is none, or damaged.",
      ],
      examples: [
        .init(
          "keeputil diff yesterday.keepsake today.keepsake | grep '^- '",
          "What is gone since yesterday:"
        ),
        .init("keeputil diff --quiet a.keepsake b.keepsake && echo same", "Whether something changed:"),
      ]
    )
  }
}
