import Keepsake

/// A type with cycles of strong references, which only the program can break.
protocol ScaleCyclic {
  func breakCycles()
}

extension Array: ScaleCyclic where Element: ScaleCyclic {
  func breakCycles() { for element in self { element.breakCycles() } }
}

/// A ``ScaleNode`` that refers to its parent, as a plain class.
final class ScaleChild: Codable {
  let number: Int
  let left: ScaleChild?
  let right: ScaleChild?
  weak var parent: ScaleChild?

  init(number: Int, left: ScaleChild?, right: ScaleChild?) {
    self.number = number
    self.left = left
    self.right = right
    left?.parent = self
    right?.parent = self
  }

  static func tree(_ numbers: ClosedRange<Int>) -> ScaleChild {
    let middle = (numbers.lowerBound + numbers.upperBound) / 2
    let left = middle > numbers.lowerBound ? tree(numbers.lowerBound...(middle - 1)) : nil
    let right = middle < numbers.upperBound ? tree((middle + 1)...numbers.upperBound) : nil
    return ScaleChild(number: middle, left: left, right: right)
  }
}

/// An object of a network in which each object refers to eight.
protocol ScaleMember: AnyObject, ScaleCyclic, Codable {
  init()
  var number: Int { get set }
  var friends: [Self] { get set }
}

extension ScaleMember {
  func breakCycles() { friends = [] }

  static func network(_ count: Int) -> [Self] {
    var generator = SeededGenerator(seed: 15)
    let members = (0..<count).map { number in
      let member = Self()
      member.number = number
      return member
    }
    for member in members {
      member.friends = (0..<8).map { _ in members[Int.random(in: 0..<count, using: &generator)] }
    }
    return members
  }
}

/// A member as a plain class.
final class ScalePerson: ScaleMember {
  var number = 0
  var friends: [ScalePerson] = []

  init() {}
}

/// A member as a model.
final class ScaleModel: ArchivedModel, ScaleMember {
  var number = 0
  var friends: [ScaleModel] = []
}

/// A member with wrappers.
final class ScaleWrapped: ScaleMember {
  var number = 0
  @Deferred var friends: [ScaleWrapped] = [] { didSet { best = friends.first } }
  @WeakReference var best: ScaleWrapped?

  init() {}
}
