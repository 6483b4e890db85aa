import Keepsake

/// `keeputil graph`: a picture of what refers to what.
enum GraphCommand: Command {
  static let name = "graph"
  static var manual: ManualPage { GraphManual.page }

  static func run(_ arguments: [String]) throws {
    let arguments = try Arguments(
      arguments,
      for: name,
      valued: ["--at", "-o"],
      flags: ["--all", "--by-class", "--dot", "--quiet"]
    )
    let file = try arguments.files("one file")[0]
    guard !arguments.has("--all") || !arguments.has("--by-class") else {
      throw CommandFailure.usage("\(name): '--all' and '--by-class' exclude each other")
    }
    let target = arguments.value("-o") ?? "-"
    let input = try Input(file, at: try arguments.number("--at"))
    try input.refuseAsOutput(target, for: name, "give another file with '-o'")
    let image = try input.openArchiveToRead()
    let progress = Progress(
      "reading \(displayed(input.name))",
      arguments.has("--quiet") ? .never : .whenUseful
    )
    let graph: ObjectGraph
    do {
      defer { progress.finish() }
      graph = try read(image, arguments, progress)
    } catch let error as ArchiveError {
      throw input.failure(error)
    } catch let failure as CommandFailure where failure.status == .usage {
      throw failure.about(input.name)
    }
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
