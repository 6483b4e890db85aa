import Keepsake
import TestSupport
import Testing

/// Paths as text, and back.
@Suite struct ArchivePaths {
  @Test func textsOfPaths() throws {
    let paths: [(String, [ArchivePath.Element])] = [
      ("", []),
      ("root", [.key("root")]),
      ("root.books[3].title", [.key("root"), .key("books"), .index(3), .key("title")]),
      ("[0][12]", [.index(0), .index(12)]),
      ("a[-2]", [.key("a"), .intKey(-2)]),
      ("root[\"odd key\"].x", [.key("root"), .key("odd key"), .key("x")]),
      ("[\"\"]", [.key("")]),
      ("[\"a\\\"b\\\\c\\n\\u{7}\"]", [.key("a\"b\\c\n\u{7}")]),
      ("größe.名前", [.key("größe"), .key("名前")]),
      ("$id._x-1.@y", [.key("$id"), .key("_x-1"), .key("@y")]),
    ]
    let odd = "odd key.x"
    #expect(try ArchivePath(odd).elements == [.key("odd key"), .key("x")])
    for (text, elements) in paths {
      #expect(try ArchivePath(text).elements == elements)
      #expect(ArchivePath(elements).description == text)
    }
  }

  @Test func randomKeysComeBack() throws {
    var generator = SeededGenerator("keys of paths")
    for _ in 0..<500 {
      let keys = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
        String(
          String.UnicodeScalarView(
            (0..<Int.random(in: 0...6, using: &generator)).compactMap { _ in
              Unicode.Scalar(UInt32.random(in: 0...0x2FF, using: &generator))
            }
          )
        )
      }
      let path = ArchivePath(keys.map { .key($0) })
      #expect(try ArchivePath(path.description) == path)
    }
  }

  @Test(arguments: [
    ".a", "a.", "a..b", "a]", "a\"b", "[", "[]", "[x]", "[\"x]", "[\"x\"", "a[0", "a[0]b", "[\"\\q\"]",
    "[\"\\u{110000}\"]", "[\"\\x{41}\"]", "[\"\\u(41)\"]",
    "[99999999999999999999]",
  ])
  func whatIsNoPath(_ text: String) throws {
    let error = #expect(throws: ArchiveError.self) { try ArchivePath(text) }
    #expect(error?.code == .misuse && error?.message.contains("is not a path: at character") == true)
    // A literal cannot throw.
    #expect(ArchivePath(stringLiteral: text).elements == [.key(text)])
  }
}
