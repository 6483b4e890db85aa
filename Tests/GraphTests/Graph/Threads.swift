import Foundation
import Keepsake
import Synchronization
import TestSupport
import Testing

/// Archivers and unarchivers on many threads, each with its own, while others change the names of classes.
///
/// Also run this under the thread sanitizer: `swift test --sanitize=thread --filter Threads`.
@Suite struct Threads {
  private static let rounds = 25

  @Test("many threads code graphs of all kinds while names change and deep graphs are read")
  func everythingAtOnce() throws {
    let deep = try ArchiveEncoder().encode(ThreadChain.made(2_000))
    let mapped = try ArchiveEncoder().encode([ThreadRead("m")] as [ThreadAnimal])
    let done = Mutex(0)
    let workers: [@Sendable (Int) throws -> Void] = [
      plainObjects, subclasses, models, polymorphic, deferred, writtenNames,
      { try readNames(mapped, $0) },
    ]
    var jobs: [@Sendable () throws -> Void] = workers.map { work in
      { () throws -> Void in
        defer { done.withLock { $0 += 1 } }
        for round in 0..<Threads.rounds { try work(round) }
      }
    }
    jobs.append { () throws -> Void in
      defer { done.withLock { $0 += 1 } }
      for _ in 0..<3 { #expect(try ThreadChain.length(of: deep) == 2_000) }
    }
    let workerCount = jobs.count
    // These continue until all others are done.
    jobs.append {
      var round = 0
      while done.withLock({ $0 }) < workerCount {
        round += 1
        KeyedArchiver.setClassName(
          [nil, "Threads.WrittenA", "Threads.WrittenB"][round % 3],
          for: ThreadWritten.self
        )
        _ = KeyedArchiver.className(for: ThreadWritten.self)
      }
      KeyedArchiver.setClassName(nil, for: ThreadWritten.self)
    }
    jobs.append {
      var round = 0
      while done.withLock({ $0 }) < workerCount {
        round += 1
        KeyedUnarchiver.setClass(round % 2 == 0 ? nil : ThreadOther.self, forClassName: "Threads.Read")
        _ = KeyedUnarchiver.class(forClassName: "Threads.Read")
      }
      KeyedUnarchiver.setClass(nil, forClassName: "Threads.Read")
    }
    try inThreads(jobs)
    #expect(try type(of: ArchiveDecoder().decode([ThreadAnimal].self, from: mapped)[0]) == ThreadRead.self)
  }

  @Test("many threads use models and subclasses for the first time")
  func firstUse() throws {
    // No other test uses these classes, so what is learned once about a class is learned here.
    let jobs = (0..<8).map { number -> @Sendable () throws -> Void in
      { () throws -> Void in
        let model = ThreadFirstModel()
        model.name = "\(number)"
        model.next = ThreadFirstSubmodel()
        model.next?.next = model
        let back = try roundTrip(model)
        #expect(back.name == "\(number)" && back.next is ThreadFirstSubmodel && back.next?.next === back)
        for one in [model, back] { one.next = nil }
        let cats = try roundTrip([ThreadFirstCat("a"), ThreadAnimal("b")] as [ThreadAnimal])
        #expect(cats[0] is ThreadFirstCat && type(of: cats[1]) == ThreadAnimal.self)
      }
    }
    try inThreads(jobs)
  }

  @Test("a class that is set for the process and removed does not disturb decoding on other threads")
  func classesComeAndGo() throws {
    let data = try ArchiveEncoder().encode([ThreadPassing("p")] as [ThreadAnimal])
    let readers = 3
    let done = Mutex(0)
    var jobs = (0..<readers).map { _ in
      { @Sendable () throws -> Void in
        defer { done.withLock { $0 += 1 } }
        for _ in 0..<3_000 {
          let back = try ArchiveDecoder().decode([ThreadAnimal].self, from: data)
          #expect(back[0] is ThreadPassing || back[0] is ThreadOther)
        }
      }
    }
    jobs.append {
      while done.withLock({ $0 }) < readers {
        KeyedUnarchiver.setClass(ThreadOther.self, forClassName: "Threads.Passing")
        KeyedUnarchiver.setClass(nil, forClassName: "Threads.Passing")
      }
    }
    try inThreads(jobs)
  }

  @Test("many unarchivers read one archive, each on a small stack")
  func oneArchive() throws {
    let deep = try ArchiveEncoder().encode(ThreadChain.made(1_000))
    let author = ThreadAuthor.made("shared")
    let ring = try ArchiveEncoder().encode(author)
    author.cut()
    try inThreads(
      (0..<8).map { number in
        { () throws -> Void in
          for _ in 0..<2 {
            if number % 2 == 0 { #expect(try ThreadChain.length(of: deep) == 1_000) }
            let back = try ArchiveDecoder().decode(ThreadAuthor.self, from: ring)
            #expect(back.isWhole("shared"))
            back.cut()
          }
        }
      }
    )
  }

  @Test("other threads use what one thread has read")
  func handedOver() throws {
    let author = ThreadAuthor.made("over")
    let back = try roundTrip(author)
    let box = ThreadBox(back)
    try inThreads((0..<4).map { _ in { () throws -> Void in #expect(box.author.isWhole("over")) } })
    for one in [author, back] { one.cut() }
  }
}

// MARK: - Work of each thread

@Sendable private func plainObjects(_ round: Int) throws {
  let shared = ThreadItem("shared \(round)")
  let back = try roundTrip([[shared, ThreadItem("other")], [shared]])
  #expect(back[0][0] === back[1][0] && back[0][0].name == shared.name && back[0][1].name == "other")
  let twin = try KeyedArchiver.copy(of: back)
  #expect(twin[0][0] === twin[1][0] && twin[0][0] !== back[0][0])
}

@Sendable private func subclasses(_ round: Int) throws {
  let animals = [ThreadAnimal("a"), ThreadDog("b \(round)"), ThreadCat("c")]
  let back = try roundTrip(animals + animals)
  for (old, new) in zip(animals, back) { #expect(type(of: old) == type(of: new) && old.name == new.name) }
  for (first, second) in zip(back, back.dropFirst(3)) { #expect(first === second) }
}

@Sendable private func models(_ round: Int) throws {
  let boss = ThreadAdmin()
  boss.name = "boss \(round)"
  boss.level = round
  let user = ThreadUser()
  user.boss = boss
  user.friends = [boss, user]
  boss.friends = [user]
  let back = try roundTrip(user)
  let found = try #require(back.boss as? ThreadAdmin)
  #expect(found.name == boss.name && found.level == round)
  #expect(back.friends.count == 2 && back.friends[0] === found && back.friends[1] === back)
  #expect(found.friends.count == 1 && found.friends[0] === back)
  for one in [user, back, boss, found] { (one.boss, one.friends) = (nil, []) }
}

@Sendable private func polymorphic(_ round: Int) throws {
  let dot = ThreadDot()
  let shapes: [any ThreadShape] = [ThreadLine(length: round), dot, ThreadCorner.right, dot]
  let back = try roundTrip(Polymorphic(shapes)).wrappedValue
  #expect(back.count == 4 && (back[0] as? ThreadLine)?.length == round && back[2] is ThreadCorner)
  #expect(back[1] is ThreadDot && (back[1] as AnyObject) === (back[3] as AnyObject))
}

@Sendable private func deferred(_ round: Int) throws {
  let author = ThreadAuthor.made("\(round)")
  let back = try roundTrip(author)
  #expect(back !== author && back.isWhole("\(round)"))
  for one in [author, back] { one.cut() }
}

/// The class has each of these names at some time, and is found by each.
@Sendable private func writtenNames(_ round: Int) throws {
  let data = try ArchiveEncoder().encode([ThreadWritten("w \(round)"), ThreadWritten("x")] as [ThreadAnimal])
  let names = ["Threads.WrittenA", "Threads.WrittenB", "Threads.Own"]
  #expect(names.filter { data.range(of: Data($0.utf8)) != nil }.count == 1)
  let back = try ArchiveDecoder().decode([ThreadAnimal].self, from: data)
  #expect(back.allSatisfy { $0 is ThreadWritten } && back.map(\.name) == ["w \(round)", "x"])
}

/// Read as the class that declares the name or as the one that is set for it at the time.
@Sendable private func readNames(_ data: Data, _ round: Int) throws {
  let back = try ArchiveDecoder().decode([ThreadAnimal].self, from: data)
  #expect(back.count == 1 && (back[0] is ThreadRead || back[0] is ThreadOther) && back[0].name == "m")
}

/// Runs all jobs at once, each on a thread with a small stack, and waits for all; throws an error that one threw.
///
/// The thread sanitizer knows about threads and conditions.
private func inThreads(_ jobs: [@Sendable () throws -> Void]) throws {
  let state = Mutex<(running: Int, failure: (any Error)?)>((jobs.count, nil))
  let condition = NSCondition()
  for job in jobs {
    let thread = Thread {
      let outcome = Result { try job() }
      condition.lock()
      state.withLock {
        $0.running -= 1
        if case .failure(let error) = outcome { $0.failure = error }
      }
      condition.signal()
      condition.unlock()
    }
    thread.stackSize = 512 << 10
    thread.start()
  }
  condition.lock()
  while state.withLock({ $0.running }) > 0 { condition.wait() }
  condition.unlock()
  if let failure = state.withLock({ $0.failure }) { throw failure }
}

// MARK: - Classes

private final class ThreadItem: Codable {
  let name: String

  init(_ name: String) {
    self.name = name
  }
}

class ThreadAnimal: Codable {
  let name: String

  init(_ name: String) {
    self.name = name
  }
}

final class ThreadDog: ThreadAnimal {}

private final class ThreadCat: ThreadAnimal, ArchivableClass {
  static var archivedClassName: String { "Threads.Cat" }
}

final class ThreadFirstCat: ThreadAnimal {}

private final class ThreadWritten: ThreadAnimal, ArchivableClass {
  static var archivedClassName: String { "Threads.Own" }
  static var archivedClassAliases: [String] { ["Threads.WrittenA", "Threads.WrittenB"] }
}

private final class ThreadRead: ThreadAnimal, ArchivableClass {
  static var archivedClassName: String { "Threads.Read" }
}

private final class ThreadPassing: ThreadAnimal, ArchivableClass {
  static var archivedClassName: String { "Threads.Passing" }
}

private final class ThreadOther: ThreadAnimal {}

class ThreadUser: ArchivedModel {
  var name = ""
  var friends: [ThreadUser] = []
  var boss: ThreadUser?
}

final class ThreadAdmin: ThreadUser {
  var level = 0
}

class ThreadFirstModel: ArchivedModel {
  var name = ""
  var next: ThreadFirstModel?
}

final class ThreadFirstSubmodel: ThreadFirstModel {
  var more = [1, 2]
}

protocol ThreadShape: Codable {}
struct ThreadLine: ThreadShape { var length: Int }
enum ThreadCorner: String, ThreadShape { case left, right }
final class ThreadDot: ThreadShape {}

final class ThreadAuthor: Codable {
  let name: String
  var posts: [ThreadPost] = []
  @WeakReference var latest: ThreadPost?

  init(_ name: String) {
    self.name = name
  }

  static func made(_ name: String) -> ThreadAuthor {
    let author = ThreadAuthor(name)
    author.posts = (0..<20).map { _ in ThreadPost(author) }
    for (post, next) in zip(author.posts, author.posts.dropFirst()) { post.next = next }
    author.latest = author.posts.last
    return author
  }

  func isWhole(_ name: String) -> Bool {
    self.name == name && posts.count == 20 && latest === posts.last && posts.allSatisfy { $0.author === self }
      && zip(posts, posts.dropFirst()).allSatisfy { $0.next === $1 } && posts.last?.next == nil
  }

  func cut() { posts = [] }
}

final class ThreadPost: Codable {
  @Deferred var author: ThreadAuthor
  @Deferred var next: ThreadPost?

  init(_ author: ThreadAuthor) {
    self.author = author
  }
}

/// Only read, by threads that begin after it was made.
private final class ThreadBox: @unchecked Sendable {
  let author: ThreadAuthor

  init(_ author: ThreadAuthor) {
    self.author = author
  }
}

/// A list with plain links, so it is read recursively.
private final class ThreadChain: Codable {
  var next: ThreadChain?

  static func made(_ count: Int) -> Self {
    let first = Self()
    var last: ThreadChain = first
    for _ in 1..<count {
      let next = Self()
      last.next = next
      last = next
    }
    return first
  }

  init() {}

  static func length(of data: Data) throws -> Int {
    try ArchiveDecoder().decode(ThreadChain.self, from: data).cut()
  }

  /// Separates the links without recursion, and counts them.
  func cut() -> Int {
    var count = 0
    var node: ThreadChain? = self
    while let current = node {
      count += 1
      node = current.next
      current.next = nil
    }
    return count
  }
}
