internal import Synchronization

/// How a property of a model is archived.
struct ModelSlot: Sendable {
  let key: ModelKey
  /// Whether nil is a value of the property.
  let isOptional: Bool
}

/// What the instances of one subclass of ``ArchivedModel`` have in common. It is found once for each class.
final class ModelLayout: Sendable {
  /// For each class of the chain, the most derived one first, and each of its stored properties: how it is archived, if
  /// it is. Empty for a class without archived properties.
  let levels: [[ModelSlot?]]
  /// All archived properties, those of the base class first, and where their boxes are; `nil` where that is not known.
  private let places: [(slot: ModelSlot, offset: Int)]?

  private init(levels: [[ModelSlot?]], _ model: ArchivedModel) throws {
    self.levels = levels
    let byteCount = instanceByteCount(type(of: model))
    var places: [(slot: ModelSlot, offset: Int)] = []
    var isComplete = true
    try ModelLayout.reflect(levels, model) { slot, box in
      if let offset = ModelStorage.offset(of: box, in: model, byteCount) {
        places.append((slot, offset))
      } else {
        isComplete = false
      }
    }
    self.places = isComplete ? places : nil
  }

  private static let known = Mutex<[ObjectIdentifier: ModelLayout]>([:])

  /// The layout of the class of `model`.
  static func layout(of model: ArchivedModel) throws -> ModelLayout {
    let id = ObjectIdentifier(type(of: model))
    if let layout = known.withLock({ $0[id] }) { return layout }
    let layout = try ModelLayout(levels: try findSlots(of: model), model)
    known.withLock { $0[id] = layout }
    return layout
  }

  // MARK: Finding out

  /// A class of the chain and its stored properties: their names, and the boxes of those that are archived.
  private typealias Level = (type: AnyClass, properties: [(name: String, box: AnyArchivedBox?)])

  private static func findSlots(of model: ArchivedModel) throws(ArchiveError) -> [[ModelSlot?]] {
    var namer = KeyNamer()
    var slots: [[ModelSlot?]] = []
    for level in try chain(of: model).reversed() {
      slots.append(try namer.slots(level.type, level.properties))
    }
    return slots.reversed()
  }

  private static func chain(of model: ArchivedModel) throws(ArchiveError) -> [Level] {
    guard !(model is any CustomReflectable) else {
      throw ArchiveError(
        .misuse,
        "\(type(of: model)) is CustomReflectable, and so hides the properties that an ArchivedModel has to find"
      )
    }
    var levels: [Level] = []
    var mirror: Mirror? = Mirror(reflecting: model)
    while let found = mirror, found.subjectType != ArchivedModel.self {
      guard let type = found.subjectType as? AnyClass else { break }
      let properties = found.children.map { ($0.label ?? "", ($0.value as? any ArchivedProperty)?.storage) }
      if properties.isEmpty, instanceByteCount(type) > _getSuperclass(type).map(instanceByteCount) ?? 0 {
        throw ArchiveError(
          .misuse,
          "The properties of \(type) cannot be found: it was built without reflection metadata, which an ArchivedModel "
            + "needs"
        )
      }
      levels.append((type, properties))
      mirror = found.superclassMirror
    }
    return levels
  }
}

/// Gives the properties of a chain of classes their keys, from the base class on (see ``ArchivedModel``).
private struct KeyNamer {
  /// The keys so far, and the property of each.
  private var owners: [String: String] = [:]

  mutating func slots(
    _ type: AnyClass,
    _ properties: [(name: String, box: AnyArchivedBox?)]
  ) throws(ArchiveError) -> [ModelSlot?] {
    guard properties.contains(where: { $0.box != nil }) else { return [] }
    let className = plainName(of: type)
    let inherited = Set(owners.keys)
    var slots: [ModelSlot?] = []
    for (label, box) in properties {
      guard let box else {
        slots.append(nil)
        continue
      }
      let name = label.hasPrefix("_") ? String(label.dropFirst()) : label
      var key = box.key ?? name
      if box.key == nil {
        while inherited.contains(key) { key = "\(className).\(key)" }
      }
      let property = "\(className).\(name)"
      if let other = owners.updateValue(property, forKey: key) {
        throw ArchiveError(
          .misuse,
          "\(other) and \(property) are both to be archived under the key \"\(key)\""
        )
      }
      slots.append(ModelSlot(key: ModelKey(property: key), isOptional: box.isOptional))
    }
    return slots
  }

  /// The name of a class without module and generic arguments, so that it is the same for all of them.
  private func plainName(of type: AnyClass) -> String {
    String(String(describing: type).prefix { $0 != "<" })
  }
}

extension ModelLayout {
  /// Calls `body` with the archived properties of a model of this class, those of the base class first.
  func forEachProperty(
    of model: ArchivedModel,
    _ body: (ModelSlot, AnyArchivedBox) throws -> Void
  ) throws {
    guard let places else { return try ModelLayout.reflect(levels, model, body) }
    for (slot, offset) in places { try body(slot, ModelStorage.box(at: offset, in: model)) }
  }

  private static func reflect(
    _ levels: [[ModelSlot?]],
    _ model: ArchivedModel,
    _ body: (ModelSlot, AnyArchivedBox) throws -> Void
  ) throws {
    // Reflection is what this costs, so no class is looked at in vain.
    guard let last = levels.lastIndex(where: { !$0.isEmpty }) else { return }
    var mirror = Mirror(reflecting: model)
    var found: [(mirror: Mirror, slots: [ModelSlot?])] = []
    for (index, slots) in levels[...last].enumerated() {
      if index > 0 {
        guard let next = mirror.superclassMirror else { break }
        mirror = next
      }
      if !slots.isEmpty { found.append((mirror, slots)) }
    }
    for (mirror, slots) in found.reversed() {
      for (slot, child) in zip(slots, mirror.children) {
        guard let slot, let property = child.value as? any ArchivedProperty else { continue }
        try body(slot, property.storage)
      }
    }
  }
}
