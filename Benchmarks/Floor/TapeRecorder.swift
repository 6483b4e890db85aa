/// An encoder that records every value on a ``Tape``. It is never timed.
///
/// Values must be written in the order in which they are read; containers that are filled alternately would be mixed
/// up.
struct TapeRecorder: Encoder {
  /// The tape under construction, shared by all containers.
  final class Recording {
    var tape = Tape()
  }

  let recording: Recording

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Records `value`.
  static func tape<Value: Encodable>(of value: Value) throws -> Tape {
    let recorder = TapeRecorder(recording: Recording())
    try value.encode(to: recorder)
    return recorder.recording.tape
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    let list = recording.tape.keyLists.count
    recording.tape.keyLists.append([])
    recording.tape.slots.append(.header(list))
    return KeyedEncodingContainer(RecordingKeyedContainer<Key>(recorder: self, list: list))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    let header = recording.tape.slots.count
    recording.tape.slots.append(.header(0))
    return RecordingUnkeyedContainer(recorder: self, header: header)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    RecordingSingleValueContainer(recorder: self)
  }

  /// Records a primitive value, or everything that another value encodes.
  fileprivate func record<Value: Encodable>(_ value: Value) throws {
    switch value {
    case let text as String:
      recording.tape.slots.append(.text(recording.tape.texts.count))
      recording.tape.texts.append(text)
    case let flag as Bool: append(flag ? 1 : 0)
    case let number as Double: append(number.bitPattern)
    case let number as Float: append(UInt64(number.bitPattern))
    case let number as any FixedWidthInteger: append(UInt64(truncatingIfNeeded: number))
    default: try value.encode(to: self)
    }
  }

  /// Records a nil or a missing optional.
  fileprivate func recordAbsence() {
    recording.tape.slots.append(.absent)
  }

  private func append(_ bits: UInt64) {
    recording.tape.slots.append(.bits(bits))
  }
}

/// The recorder's container for a single value.
///
/// Here and below, one generic method meets the requirements for all primitive types.
private struct RecordingSingleValueContainer: SingleValueEncodingContainer {
  let recorder: TapeRecorder

  var codingPath: [any CodingKey] { [] }

  func encodeNil() { recorder.recordAbsence() }
  func encode<Value: Encodable>(_ value: Value) throws { try recorder.record(value) }
}

/// The recorder's unkeyed container, which keeps the count in the header up to date.
private struct RecordingUnkeyedContainer: UnkeyedEncodingContainer {
  let recorder: TapeRecorder
  let header: Int
  private(set) var count = 0

  init(recorder: TapeRecorder, header: Int) {
    self.recorder = recorder
    self.header = header
  }

  var codingPath: [any CodingKey] { [] }

  mutating func encodeNil() { counted().recordAbsence() }
  mutating func encode<Value: Encodable>(_ value: Value) throws { try counted().record(value) }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    counted().container(keyedBy: keyType)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    counted().unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { counted() }

  private mutating func counted() -> TapeRecorder {
    count += 1
    recorder.recording.tape.slots[header] = .header(count)
    return recorder
  }
}

/// The recorder's keyed container.
private struct RecordingKeyedContainer<Key: CodingKey>: AbsenceRecordingContainer {
  let recorder: TapeRecorder

  /// The index of this container's keys in the key lists.
  let list: Int

  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) { noting(key).recordAbsence() }
  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try noting(key).record(value) }

  func recordIfPresent<Value: Encodable>(_ value: Value?, _ key: Key) throws {
    guard let value else { return recorder.recordAbsence() }
    try encode(value, forKey: key)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    noting(key).container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    noting(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { recorder }
  func superEncoder(forKey key: Key) -> any Encoder { noting(key) }

  private func noting(_ key: Key) -> TapeRecorder {
    recorder.recording.tape.keyLists[list].append(key.stringValue)
    return recorder
  }
}
