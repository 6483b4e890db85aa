import Foundation
import HostileArchives

/// `--hostile`: measures the cost of archives that are made to do harm. Each figure comes from a separate process.
enum HostileRun {
  /// Runs the measurement if `arguments` ask for it, and returns whether they do.
  static func run(_ arguments: [String]) throws -> Bool {
    switch arguments.first {
    case "--hostile-question":
      print(try answer(Array(arguments.dropFirst())).map { "\($0)" }.joined(separator: " "))
    case "--hostile":
      let path = FileManager.default.temporaryDirectory.appending(
        path: "keepsake-hostile-\(UUID().uuidString)"
      )
      .path
      defer { try? FileManager.default.removeItem(atPath: path) }
      try measureCrafted(path)
      try measureFamilies(path, most: arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000_000)
    default: return false
    }
    return true
  }

  // MARK: Questions

  private static func answer(_ arguments: [String]) throws -> [Double] {
    guard arguments.count > 1, let index = Int(arguments[1]) else { throw ScaleError(question: arguments) }
    switch arguments[0] {
    case "make-crafted" where arguments.count > 2:
      return try save(CraftedArchive.all[index].data, to: arguments[2])
    case "crafted" where arguments.count > 2:
      return try cost(arguments[2], CraftedArchive.all[index].read)
    case "make-family" where arguments.count > 3:
      return try save(HostileFamily.all[index].archive(byteCount: Int(arguments[3]) ?? 0), to: arguments[2])
    case "family" where arguments.count > 2:
      return try cost(arguments[2], HostileFamily.all[index].read)
    default: throw ScaleError(question: arguments)
    }
  }

  private static func save(_ data: Data, to path: String) throws -> [Double] {
    try data.write(to: URL(filePath: path))
    return [Double(data.count)]
  }

  private static func cost(_ path: String, _ read: (Data) throws -> Void) throws -> [Double] {
    let data = try Data(contentsOf: URL(filePath: path))
    return try ReadingCost(runs: 2) { try read(data) }.figures
  }

  /// The size of an archive that one process makes, and the cost for another process to read it. There are two
  /// processes, since making the archive takes more memory than reading it.
  private static func ask(
    _ kind: String,
    _ index: Int,
    _ path: String,
    byteCount: Int = 0
  ) throws -> (size: Double, cost: [Double]) {
    let make = ["make-\(kind)", "\(index)", path, "\(byteCount)"]
    let size = try ScaleProcess.ask(make, "--hostile-question")[0]
    return (size, try ScaleProcess.ask([kind, "\(index)", path], "--hostile-question"))
  }

  // MARK: Tables

  private static func measureCrafted(_ path: String) throws {
    let all = try CraftedArchive.all.indices.map { index in
      (name: CraftedArchive.all[index].name, cost: try ask("crafted", index, path).cost)
    }
    var table = Table(header: ["crafted archive", "milliseconds", "memory, megabytes"])
    let slowest = all.sorted { $0.cost[0] > $1.cost[0] }.prefix(8)
    let largest = all.sorted { $0.cost[1] > $1.cost[1] }.prefix(8)
    for (name, cost) in slowest + largest.filter({ large in !slowest.contains { $0.name == large.name } }) {
      table.rows.append([name, Figure.number(cost[0] / 1e6), Figure.number(cost[1] / 1e6)])
    }
    let refused = all.count { $0.cost[2] == 1 }
    Terminal.say(
      "\(refused) of \(all.count) crafted archives were refused; the slowest and the largest:\n\(table.plain)\n"
    )
  }

  private static func measureFamilies(_ path: String, most: Int) throws {
    for (index, family) in HostileFamily.all.enumerated() {
      var table = Table(header: ["bytes", "milliseconds", "ns a byte", "memory, megabytes", "× the file", ""])
      for byteCount in [10_000, 100_000, 1_000_000, 10_000_000] where byteCount <= most {
        let (size, cost) = try ask("family", index, path, byteCount: byteCount)
        table.rows.append([
          Figure.number(size), Figure.number(cost[0] / 1e6),
          Figure.number(cost[0] / size), Figure.number(cost[1] / 1e6), Figure.number(cost[1] / size),
          cost[2] == 1 ? "refused" : "read",
        ])
      }
      Terminal.say("\(family.name)\n\(table.plain)\n")
    }
  }
}
