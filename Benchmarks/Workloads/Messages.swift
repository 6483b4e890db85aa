import Foundation
import Keepsake

/// A structure of two numbers, about the smallest that is worth archiving.
struct Point: Codable, Equatable {
  var x: Double
  var y: Double
}

/// A message with different nil properties each time.
struct ChangingMessage: Codable, Equatable {
  enum Content: Codable, Equatable {
    case text(String)
    case picture(width: Int, height: Int)
    case none
  }

  struct Author: Codable, Equatable {
    var name: String
    var age: Int?
    var address: String?
  }

  var number: Int
  var title: String
  var subtitle: String?
  var score: Double?
  var isRead: Bool?
  var replies: Int?
  var note: String?
  var date: Double?
  var author: Author
  var content: Content

  init(_ number: Int, using generator: inout SeededGenerator) {
    func optional<Value>(_ value: Value) -> Value? { Bool.random(using: &generator) ? value : nil }
    (self.number, title, subtitle) = (number, "Title \(number)", optional("About \(number)"))
    (score, isRead, replies) = (optional(Double(number) / 3), optional(number % 2 == 0), optional(number * 7))
    (note, date) = (optional("A note"), optional(Double(number)))
    author = Author(
      name: "Author \(number % 10)",
      age: optional(number % 90),
      address: optional("author.\(number)@example.org")
    )
    let contents: [Content] = [.text("Text \(number)"), .picture(width: number, height: 4), .none]
    content = contents[number % contents.count]
  }
}

/// Small archives: one for each of many values, as in a cache, a cell of a database or a message.
extension Workload {
  /// Mixed records, each in a separate archive.
  static let messages = Workload(name: "messages", countingDivisor: 10) { scale in
    let records = Record.make(count: scale.count(1_000), seed: 21)
    return .messages(
      "record",
      records,
      alternatives: [
        MessageContenders(values: records.map(DeclaredRecord.init)).keepsake(
          named: "Keepsake, declared fields"
        )
      ]
    )
  }

  /// Records whose stored properties are archived directly, each in a separate archive.
  static let declaredMessages = Workload(name: "messages-declared", countingDivisor: 10) { scale in
    .messages("record", Record.make(count: scale.count(1_000), seed: 21).map(DeclaredRecord.init))
  }

  /// Points, each in a separate archive.
  static let points = Workload(name: "messages-points", countingDivisor: 10) { scale in
    var generator = SeededGenerator(seed: 22)
    return .messages(
      "point",
      (0..<scale.count(1_000)).map { _ in
        Point(
          x: Double.random(in: -1_000...1_000, using: &generator),
          y: Double.random(in: -1_000...1_000, using: &generator)
        )
      }
    )
  }

  /// Integers, each in a separate archive.
  static let integerMessages = Workload(name: "messages-integers", countingDivisor: 10) { scale in
    .messages("integer", (0..<scale.count(1_000)).map { $0 % 100 })
  }

  /// Messages with changing keys and shapes, each in a separate archive.
  static let changingMessages = Workload(name: "messages-changing", countingDivisor: 10) { scale in
    var generator = SeededGenerator(seed: 23)
    return .messages(
      "message",
      (0..<scale.count(1_000)).map { ChangingMessage($0, using: &generator) }
    )
  }

  /// All workloads of small archives.
  static let small = [messages, declaredMessages, points, integerMessages, changingMessages]
}

extension PreparedWorkload {
  /// A workload in which each of `values` is encoded and decoded separately.
  fileprivate static func messages<Value: Codable & Equatable>(
    _ element: String,
    _ values: [Value],
    alternatives: [Contender] = []
  ) -> PreparedWorkload {
    let contenders = MessageContenders(values: values)
    return PreparedWorkload(
      title: "\(Figure.count(values.count)) archives of one \(element) each",
      unit: .nanosecondsPer(element, count: values.count),
      contenders: [contenders.keepsake(named: "Keepsake"), contenders.keepsakeWithNewCoders]
        + alternatives + [contenders.json, contenders.jsonWithNewCoders, contenders.propertyList]
    )
  }
}

/// The contenders for many values, each of which is encoded separately.
private struct MessageContenders<Value: Codable & Equatable> {
  var values: [Value]

  /// Keepsake, with one coder for all values.
  func keepsake(named name: String) -> Contender {
    let (encoder, decoder) = (ArchiveEncoder(), ArchiveDecoder())
    return contender(
      name,
      .keepsake,
      { try encoder.encode($0) },
      { try decoder.decode(Value.self, from: $0) }
    )
  }

  /// Keepsake, with a new coder for each value.
  var keepsakeWithNewCoders: Contender {
    contender(
      "Keepsake, new coders",
      .keepsake,
      { try ArchiveEncoder().encode($0) },
      { try ArchiveDecoder().decode(Value.self, from: $0) }
    )
  }

  /// Foundation's JSON coders, one for all values.
  var json: Contender {
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    return contender("JSON", .other, { try encoder.encode($0) }, { try decoder.decode(Value.self, from: $0) })
  }

  /// Foundation's JSON coders, new ones for each value.
  var jsonWithNewCoders: Contender {
    contender(
      "JSON, new coders",
      .other,
      { try JSONEncoder().encode($0) },
      { try JSONDecoder().decode(Value.self, from: $0) }
    )
  }

  /// Foundation's property list coders, one for all values. They accept only values in a container.
  var propertyList: Contender {
    let (encoder, decoder) = (PropertyListEncoder(), PropertyListDecoder())
    encoder.outputFormat = .binary
    return contender(
      "binary property list",
      .other,
      { try encoder.encode([$0]) },
      { try decoder.decode([Value].self, from: $0)[0] }
    )
  }

  private func contender(
    _ name: String,
    _ role: Contender.Role,
    _ encode: @escaping (Value) throws -> Data,
    _ decode: @escaping (Data) throws -> Value
  ) -> Contender {
    Contender.checked(
      name,
      role: role,
      value: values,
      size: { $0.reduce(0) { $0 + $1.count } },
      encode: { try $0.map(encode) },
      decode: { try $0.map(decode) }
    )
  }
}
