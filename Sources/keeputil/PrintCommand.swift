import Foundation
import Keepsake

/// `keeputil print`: the tree of an archive.
enum PrintCommand: Command {
  static let name = "print"
  static let summary = "prints an archive as a tree"
  static let help = """
    Usage: keeputil print [--depth N] [--members N] FILE

    Prints what is in the archive as plutil -p prints property lists:

      {
        "title" => "Momo"
        "author" => Library.Author #3 {
          "name" => "Michael Ende"
        }
        "translator" => Library.Author #3 (above)
      }

    An object is printed with the name of its class and its number where it is met first; after that only with these.
    A weak reference is "weak" and the class and number of its object, or "weak nil" where that was not archived. A
    value behind a protocol is printed with the name of its type.
    Characters that do not show, or would change how others show, are escaped as in Swift.

    --depth N     shows values that are nested deeper as {…} and […] only
    --members N   shows that many elements of each array and dictionary
    FILE          the archive; - for standard input

    """

  static func run(_ arguments: [String]) throws {
    let arguments = try Arguments(arguments, for: name, valued: ["--depth", "--members"])
    let file = try arguments.files("one file", for: name)[0]
    func limit(_ option: String) throws -> Int {
      guard let text = arguments.value(option) else { return Int.max }
      guard let number = Int(text), number >= 1 else {
        throw CommandFailure.usage("\(name): '\(escaped(text))' is no number for the option '\(option)'")
      }
      return number
    }
    let (depth, members) = (try limit("--depth"), try limit("--members"))
    let input = try Input(file)
    let image = try input.openArchive().image
    do {
      var printer = try TreePrinter(image, StandardOutput.gathered, deepest: depth, mostMembers: members)
      try printer.printAll()
      if !image.hasChecksums {
        Tool.complain("note: \(input.name) has no checksums, so nobody can tell whether it was damaged")
      }
    } catch let error as ArchiveError {
      throw CommandFailure(error, in: input.name)
    }
  }
}
