import Foundation
import Keepsake
import Testing

/// Graphs so deep that no stack holds them, each in a process of its own: on its main thread, on a thread with a
/// stack of 512 KB, in a task.
@Suite(.serialized) struct DeepGraphs {
  static let stacks = ["main", "small", "task"]

  private func outcome(_ stack: String, _ shape: String, _ count: Int, limit: Int? = nil) throws -> String {
    var arguments = ["deep", stack, shape, String(count)]
    if let limit { arguments.append(String(limit)) }
    let output = try Probe.run(arguments)
    return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines)
  }

  @Test("a list of a million nodes through a deferred property", arguments: stacks)
  func list(stack: String) throws {
    // Without optimization a million take twenty seconds, which one stack is enough for.
    #if DEBUG
      let count = stack == "small" ? 1_000_000 : 100_000
    #else
      let count = 1_000_000
    #endif
    #expect(try outcome(stack, "list", count) == String(count))
  }

  @Test("100,000 levels of plain properties", arguments: stacks)
  func chain(stack: String) throws {
    #expect(try outcome(stack, "chain", 100_000) == "100000")
  }

  @Test("100,000 levels of arrays of objects", arguments: stacks)
  func tree(stack: String) throws {
    #expect(try outcome(stack, "tree", 100_000) == "100000")
  }

  @Test("10,000 levels of values in values", arguments: stacks)
  func values(stack: String) throws {
    #expect(try outcome(stack, "values", 10_000) == "10000")
  }

  @Test("what is deeper than readers accept is not written", arguments: ["chain", "tree", "values"])
  func tooDeepToWrite(shape: String) throws {
    #expect(try outcome("small", shape, 300_000) == "not written: limitExceeded")
  }

  @Test("what is deeper than the reader accepts is not read", arguments: ["chain", "tree", "values"])
  func tooDeepToRead(shape: String) throws {
    #expect(try outcome("small", shape, 20_000, limit: 10_000) == "not read: limitExceeded")
    #expect(try outcome("small", "list", 20_000, limit: 10) == "20000")
  }
}
