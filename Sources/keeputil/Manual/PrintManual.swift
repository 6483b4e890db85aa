/// What there is to say about `keeputil print`: more than fits beside its code.
enum PrintManual {
  static var page: ManualPage {
    ManualPage(
      name: PrintCommand.name,
      summary: "prints an archive as a tree",
      synopsis: ["[--key PATH] [--depth N] [--members N] [OPTION]... FILE"],
      description: tree + json,
      options: options,
      statusMeanings: [
        .badData: "FILE is no archive or damaged where it is read, or has nothing at PATH."
      ],
      examples: [
        .init("keeputil print library.keepsake", "All of an archive:"),
        .init(
          "keeputil print --key root.books[0].author --depth 2 library.keepsake",
          "What is at a place, and not all that is in it:"
        ),
        .init("keeputil print --json --key root.books library.keepsake | jq length", "For a script:"),
      ]
    )
  }

  private static let tree: [ManualPage.Block] = [
    .text(
      """
      Prints what is in the archive FILE as plutil -p prints property lists. FILE may be - for standard input.
      """
    ),
    .verbatim(
      """
      {
        "title" => "Momo"
        "author" => Library.Author #3 {
          "name" => "Michael Ende"
        }
        "translator" => Library.Author #3 (above)
      }
      """
    ),
    .text(
      """
      An object is printed with the name of its class and its number where it is met first; after that only with \
      these. A weak reference is "weak" and the class and number of its object, or "weak nil" where that was not \
      archived. A value behind a protocol is printed with the name of its type. Characters that do not show, or would \
      change how others show, are escaped as in Swift. Of a text, a key or a name of more than \
      \(TreeOptions.longestText) characters the start is printed, and how many bytes it has: an archive may hold it \
      once for very many that have it.
      """
    ),
    .text(
      """
      No more of the archive is read than is printed, and compared with its checksums only then: 'keeputil verify' \
      looks at all of it. Where something is damaged the output ends, and a line on standard error says where.
      """
    ),
  ]

  private static let json: [ManualPage.Block] = [
    .text(
      """
      In the JSON, records and dictionaries are objects and keep the order of their keys; nil, booleans, integers of \
      any size, 64-bit floating-point numbers, strings and arrays are what they are. All else is an object with a key \
      that begins with "$" (a key of the archive that does so has one "$" more in front). Texts, keys and names are \
      whole, and one that the archive holds once stands at each place that has it, so that the output may be larger \
      than the archive by far. Characters that would do something to a terminal are escaped.
      """
    ),
    .item(
      #"{"$class": NAME, "$id": NUMBER, …}"#,
      #"an object, with the keys of its content, or under "$value" what has no keys"#
    ),
    .item(#"{"$ref": NUMBER}"#, "the object or value of that number again"),
    .item(#"{"$weak": NUMBER}"#, "a weak reference; null where its object was not archived"),
    .item(#"{"$type": NAME, "$value": …}"#, "a value behind a protocol"),
    .item(#"{"$some": …}"#, "an optional that is there but holds nil"),
    .item(#"{"$date": SECONDS}"#, #"from the start of 2001 UTC; not finite: text, as "inf""#),
    .item(#"{"$float32": NUMBER or ARRAY}"#, "a 32-bit number, also an array of these; not finite: text"),
    .item(#"{"$float64": TEXT}"#, "one that is not finite"),
    .item(
      #"{"$bytes": BASE64}, {"$uuid": TEXT}, {"$decimal": DIGITS}, {"$url": [RELATIVE, BASE, …]}"#,
      "what their names say"
    ),
    .item(#"{"$empty": true}"#, "what a type wrote that encoded nothing"),
    .item(
      #"{"$more": COUNT}"#,
      #"elements left out by --members, in a dictionary as the key "$more" alone"#
    ),
    .item(
      #"{"$cut": COUNT}"#,
      #"a value of so many members left out by --depth; in an object "$cut": true"#
    ),
    .item(
      #"{"$offset": …, "$value": …, "$size": …}"#,
      "each value, with --offsets; in an object as keys"
    ),
  ]

  private static let options: [ManualPage.Option] = [
    .init("--at N", "takes the file as its save N has left it; so does FILE@N"),
    .init(
      "--key PATH",
      """
      prints only what is at PATH: keys with dots between them, indexes in brackets, other keys in brackets and quotes \
      with escapes as in Swift, as in root.books[3].title or root["odd key"]; or from an object by its number, as in \
      '#12.title'. References are followed.
      """
    ),
    .init("--depth N", "shows values that are nested deeper as {…} and […] only"),
    .init("--members N", "shows that many elements of each array and dictionary"),
    .init(
      "--flat",
      """
      prints each object by itself, one behind the other, and nothing but its class and number where it is referred \
      to: for graphs in which objects refer to each other in long chains and cycles. Not with --json.
      """
    ),
    .init("--full", "prints long texts, keys and names to their ends, as --json does"),
    .init(
      "--offsets",
      """
      shows where each value is: @OFFSET+SIZE in bytes; @OFFSET behind the first line of a value that takes several, \
      and both behind its last. For an object they are those of its body.
      """
    ),
    .init("--json", "prints JSON for scripts, as above"),
    Palette.option,
  ]
}
