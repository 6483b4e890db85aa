import Foundation
import TestSupport
import Testing

/// The folder that a power cut may leave, by a model of a file system that keeps as little order as POSIX allows.
///
/// Anything that was not synchronized may be on disk in any combination: each write of a file, whole or its first half,
/// with zeros where an earlier one is missing, and each change of the folder. Real file systems keep more order, so
/// this finds faults that no available disk shows.
struct CrashStates {
  /// A step of a save that changes the disk.
  enum Step: Equatable {
    case create(file: Int, name: String)
    case write(file: Int, offset: Int, count: Int)
    case synchronize(file: Int)
    case rename(from: String, to: String)
    case remove(name: String)
    case synchronizeFolder
  }

  /// The files of a folder.
  typealias Contents = [String: Data]

  /// The possible contents of the folder if the power fails after the steps.
  ///
  /// - Parameters:
  ///   - steps: The steps that were done.
  ///   - before: The earlier contents, all on disk.
  ///   - written: The bytes of the files; writes are parts of it.
  static func states(after steps: ArraySlice<Step>, before: Contents, written: Data) -> Set<Contents> {
    var files: [Int: FileState] = [:]
    var folder = before.mapValues { Entry.old($0) }
    var pending: [Step] = []
    for step in steps {
      switch step {
      case .create(let file, _):
        files[file] = FileState()
        pending.append(step)
      case .write(let file, let offset, let count):
        files[file]?.pending.append(offset..<offset + count)
      case .synchronize(let file):
        files[file]?.synchronize(written)
      case .rename, .remove:
        pending.append(step)
      case .synchronizeFolder:
        for step in pending { apply(step, to: &folder, files: pending + steps) }
        pending = []
      }
    }
    var states: Set<Contents> = []
    for chosen in subsets(pending) {
      var entries = folder
      for step in chosen { apply(step, to: &entries, files: Array(steps)) }
      // All combinations of the possible contents of each file that has a name.
      var partial: [Contents] = [[:]]
      for (name, entry) in entries {
        let choices: Set<Data> =
          switch entry {
          case .old(let data): [data]
          case .new(let file): files[file]?.possibleContents(written) ?? []
          }
        partial = partial.flatMap { contents in
          choices.map { choice in contents.merging([name: choice]) { $1 } }
        }
      }
      states.formUnion(partial)
    }
    return states
  }

  // MARK: The folder

  private enum Entry {
    case old(Data)
    case new(Int)
  }

  /// - Parameter files: The steps that tell which file got a name first.
  private static func apply(_ step: Step, to folder: inout [String: Entry], files: [Step]) {
    switch step {
    case .create(let file, let name):
      folder[name] = .new(file)
    case .rename(let from, let to):
      // The rename may be on disk without the creation.
      let created = files.compactMap { step in
        if case .create(let file, from) = step { Entry.new(file) } else { nil }
      }
      if let entry = folder[from] ?? created.last { folder[to] = entry }
      folder[from] = nil
    case .remove(let name):
      folder[name] = nil
    case .write, .synchronize, .synchronizeFolder:
      break
    }
  }

  private static func subsets<Element>(_ elements: [Element]) -> [[Element]] {
    elements.reduce([[]]) { subsets, element in subsets + subsets.map { $0 + [element] } }
  }

  // MARK: A file

  private struct FileState {
    private var durable = Data()
    /// The ranges that were written and not synchronized.
    var pending: [Range<Int>] = []

    mutating func synchronize(_ written: Data) {
      for range in pending { Self.put(written, range, into: &durable) }
      pending = []
    }

    func possibleContents(_ written: Data) -> Set<Data> {
      var choices: Set<Data> = []
      for ranges in CrashStates.subsets(pending) {
        var whole = durable
        for range in ranges { Self.put(written, range, into: &whole) }
        choices.insert(whole)
        guard let last = ranges.last else { continue }
        var cut = durable
        for range in ranges.dropLast() { Self.put(written, range, into: &cut) }
        Self.put(written, last.lowerBound..<last.lowerBound + last.count / 2, into: &cut)
        choices.insert(cut)
        // The size is on disk, and the last bytes are not.
        choices.insert(cut + Data(count: max(0, last.upperBound - cut.count)))
      }
      return choices
    }

    private static func put(_ written: Data, _ range: Range<Int>, into data: inout Data) {
      if data.count < range.upperBound { data += Data(count: range.upperBound - data.count) }
      data.replaceSubrange(range, with: written[range])
    }
  }
}

extension CrashStates.Step {
  /// The steps of a save with a complete trace.
  ///
  /// - Throws: an error if the trace has an unknown call that changes the disk.
  static func steps(of calls: [SystemCallTrace.Call]) throws -> [Self] {
    var steps: [Self] = []
    /// The file and the offset of each open descriptor that is written to.
    var open: [String: (file: Int, offset: Int)] = [:]
    var count = 0
    for call in calls where call.isAboutFiles {
      let descriptor = String(call.arguments.prefix { $0.isNumber })
      let names = call.arguments.split(separator: "\"", omittingEmptySubsequences: false)
      switch call.name {
      case "openat" where call.arguments.contains("O_CREAT"):
        let result = try #require(call.result)
        steps.append(.create(file: count, name: try lastName(names[1])))
        open["\(result)"] = (count, 0)
        count += 1
      case "write":
        let (file, offset) = try #require(open[descriptor], "\(call)")
        let written = try #require(call.result)
        steps.append(.write(file: file, offset: offset, count: written))
        open[descriptor] = (file, offset + written)
      case "fsync":
        steps.append(open[descriptor].map { .synchronize(file: $0.file) } ?? .synchronizeFolder)
      case "renameat":
        try #require(names.count == 5, "\(call)")
        steps.append(.rename(from: try lastName(names[1]), to: try lastName(names[3])))
      case "unlinkat":
        steps.append(.remove(name: try lastName(names[1])))
      case "close":
        open[descriptor] = nil
      case "openat", "newfstatat", "fstat", "statx", "getdents64", "fcntl", "flock", "fchown", "fchmod",
        "readlink",
        "lseek", "pread64", "flistxattr", "fgetxattr", "fsetxattr", "fremovexattr":
        break
      default:
        Issue.record("what does \(call) do to the disk?")
      }
    }
    return steps
  }

  /// Names are relative to the folder, which the save holds open.
  private static func lastName(_ name: Substring) throws -> String {
    try #require(!name.isEmpty && !name.contains("/"), "\(name)")
    return String(name)
  }
}
