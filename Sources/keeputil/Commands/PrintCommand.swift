import Foundation
import Keepsake

enum PrintCommand: Command {
  static let manual = ManualPage(
    "print",
    "prints an archive as a tree",
    synopsis: ["[--key PATH] [--depth N] [--members N] [OPTION]... FILE"],
    """
    Prints what is in the archive FILE as plutil -p prints property lists. FILE may be - for standard input.

        {
          "title" => "Momo"
          "author" => Library.Author #3 {
            "name" => "Michael Ende"
          }
          "translator" => Library.Author #3 (above)
        }

    An object is printed with the name of its class and its number where it is met first; after that only with these.
    A weak reference is "weak" and the class and number of its object, or "weak nil" if that is not in the archive. A
    value behind a protocol is printed with the name of its type. Characters that do not show, or would change how
    others show, are escaped as in Swift. Of a text, a key or a name of more than \(TreeOptions.longestText)
    characters the start is printed, and how many bytes it has: an archive may hold it once for very many that have
    it.

    No more of the archive is read than is printed, and only that is compared with its checksums: 'keeputil verify'
    looks at all of it. Where something is damaged the output ends, and a line on standard error says where.

    In the JSON, records and dictionaries are objects and keep the order of their keys; nil, booleans, integers of any
    size, 64-bit floating-point numbers, strings and arrays are what they are. All else is an object with a key that
    begins with "$" (a key of the archive that begins with "$" gets one "$" more in front). Texts, keys and names are
    whole, and one that the archive holds once is repeated wherever it occurs, so that the output may be larger than
    the archive by far. Characters that would do something to a terminal are escaped.

    {"$class": NAME, "$id": NUMBER, …}
      an object, with the keys of its content, or under "$value" what has no keys
    {"$ref": NUMBER}
      the object or value of that number again
    {"$weak": NUMBER}
      a weak reference; null if its object is not in the archive
    {"$type": NAME, "$value": …}
      a value behind a protocol
    {"$some": …}
      an optional that is there but holds nil
    {"$date": SECONDS}
      from the start of 2001 UTC; not finite: text, as "inf"
    {"$float32": NUMBER or ARRAY}
      a 32-bit number, also an array of these; not finite: text
    {"$float64": TEXT}
      one that is not finite
    {"$bytes": BASE64}, {"$uuid": TEXT}, {"$decimal": DIGITS}, {"$url": [RELATIVE, BASE, …]}
      what their names say
    {"$empty": true}
      what a type wrote that encoded nothing
    {"$more": COUNT}
      elements left out by --members, in a dictionary as the key "$more" alone
    {"$cut": COUNT}
      a value of so many members left out by --depth; in an object "$cut": true
    {"$offset": …, "$value": …, "$size": …}
      each value, with --offsets; in an object as keys
    """,
    options: """
      \(ManualPage.saveOption)
      --key PATH
        prints only what is at PATH: keys with dots between them, indexes in brackets, other keys in brackets and
        quotes with escapes as in Swift, as in root.books[3].title or root["odd key"]; or from an object by its number,
        as in '#12.title'. References are followed.
      --depth N
        shows values that are nested deeper as {…} and […] only
      --members N
        shows that many elements of each array and dictionary
      --flat
        prints each object by itself, one behind the other, and nothing but its class and number where it is referred
        to: for graphs in which objects refer to each other in long chains and cycles. Not with --json.
      --full
        prints long texts, keys and names to their ends, as --json does
      --offsets
        shows where each value is: @OFFSET+SIZE in bytes; @OFFSET behind the first line of a value that takes several,
        and both behind its last. For an object they are those of its body.
      --json
        prints JSON for scripts, as above
      \(ManualPage.colorOption)
      """,
    statusMeanings: [.badData: "FILE is no archive or damaged where it is read, or has nothing at PATH."],
    examples: """
      All of an archive:
        keeputil print library.keepsake
      What is at a path, and not all that is in it:
        keeputil print --key root.books[0].author --depth 2 library.keepsake
      For a script:
        keeputil print --json --key root.books library.keepsake | jq length
      """
  )

  static func run(_ arguments: Arguments) throws {
    try arguments.refuseTogether("--flat", "--json")
    let options = TreeOptions(
      deepest: try arguments.number("--depth") ?? .max,
      mostMembers: try arguments.number("--members") ?? .max,
      longestText: arguments.has("--full") ? .max : TreeOptions.longestText,
      hasOffsets: arguments.has("--offsets"),
      isFlat: arguments.has("--flat"),
      palette: try Palette(arguments)
    )
    let path = try arguments.value("--key").map { (text) throws(CommandFailure) in try PathArgument(text) }
    let input = try arguments.input()
    let image = try input.openArchive()
    try standardOutput.keeping {
      try input.reading { try print(path, in: image, as: options, isJSON: arguments.has("--json")) }
    }
    if !image.extent.hasChecksums {
      Tool.note("\(input.name) has no checksums, so nobody can tell whether it was damaged")
    }
  }

  private static func print(
    _ path: PathArgument?,
    in image: ArchiveImage,
    as options: TreeOptions,
    isJSON: Bool
  ) throws {
    let out = standardOutput
    let found: PathLookup.Found
    if let path {
      found = try PathLookup.find(path, in: image)
    } else {
      let topLevel = try image.topLevelValue
      found = .value(topLevel, of: nil)
    }
    switch found {
    case .number(let number) where isJSON:
      try JSONTree.write(number, out)
    case .number(let number):
      try out.write(options.palette.paint(number.texts.joined(), .number) + "\n")
    case .value(let value, let body) where isJSON:
      var tree = try JSONTree(value, out, options, in: body)
      try tree.write()
    case .value(let value, let body):
      var tree = TreePrinter(value, out, options, in: body)
      try tree.printAll()
    }
  }
}
