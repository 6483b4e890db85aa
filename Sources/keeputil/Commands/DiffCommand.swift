import Keepsake

enum DiffCommand: Command {
  static let manual = ManualPage(
    "diff",
    "tells what changed between two archives",
    synopsis: ["[--color WHEN] [--quiet] A B"],
    """
    Compares what is in the archives A and B, of which one may be - for standard input, and prints a line for each
    difference:

        ~ root.books[3].title: "Momo" -> "Momo!"
        + root.books[4]: Library.Book #17 {title: "Jim", pages: 256}
        - root.author: Library.Author #3 {name: "Michael Ende"}
        ~ root.shelf: class Library.Shelf -> Library.Case

    ~ is a change, + is only in B, - is only in A. The path starts at the top level: that of A for -, that of B for
    the others. Keys that are no plain words are in brackets and quotes. 'keeputil print --key' takes such a path,
    unless it is cut: of a key or the name of a class of more than \(Comparison.longestName) characters the start is
    shown, and of a long path both ends.

    Objects are the same if they have the same paths, whatever their numbers: each is compared once, where it is
    met first. Where a reference leads to another object than before, the line says so. Arrays are aligned, so that
    one more element is one line. Dictionaries and records are compared by their keys; the order of these does not
    count, nor whether an array of numbers is packed, nor how the archive is written otherwise. What nothing refers
    to is not compared.

    \(ManualPage.progress)
    """,
    options: """
      \(ManualPage.colorOption)
      --quiet
        prints nothing; the exit status tells, and the first difference ends the work
      """,
    exitStatuses: [.done, .different, .usage, .badData, .noInput, .inputOutput],
    statusMeanings: [
      .done: "The archives have the same contents.",
      .different: "The archives are different.",
      .badData: "One of the archives is none, or is damaged.",
    ],
    examples: """
      What is gone since yesterday:
        keeputil diff yesterday.keepsake today.keepsake | grep '^- '
      Whether something changed:
        keeputil diff --quiet a.keepsake b.keepsake && echo same
      """
  )

  static func run(_ arguments: Arguments) throws {
    let files = try arguments.files("A", "B")
    let palette = try Palette(arguments)
    guard files != ["-", "-"] else { throw arguments.misuse("standard input can be one of the two only") }
    let isQuiet = arguments.has("--quiet")
    let (first, second) = (try DiffSide(files[0]), try DiffSide(files[1]))
    var count = 0
    let names = [first, second].map { displayed($0.input.name) }.joined(separator: " and ")
    let progress = Progress("comparing \(names)", isQuiet ? .never : .whenUseful)
    defer { progress.finish() }
    let comparison = Comparison(first, second, progress) { sign, path, text in
      count += 1
      if isQuiet { throw CommandFailure(.different, nil) }
      progress.makeWay()
      let ink: Palette.Ink = sign == .added ? .added : sign == .removed ? .removed : .changed
      let mark = palette.paint(String(sign.rawValue), ink)
      try standardOutput.write("\(mark) \(palette.paint(path, .key)): \(text)\n")
    }
    try standardOutput.keeping {
      try comparison.run()
      if count > 0 { throw CommandFailure(.different, nil) }
    }
  }
}
