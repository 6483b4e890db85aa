import Foundation

extension Contender {
  /// Copying the bytes of an array of numbers into new memory, there and back.
  static func copying<Element: BitwiseCopyable & Equatable>(_ array: [Element]) -> Contender {
    Contender.checked(
      "copying the bytes",
      role: .copying,
      value: array,
      size: \.count,
      encode: { elements in
        unsafe elements.withUnsafeBytes { bytes in
          guard let start = bytes.baseAddress else { return Data() }
          return unsafe Data(bytes: start, count: bytes.count)
        }
      },
      decode: { data in
        let count = data.count / MemoryLayout<Element>.stride
        // Safety: the new array has room for `count` elements, as many as the data has. The bits are valid elements,
        // since the data was copied from elements.
        return unsafe [Element](unsafeUninitializedCapacity: count) { elements, initializedCount in
          unsafe data.copyBytes(to: UnsafeMutableRawBufferPointer(elements))
          initializedCount = count
        }
      }
    )
  }

  /// Copying a blob into new memory, there and back.
  static func copying(_ blob: Data) -> Contender {
    func copy(_ data: Data) -> Data {
      unsafe data.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress else { return Data() }
        return unsafe Data(bytes: start, count: bytes.count)
      }
    }
    return Contender.checked(
      "copying the bytes",
      role: .copying,
      value: blob,
      size: \.count,
      encode: copy,
      decode: copy
    )
  }
}
