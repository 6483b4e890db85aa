/// Under which names values may be, besides those of a type of keys, in an archive of a class that has become `@Observable`
/// since, or has ceased to be.
///
/// The macro turns the stored property `title` into `_title`, and adds `_$observationRegistrar`. The keys that the
/// compiler makes follow: what was archived under `title` is requested under `_title`, and the other way round. So where a
/// key is missing, the other name is tried, but only where it is certain that the macro is why: the keys of the class, or
/// those of the record, have the registrar among them.
enum ObservableKeyNames {
  /// No key was missing yet.
  case unknown
  case none
  /// The class is `@Observable`: what it calls `_title` may be `title`.
  case withoutUnderscore
  /// There are records of such classes: what is called `title` here may be `_title` in them.
  case withUnderscore

  static let registrar = "_$observationRegistrar"
}

extension DecodingContainerState {
  /// Where the value of `key`, which is missing, is under its other name; `nil` when it has none.
  @inline(never)
  func offsetByOtherName<Key: CodingKey>(of key: Key) throws -> Int? {
    let registrar = session.keyNumber(ObservableKeyNames.registrar)
    if table.otherNames == .unknown {
      // Keys of more than a byte may be any, so that they tell nothing.
      let isObservable =
        MemoryLayout<Key>.size <= 1 && Key(stringValue: ObservableKeyNames.registrar) != nil
      table.otherNames = isObservable ? .withoutUnderscore : registrar >= 0 ? .withUnderscore : .none
    }
    switch table.otherNames {
    case .unknown, .none: return nil
    case .withoutUnderscore:
      let name = key.stringValue
      guard name.utf8.first == UInt8(ascii: "_"), name != ObservableKeyNames.registrar else { return nil }
      return try find(String(name.dropFirst()))
    case .withUnderscore:
      guard head.isRecord, session.slot(ofKey: registrar, in: head) != nil else { return nil }
      return try find("_" + key.stringValue)
    }
  }
}
