/// Recorded values in the order they were encoded, without keys.
struct Tape {
  /// One entry of the tape.
  enum Slot {
    /// A number or a bool as its bit pattern.
    case bits(UInt64)
    /// A string, by its index in ``texts``.
    case text(Int)
    /// A nil, or an optional that was not encoded.
    case absent
    /// The start of a container: the number of its elements, or the index of its keys in ``keyLists``.
    case header(Int)
  }

  /// The slots in order.
  var slots: [Slot] = []

  /// The strings in order.
  var texts: [String] = []

  /// The keys of every keyed container, in the order the containers were begun.
  ///
  /// Only types that request `allKeys` need them: dictionaries, and enums with payloads.
  var keyLists: [[String]] = []

  /// The number of values on the tape, including nils.
  var valueCount: Int {
    slots.count { slot in
      if case .header = slot { false } else { true }
    }
  }
}

/// A position on a tape, which advances with every value read.
///
/// It has a pointer instead of an object, so that the floor does not retain it for every container.
@safe
struct TapeReader {
  /// Thrown if the next value on the tape is not of the requested kind.
  struct Mismatch: Error {}

  private struct State {
    let tape: Tape
    var position = 0
  }

  // Safety: points to a variable of `replay`, which outlives every decoder that uses it, since synthesized decoding
  // keeps none of them.
  private let state: UnsafeMutablePointer<State>

  /// Decodes a value from the beginning of `tape`.
  static func replay<Value: Decodable>(_ type: Value.Type, from tape: Tape) throws -> Value {
    var state = State(tape: tape)
    return try unsafe withUnsafeMutablePointer(to: &state) { pointer in
      try Value(from: TapeDecoder(reader: unsafe TapeReader(state: pointer)))
    }
  }

  private init(state: UnsafeMutablePointer<State>) {
    unsafe self.state = state
  }

  /// Reads an integer of any width.
  @inline(__always)
  func integer<Value: FixedWidthInteger>(_ type: Value.Type) throws -> Value {
    Value(truncatingIfNeeded: try bits())
  }

  /// Reads a bool.
  @inline(__always)
  func flag() throws -> Bool {
    try bits() != 0
  }

  /// Reads a double.
  @inline(__always)
  func double() throws -> Double {
    Double(bitPattern: try bits())
  }

  /// Reads a float.
  @inline(__always)
  func float() throws -> Float {
    Float(bitPattern: UInt32(truncatingIfNeeded: try bits()))
  }

  /// Reads a string.
  @inline(__always)
  func text() throws -> String {
    guard case .text(let index) = next else { throw Mismatch() }
    advance()
    return unsafe state.pointee.tape.texts[index]
  }

  /// Moves past a nil if it comes next, and returns whether it did.
  @inline(__always)
  func skipAbsent() -> Bool {
    guard case .absent = next else { return false }
    advance()
    return true
  }

  /// Reads the start of a container.
  @inline(__always)
  func header() throws -> Int {
    guard case .header(let value) = next else { throw Mismatch() }
    advance()
    return value
  }

  /// The keys of the keyed container whose header is `header`.
  func keys(ofContainer header: Int) -> [String] {
    unsafe state.pointee.tape.keyLists[header]
  }

  @inline(__always)
  private func bits() throws -> UInt64 {
    guard case .bits(let bits) = next else { throw Mismatch() }
    advance()
    return bits
  }

  private var next: Tape.Slot {
    @inline(__always)
    get { unsafe state.pointee.tape.slots[state.pointee.position] }
  }

  @inline(__always)
  private func advance() {
    unsafe state.pointee.position &+= 1
  }
}
