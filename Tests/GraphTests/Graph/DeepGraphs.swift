import Foundation
import Keepsake
import TestSupport
import Testing

/// Graphs too deep for any stack, each in its own process: on its main thread, on a thread with a
/// stack of 512 KB, in a task.
@Suite struct DeepGraphs {
  static let stacks = ["main", "512", "task"]

  /// - Parameter mainStack: the maximum size of the main thread's stack, in KB.
  private func outcome(
    _ stack: String,
    _ shape: String,
    _ count: Int,
    limit: Int? = nil,
    mainStack: Int? = nil
  ) throws -> String {
    var arguments = ["deep", stack, shape, String(count)]
    if let limit { arguments.append(String(limit)) }
    let output = try Probe.run(arguments, mainStack: mainStack)
    return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines)
  }

  @Test("a long list comes back through a deferred property", arguments: stacks)
  func list(stack: String) throws {
    let count = sized(1_000_000, inDebug: 10_000)
    #expect(try outcome(stack, "list", count) == String(count))
  }

  @Test("many levels of plain properties come back", arguments: stacks)
  func chain(stack: String) throws {
    let count = sized(100_000, inDebug: 30_000)
    #expect(try outcome(stack, "chain", count) == String(count))
  }

  @Test("many levels of arrays of objects come back", arguments: stacks)
  func tree(stack: String) throws {
    let count = sized(100_000, inDebug: 30_000)
    #expect(try outcome(stack, "tree", count) == String(count))
  }

  @Test("10,000 levels of nested values come back", arguments: stacks)
  func values(stack: String) throws {
    #expect(try outcome(stack, "values", 10_000) == "10000")
  }

  @Test("a doubly linked list of plain properties comes back", arguments: stacks)
  func links(stack: String) throws {
    let count = sized(1_000_000, inDebug: 10_000)
    #expect(try outcome(stack, "links", count) == String(count))
  }

  /// In a tree, an object and an array are two levels.
  @Test(
    "an object deeper than the limit comes back by a property that waits",
    arguments: [("chain", 1), ("modelTree", 2), ("tree", 2), ("models", 1), ("fields", 1)]
      .prefix(sized(5, inDebug: 1))
  )
  func tooDeepToReadAtOnce(shape: String, levels: Int) throws {
    let count = (ArchiveLimits().maximumDepth + 10_000) / levels
    #expect(try outcome("512", shape, count) == String(count))
  }

  @Test("values deeper than the limit are refused")
  func tooDeepToWrite() throws {
    #expect(try outcome("512", "values", 300_000) == "not written: limitExceeded")
  }

  @Test("values deeper than the reader's limit are not read", arguments: ["chain", "tree", "values"])
  func tooDeepToRead(shape: String) throws {
    #expect(try outcome("512", shape, 20_000, limit: 10_000) == "not read: limitExceeded")
    #expect(try outcome("512", "list", 20_000, limit: 10) == "20000")
  }

  /// At each level, archive-probe checks the thread, a task-local value, a recursive lock and the actor.
  @Test(
    "user code runs on the caller's thread at any depth",
    arguments: ["main", "512", "1024", "8192", "task", "actor"]
  )
  func callers(stack: String) throws {
    #expect(try outcome(stack, "caller", 20_000) == "20000")
    #expect(try outcome(stack, "callerValues", 10_000) == "10000")
  }

  @Test("objects isolated to the main actor come back behind a protocol", arguments: [512, 1_024, 8_192])
  func isolated(mainStack: Int) throws {
    #expect(try outcome("main", "isolated", 700, mainStack: mainStack) == "700")
    #expect(try outcome("main", "isolated", 20_000, mainStack: mainStack) == "20000")
    #expect(try outcome("main", "callerValues", 10_000, mainStack: mainStack) == "10000")
  }

  @Test("deep graphs come back in the child of a fork")
  func forked() throws {
    #expect(try outcome("forked", "caller", 20_000) == "child: 20000\nended well")
    #expect(try outcome("forked", "callerValues", 10_000) == "child: 10000\nended well")
  }

  #if os(Linux)
    @Test("without a larger stack, coding throws only where it needs one")
    func starved() throws {
      #expect(try outcome("starved", "values", 10_000) == "not written: limitExceeded")
      #expect(try outcome("starved", "chain", 20_000) == "not read: limitExceeded")
      #expect(try outcome("starved", "list", 1_000) == "1000")
    }
  #endif
}
