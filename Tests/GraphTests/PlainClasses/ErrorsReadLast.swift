import Keepsake
import RandomArchives
import TestSupport
import Testing

/// Initializers catch errors of values that are read last like those of values that are read at once.
@Suite struct ErrorsReadLast {
  /// The number of people, and of calls of their initializer.
  private final class Count: @unchecked Sendable {
    var people = 0
    var readings = 0
  }

  private final class Person: Codable {
    let count: Count?
    let name: String
    let isStrict: Bool
    let isRefused: Bool
    var friend: Person?
    var team: [Person] = []
    var known: [String: Person] = [:]

    private enum CodingKeys: CodingKey { case name, isStrict, isRefused, friend, team, known }

    deinit { count?.people -= 1 }

    init(_ name: String, isStrict: Bool = false, isRefused: Bool = false) {
      count = nil
      (self.name, self.isStrict, self.isRefused) = (name, isStrict, isRefused)
    }

    init(from decoder: any Decoder) throws {
      count = decoder.userInfo[.named("count")] as? Count
      count?.people += 1
      count?.readings += 1
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      isStrict = try container.decode(Bool.self, forKey: .isStrict)
      isRefused = try container.decode(Bool.self, forKey: .isRefused)
      do {
        friend = try container.decodeIfPresent(Person.self, forKey: .friend)
      } catch let error as Refusal {
        if isStrict { throw error }
      }
      do { team = try container.decode([Person].self, forKey: .team) } catch let error as Refusal {
        if isStrict { throw error }
      }
      do {
        if try !container.decodeNil(forKey: .known) {
          known = try container.decode([String: Person].self, forKey: .known)
        }
      } catch let error as Refusal {
        if isStrict { throw error }
      }
      if isRefused { throw Refusal(reason: name) }
    }

    var others: [Person] { [friend].compactMap { $0 } + team + known.values }

    func cut() { (friend, team, known) = (nil, [], [:]) }
  }

  /// The names of people that cannot be read, since their initializers throw.
  private func unreadable(of people: [Person]) -> Set<String> {
    var names = Set(people.filter(\.isRefused).map(\.name))
    while true {
      let more = people.filter { person in
        person.isStrict && !names.contains(person.name) && person.others.contains { names.contains($0.name) }
      }
      if more.isEmpty { return names }
      names.formUnion(more.map(\.name))
    }
  }

  /// Expects that `back` is the graph of `person` without the unreadable people.
  private func expectReadable(_ person: Person, _ back: Person, without names: Set<String>, _ seed: UInt64) {
    var counterparts: [ObjectIdentifier: Person] = [:]
    var rest = [(person, back)]
    defer { for back in counterparts.values { back.cut() } }
    while let (person, back) = rest.popLast() {
      if let known = counterparts[ObjectIdentifier(person)] {
        #expect(known === back, "graph \(seed)")
        continue
      }
      counterparts[ObjectIdentifier(person)] = back
      let friend = person.friend.flatMap { names.contains($0.name) ? nil : $0 }
      let team = person.team.contains { names.contains($0.name) } ? [] : person.team
      let known = person.known.values.contains { names.contains($0.name) } ? [:] : person.known
      guard back.name == person.name, (back.friend == nil) == (friend == nil), back.team.count == team.count,
        Set(back.known.keys) == Set(known.keys)
      else {
        Issue.record("\(person.name) of graph \(seed) differs")
        continue
      }
      rest += zip([friend].compactMap { $0 } + team, [back.friend].compactMap { $0 } + back.team)
      for (key, value) in known { if let other = back.known[key] { rest.append((value, other)) } }
    }
  }

  @Test("random graphs come back without the values whose errors initializers catch")
  func randomGraphs() throws {
    var seeds = SeededGenerator("caught errors")
    for _ in 0..<200 {
      let seed = seeds.next()
      var numbers = SplitMix(seed: seed)
      let people = (0..<Int.random(in: 2...12, using: &numbers)).map { index in
        // Longer chains of strict ones might need more attempts than there are.
        Person("\(index)", isStrict: 1...2 ~= index, isRefused: Int.random(in: 0..<8, using: &numbers) == 0)
      }
      defer { for person in people { person.cut() } }
      func anyone() -> Person { people[Int.random(in: 0..<people.count, using: &numbers)] }
      for person in people {
        if Bool.random(using: &numbers) { person.friend = anyone() }
        person.team = (0..<Int.random(in: 0..<3, using: &numbers)).map { _ in anyone() }
        if Bool.random(using: &numbers) { person.known = ["a": anyone(), "b": anyone()] }
      }
      let names = unreadable(of: people)
      let root = people[0]
      let data = try ArchiveEncoder().encode(root)
      let count = Count()
      var decoder = ArchiveDecoder()
      decoder.userInfo[.named("count")] = count
      if names.contains(root.name) {
        #expect(throws: Refusal.self, "graph \(seed)") { try decoder.decode(Person.self, from: data) }
      } else {
        let back = try decoder.decode(Person.self, from: data)
        expectReadable(root, back, without: names, seed)
      }
      // Objects of failed attempts are released.
      #expect(count.people == 0, "graph \(seed)")
    }
  }

  @Test("a long chain of initializers that throw ends with the first error")
  func longChain() throws {
    let people = (0..<1_000).map { Person("\($0)", isStrict: true, isRefused: $0 == 999) }
    defer { for person in people { person.cut() } }
    for (person, next) in zip(people, people.dropFirst()) { (person.friend, next.team) = (next, [person]) }
    let data = try ArchiveEncoder().encode(people[0])
    let count = Count()
    var decoder = ArchiveDecoder()
    decoder.userInfo[.named("count")] = count
    #expect(throws: Refusal(reason: "999")) { try decoder.decode(Person.self, from: data) }
    #expect(count.people == 0 && count.readings <= 5_000)
  }

  private final class Reader: Codable {
    var book: Book?

    init(_ book: Book?) { self.book = book }

    private enum CodingKeys: CodingKey { case book }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      if decoder.userInfo[.named("replaces")] != nil {
        book = (try? container.decodeIfPresent(Book.self, forKey: .book)) ?? Book(nil)
      } else {
        book = try? container.decodeIfPresent(Book.self, forKey: .book)
        if book == nil, let title = try? container.decodeIfPresent(Title.self, forKey: .book) {
          book = Book(nil)
          book?.title = title.title
        }
      }
    }
  }

  private struct Title: Decodable { let title: String }

  private final class Book: Codable {
    var reader: Reader?
    var title = "unknown"
    init(_ reader: Reader?) { self.reader = reader }

    private enum CodingKeys: CodingKey { case reader, title }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      reader = try container.decodeIfPresent(Reader.self, forKey: .reader)
      title = try container.decode(String.self, forKey: .title)
      if decoder.userInfo[.named("refuses")] != nil { throw Refusal(reason: title) }
    }
  }

  @Test("decoding throws if an initializer replaces the value of a property that waits")
  func replacedValue() throws {
    let reader = Reader(nil)
    reader.book = Book(reader)
    defer { reader.book = nil }
    var decoder = ArchiveDecoder()
    decoder.userInfo[.named("replaces")] = true
    let data = try ArchiveEncoder().encode(reader.book)
    #expect(try failure { try decoder.decode(Book.self, from: data) }.code == .misuse)
  }

  @Test("an initializer that tries another type after the error gets a value of that type")
  func otherType() throws {
    let reader = Reader(nil)
    reader.book = Book(reader)
    reader.book?.title = "known"
    defer { reader.book = nil }
    var decoder = ArchiveDecoder()
    decoder.userInfo[.named("refuses")] = true
    let pair = Pair(book: reader.book, reader: reader)
    let back = try decoder.decode(Pair.self, from: ArchiveEncoder().encode(pair))
    #expect(back.book == nil && back.reader.book?.title == "known" && back.reader.book?.reader == nil)
  }

  /// Begins the cycle with the book, so the property of the reader is read last.
  private struct Pair: Codable {
    let book: Book?
    let reader: Reader

    init(book: Book?, reader: Reader) { (self.book, self.reader) = (book, reader) }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      book = try? container.decodeIfPresent(Book.self, forKey: .book)
      reader = try container.decode(Reader.self, forKey: .reader)
    }
  }

  private final class Model: ArchivedModel {
    var name = ""
    var friend: Model?
    var visitor: Visitor?
  }

  private final class Visitor: Codable {
    var host: Model?
    let number: Int

    init(_ number: Int) { self.number = number }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      host = try? container.decodeIfPresent(Model.self, forKey: .host)
      number = try container.decode(Int.self, forKey: .number)
      if number < 0 { throw Refusal(reason: "\(number)") }
    }
  }

  @Test("the initializer of a plain object catches the error of a model in a cycle")
  func models() throws {
    let (host, model, visitor) = (Model(), Model(), Visitor(1))
    (visitor.host, host.visitor, host.friend) = (host, visitor, model)
    (model.friend, model.visitor) = (host, Visitor(-1))
    defer { (host.visitor, host.friend, model.friend, model.visitor) = (nil, nil, nil, nil) }
    let back = try ArchiveDecoder().decode(Visitor.self, from: ArchiveEncoder().encode(visitor))
    #expect(back.number == 1 && back.host == nil)
  }
}
