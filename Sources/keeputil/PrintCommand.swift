import Foundation
import Keepsake

/// `keeputil print`: the tree of an archive.
enum PrintCommand: Command {
  static let name = "print"
  static let summary = "prints an archive as a tree"
  static let help = """
    Usage: keeputil print [OPTIONS] FILE

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

    --key PATH    prints only what is at PATH: keys with dots between them, indexes in brackets, other keys in brackets
                  and quotes with escapes as in Swift, as in root.books[3].title or root["odd key"]; or from an object
                  by its number, as in '#12.title'. References are followed.
    --depth N     shows values that are nested deeper as {…} and […] only
    --members N   shows that many elements of each array and dictionary
    --offsets     shows where each value is: @OFFSET+SIZE in bytes; @OFFSET behind the first line of a value that takes
                  several, and both behind its last. For an object they are those of its body.
    --json        prints JSON for scripts, see below
    \(Palette.help)
    FILE          the archive; - for standard input

    No more of the archive is read than is printed, and compared with its checksums only then: 'keeputil verify' looks
    at all of it. Where something is damaged the output ends, and a line on standard error says where.

    In the JSON, records and dictionaries are objects and keep the order of their keys; nil, booleans, integers of any
    size, 64-bit floating-point numbers, strings and arrays are what they are. All else is an object with a key that
    begins with "$" (a key of the archive that does so has one "$" more in front):

      {"$class": NAME, "$id": NUMBER, …}   an object, with the keys of its content, or under "$value" what has no keys
      {"$ref": NUMBER}                     the object or value of that number again
      {"$weak": NUMBER}                    a weak reference; null where its object was not archived
      {"$type": NAME, "$value": …}         a value behind a protocol
      {"$some": …}                         an optional that is there but holds nil
      {"$date": SECONDS}                   from the start of 2001 UTC; not finite: text, as "inf"
      {"$float32": NUMBER or ARRAY}        also an array of these; not finite: text
      {"$float64": TEXT}                   one that is not finite
      {"$bytes": BASE64}, {"$uuid": TEXT}, {"$decimal": DIGITS}, {"$url": [RELATIVE, BASE, …]}, {"$empty": true}
      {"$more": COUNT}                     elements left out by --members, in a dictionary as the key "$more" alone
      {"$cut": COUNT}                      a value of so many members left out by --depth; in an object "$cut": true
      {"$offset": …, "$value": …, "$size": …}   each value, with --offsets; in an object as keys

    Exit status: 0; 64 for wrong arguments; 65 if FILE is no archive or damaged where it is read, or has nothing at
    PATH; 66 if it cannot be read; 74 if the output cannot be written.

    Example: keeputil print --key root.books[0].author --depth 2 library.keepsake

    """

  static func run(_ arguments: [String]) throws {
    let arguments = try Arguments(
      arguments,
      for: name,
      valued: ["--depth", "--members", "--key", "--color"],
      flags: ["--offsets", "--json"]
    )
    let file = try arguments.files("one file", for: name)[0]
    let palette = try Palette(option: arguments.value("--color"), for: name)
    let options = TreeOptions(
      deepest: try arguments.number("--depth", for: name) ?? .max,
      mostMembers: try arguments.number("--members", for: name) ?? .max,
      hasOffsets: arguments.has("--offsets"),
      palette: palette
    )
    let path = try arguments.value("--key").map { (text) throws(CommandFailure) in try PathArgument(text) }
    let input = try Input(file)
    let image = try input.openArchiveToRead()
    do {
      try print(path, in: image, as: options, isJSON: arguments.has("--json"))
    } catch let error as ArchiveError {
      try end(with: CommandFailure(error, in: input.name))
    } catch let failure as CommandFailure where failure.status == CommandFailure.badData {
      try end(with: CommandFailure(failure.status, failure.message.map { "\(input.name): \($0)" }))
    }
    if !image.hasChecksums {
      Tool.complain("note: \(input.name) has no checksums, so nobody can tell whether it was damaged")
    }
  }

  /// What was printed before stays.
  private static func end(with failure: CommandFailure) throws -> Never {
    try StandardOutput.flush()
    throw failure
  }

  private static func print(
    _ path: PathArgument?,
    in image: ArchiveImage,
    as options: TreeOptions,
    isJSON: Bool
  ) throws {
    let out = StandardOutput.gathered
    let found = try path.map { try PathLookup.find($0, in: image) } ?? .value(try image.topLevelValue)
    switch found {
    case .number(let number) where isJSON:
      try JSONTree.write(number, out)
    case .number(let number):
      try out.write(options.palette.paint(number.texts.joined(), .number) + "\n")
    case .body(let body) where isJSON:
      try JSONTree.write(body, out, options)
    case .body(let body):
      var tree = TreePrinter(body, out, options)
      try tree.printAll()
    case .value(let value) where isJSON:
      var tree = JSONTree(value, out, options)
      try tree.write()
    case .value(let value):
      var tree = TreePrinter(value, out, options)
      try tree.printAll()
    }
  }
}

extension Arguments {
  /// The number that an option gives, from 1 on.
  func number(_ option: String, for command: String) throws(CommandFailure) -> Int? {
    guard let text = value(option) else { return nil }
    guard let number = Int(text), number >= 1 else {
      throw CommandFailure.usage("\(command): '\(escaped(text))' is no number for the option '\(option)'")
    }
    return number
  }
}
