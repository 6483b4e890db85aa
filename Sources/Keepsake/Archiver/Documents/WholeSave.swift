/// The root object of a document, written as a whole archive.
struct WholeSave {
  let bytes: ByteBuffer
  let objects: KnownObjects
  /// The new numbers of bodies, by the old ones; `nil` if the values were encoded again.
  let newNumbers: [Int: Int]?

  init<Root: Codable>(_ root: Root, _ userInfo: [CodingUserInfoKey: Any]) throws {
    let session = EncodingSession(.sortedKeys, userInfo, hidesRootKey: true)
    defer { session.dropSpares() }
    try session.encodeRoot(root)
    (bytes, objects, newNumbers) = (session.archive, KnownObjects(of: session), nil)
  }

  /// Rewrites the newest save of `image` without reading its values. `known` are the known objects of the file.
  init(rewriting image: ArchiveImage, _ known: KnownObjects) throws {
    let new = try decodingErrors(ArchiveRewriter(image))
    let numbers = new.newNumbers
    (bytes, objects, newNumbers) = (new.buffer, known.renumbered(by: numbers), numbers.bodies)
  }
}

/// Rewrites the document at `path` as an archive of its newest save, whatever types it has.
///
/// - Returns: the numbers of bytes before and after.
/// - Throws: what is wrong with the file; with the code ``ArchiveError/Code/fileInUse`` if a program has it open.
package func compactDocument(_ path: String) throws -> (before: Int, after: Int) {
  let file = try DocumentFile(path)
  let image = try ArchiveImage(data: file.map(), verification: .onDemand)
  guard image.source == nil else {
    throw ArchiveError.misuse("the file is an archive of NSKeyedArchiver, without earlier saves", path: path)
  }
  let bytes = try ArchiveRewriter(image).buffer
  try file.replace(with: bytes) { _ in }
  try file.synchronizeFolder()
  return (image.extent.storedByteCount, bytes.count)
}
