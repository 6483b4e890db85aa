internal import Foundation

/// An object that can be in a cycle, and then is not let go of by itself.
protocol Severable: AnyObject {
  /// Lets go of all other objects.
  func sever()
}

/// What one read has made and how much it may still do; it is in the user info of the decoder.
///
/// A mutant can make cycles where the sound archive had none, and reads fail with cycles half made. Objects note
/// themselves here, so that every one is let go of, and whatever is left is a leak of the library.
///
/// It is unchecked because one read is on one thread at a time, although that can be one of the library's own.
package final class HostileLeash: @unchecked Sendable {
  static let key = CodingUserInfoKey(rawValue: "hostile leash")
  private var objects: [any Severable] = []
  private var steps = 500

  /// Thrown by the models, not by the library, when a read has taken many steps.
  struct Exhausted: Error {}

  package init() {}

  /// The user info with which the models are to be read.
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

  /// One step of a model that asks for the same things several times, and so would take time without bound.
  static func step(_ decoder: any Decoder) throws {
    guard let leash = of(decoder) else { return }
    leash.steps -= 1
    guard leash.steps > 0 else { throw Exhausted() }
  }

  /// Cuts all cycles.
  package func sever() {
    for object in objects { object.sever() }
    objects = []
  }
}
