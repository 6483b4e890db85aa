// The members of a value. References are followed.

extension ArchiveValue {
  /// A value in a container, with its key or index.
  public struct Member: Sendable {
    /// The key or index; `nil` for the only content of an optional, a URL or a typed value.
    public let label: ArchivePath.Element?
    /// The value.
    public let value: ArchiveValue
  }

  /// The value behind references, optionals and type names. A value of another kind is its own content, and so is a
  /// weak reference to an object that was not archived.
  public var content: ArchiveValue {
    get throws(ArchiveError) {
      var content = self
      var referenceCount = 0
      while true {
        if let wrapped = try content.wrapped {
          content = wrapped
        } else if let target = try content.target {
          // The objects of an archive could refer to each other without end.
          referenceCount += 1
          guard referenceCount <= ArchiveValue.mostReferences else {
            throw .limitExceeded(
              "A reference leads to its value through more than \(ArchiveValue.mostReferences) others",
              at: offset
            )
          }
          content = target.value
        } else {
          return content
        }
      }
    }
  }

  /// The most references that `content` follows in a row.
  private static let mostReferences = 100

  /// The number of elements, keys or numbers; `nil` for a value that is not a collection.
  ///
  /// - Complexity: O(1).
  public var count: Int? {
    get throws(ArchiveError) {
      let content = try content
      return switch content.kind {
      case .array, .map, .record: try content.head().count
      case .numbers: try image.packedArray(at: content.offset, in: content.reader).count
      case .empty: 0
      default: nil
      }
    }
  }

  /// The values in this value, in the order of writing; empty if there are none. Packed arrays of numbers have no
  /// members: see ``doublesValue`` and ``integersValue``.
  ///
  /// - Throws: ``ArchiveError`` when the value is damaged.
  /// - Complexity: O(*n*) in the bytes of the value.
  public func members() throws(ArchiveError) -> [Member] {
    let content = try content
    var walk = ArchiveWalk(content)
    var members: [Member] = []
    while let member = try walk.nextMember() { members.append(member) }
    if content.isAllOfBody { try walk.checkEnd() }
    return members
  }

  /// The keys of a keyed value, in the order of writing, integers as decimal digits. Empty for a value without keys.
  public var keys: [String] {
    get throws(ArchiveError) {
      try members().compactMap {
        if case .index? = $0.label { nil } else { $0.label?.keyText }
      }
    }
  }

  /// The value under `key`; `nil` if there is none.
  ///
  /// - Complexity: O(*n*) in the bytes before it. To visit many values, use ``members()``.
  public subscript(key: String) -> ArchiveValue? {
    get throws(ArchiveError) { try member(.key(key))?.value }
  }

  /// The element at `index` of an array, or the value under that key of a dictionary; `nil` if there is none. Packed
  /// arrays of numbers have no elements: see ``doublesValue``.
  ///
  /// - Complexity: O(*n*) in the bytes before it. To visit many values, use ``members()``.
  public subscript(index: Int) -> ArchiveValue? {
    get throws(ArchiveError) { try member(.index(index))?.value }
  }

  /// The value that `path` leads to from this one; `nil` if one of its steps finds nothing.
  ///
  /// - Throws: ``ArchiveError`` when the archive is damaged there, or `path` is a literal that is not a path.
  public subscript(path path: ArchivePath) -> ArchiveValue? {
    get throws(ArchiveError) {
      var value = self
      for element in try path.checkedElements {
        guard let next = try value.member(element)?.value else { return nil }
        value = next
      }
      return value
    }
  }

  func member(_ element: PathElement) throws(ArchiveError) -> Member? {
    var walk = ArchiveWalk(try content)
    while let member = try walk.nextMember() {
      if member.isAt(element) { return member }
    }
    return nil
  }

  /// The containers of the keys of an object with `count` classes, each with the classes that may have keys in it, at
  /// least one. A superclass has its keys in the container of the class, or in one of its own under "super".
  package func keyContainers(classCount count: Int) throws(ArchiveError)
    -> [(value: ArchiveValue, classes: Range<Int>)]
  {
    var containers: [ArchiveValue] = []
    var next: ArchiveValue? = self
    while let container = next, container.kind == .record || container.kind == .map {
      containers.append(container)
      // The last class has no superclass: its key "super" is like any other.
      next = containers.count < count ? try container.member(.key("super"))?.value : nil
    }
    let others = count - containers.count
    return containers.enumerated().map { ($1, $0..<($0 + others + 1)) }
  }
}

extension ArchiveValue.Member {
  /// Whether this is the member at `element`. An integer key matches its number and the text of its digits.
  fileprivate func isAt(_ element: PathElement) -> Bool {
    switch (label, element) {
    case (.index(let own), .index(let index)): own == index
    case (.index, _), (nil, _): false
    case (let label?, _): label.name == element.name
    }
  }
}

// MARK: - Objects

extension ArchiveValue {
  /// The archived name of the class of the object that the value refers to, or of the type of a value behind a
  /// protocol; `nil` for a value of another kind.
  public var className: String? {
    get throws(ArchiveError) {
      let value = try marked
      return value.kind == .typed ? try value.typeName : try value.target?.className
    }
  }

  /// The number that identifies the object that the value refers to; `nil` for a value of another kind, and for a weak
  /// reference to an object that was not archived.
  public var objectNumber: Int? {
    get throws(ArchiveError) {
      let value = try marked
      return value.kind == .value ? nil : try value.bodyNumber
    }
  }

  /// The range of the bytes of the object that the value refers to, including its class number; `nil` for a value that
  /// refers to no object.
  public var objectByteRange: Range<Int>? {
    get throws(ArchiveError) { try marked.target?.byteRange }
  }

  /// The value after all marks of optionals. There may be as many marks as bytes, so this is a loop.
  private var marked: ArchiveValue {
    get throws(ArchiveError) {
      var value = self
      while value.kind == .some, let next = try value.wrapped { value = next }
      return value
    }
  }
}
