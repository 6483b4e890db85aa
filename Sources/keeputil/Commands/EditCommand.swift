import Foundation
import Keepsake

/// `keeputil edit`: an archive changed without its classes.
enum EditCommand: Command {
  static let name = "edit"
  static var manual: ManualPage { EditManual.page }

  static func run(_ arguments: [String]) throws {
    let arguments = try Arguments(
      arguments,
      for: name,
      valued: ["-o"],
      repeated: RequestedChanges.options,
      flags: ["--in-place"]
    )
    let file = try arguments.files("one file")[0]
    let changes = try RequestedChanges(arguments)
    let target = try target(arguments, file)
    try refuseTerminal(target, for: name)
    let input = try Input(file)
    // What is damaged would be copied as it is, with new checksums.
    let image = try input.openArchive().image
    let progress = Progress("editing \(displayed(input.name))", .whenUseful)
    do {
      var editor = ArchiveEditor(try image.topLevelValue)
      tellLosses(image.source?.losses ?? [])
      try changes.apply(to: &editor)
      let (data, count) = try progress.wait { try editor.changedData() }
      try withOutput(target) { try $0.write(data) }
      Tool.complain("note: \(counted(count, "object")) changed")
    } catch let failure as CommandFailure where failure.status == .badData {
      throw failure.about(input.name)
    } catch {
      throw CommandFailure(coding: error, in: input.name)
    }
  }

  private static func target(_ arguments: Arguments, _ file: String) throws(CommandFailure) -> String {
    switch (arguments.value("-o"), arguments.has("--in-place")) {
    case (let target?, false): return target
    case (nil, true) where file != "-": return file
    case (nil, true): throw .usage("\(name): standard input cannot be changed in place; say '-o OUT'")
    case (_?, true): throw .usage("\(name): '-o' and '--in-place' exclude each other")
    case (nil, false):
      throw .usage(
        "\(name): say where the changed archive is to be written, with '-o OUT', or with '--in-place' to put it in "
          + "place of FILE"
      )
    }
  }
}
