import Foundation
import Keepsake
import TestSupport
import Testing

/// Archives of strong properties that are now weak.
@Suite struct BecameWeak {
  enum Before {
    final class Link: Codable {
      let number: Int
      var next: Link?
      var owner: Chain?
      init(_ number: Int) { self.number = number }
    }

    final class Chain: Codable {
      var links: [Link] = []
      var first: Link?
    }

    final class Host: ArchivedModel {
      var number = 1
      var info: Info?
    }

    struct Info: Codable {
      var number = 2
      var host: Host?
    }
  }

  enum Now {
    final class Link: Codable {
      let number: Int
      weak var next: Link?
      weak var owner: Chain?
    }

    final class Chain: Codable {
      var links: [Link] = []
      weak var first: Link?
    }

    final class Host: Codable {
      let number: Int
      weak var info: Info?
    }

    final class Info: Codable {
      let number: Int
      let host: Host?
    }
  }

  private func links() -> [Before.Link] {
    let links = (0..<20).map { Before.Link($0) }
    for (number, link) in links.enumerated() { link.next = links[(number + 1) % links.count] }
    return links
  }

  @Test("a cycle, all of whose properties became weak, is read")
  func cycle() throws {
    let links = links()
    let back = try ArchiveDecoder().decode([Now.Link].self, from: ArchiveEncoder().encode(links))
    #expect(back.map(\.number) == Array(0..<20))
    for (number, link) in back.enumerated() { #expect(link.next === back[(number + 1) % 20]) }
    let data = try ArchiveEncoder().encode(links[0])
    #expect(try ArchiveDecoder().decode(Now.Link.self, from: data).next == nil)
    for link in links { link.next = nil }
  }

  @Test("a structure that became a class behind a weak property is an error")
  func values() throws {
    let host = Before.Host()
    host.info = Before.Info(host: host)
    let data = try KeyedArchiver.archivedData(withRootObject: host)
    let found = try failure { try ArchiveDecoder().decode(Now.Host.self, from: data) }
    #expect(found.code == .cycle, "\(found)")
    host.info = nil
  }

  @Test("a cycle of a strong property and properties that became weak is read")
  func others() throws {
    let chain = Before.Chain()
    chain.links = links()
    chain.first = chain.links[7]
    for link in chain.links { link.owner = chain }
    let back = try ArchiveDecoder().decode(Now.Chain.self, from: ArchiveEncoder().encode(chain))
    #expect(back.links.map(\.number) == Array(0..<20) && back.first === back.links[7])
    for (number, link) in back.links.enumerated() {
      #expect(link.next === back.links[(number + 1) % 20] && link.owner === back)
    }
    for link in chain.links { (link.next, link.owner) = (nil, nil) }
  }
}
