import Foundation
import TestSupport
import Testing

@testable import Keepsake

@Suite struct ManyEdits {
  @Test("adding many keys and elements takes time in proportion to their number")
  func additions() throws {
    let value = try ArchiveValue(forReadingFrom: KeyedArchiver.archivedData(withRootObject: 1))
    expectTimeInProportion(to: 8_000) { count in
      var edits = ArchiveEdits()
      for index in 0..<count {
        edits.add(value, key: .key("key \(index)"), at: 0)
        let isAdded = edits.add(value, index: index, toArrayOf: 0, at: 1)
        #expect(isAdded)
      }
      #expect(edits.containers.values.map(\.additions.count) == [count, count])
    }
  }
}
