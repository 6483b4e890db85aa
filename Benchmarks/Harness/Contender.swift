/// One way to encode and decode the value of a workload.
///
/// Nothing is encoded before ``prepare`` is called, so that a run of one contender, as under valgrind, does not pay for
/// the others.
struct Contender {
  /// What a contender is compared as.
  enum Role {
    /// Visits or replays every value and does nothing else: what Codable itself costs.
    case floor
    /// Copies bytes: what memory itself costs.
    case copying
    /// The library this suite belongs to.
    case keepsake
    /// Another coder.
    case other
    /// A format of which only the size is known, computed by its rules.
    case rule
  }

  /// The name in the first column of the table.
  var name: String

  /// What the contender is compared as.
  var role: Role

  /// Encodes and decodes once, checks what comes back, and tells what is to be timed.
  var prepare: () -> Trial
}

/// A contender that has encoded and decoded once, ready to be timed.
///
/// The closures hold the value and the encoded bytes. What an operation returns is kept until its time has been
/// taken, so that freeing it is never part of the measurement.
struct Trial {
  /// Bytes of the encoded value, when there are any.
  var encodedSize: Int?

  /// A remark for the last column, such as whether shared objects stayed shared.
  var note: String?

  /// Encodes the value once; nil when the contender only decodes.
  var encode: (() throws -> Any)?

  /// Decodes the value once; nil when the contender only encodes or failed its check.
  var decode: (() throws -> Any)?

  /// Why the contender is not timed, when it could not encode, decode or bring back an equal value.
  var failure: String?

  /// What is done in one direction, if it is.
  func operation(_ direction: Direction) -> (() throws -> Any)? {
    direction == .encode ? encode : decode
  }

  /// The same without anything to time, because of `failure`.
  func failed(_ failure: String) -> Trial {
    Trial(encodedSize: encodedSize, note: note, failure: failure)
  }
}

/// One half of a contender's work.
enum Direction: String, CaseIterable {
  case encode, decode
}

extension Contender {
  /// A contender made of an encoding and a decoding function, checked to bring back an equal value.
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

  /// A contender that reads another type than it writes, checked to bring back `expected`.
  ///
  /// A failed check does not end the run: the contender is listed with the reason and is not timed.
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

  /// The same contender with what it prepares changed.
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
