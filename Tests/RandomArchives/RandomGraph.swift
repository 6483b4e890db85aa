import Foundation
import Keepsake

/// The root: objects of all kinds, and values.
struct SoakRoot: Codable, RandomValue {
  var nodes: [SoakNode] = []
  var models: [SoakModel] = []
  var people: [SoakPerson] = []
  var record: SoakRecord?
  var choices: [SoakChoice] = []
  var values: [StandardValues] = []
  var foundationValues: FoundationValues?
  var fields: [SoakFields] = []

  func trace(into tracer: inout GraphTracer) {
    tracer.objects(nodes)
    tracer.objects(models)
    tracer.objects(people)
    tracer.object(record)
    tracer.values(choices)
    tracer.values(values)
    tracer.value(foundationValues == nil)
    foundationValues?.trace(into: &tracer)
    tracer.values(fields)
  }
}

/// A graph that is determined by a seed, with shared objects, cycles, subclasses, and everything else that is archived
/// in a special way.
///
/// There are no unreadable cycles: a reference that cannot wait (in a structure, an enumeration or a wrapper) leads to
/// a node that was made later, or to a model; models lead to nodes only through deferred and weak references.
struct RandomGraph {
  private(set) var root = SoakRoot()
  private var nodes: [SoakNode] = []
  private var models: [SoakModel] = []
  private var records: [SoakRecord] = []
  private let people: RandomPeople
  private var random: SplitMix
  private var backwardness = 0.0

  init(seed: UInt64) {
    random = SplitMix(seed: seed)
    // Most graphs are small, so that there are many; some have several blocks, and need several writes to a file.
    let bound =
      switch Int.random(in: 0..<100, using: &random) {
      case 0: 3000
      case 1..<10: 300
      default: 30
      }
    people = RandomPeople(upTo: bound, using: &random)
    for _ in 0..<Int.random(in: 1...bound, using: &random) { nodes.append(makeNode()) }
    for _ in 0..<Int.random(in: 0...bound / 2, using: &random) { models.append(makeModel()) }
    for _ in 0..<Int.random(in: 0...bound / 4, using: &random) { records.append(SoakRecord()) }
    // Sparse graphs have separate parts, some of which are reached late or not at all.
    let density = Double.random(in: 0.05...0.6, using: &random)
    // In some graphs, no node leads back.
    backwardness = random.chance(0.3) ? 0 : Double.random(in: 0...0.5, using: &random)
    for index in nodes.indices { connect(nodes[index], at: index, density) }
    for model in models { connect(model, density) }
    for record in records { connect(record, density) }
    makeRoot()
  }

  /// All objects, whether or not they are reachable.
  var objects: [any RandomObject] { nodes + models + records + people.objects }

  // MARK: Objects

  private mutating func makeNode() -> SoakNode {
    switch Int.random(in: 0..<8, using: &random) {
    case 0..<4: return SoakNode()
    case 4: return SoakPolygon()
    case 5, 6:
      let branch = SoakBranch()
      if random.chance(0.3) { branch.values = StandardValues(using: &random) }
      return branch
    default:
      let foliage = SoakFoliage()
      if random.chance(0.3) { foliage.values2 = FoundationValues(using: &random) }
      return foliage
    }
  }

  private mutating func makeModel() -> SoakModel {
    switch Int.random(in: 0..<4, using: &random) {
    case 0, 1: return SoakModel()
    case 2: return SoakSubmodel()
    default:
      let model = SoakLastModel()
      if random.chance(0.2) { model.values = StandardValues(using: &random) }
      return model
    }
  }

  private mutating func node(after index: Int) -> SoakNode? {
    index + 1 < nodes.count ? nodes[Int.random(in: (index + 1)..<nodes.count, using: &random)] : nil
  }

  /// A node for a property that can wait.
  private mutating func waitingNode(after index: Int) -> SoakNode? {
    random.chance(backwardness) ? anyNode() : node(after: index)
  }

  private mutating func anyNode() -> SoakNode? { random.element(of: nodes) }

  private mutating func anyModel() -> SoakModel? { random.element(of: models) }

  // MARK: References

  private mutating func connect(_ node: SoakNode, at index: Int, _ density: Double) {
    node.number = index
    node.text = random.string()
    if random.chance(density) { node.plain = waitingNode(after: index) }
    if random.chance(density) { node.twice = .some(waitingNode(after: index)) }
    while random.chance(density), let other = waitingNode(after: index) { node.list.append(other) }
    while random.chance(density), let other = waitingNode(after: index) {
      node.table[random.string()] = other
    }
    while random.chance(density), let other = waitingNode(after: index) {
      node.numbered[random.integer()] = other
    }
    if random.chance(density) { node.model = anyModel() }
    if random.chance(density) { node.record = random.element(of: records) }
    node.link = makeLink(at: index, density)
    while random.chance(density) {
      node.links.append(makeLink(at: random.chance(backwardness) ? -1 : index, density))
    }
    node.choice = makeChoice(at: index, depth: 3)
    if random.chance(density) { node.later = anyNode() }
    while random.chance(density) { node.laterList.append(random.chance(0.2) ? nil : anyNode()) }
    // In a deferred structure, every reference is deferred.
    while random.chance(density) { node.laterLinks.append(makeLink(at: -1, density)) }
    if random.chance(density) { node.watched = anyNode() }
    if random.chance(density) { node.parent = anyNode() }
    if random.chance(density) { node.guardian = anyModel() }
    while random.chance(density) { node.watchedList.append(WeakReference(wrappedValue: anyModel())) }
    if random.chance(density) { node.shape = makeShape(at: index, depth: 2) }
    while random.chance(density) { node.shapes.append(makeShape(at: index, depth: 2)) }
    while random.chance(density / 2) { node.namedShapes[random.string()] = makeShape(at: index, depth: 1) }
    guard let branch = node as? SoakBranch else { return }
    while random.chance(density), let other = waitingNode(after: index) { branch.children.append(other) }
  }

  private mutating func makeLink(at index: Int, _ density: Double) -> SoakLink {
    var link = SoakLink(label: random.string())
    if random.chance(density) { link.plain = node(after: index) }
    if random.chance(density) { link.later = anyNode() }
    if random.chance(density) { link.watched = anyNode() }
    return link
  }

  private mutating func makeChoice(at index: Int, depth: Int) -> SoakChoice {
    switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &random) {
    case 0, 1: return .nothing
    case 2: return .number(random.integer())
    case 3: return .labelled(text: random.string(), flag: random.maybe { $0.chance(0.5) })
    case 4: return node(after: index).map { .node($0) } ?? .nothing
    case 5: return .link(makeLink(at: index, 0.5), weight: random.double())
    default:
      let count = Int.random(in: 0...3, using: &random)
      return .many((0..<count).map { _ in makeChoice(at: index, depth: depth - 1) })
    }
  }

  private mutating func makeShape(at index: Int, depth: Int) -> any SoakShape {
    switch Int.random(in: 0..<(depth > 0 ? 5 : 3), using: &random) {
    case 0: return makeMarking()
    case 1: return SoakMark.dot
    case 2:
      // A node that is a shape, shared with properties of its class.
      guard index + 1 < nodes.count else { return makeMarking() }
      let polygons = nodes[(index + 1)...].prefix(20).compactMap { $0 as? SoakPolygon }
      return random.element(of: polygons) ?? makeMarking()
    default:
      let count = Int.random(in: 0...3, using: &random)
      let members = (0..<count).map { _ in makeShape(at: index, depth: depth - 1) }
      return SoakGroup(members: members, node: random.chance(0.5) ? node(after: index) : nil)
    }
  }

  private mutating func makeMarking() -> any SoakMarking {
    if random.chance(0.5) { return SoakCircle(radius: random.double(), name: random.string()) }
    return SoakMark.cross(size: random.integer(), colours: random.list(3) { $0.string() })
  }

  private mutating func connect(_ model: SoakModel, _ density: Double) {
    model.name = random.string()
    if random.chance(density) { model.next = anyModel() }
    while random.chance(density), let other = anyModel() { model.friends.append(other) }
    if random.chance(density) { model.record = random.element(of: records) }
    model.count = random.maybe { $0.integer() }
    model.twice = random.maybe { random in random.maybe { $0.integer() } }
    model.data = random.data()
    if random.chance(0.3) { model.fields = SoakFields(using: &random) }
    if random.chance(density) { model.node = anyNode() }
    if random.chance(density) { model.parent = anyModel() }
    if random.chance(density) { model.watched = anyNode() }
    guard let submodel = model as? SoakSubmodel else { return }
    submodel.level = random.integer()
    while random.chance(density), let other = anyModel() { submodel.byName[random.string()] = other }
    while random.chance(density) { submodel.marks.append(makeMarking()) }
  }

  private mutating func connect(_ record: SoakRecord, _ density: Double) {
    record.title = random.string()
    record.weight = random.double()
    if random.chance(density) { record.other = random.element(of: records) }
    if random.chance(density) { record.model = anyModel() }
    while random.chance(density), let other = random.element(of: records) { record.many.append(other) }
    if random.chance(density) { record.node = anyNode() }
    if random.chance(density) { record.watched = anyModel() }
  }

  // MARK: The root

  private mutating func makeRoot() {
    root.nodes = [nodes[0]] + random.list(3) { $0.element(of: nodes) }.compactMap { $0 }
    root.models = random.list(3) { $0.element(of: models) }.compactMap { $0 }
    root.people = random.list(3) { $0.element(of: people.people) }.compactMap { $0 }
    root.record = random.maybe { $0.element(of: records) } ?? nil
    root.choices = (0..<Int.random(in: 0...3, using: &random)).map { _ in makeChoice(at: -1, depth: 3) }
    root.values = random.list(2) { StandardValues(using: &$0) }
    root.foundationValues = random.maybe { FoundationValues(using: &$0) }
    root.fields = random.list(2) { SoakFields(using: &$0) }
  }
}
