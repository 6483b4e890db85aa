import Foundation
import Keepsake
import Testing

/// The example of TheFormat.md, whose tables of bytes are compared with what the library writes.
@Suite("Documentation: the format") struct TheFormatExamples {
  struct Point: Codable, Equatable {
    var x: Int
    var y: Int
  }

  private static func shownBytes() throws -> [UInt8] {
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../Sources/Keepsake/Keepsake.docc/TheFormat.md").standardized
    var bytes: [UInt8] = []
    for line in try String(contentsOf: page, encoding: .utf8).split(separator: "\n") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 3, let offset = Int(cells[0]) else { continue }
      #expect(offset == bytes.count, "\(line)")
      for byte in cells[1].filter({ $0 != "`" }).split(separator: " ") {
        bytes.append(try #require(UInt8(byte, radix: 16), "\(line)"))
      }
    }
    return bytes
  }

  @Test("the page shows what the library writes")
  func bytes() throws {
    let point = Point(x: 3, y: 300)
    let data = try KeyedArchiver.archivedData(withRootObject: ["here": point])

    #expect(try TheFormatExamples.shownBytes() == Array(data))
    #expect(try KeyedUnarchiver.unarchive([String: Point].self, from: data) == ["here": point])
  }
}
