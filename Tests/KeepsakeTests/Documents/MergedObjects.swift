import Foundation
import Keepsake
import TestSupport
import Testing

/// Objects of a document that initializers merge, for example to have one object for each name.
@Suite struct MergedObjects {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var path: String { folder("coins") }

  private func saved<Root: Codable>(_ type: Root.Type) throws -> Root {
    try KeyedUnarchiver.unarchive(type, fromFile: path)
  }

  @Test("a change of a merged object is saved for all that refer to it")
  func merged() throws {
    let pairs = (0..<100).map { CoinPair(Coin("coin \($0)"), Coin("coin \($0 / 2)")) }
    try ArchiveDocument(creating: path, root: pairs).close()
    let known: [CodingUserInfoKey: Any] = [.named("coins"): KnownCoins()]
    let document = try ArchiveDocument<[CoinPair]>(opening: path, userInfo: known)
    let coin = document.root[5].first
    #expect(document.root[10].second === coin && document.root[11].second === coin)
    for price in [2, 3] {
      coin.price = price
      #expect(try document.save(changed: [coin]))
      let read = try saved([CoinPair].self)
      #expect(read[5].first.price == price && read[10].second === read[5].first)
      // The first save finds that the objects are one, and writes all references.
      #expect((document.saves[price - 1].byteCount < 200) == (price == 3))
    }
  }

  @Test("a change of objects that a lazy value merges is saved for all that refer to them")
  func mergedLater() throws {
    let albums = (0..<100).map { CoinAlbum(Coin("coin \($0)"), [Coin("coin \($0)")]) }
    try ArchiveDocument(creating: path, root: albums).close()
    let known: [CodingUserInfoKey: Any] = [.named("coins"): KnownCoins()]
    let document = try ArchiveDocument<[CoinAlbum]>(opening: path, userInfo: known)
    let coin = document.root[5].first
    coin.price = 2
    #expect(try document.save(changed: [coin]) && document.root[5].others[0] === coin)
    coin.price = 3
    #expect(try document.save(changed: [coin]))
    let read = try saved([CoinAlbum].self)
    #expect(read[5].first.price == 3 && read[5].others[0] === read[5].first)
  }
}

// MARK: - Types

private final class KnownCoins {
  var coins: [String: Coin] = [:]
}

private protocol Replaceable {}
extension Replaceable {
  init(existing object: Self) { self = object }
}

/// One object for each name, if the user info keeps the existing ones.
private final class Coin: Codable, Replaceable {
  let name: String
  var price = 1
  private enum CodingKeys: CodingKey { case name, price }

  init(_ name: String) { self.name = name }

  convenience init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let name = try container.decode(String.self, forKey: .name)
    let price = try container.decode(Int.self, forKey: .price)
    let known = decoder.userInfo[.named("coins")] as? KnownCoins
    let coin = known?.coins[name] ?? Coin(name)
    if known?.coins[name] == nil { coin.price = price }
    known?.coins[name] = coin
    self.init(existing: coin)
  }
}

private final class CoinPair: Codable {
  let first: Coin
  let second: Coin

  init(_ first: Coin, _ second: Coin) { (self.first, self.second) = (first, second) }
}

private final class CoinAlbum: Codable {
  let first: Coin
  @Lazy var others: [Coin]

  init(_ first: Coin, _ others: [Coin]) { (self.first, self.others) = (first, others) }
}
