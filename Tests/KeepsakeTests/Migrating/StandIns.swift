import Foundation
import Keepsake
import Testing

// The code of Docs/Migrating.md, steps 13 and 14.

@Suite("Migrating: objects that stand for others") struct MigratingStandIns {
  final class Style: Codable {
    var name: String

    init(name: String) {
      self.name = name
    }
  }

  final class Preview: Codable {
    var pixels = [1, 2, 3]
  }

  final class Paragraph: Codable {
    var text: String
    var style: Style
    var preview: Preview? = Preview()

    init(text: String, style: Style) {
      self.text = text
      self.style = style
    }
  }

  final class WithoutPreviews: KeyedArchiverDelegate {
    func archiver(_ archiver: KeyedArchiver, willEncode object: Any) -> Any? {
      object is Preview ? nil : object
    }
  }

  final class StyleCatalog: KeyedUnarchiverDelegate {
    let plain = Style(name: "plain")

    func unarchiver(_ unarchiver: KeyedUnarchiver, didDecode object: Any?) -> Any? {
      guard let style = object as? Style else { return object }
      return style.name == plain.name ? plain : style
    }
  }

  @Test("delegates leave out and replace objects")
  func delegates() throws {
    let plain = Style(name: "plain")
    let text = [Paragraph(text: "One", style: plain), Paragraph(text: "Two", style: Style(name: "bold"))]

    let withoutPreviews = WithoutPreviews()
    let archiver = KeyedArchiver()
    archiver.delegate = withoutPreviews
    try archiver.encode(text, forKey: "text")
    let data = try archiver.encodedData

    let catalog = StyleCatalog()
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.delegate = catalog
    let back = try unarchiver.decode([Paragraph].self, forKey: "text")
    #expect(back[0].style === catalog.plain && back[1].style.name == "bold")
    #expect(back.allSatisfy { $0.preview == nil })
  }
}

@Suite("Migrating: objects of Foundation") struct MigratingFoundationObjects {
  struct Coded<Object: NSObject & NSSecureCoding>: Codable {
    var object: Object

    init(_ object: Object) {
      self.object = object
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      let data = try container.decode(Data.self)
      guard let object = try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "There is no \(Object.self)")
      }
      self.object = object
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(
        NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
      )
    }
  }

  struct Memo: Codable {
    var note: Coded<MigratingOldNote>
  }

  @Test("an object that only supports NSSecureCoding is archived as data")
  func coded() throws {
    let memo = Memo(note: Coded(MigratingOldNote(text: "Buy milk", stars: 3)))
    let data = try KeyedArchiver.archivedData(withRootObject: memo)
    let back = try KeyedUnarchiver.unarchive(Memo.self, from: data)
    #expect(back.note.object.text == "Buy milk" && back.note.object.stars == 3)
  }
}
