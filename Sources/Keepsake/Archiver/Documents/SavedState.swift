#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a document knows of its file: the newest save, and which objects are in it.
final class SavedState {
  /// The objects that the file has.
  enum Objects {
    /// Those that a session has read.
    case read(DecodingSession)
    case known(KnownObjects)
  }

  let image: ArchiveImage
  /// The archive in the long form, where the file has the short one.
  let longForm: ByteBuffer?
  var objects: Objects

  /// A save that is still to be written.
  struct Changes {
    fileprivate let assembly: SaveAssembly
    /// Whether there are lazy values that were not read.
    fileprivate let hasUnread: Bool
    /// How many bytes of the file have newer ones in their place then.
    fileprivate let replacedByteCount: Int
  }

  init(
    _ data: Data,
    _ verification: ArchiveVerification,
    _ limits: ArchiveLimits,
    _ path: String
  ) throws {
    let stored: ArchiveImage
    do throws(ArchiveError) {
      stored = try ArchiveImage(data: data, verification: verification, limits: limits)
      guard stored.source == nil else {
        throw ArchiveError(
          .misuse,
          "The file is an archive of NSKeyedArchiver. Read it with KeyedUnarchiver and create a document",
          path: path
        )
      }
      guard try stored.hasRootAlone else {
        throw ArchiveError(
          .misuse,
          "The archive has other keys than that of a root object. Read it with KeyedUnarchiver",
          path: path
        )
      }
      let long = stored.directory.isShort ? try stored.longForm() : nil
      longForm = long
      image =
        if let long {
          try ArchiveImage(long.reader(), verification: .disabled, limits: limits)
        } else { stored }
    } catch  where error.code != .misuse {
      throw KeyedUnarchiver.corrupted(error)
    }
    objects = .known(.none)
  }

  /// An archive of the short form, of which `image` is that of the long form.
  init(_ image: ArchiveImage, longForm: ByteBuffer) {
    self.image = image
    self.longForm = longForm
    objects = .known(.none)
  }

  /// A session that reads an archive, in an image of its own: lazy values are read by any thread.
  func decodingSession(
    _ image: ArchiveImage,
    _ limits: ArchiveLimits,
    _ classPolicy: ArchiveClassPolicy,
    _ userInfo: [CodingUserInfoKey: Any]
  ) throws -> DecodingSession {
    do throws(ArchiveError) {
      let image = try ArchiveImage(image.reader, verification: .onDemand, limits: limits)
      let session = try DecodingSession(image, userInfo: userInfo, limits: limits, hidesRootKey: true)
      session.classPolicy = classPolicy
      return session
    } catch {
      throw KeyedUnarchiver.corrupted(error)
    }
  }

  // MARK: Saves

  var saves: [ArchiveSave] {
    let first = ArchiveSave(number: 1, byteCount: image.firstEnd, date: nil)
    return [first]
      + image.saves.map { save in
        ArchiveSave(
          number: save.number,
          byteCount: save.range.count,
          date: save.date.map { Date(timeIntervalSinceReferenceDate: $0) }
        )
      }
  }

  func image(asOf number: Int, _ limits: ArchiveLimits, _ path: String) throws -> ArchiveImage {
    do throws(ArchiveError) {
      return try image.asOf(number, limits)
    } catch  where error.code != .misuse {
      throw KeyedUnarchiver.corrupted(error)
    }
  }

  // MARK: A new save

  /// Makes `session` one that adds a save to the file.
  func begin(_ session: EncodingSession) throws -> SavedNumbers {
    do throws(ArchiveError) {
      let numbers = SavedNumbers(
        knownObjects,
        bodyCount: image.directory.bodyCount,
        valueNumber: try image.rootValueNumber
      )
      try session.add(to: image, numbers)
      return numbers
    } catch {
      throw KeyedUnarchiver.corrupted(error)
    }
  }

  var knownObjects: KnownObjects {
    switch objects {
    case .known(let objects): objects
    case .read(let session):
      session.turn.take {
        KnownObjects(bodyCount: session.image.directory.bodyCount) {
          session.objects.object($0) ?? session.lazyContents[$0]?.content
        }
      }
    }
  }

  /// Whether the document has lazy values that were not read.
  var hasUnread: Bool { knownObjects.contains { ($0 as? AnyLazyContent)?.isArchived == true } }

  /// What of `content` is not in the file; `nil` where all of it is.
  func changes(_ content: SaveContent) throws -> Changes? {
    do throws(ArchiveError) {
      var content = content
      let changed = try ChangedBodies(content, image)
      let conditionals = try image.conditionalTargets
      if changed.hasUnread {
        // What was not read may refer to the object.
        for (index, target) in conditionals.enumerated() where content.conditionals[index] == 0 {
          content.conditionals[index] = target
        }
      }
      let before = TablesBefore(
        keyCount: image.keys.count,
        shapeCount: image.shapeCount,
        classes: image.classes,
        stringCount: image.stringCount,
        conditionals: conditionals,
        bodyCount: image.directory.bodyCount
      )
      let topLevel = 0..<content.topLevel.count
      let topLevelIsSame = try image.has(content.topLevel, topLevel, in: image.directory.topLevel)
      let assembly = SaveAssembly(content: content, before: before, changed: changed.bodies)
      if assembly.isEmpty(topLevelIsSame: topLevelIsSame) { return nil }
      return Changes(
        assembly: assembly,
        hasUnread: changed.hasUnread,
        replacedByteCount: changed.replacedByteCount + topLevel.count
      )
    } catch {
      throw KeyedUnarchiver.corrupted(error)
    }
  }

  /// The bytes of a save, to be appended to the file.
  func bytes(of changes: Changes, _ date: Date?) -> ByteBuffer {
    changes.assembly.bytes(
      number: saves.count + 1,
      date: date?.timeIntervalSinceReferenceDate,
      start: image.storedByteCount,
      checksumBefore: image.newestChecksum,
      image.hasChecksums ? [] : .withoutChecksums
    )
  }

  /// Files that are smaller than this are not compacted: there is nothing to gain.
  private static let leastCompacted = 1 << 16

  /// Whether more than half of the file is out of date with a save of `changes`.
  func isMostlyOutOfDate(with changes: Changes) -> Bool {
    let byteCount = image.storedByteCount + changes.assembly.changedByteCount
    var outOfDate = image.replacedByteCount + changes.replacedByteCount
    if !changes.hasUnread {
      // Objects that are gone are not among what was replaced.
      let needed = changes.assembly.content.byteCount + image.tableByteCount
      outOfDate = max(outOfDate, byteCount - needed)
    }
    return byteCount > SavedState.leastCompacted && outOfDate > byteCount / 2
  }
}
