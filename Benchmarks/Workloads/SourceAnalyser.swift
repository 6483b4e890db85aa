import Foundation
import Keepsake
import RandomArchives

extension Workload {
  /// The object model of a tool that reads Swift source: plain classes that refer to each other in every direction.
  ///
  /// Other coders have no references, so such a graph makes them recurse until the stack ends.
  static let sourceAnalyser = Workload(name: "analyser") { scale in
    let program = SourceProgram.make(typeCount: scale.count(8_000), seed: 14)
    let count = program.objectCount
    return PreparedWorkload(
      title:
        "\(Figure.count(count)) objects of a Swift source analyser: types, methods, variables and type names that "
        + "refer to each other, as plain classes",
      unit: .nanosecondsPer("object", count: count),
      contenders: [
        .checked(
          "Keepsake",
          role: .keepsake,
          value: program,
          size: \.count,
          encode: { try ArchiveEncoder().encode($0) },
          decode: { try ArchiveDecoder().decode(SourceProgram.self, from: $0) },
          remark: { _ in nil }
        )
      ]
    )
  }
}
