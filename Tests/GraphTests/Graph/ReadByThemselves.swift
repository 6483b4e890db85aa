import Keepsake
import Testing

/// Values that a program decodes from a kept decoder while the unarchiver decodes nothing.
@Suite struct ReadByThemselves {
  /// A decoder for the value that `encode` writes under a key.
  private func decoder(_ encode: (any Encoder) throws -> Void) throws -> any Decoder {
    let archiver = KeyedArchiver()
    var container = archiver.container(keyedBy: Key.self)
    try encode(container.superEncoder(forKey: .value))
    let unarchiver = try KeyedUnarchiver(forReadingFrom: try archiver.encodedData)
    return try unarchiver.container(keyedBy: Key.self).superDecoder(forKey: .value)
  }

  @Test("a model decodes its properties from a kept decoder")
  func model() throws {
    let shelf = LoneShelf()
    shelf.books = [LonePage(), LonePage(), LonePage()]
    shelf.best = shelf.books[1]
    let back = try LoneShelf(from: decoder(shelf.encode))
    #expect(back.books.count == 3 && back.best === back.books[1] && back.label == "x")
    #expect(back.best?.pages == ["a": 1])
  }

  @Test("a structure with fields decodes from a kept decoder")
  func fields() throws {
    let box = LoneBox(label: "y", books: [LonePage()])
    let back = try LoneBox(from: decoder(box.encode))
    #expect(back.label == "y" && back.books.map(\.pages) == [["a": 1]])
  }

  @Test("a value behind a protocol decodes from a kept decoder")
  func polymorphic() throws {
    let value = Polymorphic<any LoneItem>(wrappedValue: LoneParcel(books: [LonePage(), LonePage()]))
    let back = try Polymorphic<any LoneItem>(from: decoder(value.encode)).wrappedValue
    #expect((back as? LoneParcel)?.books.map(\.pages) == [["a": 1], ["a": 1]])
  }

  private enum Key: String, CodingKey {
    case value
  }
}

final class LonePage: Codable {
  var pages = ["a": 1]
}

private final class LoneShelf: ArchivedModel {
  var best: LonePage?
  var books: [LonePage] = []
  var label = "x"
}

private struct LoneBox: ArchivedFields {
  var label = ""
  var books: [LonePage] = []
}

protocol LoneItem {}

final class LoneParcel: Codable, LoneItem {
  let books: [LonePage]

  init(books: [LonePage]) { self.books = books }
}
