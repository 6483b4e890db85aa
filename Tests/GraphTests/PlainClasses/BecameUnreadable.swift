import Keepsake
import TestSupport
import Testing

/// Cycles that types of an earlier version closed and those of a later version cannot close: the error names the types,
/// and its advice works.
@Suite struct BecameUnreadable {
  final class Album: Codable {
    var tracks: [Track] = []
  }

  final class Track: Codable {
    unowned let album: Album
    init(_ album: Album) { self.album = album }
  }

  private let album: Album = {
    let album = Album()
    album.tracks = [Track(album), Track(album)]
    return album
  }()

  final class ConstantAlbum: Codable {
    let tracks: [ConstantTrack]
  }

  final class ConstantTrack: Codable {
    let album: ConstantAlbum
  }

  @Test("a cycle without a property that can wait is an error with advice")
  func constants() throws {
    let found = try failure { try transcode(album, to: ConstantAlbum.self) }
    #expect(found.code == .cycle && found.path == "tracks/[0]/album")
    #expect(found.description.contains("refers back to the ConstantAlbum whose initializer is still running"))
    #expect(found.description.contains("Make a property in the cycle an optional var"))
  }

  final class OptionalAlbum: Codable {
    let tracks: [OptionalTrack]
  }

  final class OptionalTrack: Codable {
    var album: OptionalAlbum?
  }

  final class DeferringAlbum: Codable {
    let tracks: [DeferringTrack]
  }

  final class DeferringTrack: Codable {
    @Deferred var album: DeferringAlbum
  }

  @Test("following the advice makes the cycle readable")
  func advice() throws {
    let optional = try transcode(album, to: OptionalAlbum.self)
    #expect(optional.tracks.count == 2 && optional.tracks.allSatisfy { $0.album === optional })
    let deferring = try transcode(album, to: DeferringAlbum.self)
    #expect(deferring.tracks.count == 2 && deferring.tracks.allSatisfy { $0.album === deferring })
  }

  final class Folder: Codable {
    var folders: [Folder] = []
  }

  struct StructureFolder: Codable {
    var folders: [StructureFolder]
  }

  @Test("structures that read objects of a cycle exceed a limit, and the error gives advice")
  func structures() throws {
    let folder = Folder()
    folder.folders = [Folder(), folder]
    defer { folder.folders = [] }
    let found = try failure { try transcode(folder, to: StructureFolder.self) }
    #expect(found.code == .limitExceeded)
    #expect(found.description.contains("If structures read objects that form a cycle, make them classes"))
  }
}
