import Foundation
import Keepsake

enum ConvertCommand: Command {
  static let manual = ManualPage(
    "convert",
    "turns JSON, property lists, NSKeyedArchiver files into archives, and back",
    synopsis: ["[--to FORMAT] [--pretty] IN OUT"],
    """
    Turns IN, which may be an archive, an archive of NSKeyedArchiver, JSON or a property list (XML or binary), into
    OUT, which must be another file. - stands for standard input and standard output.

    Into an archive: the value is its root object; objects become maps with their keys in order, arrays of numbers
    are packed, integers may have 128 bits, and numbers with more digits than a Double holds become Decimals; a number
    that is too near to 0 becomes 0, and a note says so. JSON may be nested \(grouped(JSONReader.deepest)) deep, a
    property list \(grouped(PropertyListReader.deepest)): what is written from a deeper archive cannot be read back.

    An archive of NSKeyedArchiver becomes one with the same keys: its objects keep their classes and what their coders
    wrote, and what several refer to stays shared. The classes need not exist. Sets become arrays. A note on standard
    error tells what cannot be carried over, or becomes something else.

    Out of an archive: the root object, or where there are other top-level keys an object of all of them. What the
    format does not have is written as follows, and a note on standard error says how often.

    in JSON
      Data as Base64, Date in seconds since 2001, UUID and URL as text (all as JSONEncoder does); numbers that are not
      finite as "NaN", "Infinity", "-Infinity". Characters that do not show, or would do something to a terminal, are
      escaped.
    in a property list
      nil as "$null", Decimal and integers beyond 64 bits as text, Date without fractions of a second. XML does not
      have most control characters: a text loses them, and in a key one is spelled by its number behind U+FFFD, as in
      {1B}, so that different keys stay different.
    in both
      An object that is referred to more than once (a cycle too) once, with a key "$id" more (and its content under
      "$value" if that has no keys), and then as {"$ref": id}; a value that encoded nothing as {}. A weak reference is
      {"$ref": id} too, which may come before the object itself, or nil if that is not there. Names of classes and
      types are left out. A key of the archive that is "$id", "$ref" or "$value" gets one "$" more in front, and so
      does such a key that has more of them. Read from JSON or a property list, all of these are keys like any others.

    A text that the archive holds once is written wherever it occurs: the output may be larger than the archive by
    far.

    \(ManualPage.progress)

    \(ManualPage.savedFile)
    """,
    options: """
      --to FORMAT
        keepsake, json or plist (XML). Without it the ending of OUT decides, .json or .plist; otherwise JSON and
        property lists become an archive.
      --pretty
        indents JSON
      """,
    examples: """
      An archive from one of NSKeyedArchiver:
        keeputil convert Document.plist document.keepsake
      An archive from JSON:
        keeputil convert settings.json settings.keepsake
      An archive for another tool:
        keeputil convert --to json library.keepsake - | jq .root
      """
  )

  private enum Format: String {
    case keepsake, json, plist
  }

  static func run(_ arguments: Arguments) throws {
    let files = try arguments.files("IN", "OUT")
    let wanted = arguments.value("--to")
    let format = wanted.flatMap(Format.init)
    if let wanted, format == nil {
      throw arguments.misuse("there is no format '\(escaped(wanted))'; keepsake, json or plist")
    }
    let input = try Input(files[0], mayBeJSON: true)
    try input.refuseAsOutput(files[1], for: name, "give another file for OUT")
    let target = format ?? Format(rawValue: (files[1] as NSString).pathExtension.lowercased())
    if target == nil, input.kind == .archive {
      throw arguments.misuse("\(input.name) is an archive already; say what it is to become with '--to'")
    }
    let isPretty = arguments.has("--pretty")
    switch target {
    case .json: try export(input, to: files[1]) { JSONWriter($0, pretty: isPretty) }
    case _ where isPretty: throw arguments.misuse("'--pretty' is for JSON only")
    case .plist: try export(input, to: files[1], PropertyListWriter.init)
    case .keepsake, nil: try writeArchive(of: input, to: files[1])
    }
  }

  private static func export<Syntax: PlainSyntax>(
    _ input: Input,
    to file: String,
    _ syntax: (any Output) throws -> Syntax
  ) throws {
    let isArchive = try input.kind == .archive || translated(input) != nil
    let source = isArchive ? input : Input(name: input.name, data: try archive(of: input))
    let (image, summary) = try source.openCheckedArchive()
    tellLosses(image.source?.losses ?? [])
    let progress = input.progress("converting", .whileWriting(to: file))
    defer { progress.finish() }
    try withOutput(file) { output in
      try input.reading {
        var export = try PlainExport(image, summary, try syntax(output))
        try export.write(progress)
        progress.finish()
        export.syntax.notes.sentences.forEach(Tool.note)
      }
    }
  }

  private static func writeArchive(of input: Input, to file: String) throws {
    try refuseTerminal(file, for: name)
    let data: Data
    if input.kind == .archive {
      // Checked, and then the same bytes.
      _ = try input.openCheckedArchive()
      data = input.data
    } else if let translated = try translated(input) {
      tellLosses(translated.losses)
      data = translated.buffer.takeData()
    } else {
      data = try archive(of: input)
    }
    try withOutput(file) { try $0.write(data) }
  }

  private static func translated(_ input: Input) throws(CommandFailure) -> TranslatedArchive? {
    try input.progress("reading").wait { () throws(CommandFailure) in try input.translatedArchive() }
  }

  /// An archive whose root object is what JSON or a property list holds.
  private static func archive(of input: Input) throws -> Data {
    let archiver = KeyedArchiver()
    try input.reading {
      let value = try plainValue(input)
      try input.progress("reading").wait {
        try archiver.encode(value, forKey: KeyedArchiver.rootKey)
        try archiver.finishEncoding()
      }
    }
    return try archiver.encodedData
  }

  private static func plainValue(_ input: Input) throws -> PlainValue {
    let progress = input.progress("reading")
    if input.kind == .propertyList { return try progress.wait { try PropertyListReader.read(input.data) } }
    var reader = JSONReader(input.data)
    do {
      let value = try progress.wait { try reader.read() }
      reader.notes.forEach(Tool.note)
      return value
    } catch let failure as JSONReader.Failure {
      throw CommandFailure.badData(
        "this is neither an archive nor JSON nor a property list: as JSON, \(failure.text)"
      )
    }
  }
}
