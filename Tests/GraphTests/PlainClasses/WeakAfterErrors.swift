import Foundation
import Keepsake
import TestSupport
import Testing

/// What is known of weak properties goes by numbers, which are given out anew after an error.
@Suite struct WeakAfterErrors {
  final class Failing: Codable {
    weak var next: Failing?
    init() {}

    enum CodingKeys: CodingKey { case next }

    convenience init(from decoder: any Decoder) throws { self.init() }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encodeIfPresent(next, forKey: .next)
      throw Refusal(reason: "never")
    }
  }

  final class Strong: Codable {
    var next: Strong?
    weak var other: Strong?
    init(_ next: Strong?) { self.next = next }
  }

  @Test("a strong property is archived where a weak one of the same key was taken back")
  func takenBack() throws {
    let archiver = KeyedArchiver()
    let (failing, target) = (Failing(), Failing())
    failing.next = target
    #expect(throws: Refusal(reason: "never")) { try archiver.encode(failing, forKey: "value") }
    try archiver.encode(Strong(Strong(nil)), forKey: "other")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let strong = try unarchiver.decode(Strong.self, forKey: "other")
    #expect(strong.next != nil)
    withExtendedLifetime(target) {}
  }
}
