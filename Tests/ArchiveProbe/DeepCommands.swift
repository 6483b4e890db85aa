import Foundation
import Keepsake

/// Graphs as deep as nothing else, on stacks of several sizes. Through the public interface only.
///
///     deep STACK SHAPE COUNT [LIMIT]
///
/// STACK is `main`, `small` (a thread of 512 KB) or `task`; SHAPE is `list` (deferred), `chain` (plain properties),
/// `tree` (plain arrays) or `values` (an indirect enumeration). Prints how many nodes came back, or the code of the
/// error with which it was refused. LIMIT is the greatest depth that is read.
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
  switch arguments[1] {
  case "main":
    print(shape.outcome(count, readingLimits))
  case "small":
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      print(shape.outcome(count, readingLimits))
      done.signal()
    }
    thread.stackSize = 512 << 10
    thread.start()
    done.wait()
  case "task":
    let done = DispatchSemaphore(value: 0)
    Task.detached {
      print(shape.outcome(count, readingLimits))
      done.signal()
    }
    done.wait()
  default:
    throw FileCommandError.wrongArguments(arguments)
  }
  return true
}

private enum DeepShape: String {
  case list, chain, tree, values

  func outcome(_ count: Int, _ limits: ArchiveLimits) -> String {
    do {
      switch self {
      case .list: return String(try DeepListNode.counted(count, limits))
      case .chain: return String(try DeepChainNode.counted(count, limits))
      case .tree: return String(try DeepTreeNode.counted(count, limits))
      case .values: return String(try DeepValue.counted(count, limits))
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

/// A node that refers to the next one, and can let go of it so that no list is torn down by recursion.
private protocol DeepNode: AnyObject, Codable {
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
