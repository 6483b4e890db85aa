/// What there is to say about `keeputil convert`: more than fits beside its code.
enum ConvertManual {
  static var page: ManualPage {
    ManualPage(
      name: ConvertCommand.name,
      summary: "turns old archives, JSON and property lists into archives, and back",
      synopsis: ["[--to FORMAT] [--pretty] IN OUT"],
      description: [
        .text(
          """
          Turns IN, which may be an archive, an archive of NSKeyedArchiver, JSON or a property list (XML or binary), \
          into OUT, which must be another file. - stands for standard input and standard output.
          """
        ),
        .text(
          """
          Into an archive: the value is its root object; objects become maps with their keys in order, arrays of \
          numbers are packed, integers may have 128 bits, and numbers with more digits than a Double holds become \
          Decimals; what is nearer to 0 than any number becomes 0, which a note tells. JSON may be nested \
          \(grouped(JSONReader.deepest)) deep, a property list \(grouped(PropertyListReader.deepest)): what is \
          written from a deeper archive cannot be read back.
          """
        ),
        .text(
          """
          An archive of NSKeyedArchiver becomes one with the same keys: its objects keep their classes and what their \
          coders wrote, and what several refer to is shared as before. The classes need not exist. Sets become arrays. \
          What could not be carried over, and what became something else, is told on standard error.
          """
        ),
        .text(
          """
          Out of an archive: the root object, or where there are other top-level keys an object of all of them. What \
          the format does not have is written as follows, and a note on standard error says how often.
          """
        ),
        .item(
          "in JSON",
          """
          Data as Base64, Date in seconds since 2001, UUID and URL as text (all as JSONEncoder does); numbers that are \
          not finite as "NaN", "Infinity", "-Infinity". Characters that do not show, or would do something to a \
          terminal, are escaped.
          """
        ),
        .item(
          "in a property list",
          """
          nil as "$null", Decimal and integers beyond 64 bits as text, Date without fractions of a second. Most \
          control characters are none to XML: a text loses them, and in a key one is spelled by its number behind \
          U+FFFD, as in {1B}, so that each key stays another.
          """
        ),
        .item(
          "in both",
          """
          An object that is referred to more than once (a cycle too) once, with a key "$id" more (and its content \
          under "$value" if that has no keys), and then as {"$ref": id}; a value that encoded nothing as {}. A weak \
          reference is {"$ref": id} too, which may come before the object itself, or nil where that is not there. \
          Names of classes and types are left out. A key of the archive that is "$id", "$ref" or "$value" has one "$" \
          more in front, and so has one that is that with more of them. Read from JSON or a property list, all of \
          these are keys like any others.
          """
        ),
        .text(
          """
          A text that the archive holds once, for all that have it, is written for each of them: what is written may \
          be larger than the archive by far.
          """
        ),
        Progress.note,
        .savedFile,
      ],
      options: [
        .init(
          "--to FORMAT",
          """
          keepsake, json or plist (XML). Without it the ending of OUT decides, .json or .plist; otherwise JSON and \
          property lists become an archive.
          """
        ),
        .init("--pretty", "indents JSON"),
      ],
      examples: [
        .init("keeputil convert Document.plist document.keepsake", "An archive from one of NSKeyedArchiver:"),
        .init("keeputil convert settings.json settings.keepsake", "An archive from JSON:"),
        .init("keeputil convert --to json library.keepsake - | jq .root", "An archive for another tool:"),
      ]
    )
  }
}
