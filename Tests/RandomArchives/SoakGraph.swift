public import Foundation
import Keepsake

/// One random graph: made, archived in one of the ways that there are, read, compared, and let go of.
public struct SoakGraph {
  /// What everything about it follows from.
  public let seed: UInt64
  /// The objects that were archived.
  public private(set) var objects = 0
  /// The size of the archive; nothing when none was made that can be seen.
  public private(set) var bytes = 0

  /// Something that did not come back as it was.
  public struct Fault: Error, CustomStringConvertible {
    /// Which graph it is, and where it differs.
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
  ///   - seed: What the graph and the way follow from.
  ///   - folder: Where a file may be made; several threads may have one folder.
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

  /// - Throws: a ``Fault``, or what the library throws, which is a fault as well.
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

  // MARK: There and back

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

  /// Under several keys, between which objects are shared.
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

  /// With sorted keys, a graph and its copy have the same bytes, though their dictionaries have another order.
  ///
  /// The graph is a copy itself: in the original, weak references may lead to objects that are not archived, and an
  /// archive tells those from nil.
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
