import Foundation
import Keepsake

enum ConvertCommand: Command {
  static let manual = ManualPage(
    "convert",
    "converts JSON, property lists, NSKeyedArchiver files to archives, and back",
    synopsis: ["[--to FORMAT] [--pretty] IN OUT"],
    """
    Converts IN to OUT, which must be another file. IN may be an archive, an archive of NSKeyedArchiver, JSON or a
    property list (XML or binary). - stands for standard input and standard output.

    To an archive: the value becomes the root object. Objects become maps with their keys in order, arrays of numbers
    are packed, integers may have 128 bits, and numbers with more digits than a Double holds become Decimals; a number
    with too many for that is rounded, one too near to 0 becomes 0, and a note says so. JSON may be nested
    \(grouped(JSONReader.deepest)) deep, a property list \(grouped(PropertyListReader.deepest)): output from a deeper
    archive cannot be converted back.

    An archive of NSKeyedArchiver becomes one with the same keys: its objects keep their classes, the values that their
    coders wrote, and what they share. The classes need not exist. Sets become arrays. A note on standard error lists
    what is lost or changed.

    From an archive: the root object, or, if there are other top-level keys, an object with all of them. Values that
    the format lacks are written as follows, and a note on standard error counts them.

    in JSON
      Data as Base64, Date in seconds since 2001, UUID and URL as text (all as JSONEncoder does); numbers that are not
      finite as "NaN", "Infinity", "-Infinity". Characters that are invisible, or that a terminal would obey, are
      escaped.
    in a property list
      nil as "$null", Decimal and integers beyond 64 bits as text, Date without fractions of a second, far dates as
      seconds since 2001. XML lacks most control characters: texts lose them; in a key, U+FFFD and the character's
      number replace one, as in {1B}, so that different keys stay different. Foundation drops a U+FEFF with which a
      text begins; in a key, it is replaced.
    in both
      An object with several references (or in a cycle) is written once, with an additional key "$id" (and its content
      under "$value" if it has no keys), and elsewhere as {"$ref": id}; a value that encoded nothing is {}. A weak
      reference is {"$ref": id}, too, and may precede the object; it is nil if the object is missing. Names of classes
      and types are left out. A key of the archive that is "$id", "$ref" or "$value", or one of these behind further
      "$", gets another "$" in front. In JSON and property lists that are read, these keys have no meaning.

    A text that the archive shares is written wherever it occurs: the output may be much larger than the archive.

    \(ManualPage.progress)

    \(ManualPage.savedFile)
    """,
    options: """
      --to FORMAT
        keepsake, json or plist (XML). Without it, the extension of OUT decides, .json or .plist; with any other, JSON
        and property lists become an archive.
      --pretty
        indents JSON
      """,
    examples: """
      An archive from a file of NSKeyedArchiver:
        keeputil convert Document.plist document.keepsake
      An archive from JSON:
        keeputil convert settings.json settings.keepsake
      An archive for another tool:
        keeputil convert --to json library.keepsake - | jq .books
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
      throw arguments.misuse("there is no format '\(escaped(wanted))'; give keepsake, json or plist")
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
      // An archive is checked and copied byte for byte.
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

  /// An archive whose root object is the value in JSON or a property list.
  private static func archive(of input: Input) throws -> Data {
    try input.reading {
      let value = try plainValue(input)
      return try input.progress("reading").wait { try KeyedArchiver.archivedData(withRootObject: value) }
    }
  }

  private static func plainValue(_ input: Input) throws -> PlainValue {
    let progress = input.progress("reading")
    if input.kind == .propertyList { return try progress.wait { try PropertyListReader.read(input.data) } }
    var reader = JSONReader(input.data)
    do {
      let value = try progress.wait { try reader.read() }
      reader.notes.sentences.forEach(Tool.note)
      return value
    } catch let failure as JSONReader.Failure {
      throw CommandFailure.badData(
        "this is neither an archive nor JSON nor a property list: as JSON, \(failure.text)"
      )
    }
  }
}
