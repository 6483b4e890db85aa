import Foundation

/// An object of the library as NSKeyedArchiver can take it: a class of NSObject's that says key by key what is kept.
///
/// One class stands for all, which spares NSKeyedArchiver some bytes. It has to be visible by its name.
final class Mirrored: NSObject, NSCoding {
  private let fields: [(key: String, value: Any?)]

  init(_ fields: [(key: String, value: Any?)]) {
    self.fields = fields
  }

  init?(coder: NSCoder) { nil }

  func encode(with coder: NSCoder) {
    for (key, value) in fields {
      switch value {
      case let number as Int: coder.encode(number, forKey: key)
      default: coder.encode(value, forKey: key)
      }
    }
  }
}

enum KeyedMirror {
  /// The size of the archive that NSKeyedArchiver makes of `library`.
  static func archive(_ library: Library) throws -> Int {
    var mirrors = Mirrors()
    let root = mirrors.mirror(library)
    let archiver = NSKeyedArchiver(requiringSecureCoding: false)
    archiver.encode(root, forKey: NSKeyedArchiveRootObjectKey)
    archiver.finishEncoding()
    return archiver.encodedData.count
  }
}

/// Makes one mirror for each object, so that what is shared stays shared.
private struct Mirrors {
  private var made: [ObjectIdentifier: Mirrored] = [:]

  private mutating func once(
    _ object: AnyObject,
    _ fields: (inout Mirrors) -> [(key: String, value: Any?)]
  ) -> Mirrored {
    if let mirror = made[ObjectIdentifier(object)] { return mirror }
    let mirror = Mirrored(fields(&self))
    made[ObjectIdentifier(object)] = mirror
    return mirror
  }

  private func mirror(_ address: Address) -> Mirrored {
    Mirrored([
      ("street", address.street as NSString), ("city", address.city as NSString),
      ("postcode", address.postcode),
    ])
  }

  private mutating func mirror(_ publisher: Publisher) -> Mirrored {
    once(publisher) { [("name", publisher.name as NSString), ("seat", $0.mirror(publisher.seat))] }
  }

  private mutating func mirror(_ author: Author) -> Mirrored {
    once(author) { _ in [("name", author.name as NSString), ("born", author.born)] }
  }

  private mutating func mirror(_ book: Book) -> Mirrored {
    once(book) { mirrors in
      [
        ("title", book.title as NSString), ("authors", book.authors.map { mirrors.mirror($0) } as NSArray),
        ("publisher", mirrors.mirror(book.publisher)), ("subject", book.subject as NSString),
        ("year", book.year),
        ("pages", book.pages), ("id", book.id as NSUUID),
      ]
    }
  }

  private mutating func mirror(_ member: Member) -> Mirrored {
    once(member) { mirrors in
      [
        ("name", member.name as NSString), ("address", mirrors.mirror(member.address)),
        ("joined", member.joined as NSDate),
        ("favourites", member.favourites.map { mirrors.mirror($0) } as NSArray),
      ]
    }
  }

  private mutating func mirror(_ loan: Loan) -> Mirrored {
    once(loan) { mirrors in
      [
        ("book", mirrors.mirror(loan.book)), ("member", mirrors.mirror(loan.member)),
        ("lent", loan.lent as NSDate),
        ("returned", loan.returned as NSDate?),
      ]
    }
  }

  mutating func mirror(_ library: Library) -> Mirrored {
    once(library) { mirrors in
      let shelves = NSMutableDictionary()
      for (subject, books) in library.shelves {
        shelves[subject as NSString] = books.map { mirrors.mirror($0) } as NSArray
      }
      return [
        ("name", library.name as NSString), ("address", mirrors.mirror(library.address)),
        ("publishers", library.publishers.map { mirrors.mirror($0) } as NSArray),
        ("authors", library.authors.map { mirrors.mirror($0) } as NSArray),
        ("books", library.books.map { mirrors.mirror($0) } as NSArray),
        ("members", library.members.map { mirrors.mirror($0) } as NSArray),
        ("loans", library.loans.map { mirrors.mirror($0) } as NSArray), ("shelves", shelves),
        ("bookOfTheMonth", library.bookOfTheMonth.map { mirrors.mirror($0) }),
      ]
    }
  }
}
