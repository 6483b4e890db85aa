/// The plans for the objects whose bodies are still to be written, in the order of their numbers. Each takes a byte or
/// two, since up to half of a tree waits at once.
struct PendingObjects {
  private var plans: [AnyEncodingPlan] = []
  /// The number of each object's plan, as a varint.
  private let numbers = ByteBuffer(minimumCapacity: 64)
  private var head = 0
  /// How many processed bytes have been dropped before those that are kept.
  private var doneByteCount = 0

  /// This many processed bytes may stay before the bytes behind them are moved to the front.
  private static let mostDone = 1 << 16

  /// Where the numbers end, counted from the first that was ever appended.
  @inline(__always)
  var end: Int { doneByteCount &+ numbers.count }

  @inline(__always)
  var isEmpty: Bool { head == numbers.count }

  @inline(__always)
  mutating func append(_ plan: AnyEncodingPlan) {
    if plan.pendingNumber < 0 { add(plan) }
    numbers.append(varint: plan.pendingNumber)
  }

  private mutating func add(_ plan: AnyEncodingPlan) {
    plan.pendingNumber = plans.count
    plans.append(plan)
  }

  @inline(__always)
  mutating func next() -> Unretained<AnyEncodingPlan>? {
    guard head < numbers.count else { return nil }
    if head > PendingObjects.mostDone, head > numbers.count / 2 { forgetDone() }
    let first = numbers[head]
    head &+= 1
    return Unretained(plans[first < 0x80 ? Int(first) : longNumber(first)])
  }

  /// The number whose first byte, but not its last, is `first`.
  @inline(never)
  private mutating func longNumber(_ first: UInt8) -> Int {
    var number = Int(first & 0x7F)
    for shift in stride(from: 7, to: Int.bitWidth, by: 7) where head < numbers.count {
      let byte = numbers[head]
      head += 1
      number |= Int(byte & 0x7F) << shift
      if byte < 0x80 { break }
    }
    return number
  }

  @inline(never)
  private mutating func forgetDone() {
    numbers.removePrefix(head)
    doneByteCount += head
    head = 0
  }

  mutating func truncate(to end: Int) {
    numbers.truncate(to: min(numbers.count, max(0, end - doneByteCount)))
    head = min(head, numbers.count)
  }

  /// Forgets all objects that wait.
  mutating func removeAll() { truncate(to: 0) }
}
