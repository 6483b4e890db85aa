internal import Foundation
internal import Keepsake

/// One of the types that bytes are decoded as, with the type erased.
package struct HostileModel: Sendable {
  /// How the archive is opened and read.
  package enum Way: CaseIterable, Sendable {
    /// By the drop-in decoder, with all checksums verified first.
    case checked
    /// Key by key, without checksums.
    case unchecked
  }

  package let name: String
  /// Reads the bytes; the errors that it throws are those of the library.
  let read: @Sendable (Data, Way) throws -> Void
  /// A valid archive of the model.
  let archive: (@Sendable () throws -> Data)?

  /// A model with archives.
  ///
  /// - Parameters:
  ///   - visit: Reads the decoded value, as a program would.
  ///   - make: Makes a value of the model.
  ///   - sever: Releases the value that `make` made.
  init<Value: Codable & SendableMetatype>(
    _ name: String,
    _ type: Value.Type,
    visit: @escaping @Sendable (Value) -> Void = { _ in },
    sever: @escaping @Sendable (Value) -> Void = { _ in },
    make: @escaping @Sendable () -> Value
  ) {
    self.name = name
    read = HostileModel.reading(type) { value in
      visit(value)
      // The decoded value can be written again, or gives an EncodingError.
      do { _ = try KeyedArchiver.archivedData(withRootObject: value) } catch is EncodingError {}
    }
    archive = {
      let value = make()
      defer { sever(value) }
      return try KeyedArchiver.archivedData(withRootObject: value, outputFormatting: .sortedKeys)
    }
  }

  /// A model that only reads.
  init<Value: Decodable & SendableMetatype>(_ name: String, reading type: Value.Type) {
    self.name = name
    read = HostileModel.reading(type) { _ in }
    archive = nil
  }

  private static func reading<Value: Decodable & SendableMetatype>(
    _: Value.Type,
    _ use: @escaping @Sendable (Value) throws -> Void
  ) -> @Sendable (Data, Way) throws -> Void {
    return { data, way in
      let leash = HostileLeash()
      defer { leash.sever() }
      switch way {
      case .checked:
        var decoder = ArchiveDecoder()
        decoder.userInfo = leash.userInfo
        decoder.readsNSKeyedArchives = true
        try use(decoder.decode(Value.self, from: data))
      case .unchecked:
        var limits = ArchiveLimits()
        limits.maximumDepth = 1_000
        let unarchiver = try KeyedUnarchiver(forReadingFrom: data, verification: .disabled, limits: limits)
        unarchiver.userInfo = leash.userInfo
        // A mutant may lack the root, or have more keys.
        let keys = unarchiver.allKeys.prefix(4)
        for key in keys {
          do { try use(unarchiver.decode(Value.self, forKey: key)) } catch  where key != keys.last {}
        }
        // The whole top level, as for a type that reads it directly.
        if keys.isEmpty { try use(Value(from: unarchiver)) }
        unarchiver.finishDecoding()
      }
    }
  }

  // MARK: All of them

  /// The models whose code is the compiler's, the tests' or the library's.
  package static let own: [HostileModel] = [
    HostileModel("record", FuzzedRecord.self) { FuzzedRecord() },
    HostileModel("options", [FuzzedOptions].self) { FuzzedOptions.sample },
    HostileModel("tables", FuzzedTables.self) { FuzzedTables() },
    HostileModel("packed", FuzzedPacked.self) { FuzzedPacked() },
    HostileModel("trees", [FuzzedTree].self) {
      [
        .leaf, .number(5), .pair(.named(name: "n", .leaf, tags: ["a"]), .other(FuzzedPoint())),
        .pair(.leaf, .leaf),
      ]
    },
    HostileModel("fields", [FuzzedFields].self) { [FuzzedFields.sample(2), FuzzedFields.sample(0)] },
    HostileModel(
      "animals",
      [FuzzedAnimal].self,
      visit: {
        for animal in $0 { _ = (animal.mates.count, (animal as? FuzzedPuppy)?.mother?.name, animal.enemy) }
      },
      sever: { for animal in $0 { animal.sever() } },
      make: { FuzzedAnimal.sample() }
    ),
    HostileModel(
      "folders",
      FuzzedFolder.self,
      visit: { _ = ($0.folders.count, $0.parent?.name) },
      sever: { folder in
        for inner in folder.folders { inner.sever() }
        folder.sever()
      },
      make: { FuzzedFolder.sample() }
    ),
    HostileModel(
      "drawing",
      FuzzedDrawing.self,
      visit: { _ = $0.visit() },
      sever: { $0.sever() },
      make: { FuzzedDrawing.sample() }
    ),
    HostileModel(
      "users",
      FuzzedMember.self,
      visit: { _ = ($0.user.heir?.user.name, $0.user.rival?.name, $0.user.friends.count) },
      sever: { member in
        member.user.boss?.user.sever()
        member.user.sever()
      },
      make: { FuzzedMember(FuzzedUser.sample()) }
    ),
    HostileModel(
      "people",
      FuzzedPerson.self,
      visit: { _ = $0.visit() },
      sever: { person in
        for other in person.children + person.children.flatMap(\.table.values) { other.sever() }
        person.sever()
      },
      make: { FuzzedPerson.sample() }
    ),
    HostileModel("by hand", FuzzedByHand.self) { FuzzedByHand() },
    HostileModel("dictionary of lists", [String: [Int?]].self) { ["a": [1, nil], "b": [], "5": [70_000]] },
    HostileModel("text", String.self) { String(repeating: "long \u{1F980} ", count: 9) },
    HostileModel("anything", FuzzedAnything.self) {
      let inner = FuzzedAnything(name: "inner")
      return FuzzedAnything(name: "outer", friends: [inner, inner], children: ["k": inner], next: [])
    },
    HostileModel("asker", reading: FuzzedAsker.self),
    HostileModel("part", reading: FuzzedPart.self),
    HostileModel("list of parts", reading: [FuzzedPoint?].self),
  ]

  /// All models.
  package static let all = own + foundation
}
