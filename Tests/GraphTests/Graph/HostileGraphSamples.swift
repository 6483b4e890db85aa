import Foundation
import Keepsake
import Synchronization
import TestSupport

// The graphs whose archives the tests damage, and the possible results of reading one.

enum HostileSample: String, CaseIterable {
  case animals, authors, drawing, users

  /// An archive of the graph.
  func archive() throws -> Data {
    switch self {
    case .animals:
      let animals = HostileSample.makeAnimals()
      defer { for animal in animals { animal.cut() } }
      return try archive(of: animals)
    case .authors:
      let author = HostileSample.makeAuthor()
      defer { author.cut() }
      return try archive(of: author)
    case .drawing: return try archive(of: HostileSample.makeDrawing())
    case .users:
      let user = HostileSample.makeUsers()
      defer { user.cut() }
      return try archive(of: user)
    }
  }

  private func archive(of root: some Encodable) throws -> Data {
    try KeyedArchiver.archivedData(withRootObject: root, outputFormatting: .sortedKeys)
  }

  // MARK: The graphs

  private static func makeAnimals() -> [HostileAnimal] {
    let dog = HostileDog("Rex")
    let puppy = HostilePuppy("Pip")
    let cat = HostileCat("Tom")
    let animal = HostileAnimal("Any")
    puppy.mother = dog
    puppy.friends = [cat, animal]
    dog.enemy = cat
    cat.enemy = HostileAnimal("nobody keeps this one")
    animal.friends = [cat]
    animal.enemy = puppy
    return [dog, puppy, cat, animal, dog]
  }

  private static func makeAuthor() -> HostileAuthor {
    let author = HostileAuthor("Jane")
    let posts = (0..<4).map { _ in HostilePost(author) }
    author.posts = posts
    author.favourite = posts[2]
    for (index, post) in posts.enumerated() {
      post.next = posts[(index + 1) % 4]
      post.previous = posts[(index + 3) % 4]
      post.byName = ["a": posts[0], "self": post]
      post.others = [post, posts[1]]
    }
    return author
  }

  private static func makeDrawing() -> HostileDrawing {
    let blob = HostileBlob()
    blob.inner = HostileGroup([HostileCircle(2), HostileSquare.small])
    let other = HostileBlob()
    other.inner = blob
    let group = HostileGroup([blob, other, HostileGroup([])])
    let square = HostileSquare.sized(3, tag: "tag")
    return HostileDrawing(
      first: group,
      maybe: HostileCircle(1.5),
      list: [blob, square, HostileCircle(0), blob],
      table: ["a": other, "b": HostileSquare.small],
      nested: [[nil, blob], [], [square]],
      later: [other, HostileCircle(9)],
      object: blob
    )
  }

  private static func makeUsers() -> HostileUser {
    let user = HostileUser()
    let admin = HostileAdmin()
    user.name = "user"
    user.friends = [admin, user]
    user.boss = admin
    user.scores = ["a": 1, "b": 200]
    user.rival = admin
    user.heir = user
    admin.name = "admin"
    admin.friends = [user]
    admin.staff = [admin]
    admin.level = 300
    admin.heir = admin
    admin.shape = HostileGroup([HostileCircle(1), HostileBlob()])
    return user
  }

  // MARK: Reading

  /// Reads the bytes as each of the types that could be requested: the faults, and how many reads gave a value. An
  /// error is not a fault.
  func outcome(reading data: Data) -> HostileOutcome {
    var outcome = HostileOutcome()
    switch self {
    case .animals:
      check(&outcome, data, [HostileAnimal].self, [HostileAnimal.self]) { animals, visit in
        for animal in animals { visit.animal(animal) }
        for animal in animals { animal.cut() }
      }
      check(&outcome, data, [HostileDog?].self, [HostileAnimal.self]) { dogs, visit in
        for dog in dogs { if let dog { visit.animal(dog) } }
        for dog in dogs { dog?.cut() }
      }
    case .authors:
      check(&outcome, data, HostileAuthor.self, [HostileAuthor.self, HostilePost.self]) { author, visit in
        visit.author(author)
        author.cut()
      }
      check(&outcome, data, HostilePlainAuthor.self, []) { author, visit in }
    case .drawing:
      check(&outcome, data, HostileDrawing.self, HostileSample.shapeTypes) { drawing, visit in
        let all =
          [drawing.first, drawing.object] + drawing.list + drawing.table.values + drawing.later
          + drawing.nested.joined().compactMap { $0 } + (drawing.maybe.map { [$0] } ?? [])
        for shape in all { visit.shape(shape) }
        for shape in all { (shape as? HostileBlob)?.around = nil }
      }
    case .users:
      check(&outcome, data, HostileUser.self, HostileSample.shapeTypes) { user, visit in
        visit.user(user)
        user.cut()
      }
    }
    if hostileDecoyRuns.withLock({ $0 }) > 0 { outcome.faults.append("an initializer of a decoy ran") }
    return outcome
  }

  /// Some changes make an object a part of itself, behind a protocol. Without optimization, reaching the usual limit
  /// takes long.
  private static let limits = {
    var limits = ArchiveLimits()
    limits.maximumDepth = 1_000
    return limits
  }()

  private static let shapeTypes: [Any.Type] = [
    HostileCircle.self, HostileSquare.self, HostileBlob.self, HostileGroup.self,
  ]

  /// - Parameter allowed: the types and superclasses whose initializers may run.
  private func check<Root: Decodable>(
    _ outcome: inout HostileOutcome,
    _ data: Data,
    _ type: Root.Type,
    _ allowed: [Any.Type],
    _ use: (Root, inout HostileVisit) -> Void
  ) {
    let recorder = HostileRecorder()
    var visit = HostileVisit()
    do {
      let root = try KeyedUnarchiver.unarchive(
        type,
        from: data,
        verification: .disabled,
        limits: HostileSample.limits,
        userInfo: [HostileRecorder.key: recorder]
      )
      use(root, &visit)
      outcome.valueCount += 1
    } catch is DecodingError {
    } catch {
      outcome.faults.append("\(type): another error: \(error)")
    }
    for ran in recorder.ran where !allowed.contains(where: { isKind(ran, of: $0) }) {
      outcome.faults.append("\(type): an initializer of \(ran) ran")
    }
    outcome.faults += visit.faults.map { "\(type): \($0)" }
  }

  private func isKind(_ type: Any.Type, of base: Any.Type) -> Bool {
    func isKind<Base>(of base: Base.Type) -> Bool { type is Base.Type }
    return _openExistential(base, do: isKind)
  }
}

/// The results of reading bytes as several types.
struct HostileOutcome {
  var faults: [String] = []
  var valueCount = 0
}

/// Visits all that was read.
struct HostileVisit {
  var faults: [String] = []
  private var seen: Set<ObjectIdentifier> = []

  private mutating func isNew(_ object: AnyObject, _ types: [AnyClass]) -> Bool {
    if !types.contains(where: { $0 == type(of: object) }) { faults.append("a \(type(of: object)) came back") }
    return seen.insert(ObjectIdentifier(object)).inserted
  }

  mutating func animal(_ animal: HostileAnimal) {
    guard
      isNew(animal, [HostileAnimal.self, HostileDog.self, HostilePuppy.self, HostileCat.self])
    else { return }
    // None if the bytes have the object as a value.
    if animal.wakeUps > 1 { faults.append("awoken \(animal.wakeUps) times") }
    if !animal.name.utf8.isEmpty && animal.version < 0 { faults.append("no version") }
    for friend in animal.friends { self.animal(friend) }
    if let enemy = animal.enemy { self.animal(enemy) }
    if let mother = (animal as? HostilePuppy)?.mother { self.animal(mother) }
  }

  mutating func author(_ author: HostileAuthor) {
    guard isNew(author, [HostileAuthor.self]) else { return }
    for post in author.posts { self.post(post) }
    if let post = author.favourite { self.post(post) }
    if let stranger = author.stranger { self.author(stranger) }
  }

  mutating func post(_ post: HostilePost) {
    guard isNew(post, [HostilePost.self]) else { return }
    author(post.author)
    for other in post.byName.values + post.others { self.post(other) }
    if let next = post.next { self.post(next) }
    if let previous = post.previous { self.post(previous) }
  }

  mutating func user(_ user: HostileUser) {
    guard isNew(user, [HostileUser.self, HostileAdmin.self]) else { return }
    for friend in user.friends + ((user as? HostileAdmin)?.staff ?? []) { self.user(friend) }
    for other in [user.boss, user.rival, user.heir] { if let other { self.user(other) } }
    if let shape = user.shape { self.shape(shape) }
  }

  mutating func shape(_ shape: any HostileShape) {
    if let blob = shape as? HostileBlob, !isNew(blob, [HostileBlob.self]) { return }
    for part in shape.parts { self.shape(part) }
  }
}

// MARK: - Breaking cycles

extension HostileAnimal {
  fileprivate func cut() {
    let others = friends + ((self as? HostilePuppy)?.mother.map { [$0] } ?? [])
    friends = []
    (self as? HostilePuppy)?.mother = nil
    for other in others { other.cut() }
  }
}

extension HostileAuthor {
  fileprivate func cut() {
    let all = posts
    posts = []
    for post in all { post.cut() }
  }
}

extension HostilePost {
  fileprivate func cut() {
    let all = byName.values + others + [next, previous].compactMap { $0 }
    guard !all.isEmpty else { return }
    (byName, others, next, previous) = ([:], [], nil, nil)
    author.cut()
    for post in all { post.cut() }
  }
}

extension HostileUser {
  fileprivate func cut() {
    let all = friends + [boss, heir].compactMap { $0 } + ((self as? HostileAdmin)?.staff ?? [])
    (friends, boss, heir) = ([], nil, nil)
    (self as? HostileAdmin)?.staff = []
    for other in all { other.cut() }
  }
}
