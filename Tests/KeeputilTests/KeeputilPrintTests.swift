import Foundation
import Keepsake
import TestSupport
import Testing

@Suite struct KeeputilPrint {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(
    "print shows objects with class and number, repeated references as such, and special characters escaped"
  )
  func objects() throws {
    try KeyedArchiver.archive(rootObject: Crew(), toFile: folder("crew.keepsake"))
    let result = try Keeputil.run("print", "crew.keepsake", in: folder)
    #expect(result.status == 0)
    #expect(
      result.output == """
        {
          "root" => KeeputilTests.Crew #1 {
            "captain" => KeeputilTests.Crew.Sailor #2 {
              "name" => "Ann"
            }
            "sailors" => [
              0 => KeeputilTests.Crew.Sailor #3 {
                "name" => "Bo\\u{202E}b"
              }
              1 => KeeputilTests.Crew.Sailor #2 (above)
            ]
            "founded" => 2001-01-01 00:00:00.5 +0000
            "badge" => 3 bytes: 0x0001ff
            "id" => UUID 00010203-0405-0607-0809-0A0B0C0D0E0F
            "home" => URL "https://example.org/crew?a=1"
            "odds" => [
              0 => 0.5
              1 => inf
            ]
          }
        }

        """
    )
  }

  @Test("print shows values of all kinds")
  func values() throws {
    let archiver = KeyedArchiver()
    try archiver.encode(Int?.none, forKey: "nil")
    try archiver.encode(Int??.some(.none), forKey: "some nil")
    try archiver.encode([String](), forKey: "empty array")
    try archiver.encode([Int: String](), forKey: "empty map")
    try archiver.encode([-5: "x"], forKey: "map")
    try archiver.encode(UInt128.max, forKey: "wide")
    try archiver.encode(Decimal(string: "-12.50"), forKey: "decimal")
    try archiver.encode(Float(0.1), forKey: "float")
    try archiver.encode("tab\t quote\" \\ nul\0 \u{200D}👩‍👧", forKey: "te\nxt")
    try archiver.encode([true, false, true], forKey: "bools")
    try archiver.encode(Date(timeIntervalSinceReferenceDate: .infinity), forKey: "never")
    try archiver.encode(Date(timeIntervalSince1970: -1), forKey: "before 1970")
    try archiver.encode(Date(timeIntervalSince1970: 951_782_400), forKey: "leap day")
    try archiver.write(toFile: folder("a.keepsake"))
    let output = try Keeputil.run("print", "a.keepsake", in: folder).output
    for line in [
      "\"nil\" => nil", "\"some nil\" => some nil", "\"empty array\" => []", "\"empty map\" => {}",
      "-5 => \"x\"",
      "\"wide\" => 340282366920938463463374607431768211455", "\"decimal\" => -12.5", "\"float\" => 0.1",
      #""te\nxt" => "tab\t quote\" \\ nul\0 \u{200D}👩‍👧""#, "    2 => true",
      "\"never\" => inf s from 2001-01-01", "\"before 1970\" => 1969-12-31 23:59:59 +0000",
      "\"leap day\" => 2000-02-29 00:00:00 +0000",
    ] {
      #expect(output.contains(line + "\n"), "\(line) in \(output)")
    }
  }

  @Test("--members and --depth abridge the tree")
  func abbreviated() throws {
    try KeyedArchiver.archive(rootObject: [[1, 2, 3], [4], [5]], toFile: folder("a.keepsake"))
    let result = try Keeputil.run("print", "--members", "2", "--depth=2", "a.keepsake", in: folder)
    #expect(
      result.output == """
        {
          "root" => [
            0 => […]
            1 => […]
            … 1 more
          ]
        }

        """
    )
  }

  @Test("a closed pipe is not an error")
  func brokenPipe() throws {
    try KeyedArchiver.archive(rootObject: Array(0..<100_000), toFile: folder("a.keepsake"))
    let result = try Keeputil.shell("\"$0\" print a.keepsake | head -n 1", in: folder)
    #expect(result.output == "{\n")
    #expect(result.errors.isEmpty)
    let ignoring = try Keeputil.shell("trap '' PIPE; \"$0\" print a.keepsake | head -n 1", in: folder)
    #expect(ignoring.output == "{\n")
    #expect(ignoring.errors.isEmpty)
  }
}
