/// The base class of three subclasses, which encode their own part first and then call `super.encode(to:)`.
class Animal: Codable, Equatable {
  let name: String
  let weight: Double

  init(name: String, weight: Double) {
    self.name = name
    self.weight = weight
  }

  /// Whether `other` is of the same class and has equal properties.
  func isSame(as other: Animal) -> Bool {
    type(of: self) == type(of: other) && name == other.name && weight == other.weight
  }

  /// Compares the part that every coder must give back. ``isSame(as:)`` compares everything.
  static func == (left: Animal, right: Animal) -> Bool {
    left.name == right.name && left.weight == right.weight
  }
}

final class Dog: Animal {
  let tricks: Int

  private enum CodingKeys: CodingKey { case tricks }

  init(name: String, weight: Double, tricks: Int) {
    self.tricks = tricks
    super.init(name: name, weight: weight)
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    tricks = try container.decode(Int.self, forKey: .tricks)
    try super.init(from: decoder)
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(tricks, forKey: .tricks)
    try super.encode(to: encoder)
  }

  override func isSame(as other: Animal) -> Bool {
    super.isSame(as: other) && tricks == (other as? Dog)?.tricks
  }
}

final class Cat: Animal {
  let isIndoor: Bool
  let lives: Int

  private enum CodingKeys: CodingKey { case isIndoor, lives }

  init(name: String, weight: Double, isIndoor: Bool, lives: Int) {
    self.isIndoor = isIndoor
    self.lives = lives
    super.init(name: name, weight: weight)
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    isIndoor = try container.decode(Bool.self, forKey: .isIndoor)
    lives = try container.decode(Int.self, forKey: .lives)
    try super.init(from: decoder)
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(isIndoor, forKey: .isIndoor)
    try container.encode(lives, forKey: .lives)
    try super.encode(to: encoder)
  }

  override func isSame(as other: Animal) -> Bool {
    super.isSame(as: other) && isIndoor == (other as? Cat)?.isIndoor && lives == (other as? Cat)?.lives
  }
}

final class Bird: Animal {
  let song: String

  private enum CodingKeys: CodingKey { case song }

  init(name: String, weight: Double, song: String) {
    self.song = song
    super.init(name: name, weight: weight)
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    song = try container.decode(String.self, forKey: .song)
    try super.init(from: decoder)
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(song, forKey: .song)
    try super.encode(to: encoder)
  }

  override func isSame(as other: Animal) -> Bool {
    super.isSame(as: other) && song == (other as? Bird)?.song
  }
}

/// An animal with a number for its class, which is how programs code subclasses by hand.
///
/// The floor uses these, too, since a tape is read as it was written, and a base class would read only its part.
private struct NumberedAnimal: Codable, Equatable {
  let animal: Animal

  private enum CodingKeys: CodingKey { case kind, animal }
  private enum Kind: Int, Codable { case animal, dog, cat, bird }

  init(_ animal: Animal) {
    self.animal = animal
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    animal =
      switch try container.decode(Kind.self, forKey: .kind) {
      case .animal: try container.decode(Animal.self, forKey: .animal)
      case .dog: try container.decode(Dog.self, forKey: .animal)
      case .cat: try container.decode(Cat.self, forKey: .animal)
      case .bird: try container.decode(Bird.self, forKey: .animal)
      }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    let kind: Kind =
      switch animal {
      case is Dog: .dog
      case is Cat: .cat
      case is Bird: .bird
      default: .animal
      }
    try container.encode(kind, forKey: .kind)
    try container.encode(animal, forKey: .animal)
  }

  static func == (left: NumberedAnimal, right: NumberedAnimal) -> Bool {
    left.animal.isSame(as: right.animal)
  }
}

extension Workload {
  private static let subclassesKept = "subclasses kept"

  /// An array of a base class that holds instances of three subclasses.
  static let subclasses = Workload(name: "subclasses") { scale in
    var generator = SeededGenerator(seed: 13)
    let animals = (0..<scale.count(20_000)).map { _ in Animal.make(using: &generator) }
    var byHand = CodableContenders(value: animals.map { NumberedAnimal($0) })
    byHand.remark = { _ in subclassesKept }
    return PreparedWorkload(
      title: "an [Animal] of \(Figure.count(animals.count)) dogs, cats and birds, of which JSON and property "
        + "lists bring back only the Animal unless a number for the class is added by hand, as for the floor",
      unit: .nanosecondsPer("animal", count: animals.count),
      value: animals,
      floor: byHand.floor,
      alternatives: [
        byHand.keepsake(named: "Keepsake, numbered"),
        byHand.json.named("JSON, numbered"),
      ],
      remark: { decoded in
        let areSame = zip(decoded, animals).allSatisfy { $0.isSame(as: $1) }
        return areSame ? subclassesKept : "subclasses lost"
      }
    )
    .failingKeepsake(without: subclassesKept)
  }
}

extension Animal {
  fileprivate static func make(using generator: inout SeededGenerator) -> Animal {
    let name = generator.word(length: 3...12)
    let weight = Double.random(in: 0.1...60, using: &generator)
    return switch Int.random(in: 0..<3, using: &generator) {
    case 0: Dog(name: name, weight: weight, tricks: Int.random(in: 0...20, using: &generator))
    case 1:
      Cat(
        name: name,
        weight: weight,
        isIndoor: generator.chance(percent: 60),
        lives: Int.random(in: 1...9, using: &generator)
      )
    default: Bird(name: name, weight: weight, song: generator.word(length: 2...10))
    }
  }
}
