import Testing

@testable import Keepsake

/// Keyed containers that a coder keeps from one archive to the next.
@Suite struct SpareContainerTests {
  private final class State: ContainerState {
    func forgetArchive() {}
  }

  /// Like the containers of the standard library: one reference to a box, which leads to the state.
  private struct Container {
    final class Box {
      let state: State
      init(_ state: State) { self.state = state }
    }

    let box: Box
  }

  private func spares() -> SpareContainers<State> {
    var spares = SpareContainers<State>()
    let state = State()
    _ = spares.keep(Container(box: Container.Box(state)), state)
    return spares
  }

  @Test("one that no archive needs for a while is dropped, and others are kept")
  func unused() {
    var (needed, unneeded) = (spares(), spares())
    var counts: [Int?] = []
    for _ in 0..<20 {
      #expect(needed.unretained(Container.self) != nil)
      #expect(needed.forgetArchive() == 1)
      counts.append(unneeded.forgetArchive())
    }
    #expect(counts.prefix(5).allSatisfy { $0 == 1 } && counts.last == 0 && unneeded.isEmpty)
  }

  @Test("one that somebody holds is neither handed out nor made ready for another archive")
  func held() {
    var spares = spares()
    let container = spares.unretained(Container.self)?.use { $0.take() }
    #expect(spares.unretained(Container.self) == nil)
    #expect(spares.forgetArchive() == nil)
    withExtendedLifetime(container) {}
  }
}
