import Keepsake
import TestSupport
import Testing

/// Cycles of models and of objects whose subclasses decode their own properties first.
@Suite struct ModelsReadInAnyOrder {
  @Test("a cycle comes back although a subclass decodes its own properties first", arguments: 0..<3)
  func subclassesFirst(variant: Int) throws {
    let (rack, later) = (Rack(), Rack())
    let (series, volume) = (Series(rack), Series(variant == 0 ? rack : later))
    series.volumes = variant == 0 ? [volume] : [series, volume]
    (volume.rack.volumes, rack.next) = ([volume], variant == 0 ? nil : later)
    if variant == 2 { later.next = rack }
    for formatting: ArchiveFormatting in [[], .sortedKeys] {
      let data = try KeyedArchiver.archivedData(withRootObject: series, outputFormatting: formatting)
      let copy = try KeyedUnarchiver.unarchive(Series.self, from: data)
      let last = try #require(copy.volumes.last)
      #expect(last.rack.volumes.count == 1 && last.rack.volumes[0] === last)
      #expect((variant == 0 ? copy.rack : copy.rack.next) === last.rack)
      #expect(variant == 0 || copy.volumes.first === copy)
      #expect((last.rack.next === copy.rack) == (variant == 2))
      copy.cut()
    }
    series.cut()
  }

  @Test("a field of any type can wait to close a cycle", arguments: 0..<3)
  func defaultsWait(variant: Int) throws {
    let stand = Stand()
    let (poster, wall) = (Poster(stand), Poster(stand))
    wall.others = [poster]
    switch variant {
    case 0: stand.first = poster
    case 1: stand.slot.poster = poster
    default: stand.slot.posters = [poster]
    }
    func check(_ wall: Poster) throws {
      let (stand, poster) = (try #require(wall.stand), try #require(wall.others.first))
      #expect(poster.stand === stand && stand.slot.number == 1)
      #expect((stand.first === poster) == (variant == 0))
      #expect((stand.slot.poster === poster) == (variant == 1))
      #expect(stand.slot.posters.contains(poster) == (variant == 2))
    }
    defer { (stand.first, stand.slot) = (Poster(nil), Stand.Slot()) }
    let copy = try roundTrip(wall)
    try check(copy)
    // A reader that begins with `poster` needs the field to wait, even in the order of the archive.
    let archiver = KeyedArchiver()
    try archiver.encode(poster, forKey: "poster")
    try archiver.encode(wall, forKey: "wall")
    try archiver.encode(stand, forKey: "stand")
    let data = try archiver.encodedData
    for keys in [["poster", "stand", "wall"], ["wall", "poster"], ["stand", "wall"]] {
      let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
      for key in keys.dropLast() where key == "poster" {
        let poster = try unarchiver.decode(Poster.self, forKey: key)
        #expect(poster.stand != nil)
      }
      let wall = try unarchiver.decode(Poster.self, forKey: "wall")
      try check(wall)
      wall.stand?.cut()
    }
    copy.stand?.cut()
  }

  @Test("random cycles with models come back from keys in any order")
  func anyOrder() throws {
    var generator = SeededGenerator("models in cycles with others")
    for number in 0..<sized(20_000, inDebug: 500) {
      let stands = (0..<Int.random(in: 1...4, using: &generator)).map { _ in Stand() }
      let posters = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
        Poster(stands.randomElement(using: &generator))
      }
      for poster in posters where Bool.random(using: &generator) {
        poster.others = [posters.randomElement(using: &generator)].compactMap(\.self)
      }
      for stand in stands {
        let poster = posters.randomElement(using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: stand.first = poster ?? stand.first
        case 1: stand.slot.poster = poster
        case 2: stand.slot.posters = Set([poster].compactMap(\.self))
        default: break
        }
      }
      let archiver = KeyedArchiver()
      for (index, poster) in posters.enumerated() { try archiver.encode(poster, forKey: "\(index)") }
      let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
      var copies: [Int: Poster] = [:]
      for index in posters.indices.shuffled(using: &generator) {
        copies[index] = try unarchiver.decode(Poster.self, forKey: "\(index)")
      }
      let back = try posters.indices.map { try #require(copies[$0]) }
      #expect(shape(of: back) == shape(of: posters), "graph \(number)")
      for stand in (back + posters).compactMap(\.stand) + stands { stand.cut() }
      for poster in back + posters { poster.others = [] }
    }
  }

  /// The objects that `posters` lead to, as the positions where they are first reached.
  private func shape(of posters: [Poster]) -> [Int] {
    var numbers: [ObjectIdentifier: Int] = [:]
    var (shape, queue): ([Int], [Poster]) = ([], [])
    func add(_ object: AnyObject?) {
      let number = object.map { numbers[ObjectIdentifier($0)] ?? numbers.count } ?? -1
      if let object, numbers.updateValue(number, forKey: ObjectIdentifier(object)) == nil {
        queue += (object as? Poster).map { [$0] } ?? []
      }
      shape.append(number)
    }
    for poster in posters { add(poster) }
    var next = 0
    while next < queue.count {
      let poster = queue[next]
      next += 1
      let slot = poster.stand?.slot
      shape += [-2, poster.others.count, slot?.posters.count ?? -1]
      for object in poster.others + Array(slot?.posters ?? []) { add(object) }
      for object in [poster.stand, poster.stand?.first, slot?.poster] as [AnyObject?] { add(object) }
    }
    return shape
  }
}

// MARK: - Types

private final class Rack: ArchivedModel {
  var volumes: [Series] = []
  @Deferred var next: Rack?
}

private class Racked: Codable {
  var rack: Rack

  init(_ rack: Rack) { self.rack = rack }
}

/// The properties that the subclass adds are encoded last and decoded first.
private final class Series: Racked {
  var volumes: [Series] = []

  private enum CodingKeys: CodingKey { case volumes }

  override init(_ rack: Rack) { super.init(rack) }

  required init(from decoder: any Decoder) throws {
    volumes = try decoder.container(keyedBy: CodingKeys.self).decode([Series].self, forKey: .volumes)
    try super.init(from: decoder)
  }

  override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(volumes, forKey: .volumes)
  }

  func cut() {
    for volume in volumes { (volume.rack.volumes, volume.rack.next) = ([], nil) }
    (rack.next, volumes) = (nil, [])
  }
}

private class Standing: Codable {
  var stand: Stand?

  init(_ stand: Stand?) { self.stand = stand }
}

private final class Poster: Standing, EqualByIdentity {
  var others: [Poster] = []

  private enum CodingKeys: CodingKey { case others }

  override init(_ stand: Stand?) { super.init(stand) }

  required init(from decoder: any Decoder) throws {
    others = try decoder.container(keyedBy: CodingKeys.self).decode([Poster].self, forKey: .others)
    try super.init(from: decoder)
  }

  override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(others, forKey: .others)
  }
}

private final class Stand: ArchivedModel {
  struct Slot: Codable {
    var number = 1
    var poster: Poster?
    var posters: Set<Poster> = []
  }

  var first = Poster(nil)
  var slot = Slot()

  func cut() { (first, slot) = (Poster(nil), Slot()) }
}
