/// The order in which the keys of a record are read.
protocol KeyOrder: Equatable {
  /// Whether the keys are read backwards.
  static var isBackwards: Bool { get }
}

enum Forwards: KeyOrder { static var isBackwards: Bool { false } }
enum Backwards: KeyOrder { static var isBackwards: Bool { true } }

/// A record of very many keys, which are strings made at run time.
struct WideRecord<Order: KeyOrder>: Codable, Equatable {
  static var keyCount: Int { 1_000 }

  var values: [Int]

  init(values: [Int]) {
    self.values = values
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: NumberedKey.self)
    values = Array(repeating: 0, count: Self.keyCount)
    for place in 0..<Self.keyCount {
      let index = Order.isBackwards ? Self.keyCount - 1 - place : place
      values[index] = try container.decode(Int.self, forKey: NumberedKey(index))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: NumberedKey.self)
    for (index, value) in values.enumerated() {
      try container.encode(value, forKey: NumberedKey(index))
    }
  }
}

/// A key with a number in its name.
private struct NumberedKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ number: Int) { stringValue = "property\(number)" }
  init?(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// A record of about as many keys as an enum of one byte can have.
struct ManyCasesRecord<Order: KeyOrder>: Codable, Equatable {
  var values: [Int]

  init(values: [Int]) {
    self.values = values
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: ManyCases.self)
    let keys = ManyCases.allCases
    values = Array(repeating: 0, count: keys.count)
    for place in keys.indices {
      let index = Order.isBackwards ? keys.count - 1 - place : place
      values[index] = try container.decode(Int.self, forKey: keys[index])
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: ManyCases.self)
    for (key, value) in zip(ManyCases.allCases, values) {
      try container.encode(value, forKey: key)
    }
  }
}

/// Two hundred and fifty keys.
enum ManyCases: CodingKey, CaseIterable {
  case a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12
  case a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24
  case b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12
  case b13, b14, b15, b16, b17, b18, b19, b20, b21, b22, b23, b24
  case c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12
  case c13, c14, c15, c16, c17, c18, c19, c20, c21, c22, c23, c24
  case d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11, d12
  case d13, d14, d15, d16, d17, d18, d19, d20, d21, d22, d23, d24
  case e0, e1, e2, e3, e4, e5, e6, e7, e8, e9, e10, e11, e12
  case e13, e14, e15, e16, e17, e18, e19, e20, e21, e22, e23, e24
  case f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12
  case f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24
  case g0, g1, g2, g3, g4, g5, g6, g7, g8, g9, g10, g11, g12
  case g13, g14, g15, g16, g17, g18, g19, g20, g21, g22, g23, g24
  case h0, h1, h2, h3, h4, h5, h6, h7, h8, h9, h10, h11, h12
  case h13, h14, h15, h16, h17, h18, h19, h20, h21, h22, h23, h24
  case i0, i1, i2, i3, i4, i5, i6, i7, i8, i9, i10, i11, i12
  case i13, i14, i15, i16, i17, i18, i19, i20, i21, i22, i23, i24
  case j0, j1, j2, j3, j4, j5, j6, j7, j8, j9, j10, j11, j12
  case j13, j14, j15, j16, j17, j18, j19, j20, j21, j22, j23, j24
}

extension Workload {
  /// Records of 1,000 keys that are strings, written forwards and read backwards.
  static let partialKeys = Workload(name: "partial-keys") { scale in
    var generator = SeededGenerator(seed: 19)
    let values = (0..<scale.count(50)).map { _ in
      (0..<WideRecord<Forwards>.keyCount).map { _ in Int.random(in: 0...99_999, using: &generator) }
    }
    return readBackwards(
      keyCount: WideRecord<Forwards>.keyCount,
      forwards: values.map { WideRecord<Forwards>(values: $0) },
      backwards: values.map { WideRecord<Backwards>(values: $0) }
    )
  }

  /// Records of 250 keys that are cases of an enum, written forwards and read backwards.
  static let partialCases = Workload(name: "partial-cases") { scale in
    var generator = SeededGenerator(seed: 20)
    let values = (0..<scale.count(200)).map { _ in
      ManyCases.allCases.map { _ in Int.random(in: 0...99_999, using: &generator) }
    }
    return readBackwards(
      keyCount: ManyCases.allCases.count,
      forwards: values.map { ManyCasesRecord<Forwards>(values: $0) },
      backwards: values.map { ManyCasesRecord<Backwards>(values: $0) }
    )
  }

  /// The floor can read only forwards. Keepsake reads forwards, too, to show the cost of the order.
  private static func readBackwards<Whole: Codable & Equatable, Part: Codable & Equatable>(
    keyCount: Int,
    forwards: [Whole],
    backwards: [Part]
  ) -> PreparedWorkload {
    let partial = PartialContenders(whole: forwards, part: backwards)
    let inOrder = CodableContenders(value: forwards)
    return PreparedWorkload(
      title: "\(Figure.count(forwards.count)) records of \(Figure.count(keyCount)) keys, read backwards",
      unit: .nanosecondsPer("key", count: forwards.count * keyCount),
      contenders: [inOrder.floor.onlyDecoding()] + partial.keepsake
        + [
          inOrder.keepsake(named: "Keepsake, forwards").onlyDecoding(),
          partial.json, partial.propertyList,
        ]
    )
  }
}
