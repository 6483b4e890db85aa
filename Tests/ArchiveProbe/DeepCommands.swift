import Foundation
import Keepsake

/// Extremely deep graphs, on stacks of several sizes, through the public interface only.
///
///     deep STACK SHAPE COUNT [LIMIT]
///
/// STACK is `main`, `task`, `actor` (in a task), a number of KB (a thread with such a stack), `forked` (the child of a
/// thread of 512 KB) or `starved` (such a thread, in a process that gets no more address space); SHAPE is `list`
/// (deferred), `chain` (plain properties), `tree` (plain arrays), `models` and `modelTree` (properties and arrays of
/// models), `fields` (a class of archived fields), `values` (an indirect enumeration), `caller` or `callerValues` (see
/// ``DeepCaller``), or `isolated` (see ``DeepIsolatedItem``; on the main thread). Prints how many nodes came back, or
/// the code of the error that was thrown. LIMIT is the maximum depth for reading.
///
/// Returns false if the command is another one.
func runDeepCommand(_ arguments: [String]) throws -> Bool {
  guard arguments.first == "deep" else { return false }
  guard arguments.count >= 4, let shape = DeepShape(rawValue: arguments[2]), let count = Int(arguments[3])
  else {
    throw FileCommandError.wrongArguments(arguments)
  }
  var limits = ArchiveLimits()
  if arguments.count > 4, let limit = Int(arguments[4]) { limits.maximumDepth = limit }
  let readingLimits = limits
  let outcome = { @Sendable (isolation: DeepCaller.Isolation) in
    DeepCaller.calling(isolation) { shape.outcome(count, readingLimits) }
  }
  switch arguments[1] {
  case "main":
    print(outcome(.main))
  case "task":
    wait { outcome(.none) }
  case "actor":
    wait {
      let actor = DeepActor()
      return await actor.run { outcome(.own($0)) }
    }
  case "forked":
    // The child must not use the size of the parent's main stack.
    _ = shape.outcome(10, readingLimits)
    onThread(kilobytes: 512) { inForkedProcess { outcome(.none) } }
  case "starved":
    takeNoMoreAddresses()
    onThread(kilobytes: 512) { outcome(.none) }
  default:
    guard let kilobytes = Int(arguments[1]) else { throw FileCommandError.wrongArguments(arguments) }
    onThread(kilobytes: kilobytes) { outcome(.none) }
  }
  return true
}

private func onThread(kilobytes: Int, _ outcome: @escaping @Sendable () -> String) {
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    print(outcome())
    done.signal()
  }
  thread.stackSize = kilobytes << 10
  thread.start()
  done.wait()
}

private func wait(_ outcome: @escaping @Sendable () async -> String) {
  let done = DispatchSemaphore(value: 0)
  Task.detached {
    print(await outcome())
    done.signal()
  }
  done.wait()
}

/// The output of the child, or how it ended.
private func inForkedProcess(_ outcome: () -> String) -> String {
  // Swift hides `fork`, since a child has one thread and the locks of all; here, the other threads hold none.
  guard let symbol = unsafe dlsym(dlopen(nil, RTLD_NOW), "fork") else { return "no fork" }
  // The signature of the manual page.
  let child = unsafe unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)()
  guard child != 0 else {
    let said = outcome()
    // Bypasses the buffer, which may hold output that the parent writes itself.
    FileHandle.standardOutput.write(Data("child: \(said)\n".utf8))
    _exit(0)
  }
  var status: Int32 = 0
  guard unsafe waitpid(child, &status, 0) == child else { return "no child" }
  return status == 0 ? "ended well" : "ended with \(status)"
}

/// From now on, the system provides no memory for a stack.
private func takeNoMoreAddresses() {
  #if os(Linux)
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?
      .split(separator: " ").first.flatMap { UInt($0) }
    let most = (pages ?? 0) * UInt(getpagesize()) + 100 << 20
    var limit = rlimit(rlim_cur: rlim_t(most), rlim_max: rlim_t(most))
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
  #endif
}

private enum DeepShape: String {
  case list, links, chain, tree, models, modelTree, fields, values, caller, callerValues, isolated

  func outcome(_ count: Int, _ limits: ArchiveLimits) -> String {
    do {
      switch self {
      case .list: return String(try DeepListNode.counted(count, limits))
      case .links: return String(try DeepNeighbour.counted(count, limits))
      case .chain: return String(try DeepChainNode.counted(count, limits))
      case .tree: return String(try DeepTreeNode.counted(count, limits))
      case .models: return String(try DeepModel.counted(count, limits))
      case .modelTree: return String(try DeepModelTree.counted(count, limits))
      case .fields: return String(try DeepFields.counted(count, limits))
      case .values: return String(try DeepValue.counted(count, limits))
      case .caller: return String(try DeepCallerNode.counted(count, limits))
      case .callerValues: return String(try DeepCallerValue.counted(count, limits))
      case .isolated:
        return try MainActor.assumeIsolated { String(try DeepIsolatedItem.counted(count, limits)) }
      }
    } catch EncodingError.invalidValue(_, let context) {
      return "not written: \((context.underlyingError as? ArchiveError)?.code.description ?? "\(context)")"
    } catch DecodingError.dataCorrupted(let context) {
      return "not read: \((context.underlyingError as? ArchiveError)?.code.description ?? "\(context)")"
    } catch {
      return "\(error)"
    }
  }
}

/// A node that refers to the next one, and can drop it, so that no list is released recursively.
protocol DeepNode: AnyObject, Codable {
  init()
  var following: Self? { get set }
}

extension DeepNode {
  static func counted(_ count: Int, _ limits: ArchiveLimits) throws -> Int {
    let first = Self()
    var last = first
    for _ in 1..<count {
      let next = Self()
      last.following = next
      last = next
    }
    defer { first.takeApart() }
    let data = try KeyedArchiver.archivedData(withRootObject: first)
    return try KeyedUnarchiver.unarchive(Self.self, from: data, limits: limits).takeApart()
  }

  @discardableResult
  func takeApart() -> Int {
    var count = 0
    var node: Self? = self
    while let current = node {
      count += 1
      node = current.following
      current.following = nil
    }
    return count
  }
}

private final class DeepListNode: DeepNode {
  @Deferred var following: DeepListNode?
}

/// Refers to both neighbors, as links of most lists do.
private final class DeepNeighbour: DeepNode {
  private var next: DeepNeighbour?
  private var previous: DeepNeighbour?

  var following: DeepNeighbour? {
    get { next?.previous === self ? next : nil }
    set {
      next?.previous = nil
      next = newValue
      newValue?.previous = self
    }
  }
}

private final class DeepChainNode: DeepNode {
  var following: DeepChainNode?
}

private final class DeepTreeNode: DeepNode {
  var leaf = 1
  var children: [DeepTreeNode] = []

  var following: DeepTreeNode? {
    get { children.last }
    set { children = newValue.map { [$0] } ?? [] }
  }
}

private final class DeepModel: ArchivedModel, DeepNode {
  var following: DeepModel?
}

private final class DeepModelTree: ArchivedModel, DeepNode {
  var leaf = 1
  var children: [DeepModelTree] = []

  var following: DeepModelTree? {
    get { children.last }
    set { children = newValue.map { [$0] } ?? [] }
  }
}

private final class DeepFields: ArchivedFields, DeepNode {
  var following: DeepFields?
}

private indirect enum DeepValue: Codable {
  case leaf
  case node(DeepValue)

  static func counted(_ count: Int, _ limits: ArchiveLimits) throws -> Int {
    var value = DeepValue.leaf
    for _ in 1..<count { value = .node(value) }
    defer { takeApart(&value) }
    let data = try ArchiveEncoder().encode(value)
    var decoder = ArchiveDecoder()
    decoder.limits = limits
    var back = try decoder.decode(DeepValue.self, from: data)
    return takeApart(&back)
  }

  @discardableResult
  private static func takeApart(_ value: inout DeepValue) -> Int {
    var count = 1
    while case .node(let inner) = value {
      value = inner
      count += 1
    }
    return count
  }
}
