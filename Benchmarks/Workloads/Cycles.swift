import Keepsake

/// An album with its tracks, which refer back to the album weakly.
final class Album: Codable, Equatable {
  let title: String
  let year: Int
  private(set) var tracks: [Track]

  init(_ album: PlainAlbum) {
    title = album.title
    year = album.year
    tracks = []
    tracks = album.tracks.map { Track($0, album: self) }
  }

  /// Compares what every coder must give back. ``waysBack(in:)`` compares the rest.
  static func == (left: Album, right: Album) -> Bool {
    left.title == right.title && left.year == right.year && left.tracks == right.tracks
  }
}

/// A track that does not retain its album.
final class Track: Codable, Equatable {
  let title: String
  let duration: Double
  @WeakReference private(set) var album: Album?

  init(_ track: PlainTrack, album: Album) {
    title = track.title
    duration = track.duration
    self.album = album
  }

  static func == (left: Track, right: Track) -> Bool {
    left.title == right.title && left.duration == right.duration
  }
}

/// An album that its tracks retain. So it is never freed unless its tracks are removed.
final class RingAlbum: Codable {
  let title: String
  let year: Int
  fileprivate(set) var tracks: [RingTrack]

  init(_ album: PlainAlbum) {
    title = album.title
    year = album.year
    tracks = []
    tracks = album.tracks.map { RingTrack($0, album: self) }
  }
}

/// A track that retains its album.
final class RingTrack: Codable {
  let title: String
  let duration: Double
  @Deferred private(set) var album: RingAlbum

  init(_ track: PlainTrack, album: RingAlbum) {
    title = track.title
    duration = track.duration
    self._album = Deferred(wrappedValue: album)
  }
}

/// An album whose tracks do not refer to it. The other albums are made from it.
final class PlainAlbum: Codable, Equatable {
  let title: String
  let year: Int
  let tracks: [PlainTrack]

  init(title: String, year: Int, tracks: [PlainTrack]) {
    self.title = title
    self.year = year
    self.tracks = tracks
  }

  static func == (left: PlainAlbum, right: PlainAlbum) -> Bool {
    left.title == right.title && left.year == right.year && left.tracks == right.tracks
  }
}

/// A track without a reference to its album.
final class PlainTrack: Codable, Equatable {
  let title: String
  let duration: Double

  init(title: String, duration: Double) {
    self.title = title
    self.duration = duration
  }

  static func == (left: PlainTrack, right: PlainTrack) -> Bool {
    left.title == right.title && left.duration == right.duration
  }
}

extension Workload {
  fileprivate static let tracksPerAlbum = 9
  fileprivate static let waysKept = "ways back kept"

  /// Albums with tracks that refer back to their album.
  ///
  /// Other coders have no references: weak ones are nil for them, and strong ones make them recurse until the stack
  /// ends, so they get the albums with weak ones. `NSKeyedArchiver` is left out, since it crashes on cycles on Linux.
  static let cycles = Workload(name: "cycles") { scale in
    let plain = PlainAlbum.make(count: scale.count(2_000), seed: 12)
    let rings = Rings(plain.map { RingAlbum($0) })
    let count = plain.count * (1 + tracksPerAlbum)
    return PreparedWorkload(
      title: "\(Figure.count(count)) objects: albums with \(tracksPerAlbum) tracks each, "
        + "which refer back to their album by a @WeakReference; the others write only the tree",
      unit: .nanosecondsPer("object", count: count),
      value: plain.map { Album($0) },
      alternatives: [
        .rings(rings),
        CodableContenders(value: plain).keepsake(named: "Keepsake, no ways back"),
      ],
      remark: { waysBack(in: $0) }
    )
    .failingKeepsake(without: waysKept)
  }

  private static func waysBack(in albums: [Album]) -> String {
    let areKept = albums.allSatisfy { album in album.tracks.allSatisfy { $0.album === album } }
    return areKept ? waysKept : "ways back lost"
  }
}

extension PlainAlbum {
  /// Makes `count` albums.
  fileprivate static func make(count: Int, seed: UInt64) -> [PlainAlbum] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { number in
      let tracks = (1...Workload.tracksPerAlbum).map { track in
        PlainTrack(
          title: "\(track). \(generator.word(length: 4...16))",
          duration: Double.random(in: 60...600, using: &generator)
        )
      }
      return PlainAlbum(
        title: "album \(number) \(generator.word(length: 4...12))",
        year: Int.random(in: 1_950...2_025, using: &generator),
        tracks: tracks
      )
    }
  }
}

/// Albums in cycles. The cycles are broken when this object is freed, so that the run does not fill the memory.
private final class Rings: Equatable {
  let albums: [RingAlbum]

  init(_ albums: [RingAlbum]) {
    self.albums = albums
  }

  deinit {
    for album in albums { album.tracks = [] }
  }

  /// Compares everything, including the references back to the albums.
  static func == (left: Rings, right: Rings) -> Bool {
    left.albums.count == right.albums.count
      && zip(left.albums, right.albums).allSatisfy { left, right in
        left.title == right.title && left.year == right.year && left.tracks.count == right.tracks.count
          && zip(left.tracks, right.tracks).allSatisfy { leftTrack, rightTrack in
            leftTrack.title == rightTrack.title && leftTrack.duration == rightTrack.duration
              && leftTrack.album === left && rightTrack.album === right
          }
      }
  }
}

extension Contender {
  /// Keepsake on cycles of strong references.
  fileprivate static func rings(_ rings: Rings) -> Contender {
    .checked(
      "Keepsake, @Deferred",
      role: .keepsake,
      value: rings,
      size: \.count,
      encode: { try ArchiveEncoder().encode($0.albums) },
      decode: { Rings(try ArchiveDecoder().decode([RingAlbum].self, from: $0)) },
      remark: { _ in Workload.waysKept }
    )
  }
}
