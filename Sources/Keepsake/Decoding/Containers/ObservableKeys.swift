/// The other names under which a class may find its values in an archive, if it has since become `@Observable`, or
/// ceased to be.
///
/// The macro turns the stored property `title` into `_title`, and adds `_$observationRegistrar`. The keys that the
/// compiler synthesizes follow: `title` in the archive is requested as `_title`, or the other way round. So the decoder
/// tries the other name of a missing key, but only if the macro is certainly the reason: the keys of the class, or
/// those of the record, include the registrar.
enum ObservableKeyNames {
  /// No key was missing yet.
  case unknown
  case none
  /// The class is `@Observable`: its `_title` may be `title` in a record.
  case withoutUnderscore
  /// The archive has records of observable classes: `title` may be `_title` in them.
  case withUnderscore

  static let registrar = "_$observationRegistrar"
}

extension DecodingContainerState {
  /// The offset of the value of the missing key `key` under its other name; `nil` if it has none.
  @inline(never)
  func offsetByOtherName<Key: CodingKey>(of key: Key) throws -> Int? {
    let registrar = session.keyNumber(ObservableKeyNames.registrar)
    if table.otherNames == .unknown {
      // A key type of more than a byte may accept any key, which proves nothing.
      let isObservable =
        MemoryLayout<Key>.size <= 1 && Key(stringValue: ObservableKeyNames.registrar) != nil
      table.otherNames = isObservable ? .withoutUnderscore : registrar >= 0 ? .withUnderscore : .none
    }
    let (state, name) = (table.otherNames, key.stringValue)
    if state == .none { return nil }
    if state == .withoutUnderscore, name.utf8.first == UInt8(ascii: "_") {
      return name == ObservableKeyNames.registrar ? nil : try find(String(name.dropFirst()))
    }
    // Also in an observable class, which may no longer observe the property.
    guard head.isRecord, session.slot(ofKey: registrar, in: head) != nil else { return nil }
    return try find("_" + name)
  }
}
