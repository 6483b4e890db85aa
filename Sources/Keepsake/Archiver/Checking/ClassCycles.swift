/// The properties of classes that can form a cycle that no reader could close: none can be read last, and at least one
/// can change once the objects exist. Does not see what is in an enumeration, nor that an initializer reads a property
/// with `decodeDeferred`.
struct ClassCycles {
  /// The properties of each such cycle.
  private(set) var unreadable: [String] = []

  private struct Edge {
    let target: ObjectIdentifier
    let name: String
    /// Whether the property can lead to another object later.
    let isVariable: Bool
  }

  /// The properties of each class.
  private var edges: [ObjectIdentifier: [Edge]] = [:]
  private var classes: [EncodableClass] = []

  /// - Parameter samples: a value of each type that occurs.
  init(_ samples: [Any]) {
    var probes: [ObjectIdentifier: PropertyProbe] = [:]
    for sample in samples {
      // A cast of a value to AnyObject would bridge it to Foundation, which ends the program for a set of decimals.
      guard let type = type(of: sample) as? EncodableClass,
        let object = sample as? any (AnyObject & Encodable)
      else { continue }
      classes.append(type)
      let probe = PropertyProbe(type)
      probe.ask(object, userInfo: [:])
      probes[ObjectIdentifier(type)] = probe
    }
    var next = 0
    while next < classes.count {
      let type = classes[next]
      next += 1
      // A class that is known before its properties are read closes every cycle that it is in.
      if !isKnownEarly(type) { addEdges(of: type, probes[ObjectIdentifier(type)]) }
    }
    findCycles()
  }

  private mutating func addEdges(of type: EncodableClass, _ probe: PropertyProbe?) {
    for property in StoredProperty.all(of: type) ?? []
    where !property.isLazy && property.ownership != .weak {
      let findings = probe.map { Array($0.findings.values) } ?? []
      let finding = findings.first { $0.propertyNames.contains(property.name) }
      guard findings.isEmpty || finding != nil, !canWait(property, finding) else { continue }
      var seen: Set<ObjectIdentifier> = []
      for declared in declaredClasses(in: property.type, &seen) {
        if !classes.contains(where: { $0 == declared }) { classes.append(declared) }
        for target in classes where RuntimeTypes.isSubclass(target, of: declared) {
          let name = "\(type).\(property.shownName)"
          edges[ObjectIdentifier(type), default: []]
            .append(Edge(target: ObjectIdentifier(target), name: name, isVariable: property.isVariable))
        }
      }
    }
  }

  /// Whether a reader can assign the property after everything else.
  private func canWait(_ property: StoredProperty, _ finding: PropertyProbe.Finding?) -> Bool {
    property.canWait && (finding.map { property.type == $0.type || property.type == $0.optionalType } ?? true)
  }

  /// The classes of the objects that `type` holds, without those that are read last or close no cycle.
  private func declaredClasses(in type: Any.Type, _ seen: inout Set<ObjectIdentifier>) -> [EncodableClass] {
    if type is any ReadLate.Type || !seen.insert(ObjectIdentifier(type)).inserted { return [] }
    if let type = type as? EncodableClass { return [type] }
    if type is AnyClass { return [] }
    if let type = type as? any HoldingOthers.Type {
      return type.held.flatMap { declaredClasses(in: $0, &seen) }
    }
    return (StoredProperty.all(of: type) ?? []).flatMap { declaredClasses(in: $0.type, &seen) }
  }

  // MARK: Cycles

  private mutating func findCycles() {
    var found: Set<Set<String>> = []
    for owner in classes.map({ ObjectIdentifier($0) }) {
      for edge in edges[owner] ?? [] where edge.isVariable {
        guard let back = shortestWay(from: edge.target, to: owner) else { continue }
        let names = [edge.name] + back
        if found.insert(Set(names)).inserted { unreadable.append(names.joined(separator: " → ")) }
      }
    }
  }

  /// The names of the properties that lead from a class to another; `nil` if there is no way.
  private func shortestWay(from start: ObjectIdentifier, to end: ObjectIdentifier) -> [String]? {
    var seen = Set([start])
    var ways: [(end: ObjectIdentifier, names: [String])] = [(start, [])]
    var next = 0
    while next < ways.count {
      let way = ways[next]
      if way.end == end { return way.names }
      next += 1
      for edge in edges[way.end] ?? [] where seen.insert(edge.target).inserted {
        ways.append((edge.target, way.names + [edge.name]))
      }
    }
    return nil
  }
}

/// Wrappers of properties that no initializer waits for.
private protocol ReadLate {}
extension Deferred: ReadLate {}
extension WeakReference: ReadLate {}

/// A type of the standard library or of this library whose values hold values of other types.
protocol HoldingOthers { static var held: [Any.Type] { get } }
extension Optional: HoldingOthers { static var held: [Any.Type] { [Wrapped.self] } }
extension Array: HoldingOthers { static var held: [Any.Type] { [Element.self] } }
extension ArraySlice: HoldingOthers { static var held: [Any.Type] { [Element.self] } }
extension ContiguousArray: HoldingOthers { static var held: [Any.Type] { [Element.self] } }
extension Set: HoldingOthers { static var held: [Any.Type] { [Element.self] } }
extension Dictionary: HoldingOthers { static var held: [Any.Type] { [Key.self, Value.self] } }
extension Polymorphic: HoldingOthers { static var held: [Any.Type] { [Value.self] } }
