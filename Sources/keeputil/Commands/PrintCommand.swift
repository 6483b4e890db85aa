import Foundation
import Keepsake

/// `keeputil print`: the tree of an archive.
enum PrintCommand: Command {
  static let name = "print"
  static var manual: ManualPage { PrintManual.page }

  static func run(_ arguments: [String]) throws {
    let arguments = try Arguments(
      arguments,
      for: name,
      valued: ["--at", "--depth", "--members", "--key", "--color"],
      flags: ["--full", "--flat", "--offsets", "--json"]
    )
    let file = try arguments.files("one file")[0]
    let palette = try Palette(option: arguments.value("--color"), for: name)
    var options = TreeOptions(
      deepest: try arguments.number("--depth") ?? .max,
      mostMembers: try arguments.number("--members") ?? .max,
      hasOffsets: arguments.has("--offsets"),
      palette: palette
    )
    if arguments.has("--full") { options.longestText = .max }
    options.isFlat = arguments.has("--flat")
    guard !options.isFlat || !arguments.has("--json") else {
      throw CommandFailure.usage("\(name): '--flat' and '--json' exclude each other")
    }
    let path = try arguments.value("--key").map { (text) throws(CommandFailure) in try PathArgument(text) }
    let input = try Input(file, at: try arguments.number("--at"))
    let image = try input.openArchiveToRead()
    do {
      try print(path, in: image, as: options, isJSON: arguments.has("--json"))
    } catch let error as ArchiveError {
      try end(with: CommandFailure(error, in: input.name))
    } catch let failure as CommandFailure where failure.status == .badData {
      try end(with: failure.about(input.name))
    }
    if !image.hasChecksums {
      Tool.complain("note: \(input.name) has no checksums, so nobody can tell whether it was damaged")
    }
  }

  /// What was printed before stays.
  private static func end(with failure: CommandFailure) throws -> Never {
    try StandardOutput.flush()
    throw failure
  }

  private static func print(
    _ path: PathArgument?,
    in image: ArchiveImage,
    as options: TreeOptions,
    isJSON: Bool
  ) throws {
    let out = StandardOutput.gathered
    let found = try path.map { try PathLookup.find($0, in: image) } ?? .value(try image.topLevelValue)
    switch found {
    case .number(let number) where isJSON:
      try JSONTree.write(number, out)
    case .number(let number):
      try out.write(options.palette.paint(number.texts.joined(), .number) + "\n")
    case .body(let body) where isJSON:
      try JSONTree.write(body, out, options)
    case .body(let body):
      var tree = TreePrinter(body, out, options)
      try tree.printAll()
    case .value(let value) where isJSON:
      var tree = JSONTree(value, out, options)
      try tree.write()
    case .value(let value):
      var tree = TreePrinter(value, out, options)
      try tree.printAll()
    }
  }
}
