/// What there is to say about `keeputil stats`: more than fits beside its code.
enum StatsManual {
  static var page: ManualPage {
    ManualPage(
      name: StatsCommand.name,
      summary: "tells where the bytes of an archive go",
      synopsis: ["[--json] [--top N] FILE"],
      description: [
        .text(
          """
          Prints tables of what is in the archive FILE and how many bytes it takes, the largest first. FILE may be - \
          for standard input. The archive is checked first, as by verify.
          """
        ),
        .text(
          """
          A file of NSKeyedArchiver is turned into an archive in memory, and the figures are of that archive. The first \
          line says so, and in the JSON "madeOf" is what the file is.
          """
        ),
        Progress.note,
        .item(
          "The file",
          "Its parts in their order: bodies, tables, checksums. They are all of its bytes, each once."
        ),
        .item(
          "Classes",
          """
          For each class how many objects there are, and the bytes of their bodies: the class number and the values, \
          with references to other objects but without those objects.
          """
        ),
        .item(
          "Keys",
          """
          The values under keys of one name, in whatever object or dictionary. "bytes" are their own: each byte \
          counts for the innermost key that it stands under, so that the rows add up to all bodies and the top level. \
          An object's bytes that are under none of its keys count for the key by which it is reached first; the text \
          of a dictionary's key counts for that key. "with nested" adds what is under keys within the values, so its \
          rows do not add up; what is in objects that are referred to is not in it. Of keys of dictionaries, the \
          first 10,000 different ones have a row each.
          """
        ),
        .item("Kinds of values", "Each byte counts for the innermost value that it belongs to."),
        .item(
          "Largest values and objects",
          """
          Values are those that hold no others: texts, bytes, arrays of numbers. The path is a shortest one from the \
          top level.
          """
        ),
        .item(
          "Sharing",
          """
          What would be written again if each further reference to an object were its body; what the object refers \
          to would come on top of that. And the same for texts, less what their table takes.
          """
        ),
      ],
      options: [
        .init("--at N", "takes the file as its save N has left it; so does FILE@N"),
        .init("--top N", "lists N of the largest values and objects, and N rows at most of the other tables"),
        .init(
          "--json",
          "prints all as JSON, for scripts; then all classes and keys are listed, and texts are not abridged"
        ),
      ],
      examples: [
        .init("keeputil stats library.keepsake", "All tables:"),
        .init("keeputil stats --json library.keepsake | jq '.classes[0].name'", "The class that takes most:"),
      ]
    )
  }
}
