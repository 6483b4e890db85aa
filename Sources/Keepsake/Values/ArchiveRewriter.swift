/// Rewrites an archive value by value, with edits. Leaves out what nothing refers to any more.
struct ArchiveRewriter {
  /// A numbered body or table entry of one of the archives that values come from.
  private struct Source: Hashable {
    let image: ObjectIdentifier
    let number: Int

    init(_ image: ArchiveImage, _ number: Int) {
      self.image = ObjectIdentifier(image)
      self.number = number
    }
  }

  private struct Container {
    let kind: ArchiveValue.Kind
    let edit: ArchiveEdits.ContainerEdit
    /// If its keys are those of an object, behind how many keys "super" it is.
    var superLevel: Int?

    var takesLevel: Bool { [.record, .map, .array].contains(kind) }
  }

  private let source: ArchiveImage
  private let edits: ArchiveEdits
  private var builder: ArchiveBuilder
  /// The new numbers of bodies, and the bodies in the order of these numbers.
  private var numbers: [Source: Int] = [:]
  private var pending: [ArchiveBody] = []
  private var classNumbers: [Source: Int] = [:]
  private var stringNumbers: [Source: Int] = [:]
  private var conditionalNumbers: [Source: Int] = [:]
  /// The original object of each entry of the new conditional table.
  private var conditionals: [Source?] = []
  /// The nesting level of the open containers in the body in progress.
  private var levels = -1
  /// The names of the class and superclasses of the object in progress.
  private var classes: [String] = []
  /// For each container of keys of the object in progress, the classes that may have keys in it.
  private var classesWithKeys: [Range<Int>] = []
  private var shapeNumbers: [Source: Int] = [:]

  /// Whether something in the body in progress has changed, and the number of objects in which something has.
  private var isChanged = false
  private(set) var changedObjectCount = 0
  /// The offsets of containers whose edits are not used yet.
  private(set) var unusedEdits: Set<Int>
  private(set) var buffer = ByteBuffer(minimumCapacity: 0)

  init(
    _ source: ArchiveImage,
    _ edits: ArchiveEdits = ArchiveEdits(),
    prefersShortForm: Bool = true
  ) throws(ArchiveError) {
    self.source = source
    self.edits = edits
    unusedEdits = Set(edits.containers.keys)
    builder = ArchiveBuilder(
      withoutChecksums: !source.extent.hasChecksums && source.source == nil,
      prefersShortForm: prefersShortForm
    )
    builder.beginBody(classNumber: nil)
    _ = try source.topLevelContent
    try append(source.topLevelValue)
    let topLevel = builder.takeTopLevel()
    levels = 0
    var next = 0
    while next < pending.count {
      let body = pending[next]
      next += 1
      classes = body.classNumber.map { body.value.image.classes.names(of: $0) } ?? []
      let classNumber: Int? =
        if let number = body.classNumber { try self.classNumber(number, body.value.image) } else { nil }
      builder.beginBody(classNumber: classNumber)
      isChanged = body.value.image === source && classes.first.map { edits.className($0) != $0 } ?? false
      // Checked before any of it is written; otherwise each body could contain all that follow it.
      try body.value.image.checkExtent(body.value.offset, fills: body.byteRange)
      try append(body.value)
      builder.endBody()
      if isChanged, classNumber != nil { changedObjectCount += 1 }
    }
    let targets = conditionals.map { target in target.flatMap { numbers[$0] } ?? 0 }
    buffer = try builder.finish(topLevel: topLevel, conditionals: targets)
  }

  /// The new numbers of the bodies of `source` and of the entries of its conditional table, by the old numbers. Valid
  /// only if nothing was added from another archive.
  var newNumbers: (bodies: [Int: Int], conditionals: [Int: Int]) {
    (
      numbers.reduce(into: [:]) { $0[$1.key.number] = $1.value },
      conditionalNumbers.reduce(into: [:]) { $0[$1.key.number] = $1.value }
    )
  }

  // MARK: Values

  private mutating func append(_ root: ArchiveValue) throws(ArchiveError) {
    var walk = ArchiveWalk(root)
    var open: [Container] = []
    while let step = try walk.next() {
      switch step {
      case .leave:
        if let container = open.popLast() {
          try append(additionsOf: container)
          if container.takesLevel { levels -= 1 }
        }
      case .value(let value, let label):
        let change = label.flatMap { label in open.last?.edit.members[label] }
        if change != nil { isChanged = true }
        if change?.isRemoved == true {
          try walk.skipMembers()
          continue
        }
        if open.last?.kind == .map, let label {
          if let key = change?.newKey {
            builder.append(string: key)
          } else if case .key = label {
            // A string reference is looked up by its number, without hashing.
            try append(string: walk.key)
          } else {
            append(key: label)
          }
        }
        if let replacement = change?.newValue {
          try append(replacement)
          try walk.skipMembers()
        } else {
          try appendStart(of: value, label, &open)
        }
      }
    }
  }

  private mutating func append(additionsOf container: Container) throws(ArchiveError) {
    for (key, value) in container.edit.additions {
      isChanged = true
      if container.kind == .map, let key { append(key: key) }
      try append(value)
    }
  }

  private mutating func append(key: PathElement) {
    switch key {
    case .key(let name): builder.append(string: name)
    case .intKey(let number), .index(let number): builder.buffer.append(integer: number)
    }
  }

  /// Appends a value up to its first member, and opens it if it has members.
  private mutating func appendStart(
    of value: ArchiveValue,
    _ label: PathElement?,
    _ open: inout [Container]
  ) throws(ArchiveError) {
    switch value.kind {
    case .record, .map, .array, .empty:
      var level: Int? = 0
      if let outer = open.last { level = label == .key("super") ? outer.superLevel.map { $0 + 1 } : nil }
      let isSource = value.image === source
      let classes = isSource ? try classes(withKeysIn: value, level) : []
      let edit = isSource ? edits.edit(at: value.offset, classes: classes) : .init()
      if isSource { unusedEdits.remove(value.offset) }
      try appendHead(of: value, edit)
      guard value.hasMembers else { return }
      try enterLevel(value)
      open.append(Container(kind: value.kind, edit: edit, superLevel: level))
    case .some, .url, .typed:
      builder.buffer.append(value.tag)
      if let number = try value.typeNumber {
        builder.buffer.append(varint: try classNumber(number, value.image))
      }
      open.append(Container(kind: value.kind, edit: .init()))
    case .object, .value:
      guard let body = try value.target else { return }
      builder.buffer.append(
        reference: value.kind == .object ? Tag.objectReference : Tag.valueReference,
        number(of: body)
      )
    case .conditional:
      builder.buffer.append(reference: Tag.conditionalReference, try conditionalNumber(value))
    case .string:
      try append(string: value)
    default:
      // These bytes mean the same in every archive.
      try value.image.reader.withBytes(value.byteRange) { builder.buffer.append($0) }
    }
  }

  /// The classes that may have keys in the container `value` of the object in progress.
  private mutating func classes(withKeysIn value: ArchiveValue, _ level: Int?) throws(ArchiveError)
    -> ArraySlice<String>
  {
    guard edits.changesKeysOfClasses, let level, value.kind != .array else { return [] }
    if level == 0 { classesWithKeys = try value.keyContainers(classCount: classes.count).map(\.classes) }
    return level < classesWithKeys.count ? classes[classesWithKeys[level]] : []
  }

  private mutating func append(string value: ArchiveValue) throws(ArchiveError) {
    guard TagKind(value.tag) == .stringReference else {
      builder.append(string: try value.string ?? "")
      return
    }
    let key = Source(value.image, try value.referencedNumber())
    if let known = stringNumbers[key] { return builder.append(stringNumber: known) }
    stringNumbers[key] = builder.append(string: try value.string ?? "")
  }

  // MARK: Containers

  private mutating func appendHead(
    of value: ArchiveValue,
    _ edit: ArchiveEdits.ContainerEdit
  ) throws(ArchiveError) {
    switch value.kind {
    case .record:
      let slots = try value.head().slots
      if edit.isEmpty {
        let shape = Source(value.image, slots.lowerBound)
        // An empty range of slots begins where another shape does.
        if !slots.isEmpty, let known = shapeNumbers[shape] { return builder.append(recordOfShape: known) }
        let names = slots.lazy.map { value.image.keys[value.image.shapeKey($0)] }
        let number = try builder.append(recordHead: names)
        if !slots.isEmpty { shapeNumbers[shape] = number }
        return
      }
      let labels = slots.map { PathElement.key(value.image.keys[value.image.shapeKey($0)]) }
      _ = try builder.append(recordHead: keys(labels, edit, value))
    case .map where !edit.isEmpty:
      builder.buffer.append(mapHead: try keys(value.members().compactMap(\.label), edit, value).count)
    case .map:
      builder.buffer.append(mapHead: try value.head().count)
    case .array:
      // Only existing elements have edits.
      let removed = edit.members.values.count { $0.isRemoved }
      builder.buffer.append(arrayHead: try value.head().count - removed + edit.additions.count)
    default:
      // An empty value contains only what is added.
      guard !edit.additions.isEmpty else { return builder.buffer.append(Tag.empty) }
      _ = try builder.append(recordHead: keys([], edit, value))
      try enterLevel(value)
      try append(additionsOf: Container(kind: .record, edit: edit))
      levels -= 1
    }
  }

  /// Enters the level of the members of `value`; throws if a new value is nested deeper than readers accept.
  private mutating func enterLevel(_ value: ArchiveValue) throws(ArchiveError) {
    levels += 1
    let most = max(ArchiveLimits().maximumValueDepth, source.limits.maximumValueDepth)
    guard levels <= most || value.image === source else {
      throw .limitExceeded("The changes nest values more than \(most) deep, which is what readers accept")
    }
  }

  /// The keys of a record or map after its edit; throws if two are the same.
  private func keys(
    _ labels: [PathElement],
    _ edit: ArchiveEdits.ContainerEdit,
    _ value: ArchiveValue
  ) throws(ArchiveError) -> [String] {
    let kept = labels.compactMap { label in
      let change = edit.members[label]
      return change?.isRemoved == true ? nil : change?.newKey ?? label.keyText
    }
    let keys = kept + edit.additions.compactMap { $0.key?.keyText }
    var seen: Set<ExactString> = []
    for key in keys where !seen.insert(ExactString(string: key)).inserted {
      throw .misuse("The changes would put two values under the key \"\(key)\"", at: value.offset)
    }
    return keys
  }

  // MARK: Numbers

  private mutating func number(of body: ArchiveBody) -> Int {
    let key = Source(body.value.image, body.number)
    if let known = numbers[key] { return known }
    pending.append(body)
    numbers[key] = pending.count
    return pending.count
  }

  private mutating func conditionalNumber(_ value: ArchiveValue) throws(ArchiveError) -> Int {
    let key = Source(value.image, try value.referencedNumber())
    if let known = conditionalNumbers[key] { return known }
    conditionals.append(try value.bodyNumber.map { Source(value.image, $0) })
    conditionalNumbers[key] = conditionals.count - 1
    return conditionals.count - 1
  }

  private mutating func classNumber(_ number: Int, _ image: ArchiveImage) throws(ArchiveError) -> Int {
    let key = Source(image, number)
    if let known = classNumbers[key] { return known }
    var entry = image.classes[number]
    // Superclasses come before the class. The chain is short, as the image has checked.
    if let superclass = entry.superclass { entry.superclass = try classNumber(superclass, image) }
    if image === source {
      entry.keysReadLast = keysReadLast(ofClass: number)
      entry.name = edits.className(entry.name)
      if let problem = ClassEntry.problem(ofName: entry.name), entry.name != image.classes[number].name {
        throw .misuse(problem)
      }
    } else if !entry.isValueType {
      // The declared type at the object's new place is unknown here.
      entry.isPolymorphic = true
    }
    let new = builder.merge(entry)
    classNumbers[key] = new
    return new
  }

  /// The keys that a class lists as read last, by their new names. If the edits give a superclass's key another name
  /// here than in the superclass, the class lists it itself.
  private func keysReadLast(ofClass number: Int) -> [String] {
    guard edits.changesKeysOfClasses else { return source.classes[number].keysReadLast }
    let names = source.classes.names(of: number)
    var keys: [String] = []
    for current in source.classes.chain(of: number) {
      for key in source.classes[current].keysReadLast {
        let new = edits.key(key, ofClasses: names)
        if current != number, new == edits.key(key, ofClasses: source.classes.names(of: current)) { continue }
        if let new, !keys.contains(where: { $0.utf8.elementsEqual(new.utf8) }) { keys.append(new) }
      }
    }
    return keys
  }
}
