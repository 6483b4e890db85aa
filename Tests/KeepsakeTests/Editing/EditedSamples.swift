import Foundation
import Keepsake

/// Archives before and after rewriting, as their readers see them.
enum EditedSamples {
  /// The contents of an archive, with objects numbered in the order in which they are met.
  static func text(_ data: Data) throws -> [String] {
    let archive = try ArchiveImage(data: data, verification: .everything)
    try archive.verifyStructure()
    var lines: [String] = []
    var numbers: [Int: Int] = [:]
    var walk = ArchiveWalk(try archive.topLevelValue)
    while let step = try walk.next() {
      guard case .value(let value, let label) = step else {
        lines.append("end")
        continue
      }
      var line = "\(label.map { "\($0)" } ?? "") \(value.kind)"
      switch value.kind {
      case .array, .map, .record: line += " of \(try value.count ?? 0)"
      case .some, .url, .none, .empty: break
      case .typed: line += " \(try value.className ?? "")"
      case .conditional:
        line += try value.objectNumber == nil ? " to nothing" : " \(try value.className ?? "")"
      case .object, .value:
        guard let target = try value.target else { break }
        let isNew = numbers[target.number] == nil
        let number = numbers[target.number] ?? numbers.count
        numbers[target.number] = number
        let entry = target.classNumber.map { archive.classes[$0] }
        line += " #\(number) \(entry.map { "\($0.name) \($0.version) \($0.isPolymorphic)" } ?? "")"
        if isNew { walk.follow(target) }
      case .string: line += " \(try value.string ?? "")"
      default:
        line += " \(try archive.reader.array(of: UInt8.self, count: value.byteRange.count, at: value.offset))"
      }
      lines.append(line)
    }
    return lines
  }
}
