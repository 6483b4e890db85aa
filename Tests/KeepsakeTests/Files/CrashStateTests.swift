import Foundation
import TestSupport
import Testing

@testable import Keepsake

/// Every state in which a power cut may leave the folder of a save: traces a save, and enumerates the possible states
/// of the disk after each system call.
@Suite(
  .enabled(if: probePath != nil, "archive-probe is not beside the tests"),
  .enabled(if: canTrace, "strace is not installed or may not trace here")
)
struct CrashStateTests {
  private typealias Step = CrashStates.Step

  /// A traced save: its steps, and the folder before and after it.
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

    /// The states at each moment; the last are those after the save has returned.
    func states(of steps: [Step]) -> [Set<CrashStates.Contents>] {
      (0...steps.count).map { CrashStates.states(after: steps[..<$0], before: before, written: new) }
    }

    /// The number of states with neither the old file nor the new one, and of those that lost a save that had returned.
    func faults(of steps: [Step]) -> (torn: Int, lost: Int) {
      let states = states(of: steps)
      let torn = states.reduce(0) { $0 + $1.count { $0["a"] != old && $0["a"] != new } }
      return (torn, states.last.map { $0.count { $0["a"] == old } } ?? 0)
    }
  }

  @Test(
    "a power cut leaves the old file or the new one, and the new one after the save returns",
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

  /// Proves that the model finds the faults of wrong saves.
  @Test(
    "a save that lacks a step, or has another order, loses a file in the model",
    arguments: FaultySave.allCases
  )
  func wrongSaves(_ save: FaultySave) throws {
    let traced = try TracedSave(save)
    func isFileSync(_ step: Step) -> Bool { if case .synchronize = step { true } else { false } }
    func isRename(_ step: Step) -> Bool { if case .rename = step { true } else { false } }
    try #require(traced.steps.count(where: isFileSync) == 1 && traced.steps.last == .synchronizeFolder)
    #expect(traced.faults(of: traced.steps.filter { !isFileSync($0) }).torn > 0)
    #expect(traced.faults(of: traced.steps.dropLast()).lost > 0)
    // The rename before the synchronization.
    let rename = traced.steps.filter(isRename)
    let rest = traced.steps.filter { !isRename($0) }
    let sync = try #require(rest.firstIndex(where: isFileSync))
    #expect(traced.faults(of: Array(rest[..<sync]) + rename + Array(rest[sync...])).torn > 0)
  }
}
