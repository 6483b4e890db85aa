/// Formats for which the suite has no coder. It computes their sizes by their rules.
///
/// Neither format has references, so a shared value counts each time.
extension Contender {
  /// The name of the row of Protocol Buffers.
  static let protocolBuffersName = "Protocol Buffers, by its rules"

  /// The name of the row of MessagePack.
  static let messagePackName = "MessagePack, by its rules"

  /// Protocol Buffers with a message for each type.
  static func protocolBuffers<Value: Encodable>(_ value: Value) -> Contender {
    sized(protocolBuffersName, value) { try ProtocolBuffersSize.size(of: $0) }
  }

  /// MessagePack with the names of the properties as keys.
  static func messagePack<Value: Encodable>(_ value: Value) -> Contender {
    sized(messagePackName, value) { MessagePackSize.size(of: $0) }
  }

  private static func sized<Value: Encodable>(
    _ name: String,
    _ value: Value,
    size: @escaping (EncodedTree) throws -> Int
  ) -> Contender {
    Contender(name: name, role: .rule) {
      do {
        return Trial(encodedSize: try size(EncodedTree.tree(of: value)))
      } catch {
        return Trial(failure: "fails: \(error)")
      }
    }
  }
}
