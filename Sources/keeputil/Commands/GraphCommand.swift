import Keepsake

enum GraphCommand: Command {
  static let manual = ManualPage(
    "graph",
    "draws the objects of an archive and their references",
    synopsis: ["[--all | --by-class] [--dot] [-o OUT] [--quiet] FILE"],
    """
    Draws the graph of objects in the archive FILE as an SVG picture for a browser or an editor: a box for each object
    with its class, its number and some of its values, and an arrow for each reference with its key. Arrows of weak
    references are dashed. The box with a dashed border is the top level of the archive. FILE may be - for standard
    input.

    For an archive with more than \(GraphReader.mostReadable) objects, the picture has a box for each class with the
    number of its objects, and an arrow for all references from one class to another with their number.

    A very wide picture is divided into bands, one below the other. A reference from one band to another, or across a
    dense picture, is a line of text in its box, such as "next → #17", and not an arrow.

    The picture is self-contained, has colors for light and dark pages, and is always the same for the same archive.

    \(ManualPage.progress)

    \(ManualPage.savedFile)
    """,
    options: """
      \(ManualPage.saveOption)
      --all
        draws a box for each object, up to \(grouped(GraphReader.mostObjects))
      --by-class
        draws a box for each class, however few objects there are
      --dot
        writes the graph in the language of Graphviz instead of a picture
      -o OUT
        the file to write, which must not be FILE; without it, or with -, standard output
      --quiet
        shows no progress
      """,
    statusMeanings: [.usage: "The arguments are wrong, or there are more objects than --all can draw."],
    examples: """
      A picture:
        keeputil graph library.keepsake -o library.svg
      Drawn by Graphviz:
        keeputil graph --dot library.keepsake | dot -Tpdf -o library.pdf
      """
  )

  static func run(_ arguments: Arguments) throws {
    try arguments.refuseTogether("--all", "--by-class")
    let target = arguments.value("-o") ?? "-"
    let input = try arguments.input()
    try input.refuseAsOutput(target, for: name, "give another file with '-o'")
    let image = try input.openArchive()
    let progress = input.progress("reading", arguments.has("--quiet") ? .never : .whenUseful)
    defer { progress.finish() }
    let graph = try input.reading { try read(image, arguments, progress) }
    progress.finish()
    let drawing = arguments.has("--dot") ? nil : GraphDrawing(graph)
    try withOutput(target) { output in
      if let drawing { try SVGWriter.write(drawing, output) } else { try DOTWriter.write(graph, output) }
    }
  }

  private static func read(
    _ image: ArchiveImage,
    _ arguments: Arguments,
    _ progress: Progress
  ) throws -> ObjectGraph {
    var reader = try GraphReader(image, progress)
    if arguments.has("--by-class") { return try reader.classes() }
    let count = reader.objectCount
    if !arguments.has("--all"), count > GraphReader.mostReadable { return try reader.classes() }
    let advice = "a larger picture would be unreadable; leave '--all' out"
    guard count <= GraphReader.mostObjects else {
      throw CommandFailure.usage(
        "the archive has \(counted(count, "object")), and '--all' draws \(grouped(GraphReader.mostObjects)): \(advice)"
      )
    }
    let graph = try reader.objects()
    guard graph.edges.count <= GraphReader.mostEdges else {
      throw CommandFailure.usage(
        "\(grouped(graph.edges.count)) pairs of objects refer to each other, and '--all' draws "
          + "\(grouped(GraphReader.mostEdges)): \(advice)"
      )
    }
    return graph
  }
}
