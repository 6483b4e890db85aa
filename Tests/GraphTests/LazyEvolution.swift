import Foundation
import Keepsake
import TestSupport
import Testing

/// Archives of properties that were `@Lazy`, and errors in lazy values.
@Suite struct LazyEvolution {
  final class Leaf: Codable, Named {
    var name: String

    init(_ name: String) { self.name = name }
  }

  protocol Named {}
  struct Label: Codable { var text = "" }

  /// Archives nil, as its properties are archived from memory.
  final class Delayed: ArchivedModel {
    @Lazy var leaf: Leaf?
    @Lazy var count: Int?
    @Lazy var label: Label?
    @Lazy var words: [String]?
    @Lazy var named: Leaf?
    @Lazy var owner: Delayed?
    var shared: Leaf?
  }

  private static func delayed() -> Delayed {
    let delayed = Delayed()
    let leaf = Leaf("a")
    (delayed.leaf, delayed.shared) = (leaf, leaf)
    (delayed.count, delayed.label, delayed.words) = (3, Label(text: "b"), ["c"])
    (delayed.named, delayed.owner) = (leaf, delayed)
    return delayed
  }

  final class Plain: Codable {
    var leaf: Leaf?
    var count: Int?
    var label: Label?
    var words: [String]?
    @Polymorphic var named: (any Named)?
    var owner: Plain?
    var shared: Leaf?
  }

  final class Model: ArchivedModel {
    var leaf: Leaf? = Leaf("default")
    var count: Int? = 7
    var label: Label? = Label()
    var words: [String]? = []
    @Polymorphic var named: (any Named)? = Leaf("default")
    var owner: Model? = nil
    var shared: Leaf?
  }

  final class Wrapped: Codable {
    @WeakReference var leaf: Leaf?
    @Deferred var count: Int?
    @Deferred var label: Label?
    @Deferred var words: [String]?
    @Deferred @Polymorphic var named: (any Named)?
    @Deferred var owner: Wrapped?
    var shared: Leaf?
  }

  /// Requests nil before each value, and reads objects as structures.
  struct ByHand: Decodable {
    struct Leaf: Codable { var name: String }
    var leaf: Leaf?
    var count: Int?
    var words: [String]?

    enum CodingKeys: CodingKey { case leaf, count, words }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      if try !container.decodeNil(forKey: .leaf) { leaf = try container.decode(Leaf.self, forKey: .leaf) }
      if try !container.decodeNil(forKey: .count) { count = try container.decode(Int.self, forKey: .count) }
      let words = try container.superDecoder(forKey: .words).singleValueContainer()
      if !words.decodeNil() { self.words = try words.decode([String].self) }
    }
  }

  struct Chapter: Codable {
    @Lazy var title: String?
  }

  struct PlainChapter: Codable {
    var title: String?
  }

  @Test("damage in a property that was lazy has the path of the property")
  func damage() throws {
    // Each title has its own block.
    let chapters = ["a", "b", "c"].map { Chapter(title: String(repeating: $0, count: 1 << 17)) }
    var data = try KeyedArchiver.archivedData(withRootObject: chapters)
    let text = try #require(data.firstRange(of: Data(repeating: UInt8(ascii: "b"), count: 1 << 17)))
    data[(text.lowerBound + text.upperBound) / 2] = 0
    let failed = try failure {
      try KeyedUnarchiver.unarchive([PlainChapter].self, from: data, verification: .onDemand)
    }
    #expect(failed.path == "[1]/title")
  }

  private func read<Value: Decodable>(_ type: Value.Type, _ root: Delayed) throws -> Value {
    try KeyedUnarchiver.unarchive(type, from: KeyedArchiver.archivedData(withRootObject: root))
  }

  /// Archived like lazy values. The archiver trusts it to close cycles, which lazy values cannot.
  final class Forged: Codable, ArchivableClass, SelfRegistering {
    static var archivedClassName: String { "Forged___Lazy" }
    var next: Forged?
    var isBare = false

    enum CodingKeys: CodingKey { case next }

    init() {}
    init(from decoder: any Decoder) throws { throw CocoaError(.coderInvalidValue) }

    func encode(to encoder: any Encoder) throws {
      if isBare {
        var container = encoder.singleValueContainer()
        try container.encode(next)
      } else {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(next, forKey: .next)
      }
    }
  }

  @Test("a cycle of lazy values is an error", arguments: [false, true])
  func endless(_ isBare: Bool) throws {
    final class Chain: Codable {
      var next: Chain?
    }
    struct Holder<Value: Codable>: Codable { var value: Value? }

    let values = (0..<3).map { _ in Forged() }
    for (value, next) in zip(values, values[1...] + values[...0]) {
      (value.next, value.isBare) = (next, isBare)
    }
    var data = try KeyedArchiver.archivedData(
      withRootObject: Holder(value: values[0]),
      outputFormatting: [.longForm, .withoutChecksums]
    )
    // The archiver reserves this name.
    let name = try #require(data.range(of: Data("Forged___Lazy".utf8)))
    data.replaceSubrange(name, with: Data("Keepsake.Lazy".utf8))
    #expect(throws: (any Error).self) { try ArchiveDecoder().decode(Holder<Chain>.self, from: data) }
    #expect(throws: (any Error).self) { try ArchiveDecoder().decode(Holder<[Int]>.self, from: data) }
    #expect(throws: (any Error).self) {
      try ArchiveDecoder().decode(Holder<Polymorphic<any Named>>.self, from: data)
    }
  }

  @Test("objects in properties that were lazy keep their identity and close cycles")
  func identity() throws {
    let plain = try read(Plain.self, Self.delayed())
    #expect(plain.leaf === plain.shared && plain.shared?.name == "a" && plain.owner === plain)
    #expect(plain.named as? Leaf === plain.shared)
    let model = try read(Model.self, Self.delayed())
    #expect(model.leaf === model.shared && model.shared?.name == "a" && model.owner === model)
    #expect(model.named as? Leaf === model.shared)
    let wrapped = try read(Wrapped.self, Self.delayed())
    #expect(wrapped.leaf === wrapped.shared && wrapped.shared?.name == "a" && wrapped.owner === wrapped)
    #expect(wrapped.named as? Leaf === wrapped.shared)
  }

  @Test("values of every kind read from archives of lazy ones")
  func values() throws {
    let plain = try read(Plain.self, Self.delayed())
    #expect(plain.count == 3 && plain.label?.text == "b" && plain.words == ["c"])
    let model = try read(Model.self, Self.delayed())
    #expect(model.count == 3 && model.label?.text == "b" && model.words == ["c"])
    let wrapped = try read(Wrapped.self, Self.delayed())
    #expect(wrapped.count == 3 && wrapped.label?.text == "b" && wrapped.words == ["c"])
    let byHand = try read(ByHand.self, Self.delayed())
    #expect(byHand.leaf?.name == "a" && byHand.count == 3 && byHand.words == ["c"])
  }

  @Test("nil of every kind reads from archives of lazy ones")
  func nothing() throws {
    let plain = try read(Plain.self, Delayed())
    #expect(plain.leaf == nil && plain.count == nil && plain.label == nil && plain.words == nil)
    #expect(plain.named == nil && plain.owner == nil)
    let model = try read(Model.self, Delayed())
    #expect(model.leaf == nil && model.count == nil && model.label == nil && model.words == nil)
    #expect(model.named == nil && model.owner == nil)
    let wrapped = try read(Wrapped.self, Delayed())
    #expect(wrapped.leaf == nil && wrapped.count == nil && wrapped.label == nil && wrapped.words == nil)
    #expect(wrapped.named == nil && wrapped.owner == nil)
    let byHand = try read(ByHand.self, Delayed())
    #expect(byHand.leaf == nil && byHand.count == nil && byHand.words == nil)
  }

  @Test("nil for a non-optional property is valueNotFound, and the default in a model")
  func missing() throws {
    struct Strict: Codable { var leaf: Leaf }
    #expect {
      try read(Strict.self, Delayed())
    } throws: { error in
      guard case DecodingError.valueNotFound(_, let context) = error else { return false }
      return context.codingPath.map(\.stringValue) == ["leaf"]
    }
    final class Lenient: ArchivedModel {
      var leaf = Leaf("default")
      var count = 7
    }
    let lenient = try read(Lenient.self, Delayed())
    #expect(lenient.leaf.name == "default" && lenient.count == 7)
  }

  @Test("for nil, a model keeps the default of a non-optional @Lazy or @Deferred property")
  func defaults() throws {
    /// A value that can be decoded from nil.
    struct Answer: Codable, LazyValue {
      static var emptyLazyValue: Answer { Answer(text: "empty") }
      var text: String

      init(text: String) { self.text = text }

      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        text = container.decodeNil() ? "none" : try container.decode(String.self)
      }
    }
    final class Before: ArchivedModel {
      var words: [String]?
      var text: String?
      var answer: String?
      @Lazy var lazyWords: [String]?
      @Lazy var count: Int?
      @Lazy var leaf: Leaf?
    }
    final class After: ArchivedModel {
      @Lazy var words = ["default"]
      @Lazy var text = "default"
      @Lazy var answer = Answer(text: "default")
      @Lazy var lazyWords = ["default"]
      @Deferred var count = 7
      @Deferred var leaf = Leaf("default")
    }
    let data = try KeyedArchiver.archivedData(withRootObject: Before())
    let after = try KeyedUnarchiver.unarchive(After.self, from: data)
    #expect(try after.$words.load() == ["default"] && after.$text.load() == "default")
    #expect(try after.$lazyWords.load() == ["default"] && after.$answer.load().text == "none")
    #expect(after.count == 7 && after.leaf.name == "default")
    #expect(throws: Never.self) { try KeyedArchiver.archivedData(withRootObject: after) }
  }

  @Test("the path of an error in a lazy value begins at the root")
  func paths() throws {
    final class Page: Codable { @Lazy var words = ["a"] }
    final class Book: Codable { @Lazy var pages = [Page(), Page()] }
    struct Faulty: Codable { @Lazy var words: [Int] }
    struct FaultyBook: Codable { @Lazy var pages: [Faulty] }
    let data = try KeyedArchiver.archivedData(withRootObject: ["book": Book()])
    let books = try KeyedUnarchiver.unarchive([String: FaultyBook].self, from: data)
    let page = try #require(books["book"]?.pages.last)
    #expect(try failure { try page.$words.load() }.path == "book/pages/[1]/words/[0]")
  }

  @Test("a lazy value of every kind is empty if it cannot be read, and keeps the error")
  func emptyKinds() throws {
    struct Faulty: Decodable {
      @Lazy var text = "default"
      @Lazy var data = Data([1])
      @Lazy var numbers = [1]
      @Lazy var names: Set = ["a"]
      @Lazy var ages = ["a": 1]
      @Lazy var maybe: String? = "b"
    }
    let keys = ["text", "data", "numbers", "names", "ages", "maybe"]
    let back = try transcode(Dictionary(uniqueKeysWithValues: keys.map { ($0, 5) }), to: Faulty.self)
    #expect(back.text == "" && back.data == Data() && back.numbers == [] && back.names == [])
    #expect(back.ages == [:] && back.maybe == nil)
    let errors = [
      back.$text.error, back.$data.error, back.$numbers.error, back.$names.error, back.$ages.error,
    ]
    for error in errors + [back.$maybe.error] { #expect(error is DecodingError) }
    #expect(throws: DecodingError.self) { try back.$text.load() }
  }
}
