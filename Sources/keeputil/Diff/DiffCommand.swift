import Keepsake

/// `keeputil diff`: what changed between two archives.
enum DiffCommand: Command {
  static let name = "diff"
  static let summary = "tells what changed between two archives"
  static let help = """
    Usage: keeputil diff [--color WHEN] [--quiet] A B

    Compares what is in two archives, and prints a line for each difference:

      ~ root.books[3].title: "Momo" -> "Momo!"
      + root.books[4]: Library.Book #17 {title: "Jim", pages: 256}
      - root.author: Library.Author #3 {name: "Michael Ende"}
      ~ root.shelf: class Library.Shelf -> Library.Case

    ~ is a change, + what is only in B, - what is only in A. The place is the way to it from the top level, that in A
    for -, that in B for the others; keys that are no plain words stand in brackets and quotes. It can be given to
    'keeputil print --key'.

    Objects are the same if they are met at the same places, whatever their numbers: each is compared once, where it is
    met first. Where a reference leads to another object than before, the line says so. Arrays are aligned, so that one
    more element is one line; dictionaries and records are compared by their keys, and in which order these stand does
    not count, nor whether an array of numbers is packed, nor how the archive was written otherwise. What nothing refers
    to is not compared.

    \(Palette.help)
    --quiet       prints nothing; the exit status tells, and the first difference ends the work
    A, B          the archives; one of them may be - for standard input

    Exit status: 0 if they have the same contents, 1 if not; 64 for wrong arguments, 65 if one of them is no archive or
    damaged, 66 if one cannot be read, 74 if the output cannot be written.

    Example: keeputil diff yesterday.keepsake today.keepsake | grep '^- '

    """

  /// The exit status for archives that differ, as of diff(1).
  static let different: Int32 = 1

  static func run(_ arguments: [String]) throws {
    let arguments = try Arguments(arguments, for: name, valued: ["--color"], flags: ["--quiet"])
    let files = try arguments.files("A", "B", for: name)
    let palette = try Palette(option: arguments.value("--color"), for: name)
    guard files != ["-", "-"] else {
      throw CommandFailure.usage("\(name): standard input can be one of the two only")
    }
    let isQuiet = arguments.has("--quiet")
    let (first, second) = (try DiffSide(files[0]), try DiffSide(files[1]))
    var count = 0
    let comparison = Comparison(first, second) { sign, path, text in
      count += 1
      if isQuiet { throw CommandFailure(different, nil) }
      let ink: Palette.Ink =
        switch sign {
        case .added: .added
        case .removed: .removed
        case .changed: .changed
        }
      let mark = palette.paint(String(sign.rawValue), ink)
      try StandardOutput.write("\(mark) \(palette.paint(path, .key)): \(text)\n")
    }
    do {
      try comparison.run()
    } catch let failure as CommandFailure where failure.status == CommandFailure.badData {
      // What was found before stays.
      try StandardOutput.flush()
      throw failure
    }
    guard count == 0 else {
      try StandardOutput.flush()
      throw CommandFailure(different, nil)
    }
  }
}
