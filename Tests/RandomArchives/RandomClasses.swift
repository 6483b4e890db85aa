import Keepsake

// Classes with synthesized coding, and subclasses. Plain references that a reader can assign last lead anywhere; the
// others only lead forward, to objects that were made later, or to models (see RandomGraph).

class SoakNode: Codable, RandomObject {
  var number = 0
  var text = ""
  var plain: SoakNode?
  var twice: SoakNode??
  var list: [SoakNode] = []
  var table: [String: SoakNode] = [:]
  var numbered: [Int: SoakNode] = [:]
  var model: SoakModel?
  var record: SoakRecord?
  var link = SoakLink()
  var links: [SoakLink] = []
  var choice = SoakChoice.nothing
  @Deferred var later: SoakNode?
  @Deferred var laterList: [SoakNode?] = []
  @Deferred var laterLinks: [SoakLink] = []
  @WeakReference var watched: SoakNode?
  weak var parent: SoakNode?
  weak var guardian: SoakModel?
  var watchedList: [WeakReference<SoakModel>] = []
  @Polymorphic var shape: (any SoakShape)?
  @Polymorphic var shapes: [any SoakShape] = []
  @Polymorphic var namedShapes: [String: any SoakShape] = [:]
  private let live = LiveToken()

  private enum CodingKeys: CodingKey {
    case number, text, plain, twice, list, table, numbered, model, record, link, links, choice, later,
      laterList
    case laterLinks, watched, parent, guardian, watchedList, shape, shapes, namedShapes
  }

  init() {}

  func trace(into tracer: inout GraphTracer) {
    tracer.value(number)
    tracer.text(text)
    tracer.object(plain)
    // Distinguishes nil from a nested nil.
    tracer.value(twice == nil)
    tracer.object(twice ?? nil)
    tracer.objects(list)
    tracer.table(table)
    tracer.table(numbered)
    tracer.object(model)
    tracer.object(record)
    link.trace(into: &tracer)
    tracer.values(links)
    choice.trace(into: &tracer)
    tracer.object(later)
    tracer.objects(laterList)
    tracer.values(laterLinks)
    tracer.weakly(watched)
    tracer.weakly(parent)
    tracer.weakly(guardian)
    tracer.value(watchedList.count)
    for reference in watchedList { tracer.weakly(reference.wrappedValue) }
    tracer.shape(shape)
    tracer.value(shapes.count)
    for shape in shapes { tracer.shape(shape) }
    for (name, shape) in namedShapes.sortedByBytes {
      tracer.text(name)
      tracer.shape(shape)
    }
  }

  func cut() {
    (plain, twice, list, table, numbered, model, record) = (nil, nil, [], [:], [:], nil, nil)
    (link, links, choice, later, laterList, laterLinks) = (SoakLink(), [], .nothing, nil, [], [])
    (shape, shapes, namedShapes) = (nil, [], [:])
  }
}

/// A subclass with its own properties.
class SoakBranch: SoakNode {
  var values: StandardValues?
  var children: [SoakNode] = []

  private enum CodingKeys: CodingKey {
    case values, children
  }

  override init() { super.init() }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    values = try container.decodeIfPresent(StandardValues.self, forKey: .values)
    children = try container.decode([SoakNode].self, forKey: .children)
    try super.init(from: decoder)
  }

  override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(values, forKey: .values)
    try container.encode(children, forKey: .children)
  }

  override func trace(into tracer: inout GraphTracer) {
    super.trace(into: &tracer)
    tracer.value(values == nil)
    values?.trace(into: &tracer)
    tracer.objects(children)
  }

  override func cut() {
    super.cut()
    children = []
  }
}

/// A subclass of the subclass, which archives its superclass under its own key, and states its name.
final class SoakFoliage: SoakBranch, ArchivableClass {
  class var archivedClassName: String { "soak.foliage" }
  var values2: FoundationValues?

  private enum CodingKeys: CodingKey {
    case values2
  }

  override init() { super.init() }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    values2 = try container.decodeIfPresent(FoundationValues.self, forKey: .values2)
    try super.init(from: container.superDecoder())
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(values2, forKey: .values2)
    try super.encode(to: container.superEncoder())
  }

  override func trace(into tracer: inout GraphTracer) {
    super.trace(into: &tracer)
    tracer.value(values2 == nil)
    values2?.trace(into: &tracer)
  }
}

/// A subclass that adds no property, and can be used as a shape.
final class SoakPolygon: SoakNode, SoakShape {
  func trace(shapeInto tracer: inout GraphTracer) { tracer.object(self) }
}
