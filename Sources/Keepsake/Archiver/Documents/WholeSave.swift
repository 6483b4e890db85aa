/// The root object of a document written whole.
struct WholeSave {
  private let bytes: ByteBuffer
  /// The same archive in the long form, where `bytes` have the short one.
  private let longForm: ByteBuffer?
  private let objects: KnownObjects
  /// The numbers that the bodies have got, by those that they had; `nil` where values were encoded anew.
  let newNumbers: [Int: Int]?

  /// No archive of the short form is larger in the long form.
  private static let mostBytes = 1 << 16

  init<Root: Codable>(_ root: Root, _ userInfo: [CodingUserInfoKey: Any]) throws {
    let (long, objects) = try WholeSave.encode(root, userInfo, prefersShortForm: false)
    self.objects = objects
    newNumbers = nil
    var short = long
    if long.count <= WholeSave.mostBytes {
      (short, _) = try WholeSave.encode(root, userInfo, prefersShortForm: true)
    }
    bytes = short
    longForm = short.count < long.count ? long : nil
  }

  /// The newest save of `image`, rewritten without reading its values, with the objects that are known of it.
  init(rewriting image: ArchiveImage, _ known: KnownObjects) throws {
    let (long, short) = try decodingErrors { () throws(ArchiveError) in
      let long = try ArchiveRewriter.compact(image, prefersShortForm: false)
      let isSmall = long.buffer.count <= WholeSave.mostBytes
      return (long, isSmall ? try ArchiveRewriter.compact(image, prefersShortForm: true).buffer : long.buffer)
    }
    objects = known.renumbered(by: long.numbers)
    newNumbers = long.numbers
    bytes = short
    longForm = short.count < long.buffer.count ? long.buffer : nil
  }

  private static func encode<Root: Codable>(
    _ root: Root,
    _ userInfo: [CodingUserInfoKey: Any],
    prefersShortForm: Bool
  ) throws -> (ByteBuffer, KnownObjects) {
    let session = EncodingSession(sortsKeys: true, userInfo: userInfo, hidesRootKey: true)
    session.settings.rehearse = { KeyedUnarchiver.canRead($0, from: $1) }
    session.bodies.assembly.prefersShortForm = prefersShortForm
    defer { session.dropSpares() }
    try session.encodeRoot(root)
    return (session.archive, KnownObjects(of: session))
  }

  func write(to file: DurableFile) throws(ArchiveError) {
    try file.append(bytes)
  }

  /// The state of the document when it is written to `file`.
  func state(in file: DocumentFile, _ limits: ArchiveLimits) throws -> SavedState {
    let state =
      if let longForm {
        SavedState(
          try decodingErrors { () throws(ArchiveError) in
            try ArchiveImage(longForm.reader(), verification: .disabled, limits: limits)
          },
          longForm: longForm
        )
      } else { try SavedState(file, .onDemand, limits) }
    state.objects = .known(objects)
    return state
  }
}

/// Writes the document at `path` anew, as an archive of its newest save, whatever types it has.
///
/// - Returns: how many bytes it had and has.
/// - Throws: what is wrong with the file; with the code ``ArchiveError/Code/fileInUse`` when a program has it open.
package func compactDocument(_ path: String) throws(ArchiveError) -> (before: Int, after: Int) {
  let file = try DocumentFile(path)
  let image = try ArchiveImage(data: file.map(), verification: .onDemand)
  guard image.source == nil else {
    throw .misuse("the file is an archive of NSKeyedArchiver", path: path)
  }
  let bytes = try ArchiveRewriter.rewrite(image, ArchiveEdits()).buffer
  try file.replace { (file) throws(ArchiveError) in try file.append(bytes) }
  return (image.extent.storedByteCount, bytes.count)
}
