import Foundation
import Observation

/// Types with every kind of stored property. Only the table assigns to most of them.
struct PropertyPair {
  var number = 1
  let text = "let"
  private var flag = true
  var computed: Int { number + (flag ? 1 : 0) }
  static var shared: Int { 0 }
}

class PropertyBase {
  var name = "base"
  let id = 7
  private var secret = "unseen"
  weak var parent: PropertyBase?
  unowned var document: PropertyDocument
  unowned(unsafe) var unsafeDocument: PropertyDocument
  unowned var optionalDocument: PropertyDocument?

  init(_ document: PropertyDocument) {
    self.document = document
    unsafe unsafeDocument = document
  }

  // The optimizer may look for assignments to a private property; there are none.
  @inline(never) func seenSecret() -> String { secret }
}

final class PropertyDocument {}

class PropertyMiddle<Element>: PropertyBase {
  var elements: [Element] = []
  private let first: Element? = nil
  lazy var count = elements.count
}

final class PropertyLeaf: PropertyMiddle<String> {
  private(set) var pair = PropertyPair()
  private var name2 = "leaf"
  weak var delegate: (any PropertyDelegate)?
  var observed = 0 { didSet { name2 = "observed" } }

  @inline(never) func seen() -> String { "\(seenSecret()) \(name2) \(pair.number)" }
}

protocol PropertyDelegate: AnyObject {}

@Observable final class PropertyObserved {
  var title = "observed"
  @ObservationIgnored var plain = 1
}

struct PropertyWrapped {
  @PropertyBox var author = "A"
}

@propertyWrapper struct PropertyBox<Value> {
  var wrappedValue: Value
}

/// The base class is in another module.
final class PropertyEncoder: JSONEncoder, @unchecked Sendable {
  var extra = 1
}
