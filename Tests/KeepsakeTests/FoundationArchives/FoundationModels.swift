import Foundation
import Keepsake
import TestSupport

// Classes as they were when NSKeyedArchiver wrote them, and what their archives are read as.

/// An NSCoding class: what a program had before.
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

/// What an `OldPerson` is read as.
final class NewPerson: Codable {
  var name: String
  var age: Int
  @Deferred var friends: [NewPerson]
  @WeakReference var employer: NewPerson?
  @Deferred var best: NewPerson?
}

/// The same as a structure, which has no identity.
struct PersonValue: Codable, Equatable {
  var name: String
  var age: Int
}

/// A class with a subclass, which writes beside what its superclass has.
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

/// What a model has of it.
final class ModelOfPerson: ArchivedModel {
  var name = ""
  var age = -1
  var friends: [ModelOfPerson] = []
  var best: ModelOfPerson?
  var added = "default"
}
