import Keepsake
import TestSupport
import Testing

/// Lazy values whose unarchiver changes or is released before they are read.
@Suite struct LazySettings {
  private class Thing: Codable {}
  private final class LateThing: Thing {}

  /// Throws without user info.
  private struct Needy: Codable {
    init() {}

    init(from decoder: any Decoder) throws {
      guard !decoder.userInfo.isEmpty else { throw CancellationError() }
    }

    func encode(to encoder: any Encoder) throws {}
  }

  private struct Chest: Codable {
    @Lazy var things: [Thing] = [LateThing()]
    @Lazy var text = String(repeating: "x", count: 1_000)
    @Lazy var needy: [Needy] = [Needy()]
  }

  /// Supplies the class of `LateThing`.
  private final class Supplier: KeyedUnarchiverDelegate {
    func unarchiver(
      _ unarchiver: KeyedUnarchiver,
      cannotDecodeObjectOfClassName name: String,
      originalClasses classNames: [String]
    ) -> AnyClass? { LateThing.self }
  }

  private func readChest(_ className: String) throws -> (KeyedUnarchiver, Chest) {
    let archiver = KeyedArchiver()
    archiver.setClassName(className, for: LateThing.self)
    try archiver.encode(Chest(), forKey: "root")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    return (unarchiver, try unarchiver.decode(Chest.self, forKey: "root"))
  }

  @Test("an unreadable value is read after the unarchiver gets the class and the limits for it")
  func settingsThatChange() throws {
    let name = "LazySettings.LateThing"
    let (unarchiver, chest) = try readChest(name)
    unarchiver.limits.maximumStringByteCount = 100
    for _ in 0..<2 { #expect(throws: DecodingError.self) { try chest.$text.load() } }
    #expect(throws: DecodingError.self) { try chest.$things.load() }
    unarchiver.limits.maximumStringByteCount = 1_000
    unarchiver.setClass(LateThing.self, forClassName: name)
    #expect(chest.text.count == 1_000 && chest.things.first is LateThing && unarchiver.error == nil)
  }

  @Test("an unreadable value is read after the unarchiver gets the delegate and user info for it")
  func delegateAndUserInfoThatChange() throws {
    let (unarchiver, chest) = try readChest("LazySettings.Missing")
    #expect(throws: DecodingError.self) { try chest.$things.load() }
    #expect(throws: CancellationError.self) { try chest.$needy.load() }
    let supplier = Supplier()
    unarchiver.delegate = supplier
    unarchiver.userInfo[.named("needs")] = true
    #expect(try chest.$things.load().first is LateThing)
    #expect(try chest.$needy.load().count == 1)
  }

  @Test("the memory of unread lazy values is limited")
  func memory() throws {
    let values = (0..<1_000).map { _ in Lazy(wrappedValue: [Needy()]) }
    let data = try KeyedArchiver.archivedData(withRootObject: values)
    var limits = ArchiveLimits()
    limits.maximumAllocation = 190_000
    let error = #expect(throws: DecodingError.self) {
      try KeyedUnarchiver.unarchive([Lazy<[Needy]>].self, from: data, limits: limits)
    }
    #expect("\(try #require(error))".contains("maximumAllocation"))
    limits.maximumAllocation = 250_000
    let read = try KeyedUnarchiver.unarchive([Lazy<[Needy]>].self, from: data, limits: limits)
    #expect(read.count == 1_000)
  }
}
