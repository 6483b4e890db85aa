import Foundation

/// A property for every `Codable` type of the standard library, and for collections of them that are archived in a
/// special way.
struct StandardValues: Codable, RandomValue {
  var bool: Bool
  var int8: Int8
  var int16: Int16
  var int32: Int32
  var int64: Int64
  var int: Int
  var int128: Int128
  var uint8: UInt8
  var uint16: UInt16
  var uint32: UInt32
  var uint64: UInt64
  var uint: UInt
  var uint128: UInt128
  var float: Float
  var double: Double
  var string: String
  var doubles: [Double]
  var floats: [Float]
  var integers: [Int]
  var smallIntegers: [Int16]
  var bytes: [UInt8]
  var bools: [Bool]
  var wide: [Int128]
  var strings: [String]
  var range: Range<Int>
  var closedRange: ClosedRange<UInt8>
  var from: PartialRangeFrom<String>
  var through: PartialRangeThrough<Int32>
  var upTo: PartialRangeUpTo<Double>
  var duration: Duration
  var vector: SIMD4<Int32>
  var contiguous: ContiguousArray<Int>
  var words: Set<String>
  var numbers: Set<Int>
  var byName: [String: Int]
  var byNumber: [Int: String]
  var byChoice: [Choice: Double]
  var byPair: [Pair: [Int]]
  var maybe: Int?
  var twice: Int??
  var thrice: String???
  var maybeMany: [[Int?]?]
  var choice: Choice
  var raw: Raw

  enum Choice: String, Codable, CaseIterable, CodingKeyRepresentable { case one, two, three }
  enum Raw: Int8, Codable, CaseIterable { case low = -128, zero = 0, high = 127 }
  struct Pair: Codable, Hashable {
    var first: Int
    var second: String
  }

  init(using random: inout SplitMix) {
    bool = random.chance(0.5)
    (int8, int16, int32, int64) = (random.integer(), random.integer(), random.integer(), random.integer())
    (int, int128) = (random.integer(), random.integer())
    (uint8, uint16, uint32, uint64) = (random.integer(), random.integer(), random.integer(), random.integer())
    (uint, uint128) = (random.integer(), random.integer())
    (float, double, string) = (random.float(), random.double(), random.string())
    doubles = random.list(20) { $0.double() }
    floats = random.list(20) { $0.float() }
    integers = random.list(20) { $0.integer() }
    smallIntegers = random.list(20) { $0.integer() }
    bytes = random.list(20) { $0.integer() }
    bools = random.list(20) { $0.chance(0.5) }
    wide = random.list(5) { $0.integer() }
    strings = random.list(10) { $0.string() }
    let bounds = [random.integer(Int.self), random.integer()].sorted()
    range = bounds[0]..<bounds[1]
    let small = [random.integer(UInt8.self), random.integer()].sorted()
    closedRange = small[0]...small[1]
    from = random.string()...
    through = ...random.integer()
    upTo = ..<Double(random.integer(Int32.self))
    duration = .init(
      secondsComponent: Int64(random.integer(Int32.self)),
      attosecondsComponent: Int64.random(in: 0..<1_000_000_000_000_000_000, using: &random)
    )
    vector = SIMD4(random.integer(), random.integer(), random.integer(), random.integer())
    contiguous = ContiguousArray(random.list(5) { $0.integer() })
    words = Set(random.list(10) { $0.string() })
    numbers = Set(random.list(10) { $0.integer() })
    byName = Dictionary(random.list(10) { ($0.string(), $0.integer()) }) { $1 }
    byNumber = Dictionary(random.list(10) { ($0.integer(), $0.string()) }) { $1 }
    byChoice = Dictionary(
      random.list(3) { ($0.element(of: Choice.allCases) ?? .one, Double($0.integer(Int32.self))) }
    ) { $1 }
    byPair = Dictionary(
      random.list(4) { random in
        (Pair(first: random.integer(), second: random.string()), random.list(3) { $0.integer() })
      }
    ) { $1 }
    maybe = random.maybe { $0.integer() }
    twice = random.maybe { random in random.maybe { $0.integer() } }
    thrice = random.maybe { random in random.maybe { random in random.maybe { $0.string() } } }
    maybeMany = random.list(4) { random in
      random.maybe { random in random.list(4) { random in random.maybe { $0.integer() } } }
    }
    choice = random.element(of: Choice.allCases) ?? .one
    raw = random.element(of: Raw.allCases) ?? .zero
  }

  func trace(into tracer: inout GraphTracer) {
    tracer.value(bool)
    tracer.value([int8, int8])
    tracer.value([Int64(int16), Int64(int32), int64, Int64(int)])
    tracer.value(int128)
    tracer.value([UInt64(uint8), UInt64(uint16), UInt64(uint32), uint64, UInt64(uint)])
    tracer.value(uint128)
    tracer.bits(float)
    tracer.bits(double)
    tracer.value(Array(string.utf8))
    tracer.value(doubles.map(\.bitPattern))
    tracer.value(floats.map(\.bitPattern))
    tracer.value(integers)
    tracer.value(smallIntegers)
    tracer.value(bytes)
    tracer.value(bools)
    tracer.value(wide)
    tracer.value(strings.map { Array($0.utf8) })
    tracer.value(range)
    tracer.value(closedRange)
    tracer.value(from.lowerBound)
    tracer.value(through.upperBound)
    tracer.value(upTo.upperBound)
    tracer.value(duration)
    tracer.value(vector)
    tracer.value(contiguous)
    tracer.value(words)
    tracer.value(numbers)
    tracer.value(byName)
    tracer.value(byNumber)
    tracer.value(byChoice)
    tracer.value(byPair)
    tracer.value(maybe)
    tracer.value(twice)
    tracer.value(thrice)
    tracer.value(maybeMany)
    tracer.value(choice)
    tracer.value(raw)
  }
}
