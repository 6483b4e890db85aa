import Foundation
import Keepsake

/// `keeputil demo --document`: edits and saves a document, and kills another process that edits it.
enum DemoDocument {
  /// The number of saves before the editor is killed.
  private static let saveCount = 10

  static func demonstrate(_ file: String, isKept: Bool) throws {
    let out = standardOutput
    let document = try ArchiveDocument(creating: file, root: Library())
    let first = document.saves[0].byteCount
    try out.write("A document of a library, with \(counted(first, "byte")) in its first save.\n\n")
    for number in 1...saveCount {
      edit(document.root, number)
      try document.save(date: Date())
      let written = document.saves.last?.byteCount ?? 0
      try out.write("  edit \(number): \(counted(written, "byte")) written\n")
    }
    document.close()

    let count = try killEditor(of: file)
    try out.write(
      "\nAnother process edits and saves it all the time, and is killed after \(counted(count, "save")).\n"
    )
    let after = try ArchiveDocument<Library>(opening: file, verification: .everything)
    let leftover = try Input(file).leftoverByteCount
    try out.write(
      "Opened again, the document has \(counted(after.saves.count, "save")), all whole"
        + (leftover > 0
          ? ", and \(counted(leftover, "byte")) of an interrupted save, which readers ignore.\n" : ".\n")
    )
    after.close()

    try out.write("\nIts first saves, as keeputil log lists them:\n")
    for line in try LogCommand.lines(file).prefix(saveCount + 2) { try out.write("  \(line)\n") }
    try out.write("\nWhat has changed from save 2 to save 4, as keeputil diff shows it:\n")
    try out.flush()
    do {
      try DiffCommand.run(Arguments(["\(file)@2", "\(file)@4"], for: DiffCommand.manual))
    } catch let failure as CommandFailure where failure.status == .different {
      // The saves are different, as they should be.
    }
    if isKept { try out.write("\nLook at it with: keeputil log \(file)\n") }
  }

  private static func edit(_ library: Library, _ number: Int) {
    let book = library.books[number * 7 % library.books.count]
    book.title += number % 2 == 0 ? "!" : ""
    book.pages += number
    library.bookOfTheMonth = book
  }

  /// Edits and saves the document until the process is killed, and reports each save on standard output.
  static func editForever(_ file: String) throws {
    let document = try ArchiveDocument<Library>(opening: file)
    document.compactsAutomatically = false
    for number in 1... {
      edit(document.root, number)
      try document.save(date: Date())
      try FileHandle.standardOutput.write(contentsOf: Data("\(number)\n".utf8))
    }
  }

  /// Starts an editor, kills it, and returns the number of saves that the editor has reported.
  private static func killEditor(of file: String) throws -> Int {
    guard let program = Bundle.main.executableURL else { return 0 }
    let editor = Process()
    editor.executableURL = program
    editor.arguments = ["demo", "--document-editor", file]
    let output = Pipe()
    editor.standardOutput = output
    try editor.run()
    // Reading from the pipe does not end while this process has it open for writing.
    try output.fileHandleForWriting.close()
    var said = Data()
    while said.count(where: { $0 == UInt8(ascii: "\n") }) < saveCount {
      let bytes = output.fileHandleForReading.availableData
      if bytes.isEmpty { break }
      said += bytes
    }
    kill(editor.processIdentifier, SIGKILL)
    said += output.fileHandleForReading.readDataToEndOfFile()
    editor.waitUntilExit()
    return said.count { $0 == UInt8(ascii: "\n") }
  }
}
