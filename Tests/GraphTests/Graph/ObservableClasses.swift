import Foundation
import Keepsake
import Observation
import TestSupport
import Testing

/// The macro `@Observable` renames the stored properties of a class, and thereby its synthesized keys.
@Suite struct ObservableClasses {
  @Test("an @Observable class is archived as any other, and shared")
  func roundTrip() throws {
    let film = ObservedFilm(title: "Stalker", rating: nil)
    let back = try KeyedArchiver.copy(of: [film, film])
    #expect(
      back[0] === back[1] && back[0].title == "Stalker" && back[0].rating == nil && back[0].year == 1979
    )
  }

  @Test("a class that has become @Observable reads what was archived before")
  func adopted() throws {
    let old = [PlainFilm(title: "Solaris", rating: 5), PlainFilm(title: "Mirror", rating: nil)]
    let new = try transcode(old, to: [ObservedFilm].self)
    #expect(new.map(\.title) == ["Solaris", "Mirror"] && new.map(\.rating) == [5, nil])
    #expect(new.map(\.year) == [1979, 1979])
  }

  @Test("a class without @Observable reads archives of the @Observable one")
  func wentBack() throws {
    let old = [ObservedFilm(title: "Solaris", rating: 5), ObservedFilm(title: "Mirror", rating: nil)]
    let new = try transcode(old, to: [PlainFilm].self)
    #expect(new.map(\.title) == ["Solaris", "Mirror"] && new.map(\.rating) == [5, nil])
    // Between them is a record that no such class encoded.
    let mixed = try writeKeyed { container in
      try container.encode(old[0], forKey: "new")
      try container.encode(PlainFilm(title: "Nostalghia", rating: nil), forKey: "old")
      try container.encode(["_title": "wrong"], forKey: "other")
    }
    try readKeyed(mixed) { container throws in
      #expect(try container.decode(PlainFilm.self, forKey: "new").rating == 5)
      #expect(try container.decode(PlainFilm.self, forKey: "old").rating == nil)
      #expect(try failure { try container.decode(PlainFilm.self, forKey: "other") }.path == "other")
    }
  }

  @Test("a property that is no longer observed, such as one that became lazy or weak, keeps its value")
  func ignored() throws {
    let old = ObservedFriend(name: "Ada")
    old.friends = [ObservedFriend(name: "Grace"), old]
    old.best = old
    let new = try transcode(old, to: IgnoringFriend.self)
    #expect(new.name == "Ada" && new.friends.map(\.name) == ["Grace", "Ada"])
    #expect(new.friends[1] === new && new.best === new)
    new.best = new.friends[0]
    let back = try transcode(new, to: ObservedFriend.self)
    #expect(back.name == "Ada" && back.friends[1] === back && back.best === back.friends[0])
  }

  @Test("models and classes with fields read archives of an @Observable class, with cycles")
  func becameFields() throws {
    let old = ObservedFriend(name: "Ada")
    old.friends = [ObservedFriend(name: "Grace"), old]
    old.friends[0].best = old
    let model = try transcode(old, to: FriendModel.self)
    #expect(model.name == "Ada" && model.friends.map(\.name) == ["Grace", "Ada"])
    #expect(model.friends[1] === model && model.friends[0].best === model)
    let fields = try transcode(old, to: FriendFields.self)
    #expect(fields.name == "Ada" && fields.friends.map(\.name) == ["Grace", "Ada"])
    #expect(fields.friends[1] === fields && fields.friends[0].best === fields)
  }

  @Test("contains is true for keys that can be read, and allKeys lists only the archive's keys")
  func asked() throws {
    let data = try ArchiveEncoder().encode(PlainFilm(title: "Solaris", rating: nil))
    let asked = try ArchiveDecoder().decode(AskedFilm.self, from: data)
    #expect(asked.contains == [true, false, false] && asked.listed == ["year"])
  }

  @Test("keys that begin with an underscore are not read as other keys")
  func otherUnderscores() throws {
    let numbered = try ArchiveEncoder().encode(Numbered(id: 1, _id: nil))
    #expect(try ArchiveDecoder().decode(Numbered.self, from: numbered) == Numbered(id: 1, _id: nil))
    let found = try failure { try ArchiveDecoder().decode(UnderscoredOnly.self, from: numbered) }
    #expect(found.kind == .keyNotFound)
    // The same for dictionaries and dynamic keys.
    let table = try ArchiveEncoder().encode(["title": "a"])
    #expect(try ArchiveDecoder().decode([String: String].self, from: table)["_title"] == nil)
  }
}

// MARK: - Classes

@Observable private final class ObservedFilm: Codable {
  var title: String
  var rating: Int?
  @ObservationIgnored var year = 1979

  // The synthesized ones would make the compiler warn about the constant that the macro adds.
  private enum CodingKeys: CodingKey { case _title, _rating, year, _$observationRegistrar }

  init(title: String, rating: Int?) {
    self.title = title
    self.rating = rating
  }
}

private final class PlainFilm: Codable {
  var title: String
  var rating: Int?
  var year = 1979

  init(title: String, rating: Int?) {
    self.title = title
    self.rating = rating
  }
}

@Observable private final class ObservedFriend: Codable {
  var name: String
  var friends: [ObservedFriend] = []
  var best: ObservedFriend?

  private enum CodingKeys: CodingKey { case _name, _friends, _best, _$observationRegistrar }

  init(name: String) { self.name = name }
}

@Observable private final class IgnoringFriend: Codable {
  var name: String
  @ObservationIgnored @Lazy var friends: [IgnoringFriend] = []
  @ObservationIgnored weak var best: IgnoringFriend?

  private enum CodingKeys: CodingKey { case _name, friends, best, _$observationRegistrar }
}

private final class FriendModel: ArchivedModel {
  var name = ""
  var friends: [FriendModel] = []
  var best: FriendModel?
}

private final class FriendFields: ArchivedFields {
  var name = ""
  var friends: [FriendFields] = []
  var best: FriendFields?

  init() {}
}

/// Requests its keys.
private struct AskedFilm: Decodable {
  private enum Keys: CodingKey { case _title, _rating, year, _$observationRegistrar }

  let contains: [Bool]
  let listed: [String]

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Keys.self)
    contains = [Keys._title, ._rating, ._$observationRegistrar].map { container.contains($0) }
    listed = container.allKeys.map(\.stringValue)
  }
}

private struct Numbered: Codable, Equatable {
  var id: Int
  var _id: Int?
}

private struct UnderscoredOnly: Decodable { var _id: Int }
