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
  return (image.storedByteCount, bytes.count)
}
