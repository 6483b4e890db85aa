import Keepsake
import TestSupport
import Testing

@Suite("copies and checks with user info") struct CopiesWithUserInfo {
  /// Is coded only with a catalog in the user info, where it notes each time.
  private final class Entry: Codable {
    let title: String

    init(title: String) { self.title = title }

    init(from decoder: any Decoder) throws {
      title = try decoder.singleValueContainer().decode(String.self)
      try Catalog.of(decoder.userInfo).decoded.append(title)
    }

    func encode(to encoder: any Encoder) throws {
      try Catalog.of(encoder.userInfo).encoded.append(title)
      var container = encoder.singleValueContainer()
      try container.encode(title)
    }
  }

  private struct Missing: Error {}

  private final class Catalog: @unchecked Sendable {
    static let key = CodingUserInfoKey.named("catalog")
    var encoded: [String] = []
    var decoded: [String] = []

    static func of(_ userInfo: [CodingUserInfoKey: Any]) throws -> Catalog {
      guard let catalog = userInfo[key] as? Catalog else { throw Missing() }
      return catalog
    }
  }

  @Test func copies() throws {
    let catalog = Catalog()
    let entry = Entry(title: "Tehanu")
    let copy = try KeyedArchiver.copy(of: [entry, entry], userInfo: [Catalog.key: catalog])
    #expect(copy[0] === copy[1] && copy[0] !== entry)
    let disconnected = try KeyedArchiver.disconnectedCopy(of: [entry], userInfo: [Catalog.key: catalog])
    #expect(disconnected[0].title == "Tehanu")
    #expect(catalog.encoded == ["Tehanu", "Tehanu"] && catalog.decoded == catalog.encoded)
  }

  @Test func checks() {
    let catalog = Catalog()
    let check = KeyedArchiver.check(Entry(title: "Tehanu"), userInfo: [Catalog.key: catalog])
    #expect(check.isPassed, "\(check)")
    // The copy is archived again and compared.
    #expect(catalog.encoded == ["Tehanu", "Tehanu"] && catalog.decoded == ["Tehanu"])
    #expect(!KeyedArchiver.check(Entry(title: "Tehanu")).isPassed)
  }
}
