import Foundation
import Keepsake

/// `keeputil convert`: archives from JSON and property lists, and back.
enum ConvertCommand: Command {
  static let name = "convert"
  static var manual: ManualPage { ConvertManual.page }

  private enum Format: String {
    case keepsake, json, plist
  }

  static func run(_ arguments: [String]) throws {
    let arguments = try Arguments(arguments, for: name, valued: ["--to"], flags: ["--pretty"])
    let files = try arguments.files("IN", "OUT")
    var format: Format?
    if let text = arguments.value("--to") {
      format = Format(rawValue: text)
      if format == nil {
        throw CommandFailure.usage("\(name): there is no format '\(escaped(text))'; keepsake, json or plist")
      }
    }
    let input = try Input(files[0], mayBeJSON: true)
    try input.refuseAsOutput(files[1], for: name, "give another file for OUT")
    let target =
      try format ?? Format(rawValue: (files[1] as NSString).pathExtension.lowercased())
      ?? defaultFormat(for: input)
    if target == .json || !arguments.has("--pretty") {
      try convert(input, to: target, in: files[1], pretty: arguments.has("--pretty"))
    } else {
      throw CommandFailure.usage("\(name): '--pretty' is for JSON only")
    }
  }

  private static func defaultFormat(for input: Input) throws -> Format {
    guard input.kind == .archive else { return .keepsake }
    throw CommandFailure.usage(
      "\(name): \(input.name) is an archive already; say what it is to become with '--to'"
    )
  }

  private static func convert(_ input: Input, to target: Format, in file: String, pretty: Bool) throws {
    guard target != .keepsake else { return try writeArchive(of: input, to: file) }
    let isArchive = try input.kind == .archive || reading(input).wait { try input.isOldArchive }
    let source =
      isArchive ? input : Input(name: input.name, data: try archive(of: input).encodedData)
    let (image, summary) = try source.openArchive()
    tellLosses(image.source?.losses ?? [])
    let progress = Progress("converting \(displayed(input.name))", .whileWriting(to: file))
    defer { progress.finish() }
    try withOutput(file) { output in
      do {
        if target == .json {
          try export(image, summary, JSONWriter(output, pretty: pretty), progress)
        } else {
          try export(image, summary, PropertyListWriter(output), progress)
        }
      } catch {
        throw CommandFailure(coding: error, in: input.name)
      }
    }
  }

  private static func export<Syntax: PlainSyntax>(
    _ image: ArchiveImage,
    _ summary: ArchiveSummary,
    _ syntax: Syntax,
    _ progress: Progress
  ) throws {
    var export = try PlainExport(image, summary, syntax)
    try export.write(progress)
    progress.finish()
    for note in export.syntax.notes.sentences { Tool.complain("note: \(note)") }
  }

  private static func reading(_ input: Input) -> Progress {
    Progress("reading \(displayed(input.name))", .whenUseful)
  }

  private static func writeArchive(of input: Input, to file: String) throws {
    try refuseTerminal(file, for: name)
    if input.kind == .archive {
      // Checked, and then the same bytes.
      _ = try input.openArchive()
      return try withOutput(file) { try $0.write(input.data) }
    }
    if let old = try reading(input).wait({ try input.translatedArchive() }) {
      tellLosses(old.losses)
      try withOutput(file) { try $0.write(old.data) }
    } else {
      let data = try archive(of: input).encodedData
      try withOutput(file) { try $0.write(data) }
    }
  }

  /// An archive whose root object is what JSON or a property list holds.
  private static func archive(of input: Input) throws -> KeyedArchiver {
    let archiver = KeyedArchiver()
    do {
      let value = try plainValue(input)
      try reading(input).wait {
        try archiver.encode(value, forKey: KeyedArchiver.rootKey)
        try archiver.finishEncoding()
      }
    } catch {
      throw CommandFailure(coding: error, in: input.name)
    }
    return archiver
  }

  private static func plainValue(_ input: Input) throws -> PlainValue {
    if input.kind == .propertyList {
      return try reading(input).wait { try PropertyListReader.read(input.data, name: input.name) }
    }
    var reader = JSONReader(input.data)
    do {
      let value = try reading(input).wait { try reader.read() }
      for note in reader.notes { Tool.complain("note: \(note)") }
      return value
    } catch let failure as JSONReader.Failure {
      throw CommandFailure(
        .badData,
        "\(input.name): this is neither an archive nor JSON nor a property list: as JSON, \(failure.text)"
      )
    }
  }
}
