/// Checks the library that the demonstration has read back.
enum DemoChecks {
  /// Compares the references in both libraries one by one, and returns a line for each check.
  static func run(_ library: Library, _ copy: Library) throws -> [String] {
    let (references, others) = (DemoReferences(library), DemoReferences(copy))
    var twins: [ObjectIdentifier: AnyObject] = [:]
    var taken: Set<ObjectIdentifier> = []
    for ((path, object), (otherPath, twin)) in zip(references.list, others.list) {
      let known = twins.updateValue(twin, forKey: ObjectIdentifier(object))
      guard path == otherPath, known == nil || known === twin else {
        throw CommandFailure.badData("\(path) came back as another object")
      }
      guard known != nil || taken.insert(ObjectIdentifier(twin)).inserted else {
        throw CommandFailure.badData("\(path): two objects came back as one")
      }
    }
    let objects = library.objectCount
    guard twins.count == objects, others.list.count == references.list.count else {
      throw CommandFailure.badData("the library came back with \(twins.count) objects")
    }
    let loans = copy.books.map { book in (book: book, count: copy.loans.count { $0.book === book }) }
    let popular = loans.largestFirst(\.count)[0]
    return [
      "\(objects) objects were archived and \(objects) came back, none twice and none missing",
      "\(counted(references.list.count, "reference")) compared with ===: each leads to the one object it led to before",
      "\(popular.count) loans of \(quoted(popular.book.title)): in the copy they all are === to one book, "
        + "copy.books[\(copy.books.firstIndex { $0 === popular.book } ?? -1)]",
      "all \(copy.books.count) books share \(Set(copy.books.map { ObjectIdentifier($0.publisher) }).count) publishers",
    ]
  }
}

/// All references to objects in a graph, with their paths. The content of an object follows its first reference.
struct DemoReferences {
  private(set) var list: [(path: String, object: AnyObject)] = []
  private var seen: Set<ObjectIdentifier> = []

  init(_ library: Library) { visit(library, "library") }

  var objectCount: Int { seen.count }

  private mutating func visit(_ value: Any, _ path: String) {
    if Mirror(reflecting: value).displayStyle == .class {
      list.append((path, value as AnyObject))
      guard seen.insert(ObjectIdentifier(value as AnyObject)).inserted else { return }
    }
    for (name, value) in DemoReferences.members(of: value) { visit(value, path + name) }
  }

  private static func members(of value: Any) -> [(name: String, value: Any)] {
    // The order of a dictionary differs from process to process.
    if let dictionary = value as? [String: Any] {
      return dictionary.sorted { $0.key < $1.key }.map { ("[\(quoted($0.key))]", $0.value) }
    }
    return Mirror(reflecting: value).children.enumerated().map { index, child in
      (child.label.map { $0 == "some" ? "" : ".\($0)" } ?? "[\(index)]", child.value)
    }
  }
}
