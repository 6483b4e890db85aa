import Foundation
import HostileArchives
import Keepsake

/// The questions that a process of the measurement answers.
enum ScaleQuestion {
  /// Answers the question in `arguments`, with a line of numbers.
  static func answer(_ arguments: [String]) throws -> [Double] {
    let count = arguments.count > 2 ? Int(arguments[2]) ?? 0 : 0
    switch (arguments.first, ScaleShape(rawValue: arguments.count > 1 ? arguments[1] : "")) {
    case ("times", let shape?): return try times(shape, count)
    case ("do", let shape?): return try perform(shape, count, Array(arguments.dropFirst(3)))
    case ("build", let shape?): return shape.withGraph(count: count) { _ in [ReadingCost.peakMemory] }
    case ("save", let shape?): return try save(shape, count, path: arguments[3])
    case ("write", nil): return try writeLarge(path: arguments[1], byteCount: count)
    case ("read", nil): return try readSmall(path: arguments[1])
    default: throw ScaleError(question: arguments)
    }
  }

  /// Archives a graph, and then runs `encode` or `decode`: for tools that count instructions.
  private static func perform(_ shape: ScaleShape, _ count: Int, _ operations: [String]) throws -> [Double] {
    try shape.withGraph(count: count) { graph in
      let archive = try graph.encode()
      for operation in operations {
        _ = operation == "decode" ? try graph.decode(archive) : try graph.encode()
      }
      return [ReadingCost.peakMemory]
    }
  }

  /// The nanoseconds of encoding and of decoding an object, as medians of several runs, and the bytes of an object.
  private static func times(_ shape: ScaleShape, _ count: Int) throws -> [Double] {
    try shape.withGraph(count: count) { graph in
      let archive = try graph.encode()
      _ = try graph.decode(archive)
      let runs = max(3, min(101, 3_000_000 / count))
      let encoding = try median(runs) { try graph.encode() }
      let decoding = try median(runs) { try graph.decode(archive) }
      return [encoding / Double(count), decoding / Double(count), Double(archive.count) / Double(count)]
    }
  }

  private static func median(_ runs: Int, _ operation: () throws -> Any) rethrows -> Double {
    var samples: [Double] = []
    for _ in 0..<runs { samples.append(try nanoseconds(operation)) }
    return samples.sorted()[runs / 2]
  }

  /// The processor time of `operation`, without freeing its result.
  private static func nanoseconds(_ operation: () throws -> Any) rethrows -> Double {
    let start = ReadingCost.computingTime
    let result = try operation()
    let elapsed = ReadingCost.computingTime - start
    return withExtendedLifetime(result) {
      (result as? any ScaleCyclic)?.breakCycles()
      return elapsed
    }
  }

  private static func save(_ shape: ScaleShape, _ count: Int, path: String) throws -> [Double] {
    try shape.withGraph(count: count) { graph in
      try graph.save(toFile: path)
      return [ReadingCost.peakMemory]
    }
  }

  /// Writes an archive of about `byteCount` bytes: data, objects, and a small value between them.
  private static func writeLarge(path: String, byteCount: Int) throws -> [Double] {
    let archiver = KeyedArchiver()
    let blobs = (0..<16).map { Data(repeating: UInt8($0), count: byteCount / 20) }
    try archiver.encode(blobs, forKey: "blobs")
    try ScaleShape.list.withGraph(count: byteCount / 128) { graph in
      try graph.encode(to: archiver, forKey: "objects")
    }
    try archiver.encode(ScaleNote.makeSample(), forKey: "note")
    try archiver.encode(blobs.prefix(2).map { $0 }, forKey: "more blobs")
    try archiver.write(toFile: path)
    return [Double((try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0)]
  }

  /// The nanoseconds and the bytes of memory for opening the archive and reading the small value.
  private static func readSmall(path: String) throws -> [Double] {
    let before = ReadingCost.peakMemory
    let start = ContinuousClock.now
    let unarchiver = try KeyedUnarchiver(forReadingFile: path)
    let note = try unarchiver.decode(ScaleNote.self, forKey: "note")
    let elapsed = start.duration(to: .now)
    guard note.title == ScaleNote.makeSample().title else { throw ScaleError(question: ["read", path]) }
    return [elapsed / .nanoseconds(1), ReadingCost.peakMemory - before]
  }
}
