import Foundation
import TestSupport
import Testing

@testable import Keepsake

/// The compiler's records of the stored properties of types.
@Suite struct TableOfStoredProperties {
  private func property(_ name: String, of type: Any.Type) throws -> StoredProperty {
    try #require(StoredProperty.all(of: type)?.first { $0.name == name })
  }

  @Test("the properties of a structure have names, types, offsets and mutability")
  func structures() throws {
    let list = try #require(StoredProperty.all(of: PropertyPair.self))
    #expect(list.map(\.name) == ["number", "text", "flag"])
    #expect(list.map { "\($0.type)" } == ["Int", "String", "Bool"])
    #expect(list.map(\.isVariable) == [true, false, true])
    #expect(list[0].offset == MemoryLayout<PropertyPair>.offset(of: \.number))
    #expect(list[1].offset == MemoryLayout<PropertyPair>.offset(of: \.text))
    #expect(list.allSatisfy { $0.ownership == .strong && $0.owner == PropertyPair.self })
  }

  @Test("a class lists superclasses first, private, generic and lazy properties, and ownership")
  func classes() throws {
    let list = try #require(StoredProperty.all(of: PropertyLeaf.self))
    #expect(
      list.map(\.name) == [
        "name", "id", "secret", "parent", "document", "unsafeDocument", "optionalDocument", "elements",
        "first",
        "$__lazy_storage_$_count", "pair", "name2", "delegate", "observed",
      ]
    )
    #expect(
      list.filter { $0.ownership != .strong }.map { "\($0.name) \($0.ownership)" } == [
        "parent weak", "document unowned", "unsafeDocument unmanaged", "optionalDocument unowned",
        "delegate weak",
      ]
    )
    #expect(list.filter { !$0.isVariable }.map(\.name) == ["id", "first"])
    #expect(list.filter(\.isLazy).map(\.name) == ["$__lazy_storage_$_count"])
    #expect(try property("parent", of: PropertyLeaf.self).type == PropertyBase?.self)
    #expect(try property("elements", of: PropertyLeaf.self).type == [String].self)
    #expect(try property("elements", of: PropertyMiddle<Int>.self).type == [Int].self)
    #expect(try property("elements", of: PropertyLeaf.self).owner == PropertyMiddle<String>.self)
    #expect(try property("name", of: PropertyLeaf.self).owner == PropertyBase.self)
  }

  @Test("the storage of macros and wrappers has an underscore")
  func storage() throws {
    let names = try #require(StoredProperty.all(of: PropertyObserved.self)).map(\.name)
    #expect(names.starts(with: ["_title", "plain"]))
    #expect(try #require(StoredProperty.all(of: PropertyWrapped.self)).map(\.name) == ["_author"])
  }

  @Test("empty types have no properties, and types other than structures and classes no table")
  func others() {
    struct Empty {}
    final class EmptyClass {}
    enum Choice { case one(Int) }
    #expect(StoredProperty.all(of: Empty.self)?.isEmpty == true)
    #expect(StoredProperty.all(of: EmptyClass.self)?.isEmpty == true)
    #expect(StoredProperty.all(of: Choice.self) == nil)
    #expect(StoredProperty.all(of: (Int, Int).self) == nil)
    #expect(StoredProperty.all(of: (any PropertyDelegate).self) == nil)
    #expect(StoredProperty.all(of: Int?.self) == nil)
  }
}

/// Values are assigned to the recorded offsets, and nowhere else.
@Suite struct AssigningStoredProperties {
  private let document = PropertyDocument()
  private let leaf: PropertyLeaf
  private let list: [String: StoredProperty]

  init() throws {
    leaf = PropertyLeaf(document)
    let found = try #require(StoredProperty.all(of: PropertyLeaf.self))
    list = Dictionary(uniqueKeysWithValues: found.map { ($0.name, $0) })
  }

  private func property(_ name: String) throws -> StoredProperty { try #require(list[name]) }

  @Test("assigned values are visible to the program, also in private properties that nothing else assigns")
  func assigned() throws {
    #expect(leaf.seen() == "unseen leaf 1")
    #expect(try property("secret").assign("seen", as: String.self, in: leaf))
    #expect(try property("name2").assign("assigned", as: String.self, in: leaf))
    var pair = PropertyPair()
    pair.number = 5
    #expect(try property("pair").assign(pair, as: PropertyPair.self, in: leaf))
    #expect(try property("elements").assign(["x"], as: [String].self, in: leaf))
    #expect(leaf.seen() == "seen assigned 5")
    #expect(leaf.elements == ["x"] && leaf.count == 1)
    #expect(try property("secret").value(as: String.self, in: leaf) == "seen")
  }

  @Test("assigning does not run observers")
  func observers() throws {
    #expect(try property("observed").assign(3, as: Int.self, in: leaf))
    #expect(leaf.observed == 3 && leaf.seen() == "unseen leaf 1")
  }

  @Test("a value of another type is neither stored nor read, even an optional of the right one")
  func otherTypes() throws {
    #expect(try !property("name").assign(String?.none, as: String?.self, in: leaf))
    #expect(try !property("name").assign(7, as: Int.self, in: leaf))
    #expect(try !property("elements").assign([Int](), as: [Int].self, in: leaf))
    #expect(try property("name").value(as: String?.self, in: leaf) == nil)
    #expect(leaf.name == "base")
  }

  @Test("neither a let nor a property of another class is assigned")
  func refused() throws {
    #expect(try !property("id").assign(8, as: Int.self, in: leaf))
    #expect(try property("id").value(as: Int.self, in: leaf) == 7)
    #expect(try !property("name2").assign("x", as: String.self, in: PropertyBase(document)))
    #expect(try property("name2").value(as: String.self, in: document) == nil)
    let other = try #require(
      StoredProperty.all(of: PropertyMiddle<Int>.self)?.first { $0.name == "elements" }
    )
    #expect(!other.assign([1], as: [Int].self, in: leaf))
    #expect(try !property("parent").assign(nil, as: PropertyBase?.self, in: leaf))
  }

  @Test("weak and unowned references are assigned as such")
  func references() throws {
    let parent = try property("parent")
    do {
      let base = PropertyBase(document)
      #expect(parent.assign(reference: base, in: leaf))
      #expect(leaf.parent === base)
      #expect(parent.reference(in: leaf) === base)
      #expect(!parent.assign(reference: document, in: leaf))
    }
    #expect(leaf.parent == nil)
    #expect(parent.reference(in: leaf) == nil)
    let other = PropertyDocument()
    #expect(try property("document").assign(reference: other, in: leaf))
    #expect(leaf.document === other)
    #expect(try property("optionalDocument").assign(reference: other, in: leaf))
    #expect(leaf.optionalDocument === other)
    #expect(try property("optionalDocument").reference(in: leaf) === other)
    #expect(try !property("unsafeDocument").assign(reference: other, in: leaf))
    #expect(try property("unsafeDocument").reference(in: leaf) == nil)
    // A reference behind a protocol has more than one word.
    #expect(try !property("delegate").assign(reference: other, in: leaf))
  }

  @Test("a property of a class with a base in another module is found and assigned")
  func otherModule() throws {
    let model = PropertyEncoder()
    model.outputFormatting = .sortedKeys
    let extra = try #require(StoredProperty.all(of: PropertyEncoder.self)?.last)
    #expect(extra.name == "extra")
    #expect(extra.assign(9, as: Int.self, in: model))
    #expect(model.extra == 9 && model.outputFormatting == .sortedKeys)
  }
}
