import Keepsake

/// `keeputil graph`: a picture of what refers to what.
enum GraphCommand: Command {
  static let name = "graph"
  static let summary = "draws the objects of an archive and their references"
  static let help = """
    Usage: keeputil graph [--all | --by-class] [--dot] [-o OUT] [--quiet] FILE

    Draws the graph of objects as an SVG picture, for a browser or an editor: a box for each object with its class, its
    number and some of its values, and an arrow for each reference with its key. Weak references are dashed. The box
    with the dashed border is the top level of the archive.

    Of an archive with more than \(GraphReader.mostReadable) objects the picture has a box for each class, with the \
    number of its objects, and an
    arrow for all references from objects of one class to objects of another, with their number.

    --all         a box for each object, of up to \(grouped(GraphReader.mostObjects))
    --by-class    a box for each class, however few objects there are
    --dot         writes the graph in the language of Graphviz, and no picture
    -o OUT        where to write to; without it, or with -, to standard output
    --quiet       never tells on standard error how far the work is
    FILE          the archive; - for standard input

    The picture needs nothing from elsewhere, has colours for light and dark pages, and is the same each time for the
    same archive.

    Exit status: 0; 64 for wrong arguments, or for more objects than --all can draw; 65 if FILE is no archive or
    damaged, 66 if it cannot be read, 74 if OUT cannot be written.

    Example: keeputil graph library.keepsake -o library.svg

    """

  static func run(_ arguments: [String]) throws {
    let arguments = try Arguments(
      arguments,
      for: name,
      valued: ["-o"],
      flags: ["--all", "--by-class", "--dot", "--quiet"]
    )
    let file = try arguments.files("one file", for: name)[0]
    guard !arguments.has("--all") || !arguments.has("--by-class") else {
      throw CommandFailure.usage("\(name): '--all' and '--by-class' exclude each other")
    }
    let input = try Input(file)
    let image = try input.openArchiveToRead()
    let progress = Progress(
      "reading \(escaped(input.name, keeping: "\"\\"))",
      arguments.has("--quiet") ? .never : .whenUseful
    )
    let graph: ObjectGraph
    do {
      defer { progress.finish() }
      graph = try read(image, arguments, progress)
    } catch let error as ArchiveError {
      throw input.failure(error)
    } catch let failure as CommandFailure where failure.status == CommandFailure.wrongUsage {
      throw CommandFailure(failure.status, failure.message.map { "\(input.name): \($0)" })
    }
    let drawing = arguments.has("--dot") ? nil : GraphDrawing(graph)
    try withOutput(arguments.value("-o") ?? "-") { output in
      if let drawing { try SVGWriter.write(drawing, output) } else { try DOTWriter.write(graph, output) }
    }
  }

  private static func read(
    _ image: ArchiveImage,
    _ arguments: Arguments,
    _ progress: Progress
  ) throws -> ObjectGraph {
    var reader = GraphReader(image, progress)
    if arguments.has("--by-class") { return try reader.classes() }
    let count = try reader.objectCount()
    if !arguments.has("--all"), count > GraphReader.mostReadable { return try reader.classes() }
    let advice = "a picture of more than that nobody could read; leave '--all' out"
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
