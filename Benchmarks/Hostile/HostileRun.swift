import Foundation
import HostileArchives

/// `--hostile`: what archives cost that were made to do harm. Each figure is taken in a process of its own.
enum HostileRun {
  /// Runs the measurement that `arguments` ask for; false when they are about something else.
  static func run(_ arguments: [String]) throws -> Bool {
    switch arguments.first {
    case "--hostile-question":
      print(try answer(Array(arguments.dropFirst())).map { "\($0)" }.joined(separator: " "))
    case "--hostile":
      try measureCrafted()
      try measureFamilies(most: arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000_000)
    default: return false
    }
    return true
  }

  // MARK: Questions

  private static func answer(_ arguments: [String]) throws -> [Double] {
    guard arguments.count > 1, let index = Int(arguments[1]) else { throw ScaleError(question: arguments) }
    switch arguments[0] {
    case "crafted":
      let archive = CraftedArchive.all[index]
      let data = archive.data
      return try cost { try archive.read(data) }
    case "make" where arguments.count > 3:
      let data = HostileFamily.all[index].archive(byteCount: Int(arguments[2]) ?? 0)
      try data.write(to: URL(filePath: arguments[3]))
      return [Double(data.count)]
    case "family" where arguments.count > 2:
      let data = try Data(contentsOf: URL(filePath: arguments[2]))
      return try cost { try HostileFamily.all[index].read(data) }
    default: throw ScaleError(question: arguments)
    }
  }

  /// The nanoseconds of the better of two runs, the bytes of memory that the first one took more than there were, and 1
  /// where the archive was refused. The first run also loads what any first run loads.
  private static func cost(_ read: () throws -> Void) throws -> [Double] {
    let before = ScaleProcess.peakMemory
    var isRefused = 0.0
    var memory = 0.0
    var times: [Double] = []
    for round in 0..<2 {
      let start = ContinuousClock.now
      do { try read() } catch is DecodingError { isRefused = 1 }
      times.append(start.duration(to: .now) / .nanoseconds(1))
      if round == 0 { memory = ScaleProcess.peakMemory - before }
    }
    return [times.min() ?? 0, memory, isRefused]
  }

  // MARK: Tables

  private static func measureCrafted() throws {
    let all = try CraftedArchive.all.indices.map { index in
      (
        name: CraftedArchive.all[index].name,
        cost: try ScaleProcess.ask(["crafted", "\(index)"], "--hostile-question")
      )
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

  private static func measureFamilies(most: Int) throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "keepsake-hostile-\(UUID().uuidString)")
      .path
    defer { try? FileManager.default.removeItem(atPath: path) }
    for (index, family) in HostileFamily.all.enumerated() {
      var table = Table(header: ["bytes", "milliseconds", "ns a byte", "memory, megabytes", "× the file", ""])
      for byteCount in [10_000, 100_000, 1_000_000, 10_000_000] where byteCount <= most {
        // Making the archive takes more memory than reading it, so another process does that.
        let size = try ScaleProcess.ask(["make", "\(index)", "\(byteCount)", path], "--hostile-question")[0]
        let cost = try ScaleProcess.ask(["family", "\(index)", path], "--hostile-question")
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
