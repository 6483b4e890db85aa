import Foundation
import Keepsake
import TestSupport
import Testing

/// Repeated strings cost a reference, however many others there are; undone writes do not count.
@Suite struct ManyStrings {
  private struct Failure: Error {}

  /// Strings of all lengths around those that the hash treats differently.
  private func strings(_ count: Int) -> [String] {
    var generator = SeededGenerator("many strings")
    return (0..<count).map { number in
      let length = Int.random(in: 0...40, using: &generator)
      let text = (0..<length).map { _ in "abcdefgh".randomElement(using: &generator) ?? "a" }
      return String(text) + "é\(number)"
    }
  }

  @Test(
    "a string costs only a reference from its third occurrence on",
    arguments: [100, 5_000, 100_000]
  )
  func again(count: Int) throws {
    let strings = strings(count)
    let once = try ArchiveEncoder().encode(strings).count
    let all = strings + strings + strings + strings.reversed()
    let data = try ArchiveEncoder().encode(all)
    #expect(try ArchiveDecoder().decode([String].self, from: data) == all)
    // Each string is in its first place and in the table, and each reference takes up to four bytes.
    #expect(data.count <= 2 * once + 3 * 4 * count + 1_024)
  }

  @Test(
    "equal strings are archived alike, whether small or with storage on the heap",
    arguments: 0...18
  )
  func formsOfStrings(count: Int) throws {
    for text in [String("The quick brown fox".prefix(count)), String(repeating: "é", count: count / 2)] {
      var large = ""
      large.reserveCapacity(100)
      large += text
      let data = try ArchiveEncoder().encode([text, text, text, text])
      #expect(try ArchiveEncoder().encode([text, large, large, text]) == data)
      #expect(try ArchiveEncoder().encode([large, text, text, large]) == data)
      #expect(try ArchiveDecoder().decode([String].self, from: data) == [text, text, text, text])
    }
  }

  @Test("caught errors leave no trace in the string table")
  func takenBack() throws {
    let strings = strings(1_500)
    func archive(failing: Bool) throws -> Data {
      try writeUnkeyed { container in
        for (number, string) in strings.enumerated() {
          try container.encode(string)
          if failing, number % 50 == 0 {
            let doomed = Writing { encoder in
              var inner = encoder.unkeyedContainer()
              for other in strings[0..<min(strings.count, number + 400)] { try inner.encode(other) }
              throw Failure()
            }
            #expect(throws: Failure.self) { try container.encode(doomed) }
          }
          if number % 3 == 0 { try container.encode(strings[number / 2]) }
        }
      }
    }
    #expect(try archive(failing: true) == archive(failing: false))
  }
}
