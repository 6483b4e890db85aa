import Keepsake

/// The protocol of values of three types.
protocol Shape: Codable, Equatable, Sendable {
  var area: Double { get }
}

extension Shape {
  /// Whether `other` is of the same type and equal.
  fileprivate func isEqual(to other: any Shape) -> Bool { self == other as? Self }
}

struct Circle: Shape {
  var radius: Double
  var area: Double { radius * radius * .pi }
}

struct Rectangle: Shape {
  var width: Double
  var height: Double
  var area: Double { width * height }
}

struct Polygon: Shape {
  var sides: Int
  var label: String
  var area: Double { Double(sides) }
}

/// Shapes of any type, each archived with the name of its type.
private struct Drawing: Codable, Equatable {
  @Polymorphic var shapes: [any Shape]

  static func == (left: Drawing, right: Drawing) -> Bool {
    left.shapes.count == right.shapes.count
      && zip(left.shapes, right.shapes).allSatisfy { $0.isEqual(to: $1) }
  }
}

/// The same shapes as an enum, for programs that know all types.
private enum KnownShape: Codable, Equatable {
  case circle(Circle)
  case rectangle(Rectangle)
  case polygon(Polygon)
}

private struct KnownDrawing: Codable, Equatable {
  var shapes: [KnownShape]
}

extension Workload {
  /// Values of three types behind a protocol, compared with the same values as an enum: the cost of the names of types.
  static let protocols = Workload(name: "protocols") { scale in
    var generator = SeededGenerator(seed: 15)
    let known = KnownDrawing(shapes: (0..<scale.count(20_000)).map { _ in KnownShape(using: &generator) })
    let asEnum = CodableContenders(value: known)
    return PreparedWorkload(
      title: "an [any Shape] of \(Figure.count(known.shapes.count)) values of three structs, "
        + "beside the same as an enum, which the floor visits and replays",
      unit: .nanosecondsPer("shape", count: known.shapes.count),
      value: Drawing(shapes: known.shapes.map(\.shape)),
      floor: asEnum.floor,
      alternatives: [
        asEnum.keepsake(named: "Keepsake, an enum"),
        asEnum.json.named("JSON, an enum"),
      ]
    )
  }
}

extension KnownShape {
  fileprivate init(using generator: inout SeededGenerator) {
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: self = .circle(Circle(radius: Double.random(in: 0...100, using: &generator)))
    case 1:
      self = .rectangle(
        Rectangle(
          width: Double.random(in: 0...100, using: &generator),
          height: Double.random(in: 0...100, using: &generator)
        )
      )
    default:
      self = .polygon(
        Polygon(sides: Int.random(in: 3...12, using: &generator), label: generator.word(length: 3...10))
      )
    }
  }

  fileprivate var shape: any Shape {
    switch self {
    case .circle(let circle): circle
    case .rectangle(let rectangle): rectangle
    case .polygon(let polygon): polygon
    }
  }
}
