import Foundation

/// The committed counts, which reveal a change that costs something.
struct CountsFile: Codable {
  /// The command that writes this file, for its readers.
  var about: String

  /// The version of the Swift compiler: instructions depend on it.
  var swift: String?

  /// The processor's architecture: instructions depend on it.
  var architecture: String

  /// The counts, by the name of the workload.
  var workloads: [String: WorkloadCounts]

  /// The counts of a run on this machine.
  init(workloads: [String: WorkloadCounts]) {
    about = "written by: swift run -c release keepsake-benchmarks --counts --write FILE"
    swift = Machine.swiftVersion
    architecture = Machine.architecture
    self.workloads = workloads
  }

  /// Reads a file.
  init(contentsOfFile path: String) throws {
    self = try JSONDecoder().decode(CountsFile.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// Writes a file with a line for each figure, in an order that does not change.
  func write(toFile path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    var data = try encoder.encode(self)
    data.append(UInt8(ascii: "\n"))
    try data.write(to: URL(fileURLWithPath: path), options: .atomic)
  }
}

/// The counts of one workload, for each element.
struct WorkloadCounts: Codable {
  /// The name of an element.
  var unit: String

  /// The number of elements. Figures for different numbers are not comparable.
  var count: Int

  var keepsake: ContenderCounts?
  var floor: ContenderCounts?
}

/// The counts of one contender.
struct ContenderCounts: Codable {
  var encode: OperationCounts?
  var decode: OperationCounts?

  /// The counts in one direction.
  subscript(direction: Direction) -> OperationCounts? {
    get { direction == .encode ? encode : decode }
    set {
      switch direction {
      case .encode: encode = newValue
      case .decode: decode = newValue
      }
    }
  }
}

/// The cost of one operation for each element. Figures that were not counted are nil.
struct OperationCounts: Codable {
  var allocations: Double?
  var instructions: Double?

  /// Divides counts of a whole operation by the number of elements.
  ///
  /// Instructions vary by some in a hundred thousand, so more digits would only make the file change with each run.
  init(allocations: Int?, instructions: Double?, count: Int) {
    self.allocations = allocations.map { Self.rounded(Double($0) / Double(count), digits: 4) }
    self.instructions = instructions.map { Self.rounded($0 / Double(count), digits: 4) }
  }

  /// The value with `digits` significant digits, or those of its whole part if they are more.
  private static func rounded(_ value: Double, digits: Int) -> Double {
    guard value > 0 else { return 0 }
    let places = min(6, max(0, digits - Int(log10(value).rounded(.up))))
    let factor = pow(10, Double(places))
    return (value * factor).rounded() / factor
  }
}
