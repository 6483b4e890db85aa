import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

/// Limits of the dynamic view and the editor, and invalid path literals.
@Suite struct ViewLimits {
  private func archive() throws -> Data {
    let archiver = KeyedArchiver()
    try archiver.encode(["text": [String(repeating: "a", count: 100)]], forKey: "root")
    try archiver.encode(["a", "b"], forKey: "pair")
    return try archiver.encodedData
  }

  private func expectLimit(_ change: (inout ArchiveLimits) -> Void, _ read: (ArchiveValue) throws -> Void)
    throws
  {
    let data = try archive()
    var limits = ArchiveLimits()
    try read(ArchiveValue(forReadingFrom: data, limits: limits))
    change(&limits)
    let error = #expect(throws: ArchiveError.self) {
      try read(ArchiveValue(forReadingFrom: data, limits: limits))
    }
    #expect(error?.code == .limitExceeded)
  }

  @Test("limits of bytes, elements, strings and depth apply to the dynamic view")
  func limits() throws {
    try expectLimit {
      $0.maximumByteCount = 100
    } _: { _ in
    }
    try expectLimit {
      $0.maximumElementCount = 0
    } _: {
      _ = try $0["root"]?.members()
    }
    try expectLimit {
      $0.maximumElementCount = 1
    } _: {
      _ = try $0["pair"]?.count
    }
    try expectLimit {
      $0.maximumStringByteCount = 50
    } _: {
      _ = try $0[path: "root.text[0]"]?.stringValue
    }
    try expectLimit {
      $0.maximumDepth = 0
    } _: {
      _ = try $0.members()
    }
    try expectLimit {
      $0.maximumValueDepth = 0
    } _: {
      _ = try $0["root"]
    }
  }

  @Test("content behind 100 references is found, and content behind more is an error", arguments: [100, 101])
  func chains(count: Int) throws {
    // Each body but the last is a reference to the next.
    let bodies = (1..<count).map { [1, 0x40, UInt8($0 + 1)] } + [[1, 0x85]]
    let archive = HandmadeArchive.data(bodies: bodies, topLevel: CraftedArchive.root([0x40, 1]))
    let root = try #require(try ArchiveValue(forReadingFrom: archive)["root"])
    if count == 100 {
      #expect(try root.intValue == -11)
    } else {
      let error = #expect(throws: ArchiveError.self) { try root.content }
      #expect(error?.code == .limitExceeded && error?.byteOffset == root.offset)
    }
  }

  @Test("the limit of bytes applies to the editor")
  func editor() throws {
    var limits = ArchiveLimits()
    limits.maximumByteCount = 100
    let data = try archive()
    let error = #expect(throws: ArchiveError.self) { try ArchiveEditor(forReadingFrom: data, limits: limits) }
    #expect(error?.code == .limitExceeded)
  }

  @Test(
    "an invalid path literal is an error where it is used",
    arguments: ["a[", ".a", "a..b", "a[\"b]"]
  )
  func literals(text: String) throws {
    let value = try ArchiveValue(forReadingFrom: archive())
    let path = ArchivePath(stringLiteral: text)
    let error = #expect(throws: ArchiveError.self) { try value[path: path] }
    #expect(error?.code == .misuse && error?.message.contains("is not a path") == true)
    var editor = ArchiveEditor(value)
    #expect(throws: ArchiveError.self) { try editor.removeValue(at: path) }
    var other = path
    other.elements = [.key("root")]
    #expect(try value[path: other] != nil)
  }

  private struct Suffixed: DecodableWithConfiguration {
    let text: String

    init(from decoder: any Decoder, configuration suffix: String) throws {
      text = try decoder.singleValueContainer().decode(String.self) + suffix
    }
  }

  @Test("only the drop-in decoder refuses files of NSKeyedArchiver by default")
  func oldArchives() throws {
    let old = """
      <plist version="1.0"><dict><key>$archiver</key><string>NSKeyedArchiver</string>
      <key>$objects</key><array><string>$null</string><string>text</string></array>
      <key>$top</key><dict><key>root</key><dict><key>CF$UID</key><integer>1</integer></dict></dict>
      <key>$version</key><integer>100000</integer></dict></plist>
      """
    let data = Data(old.utf8)
    var decoder = ArchiveDecoder()
    #expect(throws: DecodingError.self) { try decoder.decode(String.self, from: data) }
    #expect(throws: DecodingError.self) { try decoder.decode(Suffixed.self, from: data, configuration: "s") }
    decoder.readsNSKeyedArchives = true
    #expect(try decoder.decode(String.self, from: data) == "text")
    #expect(try decoder.decode(Suffixed.self, from: data, configuration: "s").text == "texts")
    #expect(try KeyedUnarchiver.unarchive(String.self, from: data) == "text")
    var limits = ArchiveLimits()
    limits.readsNSKeyedArchives = false
    #expect(throws: DecodingError.self) {
      try KeyedUnarchiver.unarchive(String.self, from: data, limits: limits)
    }
    #expect(throws: ArchiveError.self) { try ArchiveValue(forReadingFrom: data, limits: limits) }
  }
}
