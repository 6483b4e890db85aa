import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// `--scale`: measures whether cost and memory grow in proportion to the number of objects, and the cost of reading a
/// small part of a large archive.
enum ScaleRun {
  /// Runs the measurement if `arguments` ask for it, and returns whether they do.
  static func run(_ arguments: [String]) throws -> Bool {
    switch arguments.first {
    case "--scale-question":
      print(try ScaleQuestion.answer(Array(arguments.dropFirst())).map { "\($0)" }.joined(separator: " "))
    case "--scale":
      try measure(most: arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000_000)
    default: return false
    }
    return true
  }

  private static func measure(most: Int) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "keepsake-scale-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "archive.keepsake").path
    let counts = [10_000, 100_000, 1_000_000, 10_000_000].filter { $0 <= most }
    var costs: [ScaleShape: [Int: [Double]]] = [:]
    for shape in ScaleShape.allCases {
      costs[shape] = try measureObjects(shape, counts.filter { $0 <= shape.most }, path)
      if let other = shape.withoutCycles { printRatios(shape, other, costs) }
    }
    try measurePartialReading(path, byteCount: most * 107)
  }

  /// Prints the cost of a shape relative to the same shape without cycles.
  private static func printRatios(
    _ shape: ScaleShape,
    _ other: ScaleShape,
    _ costs: [ScaleShape: [Int: [Double]]]
  ) {
    for (count, times) in (costs[shape] ?? [:]).sorted(by: { $0.key < $1.key }) {
      guard let others = costs[other]?[count] else { continue }
      print(
        "\(Figure.count(count)) objects of \(shape.rawValue) cost × \(Figure.number(times[0] / others[0])) encoding, "
          + "× \(Figure.number(times[1] / others[1])) decoding what those of \(other.rawValue) do"
      )
    }
    print("")
  }

  /// - Returns: for each count, the nanoseconds of encoding and of decoding an object, and its bytes.
  private static func measureObjects(
    _ shape: ScaleShape,
    _ counts: [Int],
    _ path: String
  ) throws -> [Int: [Double]] {
    var costs: [Int: [Double]] = [:]
    var table = Table(header: ["objects", "encode ns", "decode ns", "bytes", "peak of a save, bytes", ""])
    var first: [Double] = []
    for count in counts {
      let times = try ScaleProcess.ask(["times", shape.rawValue, "\(count)"])
      if first.isEmpty { first = times }
      costs[count] = times
      let built = try ScaleProcess.ask(["build", shape.rawValue, "\(count)"])
      let saved = try ScaleProcess.ask(["save", shape.rawValue, "\(count)", path])
      table.rows.append([
        Figure.count(count), Figure.number(times[0]), Figure.number(times[1]), Figure.number(times[2]),
        Figure.number((saved[0] - built[0]) / Double(count)),
        "× \(Figure.number(times[0] / first[0])) encoding, × \(Figure.number(times[1] / first[1])) decoding",
      ])
    }
    print("\(shape.rawValue): for each object, and times of the first line\n\(table.plain)\n")
    return costs
  }

  private static func measurePartialReading(_ path: String, byteCount: Int) throws {
    let size = try ScaleProcess.ask(["write", path, "\(byteCount)"])
    var table = Table(header: ["one small key of", "megabytes", "milliseconds", "memory, megabytes", ""])
    for isCold in [true, false] {
      if isCold { dropCache(path) }
      let read = try ScaleProcess.ask(["read", path])
      table.rows.append([
        "a mapped file", Figure.number(size[0] / 1e6), Figure.number(read[0] / 1e6),
        Figure.number(read[1] / 1e6), isCold ? "not in the page cache" : "in the page cache",
      ])
    }
    print(table.plain)
  }

  /// Removes the file from the page cache of the system, if possible.
  private static func dropCache(_ path: String) {
    #if canImport(Glibc)
      guard let file = FileHandle(forReadingAtPath: path) else { return }
      posix_fadvise(file.fileDescriptor, 0, 0, POSIX_FADV_DONTNEED)
    #endif
  }
}
