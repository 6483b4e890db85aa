import Foundation
import TestSupport
import Testing

@testable import Keepsake

/// Every state in which a power cut may leave the folder of a save: the save is traced, and what the disk may have
/// after each of its system calls is enumerated.
@Suite(
  .enabled(if: probePath != nil, "archive-probe is not beside the tests"),
  .enabled(if: canTrace, "strace is not installed or may not trace here")
)
struct CrashStateTests {
  private typealias Step = CrashStates.Step

  /// A save that was traced: what it did, and what should come of it.
  private struct TracedSave {
    let steps: [Step]
    let before: CrashStates.Contents
    let old: Data?
    let new: Data

    init(_ save: FaultySave) throws {
      let result = try save.run()
      try #require(result.run.status == 0)
      steps = try Step.steps(of: result.run.trace.calls)
      old = save.oldBytes
      new = try #require(result.bytes)
      var before: CrashStates.Contents = [:]
      before["a"] = old
      if save.leavesLeftover { before[FaultySave.leftoverName] = Data("half of".utf8) }
      self.before = before
    }

    /// The states at each moment, of which the last is that after the save has returned.
    func states(of steps: [Step]) -> [Set<CrashStates.Contents>] {
      (0...steps.count).map { CrashStates.states(after: steps[..<$0], before: before, written: new) }
    }

    /// How many states have neither the old file nor the new one, and how many have lost a save that had returned.
    func faults(of steps: [Step]) -> (torn: Int, lost: Int) {
      let states = states(of: steps)
      let torn = states.reduce(0) { $0 + $1.count { $0["a"] != old && $0["a"] != new } }
      return (torn, states.last.map { $0.count { $0["a"] == old } } ?? 0)
    }
  }

  @Test(
    "the old file or the new one, whole, and the new one once the save has returned",
    arguments: FaultySave.allCases
  )
  func allStates(_ save: FaultySave) throws {
    let traced = try TracedSave(save)
    let states = traced.states(of: traced.steps)
    #expect(states.count > 5 && Set(states.joined()).count > 5, "\(traced.steps)")
    print(
      "\(save): \(traced.steps.count) steps, \(Set(states.joined()).count) states that a power cut may leave"
    )
    let faults = traced.faults(of: traced.steps)
    #expect(faults.torn == 0 && faults.lost == 0, "\(traced.steps)")
    #expect(states.last?.allSatisfy { $0 == ["a": traced.new] } == true, "\(traced.steps)")
  }

  @Test("the next save removes what a power cut left", arguments: FaultySave.allCases)
  func leftovers(_ save: FaultySave) throws {
    let traced = try TracedSave(save)
    var withLeftovers = 0
    for state in Set(traced.states(of: traced.steps).joined()) {
      let folder = try TemporaryFolder()
      for (name, data) in state { try data.write(to: URL(filePath: folder(name))) }
      if state.count > (state["a"] == nil ? 0 : 1) { withLeftovers += 1 }
      try saveText("next", to: folder("a"))
      #expect(try folder.names == ["a"])
      #expect(try fileText(folder("a")) == "next")
    }
    #expect(withLeftovers > 0)
  }

  /// Whoever finds no fault in a correct save is to find those of a wrong one.
  @Test("a save without one of its steps, or in another order, is found out", arguments: FaultySave.allCases)
  func wrongSaves(_ save: FaultySave) throws {
    let traced = try TracedSave(save)
    func isFileSync(_ step: Step) -> Bool { if case .synchronize = step { true } else { false } }
    func isRename(_ step: Step) -> Bool { if case .rename = step { true } else { false } }
    try #require(traced.steps.count(where: isFileSync) == 1 && traced.steps.last == .synchronizeFolder)
    #expect(traced.faults(of: traced.steps.filter { !isFileSync($0) }).torn > 0)
    #expect(traced.faults(of: traced.steps.dropLast()).lost > 0)
    // The name first, the bytes later.
    let rename = traced.steps.filter(isRename)
    let rest = traced.steps.filter { !isRename($0) }
    let sync = try #require(rest.firstIndex(where: isFileSync))
    #expect(traced.faults(of: Array(rest[..<sync]) + rename + Array(rest[sync...])).torn > 0)
  }
}
