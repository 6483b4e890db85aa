internal import Foundation
internal import HostileArchives
internal import Synchronization

#if !LIBFUZZER
  /// The process that reads mutants in order, until it is done or dies.
  struct Worker {
    /// The limits of processor time and of waiting for one input, since other processes may use the machine.
    static let mostSeconds = 10
    static let mostSecondsOfWaiting = 120
    /// The limit by which one input may raise the peak memory of the process.
    private static let mostMemory = 256 << 20
    static let hangStatus: Int32 = 3

    let options: FuzzerOptions
    let journal: Journal

    /// Reads all mutants, and returns whether one had a fault.
    func run() throws -> Bool {
      let source = try options.source()
      let watch = Watch()
      watch.start()
      var entry = Journal.Entry()
      entry.peakMemory = ProcessUsage.peakMemory
      for number in options.first..<max(options.first, options.mutants) {
        let mutant = source[number]
        entry.number = number
        try journal.note(entry, mutant.bytes)
        watch.current.store(number, ordering: .relaxed)
        var outcome = HostileReading.read(mutant.bytes, as: mutant.models)
        let peak = ProcessUsage.peakMemory
        if peak > entry.peakMemory + Worker.mostMemory {
          outcome.faults.append("took \((peak - entry.peakMemory) >> 20) MB more than any before")
        }
        entry.peakMemory = peak
        entry.accepted += outcome.accepted
        entry.refused += outcome.refused
        if outcome.wasOpened { entry.opened += 1 }
        if !outcome.faults.isEmpty {
          entry.faults += 1
          try save(mutant.bytes, number, outcome.faults)
        }
      }
      entry.number = options.mutants
      try journal.note(entry, [])
      return entry.faults > 0
    }

    private func save(_ bytes: [UInt8], _ number: Int, _ faults: [String]) throws {
      let path = Supervisor.path("fault", number, options)
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      Report.line("FAULT in \(path): \(faults.joined(separator: "; "))")
    }
  }

  /// Ends the process if one input takes too long. It is a thread, as a signal could interrupt any code.
  private final class Watch: Sendable {
    let current = Atomic(-1)

    func start() {
      Thread { [self] in
        var last = -1
        var begun = (computing: 0, ticks: 0)
        var ticks = 0
        while true {
          Thread.sleep(forTimeInterval: 1)
          ticks += 1
          let computing = ProcessUsage.seconds
          let number = current.load(ordering: .relaxed)
          if number != last { begun = (computing, ticks) }
          last = number
          guard
            computing - begun.computing < Worker.mostSeconds,
            ticks - begun.ticks < Worker.mostSecondsOfWaiting
          else { Foundation.exit(Worker.hangStatus) }
        }
      }.start()
    }
  }

  /// Output for the terminal.
  enum Report {
    static func line(_ text: String) {
      FileHandle.standardError.write(Data((text + "\n").utf8))
    }
  }
#endif
