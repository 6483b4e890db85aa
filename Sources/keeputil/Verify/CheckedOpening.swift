import Keepsake

extension Input {
  /// Checking the values takes about this many times as long as comparing the bytes with their checksums.
  private static let checksumShare = 8

  /// Opens the archive and checks all of it. If something is wrong, the failure names the object and the path, if they
  /// are known.
  ///
  /// - Parameter progress: shows the progress. By default, it appears on a terminal after half a second.
  func openCheckedArchive(
    _ progress: Progress? = nil
  ) throws(CommandFailure) -> (image: ArchiveImage, summary: ArchiveSummary) {
    let progress = progress ?? self.progress("checking")
    defer { progress.finish() }
    // An archive of NSKeyedArchiver is translated first, and it is not known how long that takes.
    let image =
      kind == .propertyList
      ? try progress.wait { () throws(CommandFailure) in try openArchive() } : try openArchive()
    let ends = (checksums: data.count / Input.checksumShare, values: image.directory.topLevel.upperBound)
    let total = ends.checksums + ends.values
    progress.update(0, of: total)
    do {
      try image.verifyContents { progress.update($0 / Input.checksumShare, of: total) }
    } catch {
      throw failure(error, FaultLocation.words(forBlockOf: error, in: image))
    }
    do {
      let summary = try image.verifyStructure { progress.update(ends.checksums + $0, of: total) }
      // All checksums have been compared. The new image does not compare them again.
      return (image.source == nil ? try ArchiveImage(data: data, verification: .disabled) : image, summary)
    } catch {
      throw failure(error, FaultLocation.words(for: error, in: image))
    }
  }
}

/// What is at a byte of an archive: the object, and the path to the value in it.
enum FaultLocation {
  /// The location as text, such as "in Book #3, at authors[0]"; `nil` if it is unknown.
  static func words(for error: ArchiveError, in image: ArchiveImage) -> String? {
    guard let offset = error.byteOffset else { return nil }
    let directory = image.directory
    if directory.topLevel.contains(offset) {
      let start = directory.topLevel.lowerBound + 1
      let value = try? ArchiveValue(image, at: start, endingBy: directory.topLevel.upperBound, .topLevel)
      return way(to: offset, from: value).map { "at \($0)" } ?? "at the top level"
    }
    if let table = table(at: offset, of: directory) { return "in the \(table)" }
    guard let number = image.bodyNumber(containing: offset),
      let extent = try? image.extent(ofBody: number, at: 0)
    else { return nil }
    var cursor = extent.lowerBound
    guard let classNumber = try? image.classNumber(at: &cursor) as Int?? else { return nil }
    let name = classNumber.map { escaped(image.classes[$0].name) } ?? "value"
    // The value itself may be unreadable.
    let value = try? ArchiveValue(image, at: cursor, endingBy: extent.upperBound, .body)
    return "in \(name) #\(number)" + (way(to: offset, from: value).map { ", at \($0)" } ?? "")
  }

  /// The bodies in the block that does not match its checksum, such as "where #3 to #90 are". Any byte of the block may
  /// have changed.
  static func words(forBlockOf error: ArchiveError, in image: ArchiveImage) -> String? {
    guard let block = error.byteOffset else { return nil }
    let end = min(block + Blocks.byteCount, image.directory.topLevel.lowerBound) - 1
    let start = max(block, Header.byteCount)
    guard start <= end, let first = image.bodyNumber(containing: start),
      let last = image.bodyNumber(containing: end)
    else { return nil }
    return first == last ? "in the middle of #\(first)" : "where #\(first) to #\(last) are"
  }

  private static func table(at offset: Int, of directory: ArchiveDirectory) -> String? {
    let tables = [
      ("key table", directory.keys), ("shape table", directory.shapes), ("class table", directory.classes),
      ("string table", directory.strings), ("conditional table", directory.conditionals),
      ("offset table", directory.offsets),
    ]
    return tables.first { $0.1.range.contains(offset) }?.0
  }

  /// The path to the value that contains the byte at `offset`, or to the last value that can be read. `nil` if no step
  /// leads there.
  private static func way(to offset: Int, from value: ArchiveValue?) -> String? {
    guard let value else { return nil }
    let way = labels(to: offset, from: value).compactMap(\.self)
    return way.isEmpty ? nil : PathText.text(way)
  }

  private static func labels(to offset: Int, from value: ArchiveValue) -> [PathElement?] {
    var way: [PathElement?] = []
    /// Whether the last step leads to a value that is complete or has no members.
    var isBehindLast = false
    var walk = ArchiveWalk(value)
    do {
      while let step = try walk.next() {
        switch step {
        case .leave:
          if try walk.cursor > offset { return way }
          if isBehindLast { way.removeLast() }
          isBehindLast = true
        case .value(let value, let label):
          // The previous value is the last that begins at the byte or before it.
          if value.offset > offset { return way }
          if isBehindLast { way.removeLast() }
          way.append(label)
          isBehindLast = !value.hasMembers
        }
      }
    } catch {
      // The damage is here: the path is known up to this point.
    }
    return way
  }
}
