/// Compares two values, and everything that they reach, by reflection: without recursion, and each object once.
struct GraphComparison {
  private(set) var differences: [String] = []
  /// One value of each type that occurs in the original.
  private(set) var samples: [Any] = []

  private struct Pair {
    var original: Any
    var copy: Any
    /// The number of the last step of the path.
    let path: Int
    /// Whether a structure or an enumeration holds it.
    var isInValue = false

    /// Whether a value keeps its content in the object, which is never archived as an object.
    var isStorage: Bool { isInValue && !(original is any Encodable) }
  }

  private var waiting: [Pair] = []
  /// The steps of the paths to all pairs, each with the number of the step before it.
  private var steps: [(step: String, before: Int)] = [("", 0)]
  /// The object in the copy for each object of the original, and the other way round.
  private var copies: [ObjectIdentifier: AnyObject] = [:]
  private var originals: [ObjectIdentifier: AnyObject] = [:]
  /// The storage of values that was compared. Copy-on-write may share it in one of the graphs only.
  private var comparedStorage: [[ObjectIdentifier]: (AnyObject, AnyObject)] = [:]
  private var seenTypes: Set<ObjectIdentifier> = []
  /// The objects of the copy to which `unowned` properties refer, each with the path of the first one.
  private var unowned: [ObjectIdentifier: (object: Weak<AnyObject>, path: Int)] = [:]

  private static let mostDifferences = 100
  static let mostSteps = 50

  init(_ original: Any, _ copy: Any) {
    waiting = [Pair(original: original, copy: copy, path: 0)]
    while let pair = waiting.popLast(), differences.count < GraphComparison.mostDifferences {
      guard let difference = compare(pair) else { continue }
      differences.append("\(description(ofPath: pair.path)): \(difference)")
    }
    // Releases the pairs one after the other; any number of them may hold each other.
    waiting = []
  }

  /// Lets go of the copy. Returns the `unowned` properties of the copy to whose objects nothing else refers.
  mutating func releasedObjects() -> [String] {
    (copies, comparedStorage) = ([:], [:])
    let paths = unowned.values.filter { $0.object.object == nil }.map(\.path).ordered(by: <)
    return paths.prefix(GraphComparison.mostDifferences).map {
      "\(description(ofPath: $0)): is unowned, and nothing else in the copy holds its object"
    }
  }

  /// Returns the difference between two values without their members, and adds the members to `waiting`.
  private mutating func compare(_ pair: Pair) -> String? {
    var pair = pair
    (pair.original, pair.copy) = (held(pair.original), held(pair.copy))
    let type = type(of: pair.original)
    guard type == Swift.type(of: pair.copy) else {
      return "is a \(Swift.type(of: pair.copy)) now and was a \(type)"
    }
    if seenTypes.insert(ObjectIdentifier(type)).inserted { samples.append(pair.original) }
    if type is AnyClass {
      let (original, copy) = (pair.original as AnyObject, pair.copy as AnyObject)
      let ids = [ObjectIdentifier(original), ObjectIdentifier(copy)]
      if pair.isStorage {
        guard comparedStorage.updateValue((original, copy), forKey: ids) == nil else { return nil }
        return compareMembers(pair)
      }
      switch (copies[ids[0]], originals[ids[1]]) {
      case (nil, nil):
        (copies[ids[0]], originals[ids[1]]) = (copy, original)
      case (let known?, _):
        return known === copy ? nil : "was an object that also occurs elsewhere, and is a different one now"
      case (nil, _):
        return "is an object that also occurs elsewhere, and was a different one"
      }
    } else if let isEqual = areEqualValues(pair.original, pair.copy) {
      if isEqual { return nil }
      let isAlike = String(describing: pair.original) == String(describing: pair.copy)
      let other = isAlike ? "another value with the same description" : text(of: pair.copy)
      return "\(text(of: pair.original)) comes back as \(other)"
    }
    return compareMembers(pair)
  }

  private mutating func compareMembers(_ pair: Pair) -> String? {
    let (original, copy) = (Mirror(reflecting: pair.original), Mirror(reflecting: pair.copy))
    if original.displayStyle == .dictionary || original.displayStyle == .set {
      return compareUnordered(pair, original, copy)
    }
    if original.displayStyle == .enum {
      let (name, other) = (nameOfCase(pair.original), nameOfCase(pair.copy))
      guard name == other else { return "was \(name ?? "?") and is \(other ?? "?") now" }
    }
    let isInValue =
      switch original.displayStyle {
      case .struct, .enum: true
      case .class: pair.isStorage
      default: pair.isInValue
      }
    let properties = StoredProperty.all(of: original.subjectType)?.filter { $0.ownership == .unowned } ?? []
    var levels = (Optional(original), Optional(copy))
    while let own = levels.0, let other = levels.1 {
      let owner = own.subjectType
      guard own.children.count == other.children.count else {
        return "had \(described(own)) and has \(described(other)) now"
      }
      for (index, children) in zip(own.children, other.children).enumerated().reversed() {
        let (own, other) = children
        // A copy makes the values of `lazy` properties again, and has an observation registrar of its own.
        if let label = own.label, label.hasPrefix("$__lazy_storage_$_") || label.hasPrefix("_$") { continue }
        guard own.label == other.label else {
          return "was \(own.label ?? "?") and is \(other.label ?? "?") now"
        }
        let isSome = original.displayStyle == .optional
        let path = isSome ? pair.path : path(step(own.label, index), after: pair.path)
        waiting.append(Pair(original: own.value, copy: other.value, path: path, isInValue: isInValue))
        if properties.contains(where: { $0.name == own.label && $0.owner == owner }),
          let object = other.value as? any AnyObject & Encodable, unowned[ObjectIdentifier(object)] == nil
        {
          unowned[ObjectIdentifier(object)] = (Weak(object: object), path)
        }
      }
      levels = (own.superclassMirror, other.superclassMirror)
    }
    return nil
  }

  /// Compares dictionaries and sets by their keys and elements.
  private mutating func compareUnordered(_ pair: Pair, _ original: Mirror, _ copy: Mirror) -> String? {
    guard original.children.count == copy.children.count else {
      return "had \(described(original)) and has \(described(copy)) now"
    }
    // An element that is or contains an object may not equal its copy; nor does NaN, which does not even equal itself.
    func isLost(_ element: AnyHashable) -> Bool {
      areEqualValues(element.base, element.base) == true && element == element
    }
    if original.displayStyle == .set {
      let known = Set(copy.children.compactMap { $0.value as? AnyHashable })
      let elements = original.children.lazy.compactMap { $0.value as? AnyHashable }
      return elements.first { !known.contains($0) && isLost($0) }.map {
        "does not contain \(text(of: $0)) any more"
      }
    }
    let known = Dictionary(members(of: copy), uniquingKeysWith: { first, _ in first })
    for (key, value) in members(of: original) {
      if let other = known[key] {
        let path = path(".\(key)", after: pair.path)
        waiting.append(Pair(original: value, copy: other, path: path, isInValue: pair.isInValue))
      } else if isLost(key) {
        return "does not contain the key \(text(of: key)) any more"
      }
    }
    return nil
  }

  /// The keys and values of a dictionary, which may be of a type of another library.
  private func members(of dictionary: Mirror) -> [(AnyHashable, Any)] {
    dictionary.children.compactMap { child in
      let parts = Mirror(reflecting: child.value).children.map(\.value)
      guard parts.count == 2, let key = parts[0] as? AnyHashable else { return nil }
      return (key, parts[1])
    }
  }

  private func described(_ mirror: Mirror) -> String {
    switch mirror.displayStyle {
    case .optional: mirror.children.isEmpty ? "nil" : "a value"
    case .collection, .set, .dictionary:
      mirror.children.count == 1 ? "one element" : "\(mirror.children.count) elements"
    default: "\(mirror.children.count) parts"
    }
  }

  private func step(_ label: String?, _ index: Int) -> String {
    guard let label, !label.hasPrefix(".") else { return "[\(index)]" }
    // The underscore belongs to the storage of a wrapper.
    return "." + (label.hasPrefix("_") ? label.dropFirst() : label[...])
  }

  private mutating func path(_ step: String, after before: Int) -> Int {
    steps.append((step, before))
    return steps.count - 1
  }

  /// The last steps of a path, as a deep graph has very many.
  private func description(ofPath path: Int) -> String {
    let last = sequence(first: path) { steps[$0].before }.prefix { $0 > 0 }
      .prefix(GraphComparison.mostSteps + 1).map { steps[$0].step }
    let text = last.prefix(GraphComparison.mostSteps).reversed().joined()
    if last.count > GraphComparison.mostSteps { return "…" + text }
    return text.isEmpty ? "the value" : String(text.drop { $0 == "." })
  }

  private func text(of value: Any) -> String {
    let text = String(describing: value)
    return text.count > 60 ? text.prefix(60) + "…" : text
  }
}

/// A wrapper whose own storage differs before and after archiving. It is compared by what it holds.
private protocol Wrapping { var held: Any { get } }
extension Deferred: Wrapping { fileprivate var held: Any { valueIfDecoded as Any } }
extension Lazy: Wrapping { fileprivate var held: Any { wrappedValue as Any } }
extension Polymorphic: Wrapping { fileprivate var held: Any { wrappedValue as Any } }
extension WeakReference: Wrapping { fileprivate var held: Any { wrappedValue as Any } }

private func held(_ value: Any) -> Any {
  var value = value
  while let wrapper = value as? any Wrapping { value = wrapper.held }
  return value
}

/// The name of the case that `value` is; `nil` if the program does not have it.
private func nameOfCase(_ value: Any) -> String? {
  func name<Value>(_ value: Value) -> String? { caseName(of: value) }
  return _openExistential(value, do: name)
}

/// Whether two values of one type are the same; `nil` for values with parts, which are compared one by one.
private func areEqualValues(_ original: Any, _ copy: Any) -> Bool? {
  switch (original, copy) {
  case (let original as Double, let copy as Double): return original.bitPattern == copy.bitPattern
  case (let original as Float, let copy as Float): return original.bitPattern == copy.bitPattern
  default: break
  }
  let name = RuntimeTypes.name(of: type(of: original))
  // A copy has its own memory. What is there cannot be compared.
  if name.hasPrefix("Swift.Unsafe") || name == "Swift.OpaquePointer" { return true }
  let module = name.prefix { $0 != "." }
  let isStandard = module == "Swift" || module.hasPrefix("Foundation") || module == "__C"
  // Equal collections may still not be the same.
  guard isStandard, !(original is any HoldingOthers), let value = original as? any Equatable else {
    return nil
  }
  func isEqual<Value: Equatable>(_ value: Value) -> Bool {
    guard let copy = copy as? Value else { return false }
    // A value with NaN in it does not equal itself.
    return value == copy || value != value && copy != copy
  }
  return isEqual(value)
}
