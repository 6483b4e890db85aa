internal import Keepsake

// Valid graphs of the classes, with a cycle of each kind.

extension FuzzedAnimal {
  static func sample() -> [FuzzedAnimal] {
    let dog = FuzzedDog("Rex")
    let puppy = FuzzedPuppy("Pip")
    let animal = FuzzedAnimal("Any")
    puppy.mother = dog
    puppy.friends = [animal]
    dog.enemy = puppy
    animal.enemy = FuzzedAnimal("nobody keeps this one")
    animal.mates = [puppy, dog, animal]
    return [dog, puppy, animal, dog]
  }
}

extension FuzzedFolder {
  static func sample() -> FuzzedFolder {
    let root = FuzzedFolder("root")
    let child = FuzzedFolder("child")
    child.parent = root
    child.set = [FuzzedPoint(x: 1, y: 2), FuzzedPoint(x: 3, y: nil)]
    root.folders = [child, FuzzedFolder("empty"), child]
    return root
  }
}

extension FuzzedDrawing {
  static func sample() -> FuzzedDrawing {
    let blob = FuzzedBlob()
    blob.inner = FuzzedGroup(parts: [FuzzedCircle(radius: 2), FuzzedSquare.small])
    let other = FuzzedBlob()
    other.inner = blob
    other.around = other
    return FuzzedDrawing(
      first: FuzzedGroup(parts: [blob, other, FuzzedGroup(parts: [])]),
      maybe: FuzzedCircle(radius: 1.5),
      list: [blob, FuzzedSquare.sized(3, tag: "tag"), FuzzedCircle(radius: 0), blob],
      table: ["a": other, "b": FuzzedSquare.small],
      nested: [[nil, blob], [], [FuzzedSquare.small]],
      later: [other, FuzzedCircle(radius: 9)],
      object: blob
    )
  }

  /// Visits all shapes of the drawing, each object once.
  func visit() -> Int {
    var seen: Set<ObjectIdentifier> = []
    var count = 0
    var open = [first, object] + list + table.values + later + nested.joined().compactMap { $0 }
    if let maybe { open.append(maybe) }
    while let shape = open.popLast(), count < 10_000 {
      count += 1
      if let blob = shape as? FuzzedBlob {
        guard seen.insert(ObjectIdentifier(blob)).inserted else { continue }
        if let around = blob.around { open.append(around) }
      }
      open += shape.parts
    }
    return count
  }

  func sever() {
    for shape in [first, object] + list + table.values + later { (shape as? FuzzedBlob)?.sever() }
  }
}

extension FuzzedUser {
  static func sample() -> FuzzedUser {
    let user = FuzzedUser()
    let admin = FuzzedAdmin()
    user.name = "user"
    user.friends = [FuzzedMember(admin), FuzzedMember(user)]
    user.boss = FuzzedMember(admin)
    user.scores = ["a": 1, "b": 200]
    user.rival = admin
    user.heir = FuzzedMember(user)
    admin.name = "admin"
    admin.twice = .some(.none)
    admin.friends = [FuzzedMember(user)]
    admin.staff = [FuzzedMember(admin)]
    admin.deputy = admin
    admin.level = 300
    admin.shape = FuzzedGroup(parts: [FuzzedCircle(radius: 1), FuzzedBlob()])
    return user
  }
}
