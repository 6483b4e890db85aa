/// Cached facts about the properties of encoded classes, by the numbers of the classes and the nodes of shapes
/// (``PlayThroughQuestions``).
struct ClassProperties {
  private var areKnownEarly = NumberedCache<Bool>()
  /// Whether some properties of a class are read last, and which of them.
  fileprivate var haveKeysReadLast = NumberedCache<Bool>()
  fileprivate var areReadLast = PairCache<Bool>()
  fileprivate var areWeak = PairCache<Bool>()
  /// The numbers of the key tables, except the first, by which the classes of a chain add to one record.
  fileprivate var laterTables = NumberedCache<[UInt32]>()
  private var probes: [ObjectIdentifier: PropertyProbe] = [:]

  /// Whether objects of `type`, the class `number`, are known early.
  @inline(__always)
  mutating func isKnownEarly(_ number: Int, _ type: Any.Type) -> Bool {
    if let known = areKnownEarly[number] { return known }
    let answer = Keepsake.isKnownEarly(type)
    areKnownEarly[number] = answer
    return answer
  }

  /// Records that a record of the class `number` also has keys of the key table `table`.
  mutating func noteLaterTable(_ table: UInt32, of number: Int) {
    let known = laterTables[number] ?? []
    if !known.contains(table) { laterTables[number] = known + [table] }
  }

  mutating func probe(_ type: AnyClass) -> PropertyProbe {
    if let known = probes[ObjectIdentifier(type)] { return known }
    let probe = PropertyProbe(type)
    probes[ObjectIdentifier(type)] = probe
    return probe
  }

  /// Forgets which properties are read last, since others are now.
  mutating func forgetAnswers() {
    haveKeysReadLast = NumberedCache()
    areReadLast = PairCache()
  }

  /// Forgets all facts by class numbers and nodes of shapes, since some of these were taken back.
  mutating func forgetNumbers() {
    forgetAnswers()
    areWeak = PairCache()
    laterTables = NumberedCache()
    areKnownEarly = NumberedCache()
  }
}

/// Properties that readers assign after everything else (Design §3, Format §5.3).
extension EncodingSession: PlayThroughQuestions {
  func isKnownEarly(_ number: Int) -> Bool {
    guard let object = bodies.objects.object(number) else { return false }
    let type: AnyClass = Swift.type(of: object)
    guard let number = tables.classes.number(of: type) else { return Keepsake.isKnownEarly(type) }
    return types.classProperties.isKnownEarly(number, type)
  }

  var knowsSomeEarly: Bool {
    var (some, others) = (false, false)
    // Entries of a file to which a save is added have no type before one claims them.
    for (number, type) in tables.classes.types.enumerated() where type != Never.self {
      if types.classProperties.isKnownEarly(number, type) { some = true } else { others = true }
    }
    return some && others
  }

  func isLazy(_ number: Int) -> Bool { bodies.objects.object(number) is AnyLazyContent }

  func classThatReadsLast(of number: Int) -> Int? {
    guard tables.classes.hasKeysReadLast, let object = bodies.objects.object(number),
      let number = tables.classes.number(of: type(of: object))
    else { return nil }
    if let known = types.classProperties.haveKeysReadLast[number] { return known ? number : nil }
    let entries = tables.classes.entries
    let readsLast = entries.chain(of: number).contains { !entries[$0].keysReadLast.isEmpty }
    types.classProperties.haveKeysReadLast[number] = readsLast
    return readsLast ? number : nil
  }

  func isReadLast(_ edge: ReferenceGraph.Edge, by classNumber: Int) -> Bool {
    if let known = types.classProperties.areReadLast[classNumber, edge.property] { return known }
    let isReadLast =
      edge.property > 0 && tables.classes.entries.readLast(key(of: edge.property), by: classNumber)
    // If the key is from a file, the class may have changed since.
    let answer = isReadLast && (!bodies.isAdded || propertyThatWaits(at: edge) != nil)
    types.classProperties.areReadLast[classNumber, edge.property] = answer
    return answer
  }

  func readLast(oneOf edges: [ReferenceGraph.Edge]) -> Bool {
    guard let (key, property, number) = preferred(of: edges) else { return false }
    let chain = tables.classes.entries.chain(of: number)
    // It applies to all subclasses of the class that declares the property, if that class is in the archive.
    let owner = chain.first { tables.classes.types[$0] == property.owner } ?? chain.last ?? number
    let name = self.key(of: key)
    // A file may list the key already, although the first object that was asked encodes another type under it.
    if !tables.classes.entries.readLast(name, by: number) { tables.classes.readLast(name, of: owner) }
    types.classProperties.forgetAnswers()
    return true
  }

  /// The key and the property that are to wait, and the number of the object's class; `nil` if none can. The way back is
  /// preferred to the way there, so that most initializers see what they expect.
  private func preferred(
    of edges: [ReferenceGraph.Edge]
  ) -> (key: Int, property: StoredProperty, classNumber: Int)? {
    var best: (key: Int, property: StoredProperty, classNumber: Int)?
    var highest = -1
    var seen: Set<[Int]> = []
    for edge in edges.reversed() {
      guard let object = bodies.objects.object(edge.body),
        let number = tables.classes.number(of: type(of: object)),
        seen.insert([number, edge.property]).inserted,
        let property = propertyThatWaits(at: edge)
      else { continue }
      let preference = preference(property, isField: isField(edge.property))
      if preference > highest { (best, highest) = ((edge.property, property, number), preference) }
      if preference == EncodingSession.highestPreference { break }
    }
    return best
  }

  /// How well it suits if the property waits. An `unowned` property comes last, since it does not keep its object. An
  /// object exists before its fields are read, so a cycle needs one to wait only if a reader enters the cycle at another
  /// object. A single object is preferred to a collection.
  private func preference(_ property: StoredProperty, isField: Bool) -> Int {
    let isSingle = RuntimeMetadata.wrappedType(of: property.type) is AnyClass
    return (property.ownership == .strong ? 4 : 0) + (isField ? 0 : 2) + (isSingle ? 1 : 0)
  }

  private static let highestPreference = 7

  /// The property of the reference, if a reader can assign that property after everything else.
  private func propertyThatWaits(at edge: ReferenceGraph.Edge) -> StoredProperty? {
    if isField(edge.property) { return fieldThatCanWait(of: edge) }
    guard let (property, finding) = property(of: edge), property.canWait,
      property.type == finding.type || property.type == finding.optionalType
    else { return nil }
    return property
  }

  /// The field of the reference. Whatever its type, it keeps its default while it waits.
  private func fieldThatCanWait(of edge: ReferenceGraph.Edge) -> StoredProperty? {
    guard let object = bodies.objects.object(edge.body),
      let entries = try? ArchivedProperties.of(type(of: object)).entries,
      let property = entries.first(where: { $0.key.stringValue == key(of: edge.property) })?.property,
      property.canWaitAsField
    else { return nil }
    return property
  }

  /// The stored property that is encoded under the key of `edge`, and what is encoded; `nil` for a field.
  func property(of edge: ReferenceGraph.Edge) -> (property: StoredProperty, finding: PropertyProbe.Finding)? {
    guard edge.property > 0, !isField(edge.property),
      let object = bodies.objects.object(edge.body) as? any Encodable & AnyObject,
      let finding = whileClosed({
        types.classProperties.probe(type(of: object))
          .finding(key(of: edge.property), in: object, userInfo: settings.userInfo)
      }),
      let property = StoredProperty.all(of: type(of: object))?.property(named: finding.propertyNames),
      !finding.isAmbiguous, !finding.isOfSuperclass || property.owner != type(of: object)
    else { return nil }
    return (property, finding)
  }

  /// Whether `property` was written from memory.
  private func isField(_ property: Int) -> Bool { property & 1 != 0 }

  private func key(of property: Int) -> String {
    tables.keys.names[isField(property) ? property >> 1 : tables.shapes.lastKey(of: property >> 1)]
  }

  // MARK: The property that is being written

  /// The property of the object that is being written (see ``PlayThroughQuestions``); 0 if it is unknown.
  ///
  /// This reads only what it needs of the context: a property of the context itself would get a copy of all of it.
  @inline(__always)
  var currentProperty: Int {
    let level = context.propertyLevel
    if context.lower.endIndex == level {
      return context.top.kind == .map ? otherProperty : context.top.property
    }
    guard 0 <= level, level < context.lower.endIndex else { return 0 }
    let frame = context.lower[level]
    return frame.kind == .map || frame.kind == .singleUsed ? otherProperty : frame.property
  }

  /// The property if it is not that of a record: in a map, or in the value of a single-value container.
  @inline(never)
  private var otherProperty: Int {
    let level = propertyLevel
    guard 0 <= level, level <= context.lower.endIndex else { return 0 }
    let frame = context[level]
    return frame.kind == .map ? property(in: frame) : frame.property
  }

  /// The index of the frame with the properties of the object. If that is a single-value container, its value has them,
  /// unless a type is written before it.
  private var propertyLevel: Int {
    var level = context.propertyLevel
    while 0 <= level, level < context.lower.endIndex, context.lower[level].kind == .singleUsed,
      context[level + 1].start == context.lower[level].start
    {
      level += 1
    }
    return level
  }

  /// The property whose value is being written in the map of `frame`, as the node of a record with its key alone; 0 if the
  /// object has no property that the key may name.
  @inline(never)
  private func property(in frame: EncodingFrame) -> Int {
    var cursor = frame.position
    guard let object = bodies.objects.object(currentBody),
      case .key(let key)? = try? mapKey(at: &cursor, in: buffer.reader())
    else { return 0 }
    let type: AnyClass = Swift.type(of: object)
    let keyTypes = keyTypes(in: frame, ofClass: tables.classes.number(of: type))
    let names = keyTypes.flatMap { $0.propertyNames(ofKey: key) }
    guard StoredProperty.all(of: type)?.property(named: [key, "_" + key] + names) != nil else { return 0 }
    return tables.shapes.step(from: ShapeTrie.root, newKey: tables.keys.number(for: key)) << 1
  }

  /// Records that the object that is being written has keys of the key table `table`, too, if that matters: its class has
  /// weak properties, or its keys are in a map.
  func noteLaterTable(_ table: UInt32) {
    guard bodies.classWithWeakProperties >= 0 || context.top.kind == .map,
      let object = bodies.objects.object(currentBody),
      let number = tables.classes.number(of: type(of: object))
    else { return }
    types.classProperties.noteLaterTable(table, of: number)
  }

  /// The types of the keys in the record or map of `frame`, which objects of the class `number` write. A class and its
  /// superclass each have their own.
  private func keyTypes(in frame: EncodingFrame, ofClass number: Int?) -> [any CodingKey.Type] {
    let later = number.flatMap { types.classProperties.laterTables[$0] } ?? []
    return ([frame.tableNumber] + later).compactMap { types.keyTypes[Int($0)] }
  }

  // MARK: Weak properties

  /// Whether the reference to a `Target` that is being written is the value of a weak property.
  @inline(never)
  func isInWeakProperty<Target: AnyObject>(_ type: Target.Type) -> Bool {
    let property = currentProperty
    guard property > 0, !isField(property), context.lower.count == propertyLevel,
      nesting.deferralDepth == 0
    else { return false }
    let number = bodies.classWithWeakProperties
    let isInSuperclass = context.propertyLevel != 1
    // The lowest bit, otherwise that of fields, stands for the superclass.
    let known = isInSuperclass ? property | 1 : property
    if let isWeak = types.classProperties.areWeak[number, known] { return isWeak }
    let type = tables.classes.types[number]
    let properties = StoredProperty.all(of: type)
    let found = keyTypes(in: context.top, ofClass: number).lazy
      .compactMap { properties?.property(named: $0.propertyNames(ofKey: self.key(of: property))) }
      .first
    let isWeak =
      found.map {
        $0.ownership == .weak && $0.type == Target?.self && !(isInSuperclass && $0.owner == type)
      } ?? false
    types.classProperties.areWeak[number, known] = isWeak
    return isWeak
  }
}
