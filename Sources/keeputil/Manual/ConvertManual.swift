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
          Decimals.
          """
        ),
        .text(
          """
          An archive of NSKeyedArchiver becomes one with the same keys: its objects keep their classes and what their \
          coders wrote, and what several refer to is shared as before. The classes need not exist. What could not be \
          carried over is told on standard error.
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
          not finite as "NaN", "Infinity", "-Infinity".
          """
        ),
        .item(
          "in a property list",
          """
          nil as "$null", Decimal and integers beyond 64 bits as text, Date without fractions of a second.
          """
        ),
        .item(
          "in both",
          """
          An object that is referred to more than once (a cycle too) once, with a key "$id" more (and its content \
          under "$value" if that has no keys), and then as {"$ref": id}; a value that encoded nothing as {}. A weak \
          reference is {"$ref": id} too, which may come before the object itself, or nil where that is not there. \
          Names of classes and types are left out.
          """
        ),
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
