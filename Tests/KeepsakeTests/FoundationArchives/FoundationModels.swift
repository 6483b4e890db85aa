import Foundation
import Keepsake
import TestSupport

// The classes for which NSKeyedArchiver wrote archives, and the types that read these.

/// An `NSCoding` class of an earlier program.
final class OldPerson: NSObject, NSCoding {
  var name = ""
  var age = 0
  var friends: [OldPerson] = []
  weak var employer: OldPerson?
  var best: OldPerson?

  init(_ name: String, age: Int = 0) {
    self.name = name
    self.age = age
  }

  init?(coder: NSCoder) { nil }

  func encode(with coder: NSCoder) {
    coder.encode(name as NSString, forKey: "name")
    coder.encode(age, forKey: "age")
    coder.encode(friends as NSArray, forKey: "friends")
    coder.encodeConditionalObject(employer, forKey: "employer")
    coder.encode(best, forKey: "best")
  }
}

/// The class that reads an `OldPerson`.
final class NewPerson: Codable {
  var name: String
  var age: Int
  @Deferred var friends: [NewPerson]
  @WeakReference var employer: NewPerson?
  @Deferred var best: NewPerson?
}

/// The same as a structure.
struct PersonValue: Codable, Equatable {
  var name: String
  var age: Int
}

/// A class whose subclass writes its keys beside those of the superclass.
class OldShape: NSObject, NSCoding {
  var title = ""

  override init() {}

  required init?(coder: NSCoder) { nil }

  func encode(with coder: NSCoder) {
    coder.encode(title as NSString, forKey: "title")
  }
}

final class OldCircle: OldShape {
  var radius = 0.0

  override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(radius, forKey: "radius")
  }
}

class NewShape: Codable, ArchivableClass {
  class var archivedClassName: String { "NewShape" }
  class var archivedClassAliases: [String] { ["KeepsakeTests.OldShape"] }

  var title: String
}

final class NewCircle: NewShape {
  override class var archivedClassName: String { "NewCircle" }
  override class var archivedClassAliases: [String] { ["KeepsakeTests.OldCircle"] }

  let radius: Double

  private enum CodingKeys: CodingKey { case radius }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    radius = try container.decode(Double.self, forKey: .radius)
    // The usual way to write a subclass; NSCoding has both beside each other.
    try super.init(from: container.superDecoder())
  }
}

/// A model that reads an `OldPerson`.
final class ModelOfPerson: ArchivedModel {
  var name = ""
  var age = -1
  var friends: [ModelOfPerson] = []
  var best: ModelOfPerson?
  var added = "default"
}
