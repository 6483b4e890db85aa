enum DiffCommand: Command {
  static let manual = ManualPage(
    "diff",
    "lists the differences between two archives",
    synopsis: ["[--color WHEN] [--quiet] A B"],
    """
    Compares the contents of the archives A and B, and prints a line for each difference. One of them may be - for
    standard input.

        ~ root.books[3].title: "Momo" -> "Momo!"
        + root.books[4]: Library.Book #17 {title: "Jim", pages: 256}
        - root.author: Library.Author #3 {name: "Michael Ende"}
        ~ root.shelf: class Library.Shelf -> Library.Case

    ~ marks a change, + a value only in B, - a value only in A. The path starts at the top level of A for -, and of B
    for the others; 'keeputil print --key' takes it unless it is cut. Keys with special characters are in
    brackets and quotes. Keys and class names of more than \(Comparison.longestName) characters, and long paths, are
    cut.

    Objects correspond to each other if they have the same paths, whatever their numbers. Each is compared once, where
    it first occurs. If a reference leads to a different object than before, the line says so. Arrays are aligned, so
    that an inserted element is one line. Dictionaries and records are compared by their keys. The order of keys, and
    other details of how an archive is written, do not count. Values to which nothing refers are not compared.

    \(ManualPage.progress)
    """,
    options: """
      \(ManualPage.colorOption)
      --quiet
        prints nothing and stops at the first difference; only the exit status tells whether there is one
      """,
    exitStatuses: [.done, .different, .usage, .badData, .noInput, .inputOutput],
    statusMeanings: [
      .done: "The archives have the same contents.",
      .different: "The archives are different.",
      .badData: "A or B is damaged, or not an archive.",
    ],
    examples: """
      What was removed since yesterday:
        keeputil diff yesterday.keepsake today.keepsake | grep '^- '
      Whether something changed:
        keeputil diff --quiet a.keepsake b.keepsake && echo same
      """
  )

  static func run(_ arguments: Arguments) throws {
    let files = try arguments.files("A", "B")
    let palette = try Palette(arguments)
    guard files != ["-", "-"] else {
      throw arguments.misuse("only one of the two can be standard input")
    }
    let isQuiet = arguments.has("--quiet")
    let (first, second) = (try DiffSide(files[0]), try DiffSide(files[1]))
    var count = 0
    let names = [first, second].map { abridged(displayed($0.input.name), 28) }.joined(separator: " and ")
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
