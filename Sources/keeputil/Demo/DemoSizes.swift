import Foundation
import Keepsake

/// The size of the library in other formats.
enum DemoSizes {
  static func table(_ library: Library, archiveSize: Int) throws -> [String] {
    let json = try JSONEncoder().encode(library)
    let propertyListEncoder = PropertyListEncoder()
    propertyListEncoder.outputFormat = .binary
    let propertyList = try propertyListEncoder.encode(library)
    let jsonObjects = try instances(JSONDecoder().decode(Library.self, from: json))
    let propertyListObjects = try instances(PropertyListDecoder().decode(Library.self, from: propertyList))
    let keyed = try KeyedMirror.archive(library)
    return [
      row("Keepsake", archiveSize, archiveSize, "\(library.objectCount) objects, as they were"),
      row(
        "NSKeyedArchiver",
        keyed,
        archiveSize,
        "\(library.objectCount) objects, with NSCoding written by hand"
      ),
      row(
        "JSONEncoder",
        json.count,
        archiveSize,
        "read back as \(grouped(jsonObjects)) objects: nothing is shared"
      ),
      row(
        "PropertyListEncoder",
        propertyList.count,
        archiveSize,
        "read back as \(grouped(propertyListObjects)) objects (binary)"
      ),
    ]
  }

  private static func row(_ name: String, _ size: Int, _ unit: Int, _ remark: String) -> String {
    let ratio = (Double(size) / Double(unit) * 10).rounded() / 10
    return name.padding(toLength: 20, withPad: " ", startingAt: 0)
      + leftPadded(grouped(size), 9) + " bytes " + leftPadded("\(ratio)", 5) + " ×   " + remark
  }

  /// How many different objects a library is made of.
  private static func instances(_ library: Library) -> Int {
    var seen: Set<ObjectIdentifier> = [ObjectIdentifier(library)]
    func visit(_ book: Book) {
      seen.insert(ObjectIdentifier(book))
      seen.insert(ObjectIdentifier(book.publisher))
      for author in book.authors { seen.insert(ObjectIdentifier(author)) }
    }
    func visit(_ member: Member) {
      seen.insert(ObjectIdentifier(member))
      member.favourites.forEach(visit)
    }
    library.publishers.forEach { seen.insert(ObjectIdentifier($0)) }
    library.authors.forEach { seen.insert(ObjectIdentifier($0)) }
    library.books.forEach(visit)
    library.members.forEach(visit)
    for loan in library.loans {
      seen.insert(ObjectIdentifier(loan))
      visit(loan.book)
      visit(loan.member)
    }
    library.shelves.values.forEach { $0.forEach(visit) }
    if let book = library.bookOfTheMonth { visit(book) }
    return seen.count
  }
}
