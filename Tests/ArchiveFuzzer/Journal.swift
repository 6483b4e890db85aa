internal import Foundation

#if !LIBFUZZER
  /// A file in which the reading process notes its next input and its progress, so that its parent knows where it died.
  struct Journal {
    /// The progress of a run.
    struct Entry {
      var number = 0
      var opened = 0
      var accepted = 0
      var refused = 0
      var faults = 0
      /// In bytes.
      var peakMemory = 0
    }

    private static let headByteCount = 128
    private let file: FileHandle

    init(_ path: String) throws {
      _ = FileManager.default.createFile(atPath: path, contents: nil)
      file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    }

    /// Notes that `bytes` are read next. They are in the file when this returns, even if the process then dies.
    func note(_ entry: Entry, _ bytes: [UInt8]) throws {
      let numbers = [
        entry.number, entry.opened, entry.accepted, entry.refused, entry.faults, entry.peakMemory,
      ]
      let head = numbers.map(\.description).joined(separator: " ")
      let padding = String(repeating: " ", count: max(0, Journal.headByteCount - head.utf8.count - 1)) + "\n"
      try file.seek(toOffset: 0)
      try file.write(contentsOf: Data((head + padding).utf8) + Data(bytes))
      try file.truncate(atOffset: UInt64(Journal.headByteCount + bytes.count))
    }

    /// The last note.
    static func read(_ path: String) -> (entry: Entry, bytes: Data) {
      let data = (try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data()
      let head = String(decoding: data.prefix(headByteCount), as: UTF8.self)
      let numbers = head.split(whereSeparator: { " \n".contains($0) }).compactMap { Int($0) }
      guard numbers.count == 6 else { return (Entry(), Data()) }
      let entry = Entry(
        number: numbers[0],
        opened: numbers[1],
        accepted: numbers[2],
        refused: numbers[3],
        faults: numbers[4],
        peakMemory: numbers[5]
      )
      return (entry, Data(data.dropFirst(headByteCount)))
    }
  }
#endif
