import Observation

// Ordinary classes, none of which uses the library, in cycles of every kind that a reader can close: sets,
// dictionaries, arrays and optionals of each other, subclasses, generic and observable classes, unowned owners.

/// A person with strong and weak references to others.
class SoakPerson: Codable, Hashable, RandomObject {
  let number: Int
  var friends: Set<SoakPerson> = []
  var byName: [String: SoakPerson] = [:]
  var ratings: [SoakPerson: Int] = [:]
  var spouse: SoakPerson?
  private var secret: SoakPerson?
  // The test is about such properties.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  var idol: SoakPerson!
  weak var rival: SoakPerson?
  var pets: [SoakPet] = []
  var box: SoakBox<SoakPerson>?
  var diary: SoakDiary?
  private let live = LiveToken()

  private enum CodingKeys: CodingKey {
    case number, friends, byName, ratings, spouse, secret, idol, rival, pets, box, diary
  }

  init(number: Int) {
    self.number = number
  }

  // The identity must not change while the graph is built.
  static func == (one: SoakPerson, other: SoakPerson) -> Bool { one === other }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  func keep(_ person: SoakPerson?) { secret = person }

  func trace(into tracer: inout GraphTracer) {
    tracer.value(number)
    tracer.objects(friends.sorted { $0.number < $1.number })
    tracer.table(byName)
    let rated = ratings.sorted { $0.key.number < $1.key.number }
    tracer.objects(rated.map(\.key))
    for (_, rating) in rated { tracer.value(rating) }
    tracer.object(spouse)
    tracer.object(secret)
    tracer.object(idol)
    tracer.weakly(rival)
    tracer.objects(pets)
    tracer.object(box)
    tracer.object(diary)
    // Elements and keys are found by their hashes.
    tracer.value(
      friends.allSatisfy { friends.contains($0) } && ratings.keys.allSatisfy { ratings[$0] != nil }
    )
  }

  func cut() {
    (friends, byName, ratings, spouse, secret, idol) = ([], [:], [:], nil, nil, nil)
    (pets, box, diary) = ([], nil, nil)
  }
}

/// A subclass whose keys can be any text, and which archives its superclass under its own key.
final class SoakTeacher: SoakPerson {
  var pupils: [SoakPerson?] = []
  var head: SoakTeacher?

  private struct CodingKeys: CodingKey {
    static let pupils = CodingKeys(stringValue: "pupils")
    static let head = CodingKeys(stringValue: "head")

    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  override init(number: Int) { super.init(number: number) }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    pupils = try container.decode([SoakPerson?].self, forKey: .pupils)
    head = try container.decodeIfPresent(SoakTeacher.self, forKey: .head)
    try super.init(from: container.superDecoder())
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(pupils, forKey: .pupils)
    try container.encodeIfPresent(head, forKey: .head)
    try super.encode(to: container.superEncoder())
  }

  override func trace(into tracer: inout GraphTracer) {
    super.trace(into: &tracer)
    tracer.objects(pupils)
    tracer.object(head)
  }

  override func cut() {
    super.cut()
    (pupils, head) = ([], nil)
  }
}

/// An object that one person owns, with a reference to the owner.
final class SoakPet: Codable, RandomObject {
  let name: String
  unowned let owner: SoakPerson
  weak var playmate: SoakPet?
  private let live = LiveToken()

  private enum CodingKeys: CodingKey { case name, owner, playmate }

  init(name: String, owner: SoakPerson) {
    (self.name, self.owner) = (name, owner)
  }

  func trace(into tracer: inout GraphTracer) {
    tracer.text(name)
    tracer.object(owner)
    tracer.weakly(playmate)
  }

  func cut() {}
}

/// A generic class.
final class SoakBox<Content: Codable & AnyObject>: Codable, RandomObject {
  var content: Content?
  var contents: [Content] = []
  var next: SoakBox<Content>?
  private let live = LiveToken()

  private enum CodingKeys: CodingKey { case content, contents, next }

  init() {}

  func trace(into tracer: inout GraphTracer) {
    tracer.object(content as? any RandomObject)
    tracer.objects(contents.map { $0 as? any RandomObject })
    tracer.object(next)
  }

  func cut() { (content, contents, next) = (nil, [], nil) }
}

/// An observable class.
@Observable final class SoakDiary: Codable, RandomObject {
  var title = ""
  var people: [SoakPerson] = []
  var previous: SoakDiary?
  weak var reader: SoakPerson?
  @ObservationIgnored private let live = LiveToken()

  private enum CodingKeys: String, CodingKey {
    case _title = "title"
    case _people = "people"
    case _previous = "previous"
    case _reader = "reader"
  }

  init(title: String) {
    self.title = title
  }

  func trace(into tracer: inout GraphTracer) {
    tracer.text(title)
    tracer.objects(people)
    tracer.object(previous)
    tracer.weakly(reader)
  }

  func cut() { (people, previous) = ([], nil) }
}

/// People with random references to each other.
struct RandomPeople {
  private(set) var objects: [any RandomObject] = []
  private(set) var people: [SoakPerson] = []
  private var boxes: [SoakBox<SoakPerson>] = []
  private var diaries: [SoakDiary] = []

  init(upTo bound: Int, using random: inout SplitMix) {
    for number in 0..<Int.random(in: 0...bound, using: &random) {
      people.append(random.chance(0.2) ? SoakTeacher(number: number) : SoakPerson(number: number))
    }
    for _ in 0..<Int.random(in: 0...bound / 4, using: &random) { boxes.append(SoakBox()) }
    for _ in 0..<Int.random(in: 0...bound / 4, using: &random) {
      diaries.append(SoakDiary(title: random.string()))
    }
    let density = Double.random(in: 0.05...0.6, using: &random)
    for person in people { connect(person, density, &random) }
    for box in boxes {
      if random.chance(density) { box.content = random.element(of: people) }
      while random.chance(density), let other = random.element(of: people) { box.contents.append(other) }
      if random.chance(density) { box.next = random.element(of: boxes) }
    }
    for diary in diaries {
      while random.chance(density), let other = random.element(of: people) { diary.people.append(other) }
      if random.chance(density) { diary.previous = random.element(of: diaries) }
      if random.chance(density) { diary.reader = random.element(of: people) }
    }
    objects = people + people.flatMap(\.pets) + boxes + diaries
  }

  private mutating func connect(_ person: SoakPerson, _ density: Double, _ random: inout SplitMix) {
    while random.chance(density), let other = random.element(of: people) { person.friends.insert(other) }
    while random.chance(density), let other = random.element(of: people) {
      person.byName[random.string()] = other
    }
    while random.chance(density / 2), let other = random.element(of: people) {
      person.ratings[other] = random.integer()
    }
    if random.chance(density) { person.spouse = random.element(of: people) }
    if random.chance(density) { person.keep(random.element(of: people)) }
    if random.chance(density) { person.idol = random.element(of: people) }
    if random.chance(density) { person.rival = random.element(of: people) }
    while random.chance(density) {
      let pet = SoakPet(name: random.string(), owner: person)
      pet.playmate = random.element(of: people)?.pets.first
      person.pets.append(pet)
    }
    if random.chance(density) { person.box = random.element(of: boxes) }
    if random.chance(density) { person.diary = random.element(of: diaries) }
    guard let teacher = person as? SoakTeacher else { return }
    while random.chance(density) {
      teacher.pupils.append(random.chance(0.2) ? nil : random.element(of: people))
    }
    if random.chance(density) { teacher.head = random.element(of: people) as? SoakTeacher }
  }
}
