import Foundation
import TestSupport
import Testing

@testable import Keepsake

/// Saves that run while the program continues.
@Suite struct BackgroundSaves {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private final class Document: Codable {
    var pages: [String]
    init(_ pages: [String]) { self.pages = pages }
  }

  private actor Editor {
    private let document = Document(["first"])

    /// Begins a save, tries to change the document during it, and returns the expected contents of the file.
    func saveAndEdit(_ url: URL) async throws -> [String] {
      let expected = document.pages
      async let change: Void = edit()
      try await KeyedArchiver.save(rootObject: document, to: url)
      _ = await change
      return expected
    }

    private func edit() { document.pages.append("later") }
  }

  private func pages(_ name: String) throws -> [String] {
    try KeyedUnarchiver.unarchive(Document.self, fromFile: folder(name)).pages
  }

  @Test("a save writes the state at the time of the call, on the caller's actor")
  func snapshot() async throws {
    let url = URL(filePath: folder("a b"))
    let expected = try await Editor().saveAndEdit(url)
    #expect(try pages("a b") == expected)
    #expect(try folder.names == ["a b"])
  }

  @MainActor @Test("saves of one file run in the order of the calls, whatever its path")
  func order() async throws {
    let names = ["a", "./a", "sub/../a", "link"]
    try FileManager.default.createDirectory(atPath: folder("sub"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: folder("link"), withDestinationPath: "a")
    let large = String(repeating: "x", count: 3 << 20)
    // Each begins before the previous one ends. Tasks that wait for an actor begin in no defined order.
    var tasks: [Task<Void, any Error>] = []
    for number in 0..<12 {
      var isBegun = false
      tasks.append(
        Task { [path = folder(names[number % names.count])] in
          isBegun = true
          try await KeyedArchiver.save(rootObject: Document(["\(number)", large]), toFile: path)
        }
      )
      while !isBegun { await Task.yield() }
    }
    for task in tasks { try await task.value }
    #expect(try pages("a").first == "11")
    // A synchronous save waits for the ones before it.
    let target = try SaveTarget(folder("a"))
    SaveOrder.shared.enqueue(target) {
      Thread.sleep(forTimeInterval: 0.05)
      let file = try? DurableFile(replacing: target)
      try? file?.append("before")
      try? file?.commit()
    }
    try KeyedArchiver.archive(rootObject: Document(["at once"]), toFile: folder("link"))
    #expect(try pages("a") == ["at once"])
    #expect(try folder.names == ["a", "link", "sub"])
  }

  @Test("opening and creating a document waits for earlier saves")
  func documents() throws {
    @Sendable func replace(_ target: SaveTarget, with data: Data) throws {
      let file = try DurableFile(replacing: target.asOfNow)
      try file.append(data.bytes)
      try file.commit()
    }
    try KeyedArchiver.archive(rootObject: Document(["old"]), toFile: folder("old"))
    for name in ["old", "new"] {
      let target = try SaveTarget(folder(name))
      let data = try KeyedArchiver.archivedData(withRootObject: Document(["begun"]))
      SaveOrder.shared.enqueue(target) {
        Thread.sleep(forTimeInterval: 0.05)
        try? replace(target, with: data)
      }
    }
    #expect(throws: ArchiveError.self) { try ArchiveDocument(creating: folder("new"), root: Document([])) }
    let document = try ArchiveDocument<Document>(opening: folder("old"))
    #expect(document.root.pages == ["begun"])
    document.root.pages.append("later")
    #expect(try document.save())
    #expect(try pages("old") == ["begun", "later"] && pages("new") == ["begun"])
  }

  @Test("the progress counts bytes, and is finished when the file is in place")
  func progress() async throws {
    let progress = Progress(totalUnitCount: 1)
    let text = String(repeating: "x", count: 2_500_000)
    try await KeyedArchiver.save(rootObject: Document([text]), toFile: folder("a"), progress: progress)
    let size = try Data(contentsOf: URL(filePath: folder("a"))).count
    #expect(progress.isFinished && progress.totalUnitCount == Int64(size))
    #expect(progress.completedUnitCount == Int64(size))
  }

  /// Sets a flag when it is encoded.
  private struct Marked: Encodable {
    @MainActor final class Flag { var isSet = false }
    let flag: Flag

    func encode(to encoder: any Encoder) throws {
      MainActor.assumeIsolated { flag.isSet = true }
      var container = encoder.singleValueContainer()
      try container.encode("new")
    }
  }

  /// Cancels the task that encodes it.
  private struct Cancelling: Encodable {
    func encode(to encoder: any Encoder) throws {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      var container = encoder.singleValueContainer()
      try container.encode("new")
    }
  }

  @MainActor @Test("a save that its progress or its task cancels leaves the old file")
  func cancellation() async throws {
    try KeyedArchiver.archive(rootObject: Document(["old"]), toFile: folder("a"))
    let progress = Progress(totalUnitCount: 1)
    progress.cancel()
    await #expect(throws: CancellationError.self) {
      try await KeyedArchiver.save(rootObject: Document(["new"]), toFile: folder("a"), progress: progress)
    }
    let task = Task { @MainActor [path = folder("a")] in
      try await KeyedArchiver.save(rootObject: Document(["new"]), toFile: path)
    }
    // It begins when this function waits.
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    // When the value is encoded, and nothing has been written.
    let cancelling = Task { [path = folder("a")] in
      try await KeyedArchiver.save(rootObject: Cancelling(), toFile: path)
    }
    await #expect(throws: CancellationError.self) { try await cancelling.value }
    // While the save waits for an earlier one.
    let target = try SaveTarget(folder("a"))
    let gate = DispatchSemaphore(value: 0)
    SaveOrder.shared.enqueue(target) { gate.wait() }
    let waiting = Progress(totalUnitCount: 1)
    let flag = Marked.Flag()
    let save = Task { @MainActor [path = folder("a")] in
      try await KeyedArchiver.save(rootObject: Marked(flag: flag), toFile: path, progress: waiting)
    }
    while !flag.isSet { await Task.yield() }
    waiting.cancel()
    gate.signal()
    await #expect(throws: CancellationError.self) { try await save.value }
    #expect(try pages("a") == ["old"])
    #expect(try folder.names == ["a"])
  }

  @Test("a failed save throws, and later saves succeed")
  func failures() async throws {
    await #expect(throws: ArchiveError.self) {
      try await KeyedArchiver.save(rootObject: Document([]), toFile: folder("none/a"))
    }
    await #expect(throws: EncodingError.self) {
      try await KeyedArchiver.save(rootObject: Polymorphic<Any>(folder), toFile: folder("a"))
    }
    #expect(try folder.names.isEmpty)
    try await KeyedArchiver.save(rootObject: Document(["x"]), toFile: folder("a"))
    #expect(try pages("a") == ["x"])
  }

  @MainActor
  @Test(
    "a link or a pipe that replaced the file during the save is not replaced",
    arguments: [true, false]
  )
  func otherThings(isLink: Bool) async throws {
    try KeyedArchiver.archive(rootObject: Document(["old"]), toFile: folder("a"))
    let gate = DispatchSemaphore(value: 0)
    SaveOrder.shared.enqueue(try SaveTarget(folder("a"))) { gate.wait() }
    let flag = Marked.Flag()
    let save = Task { @MainActor [path = folder("a")] in
      try await KeyedArchiver.save(rootObject: Marked(flag: flag), toFile: path)
    }
    while !flag.isSet { await Task.yield() }
    try FileManager.default.removeItem(atPath: folder("a"))
    if isLink {
      try FileManager.default.createSymbolicLink(atPath: folder("a"), withDestinationPath: "b")
    } else {
      try makePipe(folder("a"))
    }
    gate.signal()
    let error = await #expect(throws: ArchiveError.self) { try await save.value }
    #expect(error?.message.contains(isLink ? "a symbolic link" : "a pipe (FIFO)") == true)
    #expect(try folder.names == ["a"] && fileStatus(folder("a"), followingLinks: false).specialKind != nil)
  }

  @Test("a disconnected copy can go to another task")
  func copies() async throws {
    let document = Document(["one"])
    let copy = try KeyedArchiver.disconnectedCopy(of: document)
    let count = Task.detached { () -> Int in
      copy.pages.append("two")
      return copy.pages.count
    }
    document.pages = []
    #expect(await count.value == 2)
  }

  @Test(
    "saving keeps extended attributes",
    .enabled(if: hasAttributes, "the file system has no extended attributes")
  )
  func attributes() throws {
    try writeText("old", to: folder("a"), mode: 0o640)
    let old = try OpenFile.open(folder("a"), O_RDWR)
    try old.setAttribute("user.keepsake.tag", Array("blue".utf8))
    try old.setAttribute("user.keepsake.empty", [])
    try old.setAttribute("user.keepsake.long", Array(repeating: 7, count: 1_000))
    try saveText("new", to: folder("a"))
    let new = try OpenFile.open(folder("a"), O_RDONLY)
    #expect(try new.attribute("user.keepsake.tag") == Array("blue".utf8))
    #expect(try new.attribute("user.keepsake.empty") == [])
    #expect(try new.attribute("user.keepsake.long") == Array(repeating: 7, count: 1_000))
    #expect(try fileText(folder("a")) == "new" && permissions(folder("a")) == 0o640)
  }
}
