import Keepsake

extension Input {
  /// Comparing bytes with checksums takes about this part of the time that looking at the values in them does.
  private static let checksumShare = 8

  /// Opens the archive and looks at all of it. Where something is wrong, the failure says in which object and at which
  /// path, if that can be told.
  ///
  /// - Parameter progress: where it is shown how far the work is; without it on a terminal, if it takes long.
  func openArchive(
    _ progress: Progress? = nil
  ) throws(CommandFailure) -> (image: ArchiveImage, summary: ArchiveSummary) {
    let progress = progress ?? Progress("checking \(displayed(name))", .whenUseful)
    defer { progress.finish() }
    // One of NSKeyedArchiver is turned into one of Keepsake first, and nobody can tell how long that takes.
    let image =
      kind == .propertyList
      ? try progress.wait { () throws(CommandFailure) in try openArchiveToRead() } : try openArchiveToRead()
    let ends = (checksums: data.count / Input.checksumShare, values: image.directory.topLevel.upperBound)
    let total = ends.checksums + ends.values
    progress.update(0, of: total)
    do {
      try image.verifyContents { progress.update($0 / Input.checksumShare, of: total) }
    } catch {
      throw failure(error, FaultPlace.words(forBlockOf: error, in: image))
    }
    do {
      let summary = try image.verifyStructure { progress.update(ends.checksums + $0, of: total) }
      // All was compared now. Opened like this, nobody asks for that again with each value that is read.
      return (image.source == nil ? try ArchiveImage(data: data, verification: .disabled) : image, summary)
    } catch {
      throw failure(error, FaultPlace.words(for: error, in: image))
    }
  }

  private func failure(_ error: ArchiveError, _ place: String?) -> CommandFailure {
    let failure = failure(error)
    guard let place else { return failure }
    return CommandFailure(failure.status, failure.message.map { "\($0), \(place)" })
  }
}
