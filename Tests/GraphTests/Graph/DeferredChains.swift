import Foundation
import Keepsake
import Testing

/// Long chains of values, each deferred in the one before, come back with the default limits.
@Suite struct DeferredChains {
  private struct Version: Codable {
    var text: String
    @Deferred var previous: [Version]
  }

  @Test("a long chain of deferred values comes back", arguments: [(1_000, 2_048), (20_000, 1)])
  func chain(count: Int, byteCount: Int) throws {
    var latest = Version(text: "", previous: [])
    for number in 1...count {
      let digits = byteCount > 1 ? String(number) : ""
      let text = digits + String(repeating: "x", count: byteCount - digits.utf8.count)
      latest = Version(text: text, previous: [latest])
    }
    let data = try KeyedArchiver.archivedData(withRootObject: latest)
    takeApart(&latest) { _, _ in }
    var back = try KeyedUnarchiver.unarchive(Version.self, from: data)
    var found = 0
    takeApart(&back) { number, version in
      if number < count, version.text.utf8.count == byteCount,
        byteCount == 1 || version.text.hasPrefix("\(count - number)x")
      {
        found += 1
      }
    }
    #expect(found == count)
  }

  /// Releases the versions one by one: Swift would do it recursively, on the caller's stack.
  private func takeApart(_ version: inout Version, _ visit: (Int, Version) -> Void) {
    var number = 0
    while true {
      visit(number, version)
      let previous = version.previous
      version.previous = []
      guard let next = previous.first else { return }
      version = next
      number += 1
    }
  }
}
