/// What there is to say about `keeputil graph`: more than fits beside its code.
enum GraphManual {
  static var page: ManualPage {
    ManualPage(
      name: GraphCommand.name,
      summary: "draws the objects of an archive and their references",
      synopsis: ["[--all | --by-class] [--dot] [-o OUT] [--quiet] FILE"],
      description: [
        .text(
          """
          Draws the graph of objects in the archive FILE as an SVG picture, for a browser or an editor: a box for each \
          object with its class, its number and some of its values, and an arrow for each reference with its key. Weak \
          references are dashed. The box with the dashed border is the top level of the archive. FILE may be - for \
          standard input.
          """
        ),
        .text(
          """
          Of an archive with more than \(GraphReader.mostReadable) objects the picture has a box for each class, with \
          the number of its objects, and an arrow for all references from objects of one class to objects of another, \
          with their number.
          """
        ),
        .text(
          """
          A picture that would be very wide is broken into bands, one under the other. A reference from one band to \
          another, or across a dense picture, has no arrow: it is a line of its box, such as "next → #17".
          """
        ),
        .text(
          """
          The picture needs nothing from elsewhere, has colours for light and dark pages, and is the same each time \
          for the same archive.
          """
        ),
        Progress.note,
        .savedFile,
      ],
      options: [
        .init("--at N", "takes the file as its save N has left it; so does FILE@N"),
        .init("--all", "a box for each object, of up to \(grouped(GraphReader.mostObjects))"),
        .init("--by-class", "a box for each class, however few objects there are"),
        .init("--dot", "writes the graph in the language of Graphviz, and no picture"),
        .init(
          "-o OUT",
          "where to write to, another file than FILE; without it, or with -, to standard output"
        ),
        .init("--quiet", "never tells on standard error how far the work is"),
      ],
      statusMeanings: [.usage: "The arguments are wrong, or there are more objects than --all can draw."],
      examples: [
        .init("keeputil graph library.keepsake -o library.svg", "A picture:"),
        .init("keeputil graph --dot library.keepsake | dot -Tpdf -o library.pdf", "Drawn by Graphviz:"),
      ]
    )
  }
}
