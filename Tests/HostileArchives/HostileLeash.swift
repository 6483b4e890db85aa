internal import Foundation

/// An object that can be in a cycle, and then must be released explicitly.
protocol Severable: AnyObject {
  /// Releases all other objects.
  func sever()
}

/// The objects of one read, and the steps that it may still take. It is in the user info of the decoder.
///
/// A mutant can have cycles where the valid archive has none, and a failing read leaves partial cycles. Objects note
/// themselves here, so that all are released, and any object that remains is a leak of the library.
///
/// It is unchecked because one read is on one thread at a time, which can be one of the library's own.
package final class HostileLeash: @unchecked Sendable {
  static let key = CodingUserInfoKey(rawValue: "hostile leash")
  private var objects: [any Severable] = []
  private var steps = 500

  /// The models, not the library, throw this if a read has taken many steps.
  struct Exhausted: Error {}

  package init() {}

  /// The user info for reading the models.
  var userInfo: [CodingUserInfoKey: any Sendable] {
    HostileLeash.key.map { [$0: self] } ?? [:]
  }

  private static func of(_ decoder: any Decoder) -> HostileLeash? {
    key.flatMap { decoder.userInfo[$0] as? HostileLeash }
  }

  /// Notes an object whose properties all have values.
  static func note(_ object: any Severable, _ decoder: any Decoder) {
    of(decoder)?.objects.append(object)
  }

  /// One step of a model that requests values repeatedly, and so would take unlimited time.
  static func step(_ decoder: any Decoder) throws {
    guard let leash = of(decoder) else { return }
    leash.steps -= 1
    guard leash.steps > 0 else { throw Exhausted() }
  }

  /// Breaks all cycles.
  package func sever() {
    for object in objects { object.sever() }
    objects = []
  }
}
