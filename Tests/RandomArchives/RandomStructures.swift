import Foundation
import Keepsake

// Structures and enumerations of the random graphs, some with references.

/// A structure with references, one of which is deferred.
struct SoakLink: Codable, RandomValue {
  var label = ""
  var plain: SoakNode?
  @Deferred var later: SoakNode?
  @WeakReference var watched: SoakNode?

  func trace(into tracer: inout GraphTracer) {
    tracer.text(label)
    tracer.object(plain)
    tracer.object(later)
    tracer.weakly(watched)
  }
}

/// A structure that declares its fields, and contains itself.
struct SoakFields: ArchivedFields, RandomValue {
  var street = ""
  var number: Int32 = 0
  var price: Double?
  var flag = false
  var codes: [UInt16] = []
  var day = Date(timeIntervalSinceReferenceDate: 0)
  var others: [SoakFields] = []

  init() {}

  init(using random: inout SplitMix, depth: Int = 2) {
    (street, number, flag) = (random.string(), random.integer(), random.chance(0.5))
    price = random.maybe { $0.double() }
    codes = random.list(8) { $0.integer() }
    day = Date(timeIntervalSinceReferenceDate: Double(random.integer(Int32.self)))
    if depth > 0 { others = random.list(2) { SoakFields(using: &$0, depth: depth - 1) } }
  }

  func trace(into tracer: inout GraphTracer) {
    tracer.text(street)
    tracer.value(number)
    tracer.value(price?.bitPattern)
    tracer.value(flag)
    tracer.value(codes)
    tracer.value(day)
    tracer.values(others)
  }
}

/// An enumeration with payloads of all kinds, including itself.
indirect enum SoakChoice: Codable, RandomValue {
  case nothing
  case number(Int)
  case labelled(text: String, flag: Bool?)
  case node(SoakNode)
  case link(SoakLink, weight: Double)
  case many([SoakChoice])

  func trace(into tracer: inout GraphTracer) {
    switch self {
    case .nothing: tracer.value("nothing")
    case .number(let number): tracer.value(number)
    case .labelled(let text, let flag):
      tracer.text(text)
      tracer.value(flag)
    case .node(let node): tracer.object(node)
    case .link(let link, let weight):
      link.trace(into: &tracer)
      tracer.bits(weight)
    case .many(let choices): tracer.values(choices)
    }
  }
}

// MARK: - Behind a protocol

protocol SoakShape: Codable {
  func trace(shapeInto tracer: inout GraphTracer)
}

/// Shapes that refer to no object, and so can be used where no reference may be.
protocol SoakMarking: SoakShape {}

struct SoakCircle: SoakMarking {
  var radius: Double
  var name: String

  func trace(shapeInto tracer: inout GraphTracer) {
    tracer.value("circle")
    tracer.bits(radius)
    tracer.text(name)
  }
}

enum SoakMark: SoakMarking {
  case dot
  case cross(size: Int, colours: [String])

  func trace(shapeInto tracer: inout GraphTracer) {
    guard case .cross(let size, let colours) = self else { return tracer.value("dot") }
    tracer.value(size)
    tracer.value(colours)
  }
}

struct SoakGroup: SoakShape {
  @Polymorphic var members: [any SoakShape]
  var node: SoakNode?

  func trace(shapeInto tracer: inout GraphTracer) {
    tracer.value(members.count)
    for member in members { member.trace(shapeInto: &tracer) }
    tracer.object(node)
  }
}

extension GraphTracer {
  mutating func shape(_ shape: (any SoakShape)?) {
    value(shape.map { "\(type(of: $0))" } ?? "no shape")
    shape?.trace(shapeInto: &self)
  }
}
