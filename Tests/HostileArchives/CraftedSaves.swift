internal import Foundation
internal import Keepsake

/// Saves that contradict themselves, each other or the archive that they are added to (Format §13).
extension CraftedArchive {
  static let saves: [CraftedArchive] = [
    save("a save with the number of the archive") { $0.number = 1 },
    save("a save that skips a number") { $0.number = 3 },
    save("a save of another file") { $0.ending = { $0[3] ^= 1 } },
    save("a save whose directory begins a byte too late") { $0.ending = { $0[0] += 1 } },
    save("a save whose parts are longer than itself") { $0.directing = { $0[3] += 1 } },
    save("a save whose parts end before its directory") { $0.directing = { $0[3] -= 1 } },
    save("a save with a table of 2⁶² bytes") { $0.directing = { $0[7] = 1 << 62 } },
    save("a save whose tables have more bytes than a number can count") {
      $0.directing = {
        $0[5] = .max
        $0[7] = .max
      }
    },
    save("a save with fewer bodies than before") { $0.bodyCount = 0 },
    save("a save with 2⁶² bodies") { $0.bodyCount = 1 << 62 },
    save("a save without a new body that it counts") { $0.bodyCount = 2 },
    save("a save with a body behind the last") { $0.bodies[0].number = 2 },
    save("a save with a body numbered 2⁶²") { $0.listing = { $0[0].gap = 1 << 62 } },
    save("a save with an empty body") {
      $0.bodies.append((2, []))
      $0.bodyCount = 2
    },
    save("a save whose bodies are shorter than it states") { $0.listing = { $0[0].length += 1 } },
    save("a save with a body of 2⁶³ − 1 bytes") { $0.listing = { $0[0].length = .max } },
    save("a save that lists too many bodies") { $0.directing = { $0[14] = 1 << 40 } },
    save(
      "a save that adds an existing key",
      first: HandmadeArchive.data(topLevel: root([0x90]), keys: [[0x61]])
    ) {
      $0.bodies = []
      $0.bodyCount = 0
      $0.topLevel = root([0x60, 0x90])
      $0.keys = [[0x61]]
      $0.shapes = [[1, 1]]
    },
    save("a save that adds a shape with a missing key") {
      $0.topLevel = root([0x60, 0x90])
      $0.shapes = [[1, 3]]
    },
    save("a save with a class that is its own superclass") {
      $0.classes = [HandmadeArchive.type("A", superclass: 1)]
    },
    save("a save with the bytes of a class, but a count of 0") {
      $0.classes = [HandmadeArchive.type("A")]
      $0.directing = { $0[8] = 0 }
    },
    CraftedArchive(
      "two saves with the same number",
      .damaged,
      as: Int.self,
      second.added(to: second.added(to: first))
    ),
  ]

  /// An archive whose root is the value 5, in a body.
  private static var first: Data {
    HandmadeArchive.data(bodies: [[0, 0x95]], topLevel: root([0x48, 1]))
  }

  /// A save that changes it to 6.
  private static var second: HandmadeSave {
    var save = HandmadeSave()
    save.bodies = [(1, [0, 0x96])]
    return save
  }

  /// That save with a change, added to that archive or another.
  private static func save(
    _ name: String,
    first: Data = CraftedArchive.first,
    _ change: @escaping @Sendable (inout HandmadeSave) -> Void
  ) -> CraftedArchive {
    CraftedArchive(
      name,
      .damaged,
      as: Int.self,
      {
        var save = second
        change(&save)
        return save.added(to: first)
      }()
    )
  }
}
