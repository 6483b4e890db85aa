import Foundation
import Keepsake
import TestSupport
import Testing

/// Models in chains deeper than the limit, so one of their properties is read last.
@Suite struct DeepModels {
  @Test(
    "renamed properties with defaults from a superclass are read last",
    .enabled(if: sized(1, inDebug: 0) == 1, "takes long, and shows nothing more without optimization")
  )
  func readLast() throws {
    let first = DeepStation.chain(130_001)
    defer { first.takeApart() }
    let data = try KeyedArchiver.archivedData(withRootObject: first)
    let back = try KeyedUnarchiver.unarchive(DeepStation.self, from: data)
    let stations = back.takenApart()
    #expect(stations.count == 130_001)
    for (index, station) in stations.enumerated() {
      guard station.number == index, station.lines == ["one"] else {
        Issue.record("Station \(index) is \(station.number), of the lines \(station.lines)")
        break
      }
      guard (station as? DeepTerminus)?.level == (index % 2 == 1 ? index : nil) else {
        Issue.record("Station \(index) is a \(type(of: station))")
        break
      }
      guard index == 0 || station.before === stations[index - 1] else {
        Issue.record("Station \(index) comes after another one")
        break
      }
    }
  }

  @Test("shallow models keep their defaults and nil")
  func defaults() throws {
    let station = try KeyedArchiver.copy(of: DeepStation())
    #expect(station.track?.length == 1)
    station.track = nil
    #expect(try KeyedArchiver.copy(of: station).track == nil)
  }

  @Test(
    "decoding throws if an initializer assigns a property that is read last",
    .enabled(if: sized(1, inDebug: 0) == 1, "takes long, and shows nothing more without optimization")
  )
  func replaced() throws {
    let first = DeepMeddler()
    let second = DeepStation.chain(130_001)
    first.track?.stations = [second]
    defer { second.takeApart() }
    let data = try KeyedArchiver.archivedData(withRootObject: first)
    do {
      _ = try KeyedUnarchiver.unarchive(DeepMeddler.self, from: data)
      Issue.record("The value that init(from:) stored was lost")
    } catch let DecodingError.dataCorrupted(context) {
      #expect(context.debugDescription.contains("DeepStation.track"))
      #expect((context.underlyingError as? ArchiveError)?.code == .misuse)
    }
  }

  @Test(
    "deep models are read and written by another process",
    .enabled(if: sized(1, inDebug: 0) == 1, "takes long, and shows nothing more without optimization"),
    arguments: [GraphSample.deepModels]
  )
  func otherProcess(sample: GraphSample) throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "deep-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: file) }
    try Probe.run("graph-write", sample.rawValue, file)
    #expect(try Data(contentsOf: URL(filePath: file)) == Probe.run("graph-bytes", sample.rawValue))
    #expect(try sample.faults(inFile: file) == [])
    try sample.bytes().write(to: URL(fileURLWithPath: file))
    try Probe.run("graph-check", sample.rawValue, file)
  }
}

class DeepStation: ArchivedModel {
  var number = 0
  var lines: [String] = ["one"]
  var track: DeepTrack? = DeepTrack()
  weak var before: DeepStation?

  override class var archivedKeys: [String: String?] { ["track": "next"] }

  /// Stations, every second one of the subclass.
  static func chain(_ count: Int) -> DeepStation {
    let first = DeepStation()
    var last = first
    for number in 1..<count {
      let station = number % 2 == 1 ? DeepTerminus() : DeepStation()
      station.number = number
      (station as? DeepTerminus)?.level = number
      station.before = last
      last.track?.stations = [station]
      last = station
    }
    last.track = nil
    return first
  }

  func takeApart() { _ = takenApart() }

  /// The stations, separated so that none is released recursively.
  func takenApart() -> [DeepStation] {
    var stations: [DeepStation] = []
    var station: DeepStation? = self
    while let current = station {
      stations.append(current)
      station = current.track?.stations.first
      current.track = nil
    }
    return stations
  }
}

final class DeepTerminus: DeepStation {
  var level = -1
}

final class DeepMeddler: DeepStation {
  required init() { super.init() }

  required init(from decoder: any Decoder) throws {
    try super.init(from: decoder)
    track = DeepTrack()
  }
}

final class DeepTrack: ArchivedModel {
  var length = 1
  var stations: [DeepStation] = []
}
