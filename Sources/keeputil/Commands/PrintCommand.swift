import Keepsake

enum PrintCommand: Command {
  static let manual = ManualPage(
    "print",
    "prints an archive as a tree",
    synopsis: ["[--key PATH] [--depth N] [--members N] [OPTION]... FILE"],
    """
    Prints the content of the archive FILE as plutil -p prints property lists. FILE may be - for standard input.

        {
          "title" => "Momo"
          "author" => Library.Author #3 {
            "name" => "Michael Ende"
          }
          "translator" => Library.Author #3 (above)
        }

    An object is printed with its class, its number and its content where it first occurs, and later with class and
    number alone. A weak reference is "weak" and the class and number of its object, or "weak nil" if the object is
    not in the archive. A value behind a protocol is printed with the name of its type. Characters that are invisible,
    or that change how others are displayed, are escaped as in Swift. A text, key or name of more than
    \(TreeOptions.longestText) characters is cut, and its number of bytes is printed.

    The command reads, and verifies, only the parts that it prints; 'keeputil verify' checks the whole archive. At
    damage the output ends, and a line on standard error says where it is.

    In JSON, records and dictionaries are objects and keep the order of their keys; nil, booleans, integers of any
    size, 64-bit floating-point numbers, strings and arrays are JSON values. Any other value is an object with a key
    that begins with "$" (a key of the archive that begins with "$" gets another "$" in front). Texts, keys and names
    are complete, and repeated wherever they occur, so the output may be much larger than the archive. Characters that
    a terminal would obey are escaped.

    {"$class": NAME, "$id": NUMBER, …}
      an object, with the keys of its content, or with "$value" for content without keys
    {"$ref": NUMBER}
      another reference to the object or value with that number
    {"$weak": NUMBER}
      a weak reference; null if its object is not in the archive
    {"$type": NAME, "$value": …}
      a value behind a protocol
    {"$some": …}
      an optional in an optional that is present and holds nil
    {"$date": SECONDS}
      seconds since the start of 2001 UTC; a text such as "inf" if not finite
    {"$float32": NUMBER or ARRAY}
      a 32-bit floating-point number, or an array of them; a text if not finite
    {"$float64": TEXT}
      a 64-bit floating-point number that is not finite
    {"$bytes": BASE64}, {"$uuid": TEXT}, {"$decimal": DIGITS}, {"$url": [RELATIVE, BASE, …]}
      data, a UUID, a decimal number, a URL with its bases
    {"$empty": true}
      a value that encoded nothing
    {"$more": COUNT}
      the elements that --members leaves out; in a dictionary, only the key "$more"
    {"$cut": COUNT}
      a value with that many members, left out by --depth; in an object "$cut": true
    {"$offset": …, "$value": …, "$size": …}
      any value with --offsets; in an object, these are keys
    """,
    options: """
      \(ManualPage.saveOption)
      --key PATH
        prints only the value at PATH. A path has keys separated by dots, and indexes in brackets; keys with other
        characters are in brackets and quotes, with escapes as in Swift: root.books[3].title, root["odd key"]. It may
        begin at an object's number: '#12.title'. References are followed.
      --depth N
        prints values that are nested deeper as {…} and […]
      --members N
        prints at most N elements of each array and dictionary
      --flat
        prints the objects one after the other, and each reference as class and number alone: for graphs with long
        chains and cycles of objects. Not with --json.
      --full
        prints long texts, keys and names completely, as --json does
      --offsets
        prints where each value is, as @OFFSET+SIZE in bytes: for a value of several lines, @OFFSET behind the first
        and both behind the last. For an object, these are offset and size of its body.
      --json
        prints JSON for scripts, as described above
      \(ManualPage.colorOption)
      """,
    statusMeanings: [.badData: "FILE is not an archive, is damaged, or has no value at PATH."],
    examples: """
      A whole archive:
        keeputil print library.keepsake
      The value at a path, two levels deep:
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
      Tool.note("\(input.name) has no checksums, so damage to it may go unnoticed")
    }
  }

  private static func print(
    _ path: PathArgument?,
    in image: ArchiveImage,
    as options: TreeOptions,
    isJSON: Bool
  ) throws {
    let out = standardOutput
    let found: PathLookup.Found =
      if let path { try PathLookup.find(path, in: image) } else { .value(try image.topLevelValue, of: nil) }
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
