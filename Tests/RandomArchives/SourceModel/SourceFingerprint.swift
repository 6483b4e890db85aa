extension SourceProgram: Equatable {
  /// The number of objects.
  public var objectCount: Int { fingerprint.objectCount }

  /// Whether both have the same classes and values in the same positions, and share the same objects.
  public static func == (one: SourceProgram, other: SourceProgram) -> Bool {
    one.fingerprint == other.fingerprint
  }

  private var fingerprint: Fingerprint { Fingerprint(self) }
}

/// A summary of a graph, from the compiler's records of stored properties, independent of their coding.
private struct Fingerprint: Equatable {
  private(set) var objectCount = 0
  private var hash = 0

  init(_ root: AnyObject) {
    var hasher = Hasher()
    var numbers: [ObjectIdentifier: Int] = [:]
    var objects: [AnyObject] = []
    func add(_ value: Any) {
      if type(of: value) is AnyClass {
        let object = value as AnyObject
        let number = numbers[ObjectIdentifier(object)] ?? objects.count
        if number == objects.count {
          numbers[ObjectIdentifier(object)] = number
          objects.append(object)
        }
        return hasher.combine(number)
      }
      if let value = value as? AnyHashable { return hasher.combine(value) }
      if let table = value as? [String: SourceType] { return addTable(table) }
      if let table = value as? [String: SourceMethod] { return addTable(table) }
      let mirror = Mirror(reflecting: value)
      hasher.combine(mirror.children.count)
      for child in mirror.children { add(child.value) }
    }
    func addTable(_ table: [String: some AnyObject]) {
      for (key, value) in table.sorted(by: { $0.key < $1.key }) {
        hasher.combine(key)
        add(value)
      }
    }
    add(root)
    while objectCount < objects.count {
      var mirror: Mirror? = Mirror(reflecting: objects[objectCount])
      objectCount += 1
      while let now = mirror {
        hasher.combine("\(now.subjectType)")
        for child in now.children { add(child.value) }
        mirror = now.superclassMirror
      }
    }
    hash = hasher.finalize()
  }
}
