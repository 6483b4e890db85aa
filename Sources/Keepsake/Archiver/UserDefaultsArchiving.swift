#if canImport(Foundation)
  public import Foundation

  extension UserDefaults {
    /// Stores the archive of `value` under `key`, as data.
    ///
    /// ```swift
    /// try UserDefaults.standard.archive(people, forKey: "people")
    /// ```
    ///
    /// - Throws: as ``KeyedArchiver/archivedData(withRootObject:outputFormatting:userInfo:)``; an earlier value stays.
    public func archive<Value: Encodable>(_ value: Value, forKey key: String) throws {
      set(try KeyedArchiver.archivedData(withRootObject: value), forKey: key)
    }

    /// Decodes the value whose archive ``archive(_:forKey:)`` stored under `key`; `nil` if no data is stored.
    ///
    /// - Throws: `DecodingError` when the data is not an archive of a `Value`, and errors of an `init(from:)`.
    public func unarchive<Value: Decodable>(_ type: Value.Type, forKey key: String) throws -> Value? {
      try data(forKey: key).map { try KeyedUnarchiver.unarchive(type, from: $0) }
    }
  }
#endif
