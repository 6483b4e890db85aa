import Testing

@testable import Keepsake

/// Coders that wait for the next archive; meanwhile, their containers' references to them are not counted.
@Suite struct SpareCoderTests {
  private final class Coder: ReusableCoder {
    final class Container {
      let coder: Coder
      init(_ coder: Coder) { self.coder = coder }
    }

    private(set) var containers: [Container] = []
    private(set) var forgottenCount = 0
    var waitingContainerCount: Int { containers.count }
    var canBeReused: Bool { true }

    func fill(_ count: Int) { containers = (0..<count).map { _ in Container(self) } }
    func forgetArchive() { forgottenCount += 1 }
    func forgetArchiveInSpares() -> Int? { containers.count }
    func dropSpares() { containers = [] }
  }

  @Test("a spare coder is released after use, whatever the number of its containers", arguments: 0...3)
  func waits(containerCount: Int) {
    let spares = SpareCoders<Coder>()
    weak var waiting: Coder?
    func giveBack() {
      let coder = Coder()
      coder.fill(containerCount)
      waiting = coder
      spares.giveBack(coder)
    }
    func use() {
      let (coder, none) = (spares.take(), spares.take())
      #expect(none == nil)
      #expect(coder != nil && coder === waiting && coder?.forgottenCount == 1)
      #expect(coder?.containers.count == containerCount)
      #expect(coder?.containers.allSatisfy { $0.coder === coder } == true)
      coder?.dropSpares()
    }
    giveBack()
    #expect(waiting != nil)
    use()
    #expect(waiting == nil)
  }
}
