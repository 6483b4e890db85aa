/// The root object of a document written whole.
struct WholeSave {
  let bytes: ByteBuffer
  let objects: KnownObjects
  /// `nil` where values were encoded anew.
  let newNumbers: ArchiveRewriter.NewNumbers?

  init<Root: Codable>(_ root: Root, _ userInfo: [CodingUserInfoKey: Any]) throws {
    let session = EncodingSession(.sortedKeys, userInfo, hidesRootKey: true)
    defer { session.dropSpares() }
    try session.encodeRoot(root)
    (bytes, objects, newNumbers) = (session.archive, KnownObjects(of: session), nil)
  }

  /// The newest save of `image`, rewritten without reading its values, with the objects that are known of it.
  init(rewriting image: ArchiveImage, _ known: KnownObjects) throws {
    let new = try decodingErrors { () throws(ArchiveError) in try ArchiveRewriter(image) }
    (bytes, objects) = (new.buffer, known.renumbered(new.newNumbers))
    newNumbers = new.newNumbers
  }
}

extension KnownObjects {
  func renumbered(_ new: ArchiveRewriter.NewNumbers) -> KnownObjects {
    renumbered(bodies: new.bodies, conditionals: new.conditionals)
  }
}

/// Writes the document at `path` anew, as an archive of its newest save, whatever types it has.
///
/// - Returns: how many bytes it had and has.
/// - Throws: what is wrong with the file; with the code ``ArchiveError/Code/fileInUse`` when a program has it open.
package func compactDocument(_ path: String) throws(ArchiveError) -> (before: Int, after: Int) {
  let file = try DocumentFile(path)
  let image = try ArchiveImage(data: file.map(), verification: .onDemand)
  guard image.source == nil else { throw .misuse("the file is an archive of NSKeyedArchiver", path: path) }
  let bytes = try ArchiveRewriter(image).buffer
  try file.replace { (file) throws(ArchiveError) in try file.append(bytes) }
  return (image.extent.storedByteCount, bytes.count)
}
