extension Decoder {
  /// Registers `object`, so that the objects it holds can refer back to it while its initializer still runs.
  ///
  /// Call it in the initializer with `self`, once all stored properties have values. With another decoder than
  /// Keepsake's it does nothing.
  public func register(_ object: some SelfRegistering) {
    guard let decoder = archiveDecoder else { return }
    decoder.session.register(object, from: decoder)
  }

  /// The version that `type`, the class being decoded or one of its superclasses, had when the archive was
  /// written: its ``ArchivableClass/archiveVersion`` then.
  ///
  /// It is 0 where the archive states none: when the class was not yet in the chain, and for a structure or an
  /// enumeration that did not stand behind a protocol. With another decoder than Keepsake's, which records no
  /// versions, it is the type's present one.
  public func archivedVersion(of type: Any.Type) -> Int {
    guard let decoder = archiveDecoder else { return ClassNames.declaredVersion(of: type) }
    return decoder.session.archivedVersion(of: type, for: decoder)
  }
}
