/// One way to encode and decode the value of a workload.
///
/// It encodes nothing before you call ``prepare``, so that a run of one contender, as under valgrind, does not pay for
/// the others.
struct Contender {
  /// The role of a contender in the comparison.
  enum Role {
    /// Visits or replays every value and does nothing else: the cost of Codable itself.
    case floor
    /// Copies bytes: the cost of memory itself.
    case copying
    /// The library to which this suite belongs.
    case keepsake
    /// Another coder.
    case other
    /// A format whose size is computed by its rules, without a coder.
    case rule
  }

  /// The name in the first column of the table.
  var name: String

  /// The role of the contender in the comparison.
  var role: Role

  /// Encodes and decodes once, checks the result, and returns what to time.
  var prepare: () -> Trial
}

/// A contender that has encoded and decoded once, ready to be timed.
///
/// The closures hold the value and the encoded bytes. The result of an operation is kept until its time has been taken,
/// so that freeing it is never part of the measurement.
struct Trial {
  /// Bytes of the encoded value, if there are any.
  var encodedSize: Int?

  /// A remark for the last column, such as whether shared objects stayed shared.
  var note: String?

  /// Encodes the value once. nil if the contender only decodes.
  var encode: (() throws -> Any)?

  /// Decodes the value once. nil if the contender only encodes or failed its check.
  var decode: (() throws -> Any)?

  /// Why the contender is not timed, if it could not encode, decode or give back an equal value.
  var failure: String?

  /// The operation in one direction, if there is one.
  func operation(_ direction: Direction) -> (() throws -> Any)? {
    direction == .encode ? encode : decode
  }

  /// The same trial without anything to time, because of `failure`.
  func failed(_ failure: String) -> Trial {
    Trial(encodedSize: encodedSize, note: note, failure: failure)
  }
}

/// One half of a contender's work.
enum Direction: String, CaseIterable {
  case encode, decode
}

extension Contender {
  /// A contender with an encoding and a decoding function, which must give back an equal value.
  static func checked<Value: Equatable, Encoded>(
    _ name: String,
    role: Role = .other,
    value: Value,
    size: ((Encoded) -> Int)?,
    encode: @escaping (Value) throws -> Encoded,
    decode: @escaping (Encoded) throws -> Value,
    remark: ((Value) throws -> String?)? = nil
  ) -> Contender {
    checked(
      name,
      role: role,
      value: value,
      expecting: value,
      size: size,
      encode: encode,
      decode: decode,
      remark: remark
    )
  }

  /// A contender that reads another type than it writes, and must give back `expected`.
  ///
  /// A failed check does not end the run: the report lists the contender with the reason and without times.
  static func checked<Value, Part: Equatable, Encoded>(
    _ name: String,
    role: Role = .other,
    value: Value,
    expecting expected: Part,
    size: ((Encoded) -> Int)?,
    encode: @escaping (Value) throws -> Encoded,
    decode: @escaping (Encoded) throws -> Part,
    remark: ((Part) throws -> String?)? = nil
  ) -> Contender {
    Contender(name: name, role: role) {
      var trial = Trial()
      do {
        let encoded = try encode(value)
        trial.encodedSize = size?(encoded)
        let decoded = try decode(encoded)
        guard decoded == expected else { return trial.failed("brings back another value") }
        trial.note = try remark?(decoded)
        trial.encode = { try encode(value) }
        trial.decode = { try decode(encoded) }
        return trial
      } catch {
        return trial.failed("fails: \(error)")
      }
    }
  }

  /// The same contender with a change of the trial that it prepares.
  func changing(_ change: @escaping (inout Trial) -> Void) -> Contender {
    var contender = self
    contender.prepare = { [prepare] in
      var trial = prepare()
      change(&trial)
      return trial
    }
    return contender
  }

  /// The same contender without its encoding half.
  func onlyDecoding() -> Contender {
    changing { $0.encode = nil }
  }

  /// The same contender under another name.
  func named(_ name: String) -> Contender {
    var contender = self
    contender.name = name
    return contender
  }
}
