import Foundation
import Keepsake
import TestSupport
import Testing

/// Types with declared fields that contain values of the same type, in more shapes than short heads can number.
@Suite struct FieldRecursion {
  struct Branch: ArchivedFields, Equatable {
    var a, b, c, d, e: Int?
    var children: [Branch] = []
    var byName: [String: Branch] = [:]

    init() {}

    /// Has the optionals of `bits`.
    init(_ bits: Int, _ children: [Branch] = []) {
      func value(_ bit: Int) -> Int? { bits >> bit & 1 == 1 ? bits : nil }
      (a, b, c, d, e) = (value(0), value(1), value(2), value(3), value(4))
      self.children = children
    }
  }

  /// The same with synthesized code.
  private struct Plain: Codable, Equatable {
    var a, b, c, d, e: Int?
    var children: [Plain]
    var byName: [String: Plain]
  }

  private func check(_ branches: [Branch]) throws {
    let data = try ArchiveEncoder().encode(branches)
    #expect(try ArchiveDecoder().decode([Branch].self, from: data) == branches)
    let plain = try ArchiveDecoder().decode([Plain].self, from: data)
    #expect(try ArchiveEncoder().encode(plain) == data)
  }

  @Test("an outer and an inner record may both have the first shape that needs a longer head")
  func growingHead() throws {
    try check((0..<16).map { Branch($0) } + [Branch(16, [Branch(16)])])
    try check((0..<16).map { Branch($0) } + [Branch(3, [Branch(16)]), Branch(16, [Branch(3)])])
  }

  @Test("trees of all shapes come back")
  func trees() throws {
    var generator = SeededGenerator("trees of declared fields")
    func branch(_ depth: Int) -> Branch {
      let count = depth == 0 ? 0 : Int.random(in: 0...3, using: &generator)
      var result = Branch(Int.random(in: 0..<32, using: &generator))
      for _ in 0..<count { result.children.append(branch(depth - 1)) }
      if depth > 0, Bool.random(using: &generator) { result.byName["only"] = branch(depth - 1) }
      return result
    }
    var branches: [Branch] = []
    for _ in 0..<40 { branches.append(branch(4)) }
    try check(branches)
  }
}
