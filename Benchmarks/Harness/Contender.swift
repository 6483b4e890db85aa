/// One way to encode and decode the value of a workload, ready to be timed.
///
/// The closures hold the value and the encoded bytes. What an operation returns is kept until its time has been
/// taken, so that freeing it is never part of the measurement.
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
  }

  /// The name in the first column of the table.
  var name: String

  /// What the contender is compared as.
  var role: Role

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
}

extension Contender {
  /// A contender made of an encoding and a decoding function, checked to bring back an equal value.
  ///
  /// A failed check does not end the run: the contender is listed with the reason and is not timed.
  static func checked<Value: Equatable, Encoded>(
    _ name: String,
    role: Role = .other,
    value: Value,
    size: ((Encoded) -> Int)?,
    encode: @escaping (Value) throws -> Encoded,
    decode: @escaping (Encoded) throws -> Value,
    remark: ((Value) throws -> String?)? = nil
  ) -> Contender {
    var contender = Contender(name: name, role: role)
    do {
      let encoded = try encode(value)
      contender.encodedSize = size?(encoded)
      let decoded = try decode(encoded)
      guard decoded == value else {
        contender.failure = "brings back another value"
        return contender
      }
      contender.note = try remark?(decoded)
      contender.encode = { try encode(value) }
      contender.decode = { try decode(encoded) }
    } catch {
      contender.failure = "fails: \(error)"
    }
    return contender
  }

  /// The same contender without its encoding half.
  func onlyDecoding() -> Contender {
    var contender = self
    contender.encode = nil
    return contender
  }

  /// The same contender under another name.
  func named(_ name: String) -> Contender {
    var contender = self
    contender.name = name
    return contender
  }
}
