import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

/// Archives of version 1, frozen in Fixtures/Version1. Every later version of the library must read them.
///
/// The files are never rewritten. This command adds the files of new samples, and leaves the others:
///
///     KEEPSAKE_FREEZE=Tests/TestSupport/Fixtures/Version1 swift test --filter FrozenSamples
@Suite struct FrozenSamples {
  static let folder = FrozenArchives.folder.appendingPathComponent("Version1")
  private static let shortFolder = folder.appendingPathComponent("Short")

  static func data(_ sample: FrozenSample, in folder: URL = folder) throws -> Data {
    try Data(contentsOf: folder.appendingPathComponent("\(sample).keepsake"))
  }

  private static let freezingFolder = ProcessInfo.processInfo.environment["KEEPSAKE_FREEZE"]

  @Test("missing samples are frozen", .enabled(if: freezingFolder != nil), arguments: FrozenSample.allCases)
  func freeze(sample: FrozenSample) throws {
    let folder = URL(fileURLWithPath: try #require(FrozenSamples.freezingFolder))
    let short = try sample.archive()
    try freeze(SeedArchives.longForm(Array(short)), sample, in: folder)
    guard FrozenSample.short.contains(sample) else { return }
    try freeze(Array(short), sample, in: folder.appendingPathComponent("Short"))
  }

  private func freeze(_ bytes: [UInt8], _ sample: FrozenSample, in folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appendingPathComponent("\(sample).keepsake")
    guard !FileManager.default.fileExists(atPath: file.path) else { return }
    try Data(bytes).write(to: file, options: .withoutOverwriting)
  }

  @Test("every file is a sample, and every sample has a file", .enabled(if: freezingFolder == nil))
  func noneForgotten() throws {
    for (folder, samples) in [(Self.folder, FrozenSample.allCases), (Self.shortFolder, FrozenSample.short)] {
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      let expected = samples.map { "\($0).keepsake" }
      #expect(files.filter { $0.hasSuffix(".keepsake") }.sorted() == expected.sorted())
    }
  }

  @Test(
    "each sample reads as it was written, with each verification",
    .enabled(if: freezingFolder == nil),
    arguments: FrozenSample.allCases
  )
  func holds(sample: FrozenSample) throws {
    let data = try FrozenSamples.data(sample)
    for verification in [ArchiveVerification.everything, .onDemand, .disabled] {
      try sample.check(KeyedUnarchiver(forReadingFrom: data, verification: verification))
    }
  }

  @Test(
    "each sample in the short form reads the same",
    .enabled(if: freezingFolder == nil),
    arguments: FrozenSample.short
  )
  func holdsShort(sample: FrozenSample) throws {
    let data = try FrozenSamples.data(sample, in: Self.shortFolder)
    #expect(data[10] == 2)
    for verification in [ArchiveVerification.everything, .onDemand, .disabled] {
      try sample.check(KeyedUnarchiver(forReadingFrom: data, verification: verification))
    }
  }

  @Test("samples that are written today have the same contents", arguments: FrozenSample.allCases)
  func writtenToday(sample: FrozenSample) throws {
    try sample.check(KeyedUnarchiver(forReadingFrom: sample.archive(), verification: .everything))
  }

  @Test("each sample begins and ends as version 1.0 does", .enabled(if: freezingFolder == nil))
  func version() throws {
    for sample in FrozenSample.allCases {
      let data = try FrozenSamples.data(sample)
      let head: [UInt8] = [0x89, 0x4B, 0x45, 0x45, 0x50, 0x0D, 0x0A, 0x1A]
      let flags: UInt8 = sample == .unchecked ? 1 : 0
      #expect(Array(data.prefix(16)) == head + [1, 0, flags, 0, 0, 0, 0, 0])
      #expect(Array(data.suffix(8)) == head.reversed())
    }
  }
}

extension FrozenSample {
  /// Compares the archive with the values that it was made of.
  func check(_ unarchiver: KeyedUnarchiver) throws {
    func root<Root: Decodable>(_ type: Root.Type) throws -> Root {
      #expect(unarchiver.allKeys == [KeyedArchiver.rootKey])
      return try unarchiver.decode(type, forKey: KeyedArchiver.rootKey)
    }
    switch self {
    case .empty:
      #expect(unarchiver.allKeys.isEmpty && !unarchiver.containsValue(forKey: KeyedArchiver.rootKey))
    case .scalars: #expect(try root(FrozenScalars.self) == FrozenScalars())
    case .integers: #expect(try root(FrozenIntegers.self) == FrozenIntegers())
    case .floats: try check(root(FrozenFloats.self))
    case .strings: #expect(try root(FrozenStrings.self) == FrozenStrings())
    case .foundation: try check(root(FrozenFoundation.self))
    case .packed: #expect(try root(FrozenPacked.self) == FrozenPacked())
    case .containers: #expect(try root(FrozenContainers.self) == FrozenContainers())
    case .shapes: #expect(try root([FrozenWide].self) == (0...20).map(FrozenWide.init))
    case .objects: try check(root(FrozenLibrary.self))
    case .keys: try checkKeys(unarchiver)
    case .record:
      #expect(unarchiver.allKeys == ["x", "y"])
      #expect(try FrozenPoint(from: unarchiver) == FrozenPoint())
    case .large: try check(root(FrozenMany.self))
    case .unchecked: try check(root(FrozenUnchecked.self))
    }
  }

  private func check(_ contents: FrozenUnchecked) {
    let expected = FrozenUnchecked()
    #expect(contents.title == expected.title && contents.numbers == expected.numbers)
    #expect(contents.doubles.map(\.bitPattern) == expected.doubles.map(\.bitPattern))
    #expect(contents.blob == expected.blob)
    check(contents.library)
  }

  private func check(_ floats: FrozenFloats) {
    #expect(floats.floats.map(\.?.bitPattern) == FrozenFloats.floatBits)
    #expect(floats.doubles.map(\.?.bitPattern) == FrozenFloats.doubleBits)
    #expect(floats.packedFloats.map(\.bitPattern) == FrozenFloats.floatBits)
    #expect(floats.packedDoubles.map(\.bitPattern) == FrozenFloats.doubleBits)
  }

  private func check(_ values: FrozenFoundation) {
    let expected = FrozenFoundation()
    #expect(values.dates == expected.dates)
    #expect(values.uuid.uuidString == "00010203-0405-0607-0809-0A0B0C0D0EFF")
    #expect(values.url?.absoluteString == "https://example.org/path?query=1#part")
    #expect(values.relative?.relativeString == "page.html")
    #expect(values.relative?.baseURL?.absoluteString == "https://example.org/folder/")
    #expect(values.decimals == expected.decimals && values.decimals.count == FrozenFoundation.decimals.count)
    #expect(values.noNumber.isNaN)
  }

  private func check(_ library: FrozenLibrary) {
    check(library.books)
    #expect(type(of: library.dog) == FrozenDog.self && library.pet === library.dog)
    #expect(library.dog.name == "Rex" && library.dog.legs == 4)
    #expect(type(of: library.animal) == FrozenAnimal.self && library.animal.legs == 6)
  }

  private func check(_ books: [FrozenBook]) {
    #expect(books.map(\.title) == ["Emma", "Sanditon", "Emma"])
    #expect(books.map { $0.authors.map(\.name) }[1] == ["Jane Austen", "Another Lady"])
    #expect(books[0] === books[2] && books[0].sequel === books[1] && books[1].sequel == nil)
    #expect(books[0].authors[0] === books[1].authors[0] && books[0].authors.count == 1)
  }

  private func checkKeys(_ unarchiver: KeyedUnarchiver) throws {
    #expect(unarchiver.allKeys == ["name", "age", "nothing", "books", "author", "point", "numbers"])
    // In another order than that of writing.
    let author = try unarchiver.decode(FrozenAuthor.self, forKey: "author")
    let books = try unarchiver.decode([FrozenBook].self, forKey: "books")
    check(books)
    #expect(author === books[0].authors[0])
    #expect(try unarchiver.decode([Int].self, forKey: "numbers") == [1, 2, 3])
    #expect(try unarchiver.decode(FrozenPoint.self, forKey: "point") == FrozenPoint())
    #expect(try unarchiver.decode(String.self, forKey: "name") == "jaki")
    #expect(try unarchiver.decode(Int.self, forKey: "age") == 24)
    #expect(unarchiver.containsValue(forKey: "nothing"))
    #expect(try unarchiver.decodeIfPresent(Int.self, forKey: "nothing") == nil)
    #expect(try unarchiver.decodeIfPresent(Int.self, forKey: "absent") == nil)
  }

  private func check(_ many: FrozenMany) {
    let expected = FrozenMany()
    #expect(many.blob == expected.blob)
    #expect(many.authors.map(\.name) == expected.authors.map(\.name))
    #expect(many.lastAgain != nil && many.lastAgain === many.authors.last)
  }
}
