import Keepsake
import TestSupport
import Testing

/// What `KeyedArchiver.check(_:)` reports about cycles that classes can form.
@Suite struct CyclesOfClasses {
  final class Node: Codable {
    var link: Link
    init() { link = Link() }
  }

  struct Link: Codable {
    var target: CheckedLeaf = CheckedLeaf()
  }

  final class Branch: CheckedLeaf {
    var node: Node

    init(_ node: Node) {
      self.node = node
      super.init()
    }

    required init(from decoder: any Decoder) throws {
      node = try decoder.container(keyedBy: CodingKeys.self).decode(Node.self, forKey: .node)
      try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(node, forKey: .node)
      try super.encode(to: encoder)
    }

    private enum CodingKeys: CodingKey { case node }
  }

  final class Constant: Codable {
    let parts: [Constant]
    init(_ parts: [Constant]) { self.parts = parts }
  }

  @Test("a check reports types that could form an unreadable cycle")
  func cycles() {
    let node = Node()
    // The check knows about branches only if it meets one.
    let check = KeyedArchiver.check([Branch(node), CheckedLeaf()])
    #expect(check.unreadableCycles.count == 1, "\(check)")
    #expect(check.unreadableCycles.first?.contains("Node.link") == true, "\(check)")
    #expect(check.unreadableCycles.first?.contains("Branch.node") == true, "\(check)")
    #expect(!check.isPassed && check.description.hasPrefix("A cycle could not be read: "))
    // Constants can never be part of a cycle, and an array that is a var can wait.
    #expect(KeyedArchiver.check(Constant([Constant([])])).isPassed)
    #expect(KeyedArchiver.check(ArchiveChecks.Person("Ada")).isPassed)
  }

  /// Does not archive the object that it keeps, so it is in no cycle with it.
  final class Keeper: Codable {
    private(set) var leaf = CheckedLeaf()
    var kept = Kept()

    struct Kept { var vault: Vault? }
    private enum CodingKeys: CodingKey { case leaf }
  }

  final class Vault: Codable {
    var keeper: Keeper
    init(_ keeper: Keeper) { self.keeper = keeper }
  }

  @Test("a property that is not archived is in no cycle")
  func notArchived() {
    let check = KeyedArchiver.check(Vault(Keeper()))
    #expect(check.isPassed, "\(check)")
  }

  struct Box<Held: Codable>: Codable {
    var held: Held
  }

  /// Slices are not `Codable`.
  struct Sliced: Codable {
    var leaves: ArraySlice<CheckedLeaf> = []

    init() {}
    init(from decoder: any Decoder) throws { leaves = try [CheckedLeaf](from: decoder)[...] }
    func encode(to encoder: any Encoder) throws { try Array(leaves).encode(to: encoder) }
  }

  /// A leaf that holds leaves, each in a structure, so none of its own properties can wait.
  final class Nest: CheckedLeaf {
    var optional = Box(held: CheckedLeaf?.none)
    var array = Box(held: [CheckedLeaf]())
    var slice = Box(held: Sliced())
    var contiguous = Box(held: ContiguousArray<CheckedLeaf>())
    var set = Box(held: Set<CheckedLeaf>())
    var values = Box(held: [String: CheckedLeaf]())
    var keys = Box(held: [CheckedLeaf: Int]())
    var nested = Box(held: [["a": CheckedLeaf?.none]])
    var polymorphic = Box(held: Polymorphic(CheckedLeaf()))
    var deferred = Box(held: Deferred(wrappedValue: CheckedLeaf()))
    var weak = Box(held: WeakReference<CheckedLeaf>())
    var lazy = Box(held: Lazy(wrappedValue: [CheckedLeaf]()))

    private enum CodingKeys: CodingKey {
      case optional, array, slice, contiguous, set, values, keys, nested, polymorphic, deferred, weak, lazy
    }

    override init() { super.init() }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      func decode<Held: Codable>(_ key: CodingKeys) throws -> Box<Held> {
        try container.decode(Box<Held>.self, forKey: key)
      }
      optional = try decode(.optional)
      array = try decode(.array)
      slice = try decode(.slice)
      contiguous = try decode(.contiguous)
      set = try decode(.set)
      values = try decode(.values)
      keys = try decode(.keys)
      nested = try decode(.nested)
      polymorphic = try decode(.polymorphic)
      deferred = try decode(.deferred)
      weak = try decode(.weak)
      lazy = try decode(.lazy)
      try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(optional, forKey: .optional)
      try container.encode(array, forKey: .array)
      try container.encode(slice, forKey: .slice)
      try container.encode(contiguous, forKey: .contiguous)
      try container.encode(set, forKey: .set)
      try container.encode(values, forKey: .values)
      try container.encode(keys, forKey: .keys)
      try container.encode(nested, forKey: .nested)
      try container.encode(polymorphic, forKey: .polymorphic)
      try container.encode(deferred, forKey: .deferred)
      try container.encode(weak, forKey: .weak)
      try container.encode(lazy, forKey: .lazy)
      try super.encode(to: encoder)
    }
  }

  @Test("a check reports each property that could close an unreadable cycle, and each one that does")
  func holders() {
    let check = KeyedArchiver.check(Nest())
    #expect(check.failure == nil && check.losses.isEmpty, "\(check)")
    let names = [
      "optional", "array", "slice", "contiguous", "set", "values", "keys", "nested", "polymorphic",
    ]
    #expect(check.unreadableCycles == names.map { "Nest.\($0)" })

    func expect(
      _ name: String,
      isReadable: Bool,
      sourceLocation: SourceLocation = #_sourceLocation,
      _ close: (Nest, CheckedLeaf) -> Void
    ) {
      let nest = Nest()
      close(nest, nest)
      let check = KeyedArchiver.check(nest)
      let isNamed = check.failure?.contains("no initializer can read back: Nest.\(name). ") == true
      #expect(isReadable ? check.failure == nil : isNamed, "\(check)", sourceLocation: sourceLocation)
      close(nest, CheckedLeaf())
    }
    expect("optional", isReadable: false) { $0.optional.held = $1 }
    expect("array", isReadable: false) { $0.array.held = [$1] }
    expect("slice", isReadable: false) { $0.slice.held.leaves = [$1] }
    expect("contiguous", isReadable: false) { $0.contiguous.held = [$1] }
    expect("set", isReadable: false) { $0.set.held = [$1] }
    expect("values", isReadable: false) { $0.values.held = ["a": $1] }
    expect("keys", isReadable: false) { $0.keys.held = [$1: 1] }
    expect("nested", isReadable: false) { $0.nested.held = [["a": $1]] }
    expect("polymorphic", isReadable: false) { $0.polymorphic.held = Polymorphic($1) }
    expect("deferred", isReadable: true) { $0.deferred.held = Deferred(wrappedValue: $1) }
    expect("weak", isReadable: true) { $0.weak.held = WeakReference(wrappedValue: $1) }
    expect("lazy", isReadable: true) { $0.lazy.held = Lazy(wrappedValue: [$1]) }
  }
}
