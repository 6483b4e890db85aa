public import Foundation
import Keepsake

/// One random graph: made, archived in one of several ways, read, compared and released.
public struct SoakGraph {
  /// The seed that determines everything.
  public let seed: UInt64
  /// The number of archived objects.
  public private(set) var objects = 0
  /// The size of the archive; 0 if the way has no visible one.
  public private(set) var bytes = 0

  /// A difference between a graph and its copy.
  public struct Fault: Error, CustomStringConvertible {
    /// The graph, and the difference.
    public let description: String
  }

  private enum Way: CaseIterable {
    case data, file, keysInFile, keysInData, copy, coders
  }

  private var random: SplitMix
  private let way: Way
  private let formatting: ArchiveFormatting
  private let file: URL

  /// - Parameters:
  ///   - seed: Determines the graph and the way.
  ///   - folder: The folder for files; several threads can share it.
  public init(seed: UInt64, folder: URL) {
    self.seed = seed
    random = SplitMix(seed: SplitMix.seed(seed, part: 1))
    way = random.element(of: Way.allCases) ?? .data
    var formatting: ArchiveFormatting = []
    if random.chance(0.3) { formatting.insert(.sortedKeys) }
    if random.chance(0.3) { formatting.insert(.withoutChecksums) }
    self.formatting = formatting
    file = folder.appending(path: "soak-\(seed)")
  }

  /// - Throws: a ``Fault``, or an error of the library, which is also a fault.
  public mutating func run() throws {
    let graph = RandomGraph(seed: seed)
    defer { graph.objects.forEach { $0.cut() } }
    var tracer = GraphTracer()
    let fingerprint = tracer.trace { graph.root.trace(into: &$0) }
    objects = tracer.objects.count
    let copy = try copied(graph.root)
    var copyTracer = GraphTracer()
    let copyFingerprint = copyTracer.trace { copy.trace(into: &$0) }
    defer { copyTracer.objects.forEach { $0.cut() } }
    guard fingerprint == copyFingerprint else {
      throw Fault(description: "\(self): \(difference(graph.root, copy))")
    }
    try checkOrder(of: copy)
  }

  // MARK: Copies

  private mutating func copied(_ root: SoakRoot) throws -> SoakRoot {
    defer { try? FileManager.default.removeItem(at: file) }
    switch way {
    case .data:
      let data = try KeyedArchiver.archivedData(withRootObject: root, outputFormatting: formatting)
      bytes = data.count
      return try KeyedUnarchiver.unarchive(SoakRoot.self, from: data)
    case .file:
      try KeyedArchiver.archive(rootObject: root, toFile: file.path, outputFormatting: formatting)
      let unarchiver = try KeyedUnarchiver(forReadingFile: file.path)
      bytes = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
      return try unarchiver.decode(SoakRoot.self, forKey: KeyedArchiver.rootKey)
    case .keysInFile, .keysInData:
      return try copiedUnderKeys(root)
    case .copy:
      return try KeyedArchiver.copy(of: root)
    case .coders:
      var encoder = ArchiveEncoder()
      encoder.outputFormatting = formatting
      let data = try encoder.encode(root)
      bytes = data.count
      return try ArchiveDecoder().decode(SoakRoot.self, from: data)
    }
  }

  /// Under several keys that share objects.
  private mutating func copiedUnderKeys(_ root: SoakRoot) throws -> SoakRoot {
    let archiver = KeyedArchiver()
    archiver.outputFormatting = formatting
    var rest = root
    rest.nodes = []
    rest.models = []
    try archiver.encode(root.nodes, forKey: "nodes")
    try archiver.encode(root.models, forKey: "models")
    try archiver.encode(rest, forKey: "rest")
    let unarchiver: KeyedUnarchiver
    if way == .keysInFile {
      try archiver.write(toFile: file.path)
      bytes = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
      unarchiver = try KeyedUnarchiver(forReadingFile: file.path)
    } else {
      let data = try archiver.encodedData
      bytes = data.count
      unarchiver = try KeyedUnarchiver(forReadingFrom: data, verification: .everything)
    }
    let nodes = try unarchiver.decode([SoakNode].self, forKey: "nodes")
    let models = try unarchiver.decode([SoakModel].self, forKey: "models")
    var copy = try unarchiver.decode(SoakRoot.self, forKey: "rest")
    copy.nodes = nodes
    copy.models = models
    return copy
  }

  /// With sorted keys, a graph and its copy have the same bytes, though their dictionaries have different orders.
  ///
  /// The graph is itself a copy: in the original, weak references may lead to objects that are not archived, and an
  /// archive distinguishes these from nil.
  private func checkOrder(of graph: SoakRoot) throws {
    guard formatting.contains(.sortedKeys) else { return }
    let copy = try KeyedArchiver.copy(of: graph)
    var tracer = GraphTracer()
    _ = tracer.trace { copy.trace(into: &$0) }
    defer { tracer.objects.forEach { $0.cut() } }
    let first = try KeyedArchiver.archivedData(withRootObject: graph, outputFormatting: formatting)
    let second = try KeyedArchiver.archivedData(withRootObject: copy, outputFormatting: formatting)
    guard first == second else {
      throw Fault(description: "\(self): with sorted keys a copy has other bytes than the original")
    }
  }

  // MARK: Faults

  private func difference(_ root: SoakRoot, _ copy: SoakRoot) -> String {
    let logs = [root, copy].map { root in
      var tracer = GraphTracer(keepsLog: true)
      _ = tracer.trace { root.trace(into: &$0) }
      return tracer.log ?? []
    }
    let index =
      zip(logs[0], logs[1]).enumerated().first { $1.0.hash != $1.1.hash }?.offset
      ?? min(logs[0].count, logs[1].count)
    let parts = logs.map { log in
      log.dropFirst(max(0, index - 3)).prefix(6).map(\.words).joined(separator: " | ")
    }
    return "at \(index) of \(logs[0].count): \(parts[0]) came back as \(parts[1])"
  }
}

extension SoakGraph: CustomStringConvertible {
  /// The seed, and the way in which it is archived.
  public var description: String {
    "graph \(seed) (\(way), \(formatting.contains(.sortedKeys) ? "sorted, " : "")"
      + "\(formatting.contains(.withoutChecksums) ? "without" : "with") checksums)"
  }
}
