import Foundation
import Keepsake
import TestSupport
import Testing

/// Delegates that finish an archive that is about to be finished, and unarchivers used during a decode.
@Suite struct FinishedMeanwhile {
  @Test(
    "a delegate may finish the archive that is about to be finished",
    arguments: ArchiverUsedMeanwhile.Finishing.allCases
  )
  func archiver(_ finishing: ArchiverUsedMeanwhile.Finishing) throws {
    let meddler = Meddler()
    var inner: Data?
    meddler.willFinish = { archiver in
      try archiver.encode("late", forKey: "late")
      if finishing == .file {
        try? archiver.write(toFile: "/nowhere/at all")
      } else {
        try finishing.run(archiver)
      }
      inner = try archiver.encodedData
    }
    let archiver = KeyedArchiver()
    archiver.delegate = meddler
    try archiver.encode("early", forKey: "early")
    let data = try archiver.encodedData
    #expect(meddler.codes == [nil] && meddler.finishes == 2 && inner == data)
    #expect(try KeyedUnarchiver(forReadingFrom: data).allKeys == ["early", "late"])
    #expect(try failure { try archiver.encode(1, forKey: "later") }.code == .misuse)
  }

  @Test("a delegate may finish the decoding that is about to be finished")
  func unarchiver() throws {
    let meddler = Meddler()
    meddler.willFinishDecoding = { unarchiver in
      let last = try unarchiver.decode(String.self, forKey: "root")
      #expect(last == "text")
      unarchiver.finishDecoding()
    }
    let unarchiver = try KeyedUnarchiver(forReadingFrom: ArchiveEncoder().encode("text"))
    unarchiver.delegate = meddler
    unarchiver.finishDecoding()
    unarchiver.finishDecoding()
    #expect(meddler.codes == [nil] && meddler.finishes == 2)
    #expect(try failure { try unarchiver.decode(String.self, forKey: "root") }.code == .misuse)
  }

  @Test("a delegate may decode another key and finish decoding during a decode")
  func unarchiverUsedMeanwhile() throws {
    let archiver = KeyedArchiver()
    try archiver.encode([Piece("a", [Piece("b")]), Piece("c")], forKey: "pieces")
    try archiver.encode(["more", "text"], forKey: "other")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let recorder = Meddler()
    var others: [[String]] = []
    recorder.didDecode = { unarchiver in
      others.append(try unarchiver.decode([String].self, forKey: "other"))
      if others.count == 2 { unarchiver.finishDecoding() }
    }
    unarchiver.delegate = recorder
    let pieces = try unarchiver.decode([Piece].self, forKey: "pieces")
    #expect(pieces.map(\.name) == ["a", "c"] && pieces[0].children.map(\.name) == ["b"])
    #expect(recorder.codes == [nil, nil, .misuse] && others == [["more", "text"], ["more", "text"]])
  }
}

// MARK: - Types

/// The results of calls: the code of the error, or nil.
class Codes {
  var codes: [ArchiveError.Code?] = []

  func note(_ body: () throws -> Void) {
    do {
      try body()
      codes.append(nil)
    } catch {
      codes.append(Failure(error)?.code)
    }
  }
}

/// A delegate whose methods use the archiver or unarchiver, and note the results.
final class Meddler: Codes, KeyedArchiverDelegate, KeyedUnarchiverDelegate {
  var willEncode: ((KeyedArchiver, Any) throws -> Void)?
  var didEncode: ((KeyedArchiver, Any) throws -> Void)?
  var willFinish: ((KeyedArchiver) throws -> Void)?
  var didDecode: ((KeyedUnarchiver) throws -> Void)?
  var willFinishDecoding: ((KeyedUnarchiver) throws -> Void)?
  /// The number of reports that the end is near or reached.
  var finishes = 0

  func archiver(_ archiver: KeyedArchiver, willEncode object: Any) -> Any? {
    if let willEncode { note { try willEncode(archiver, object) } }
    return object
  }

  func archiver(_ archiver: KeyedArchiver, didEncode object: Any?) {
    if let didEncode { note { try didEncode(archiver, object as Any) } }
  }

  func archiverWillFinish(_ archiver: KeyedArchiver) {
    finishes += 1
    if let willFinish { note { try willFinish(archiver) } }
  }

  func archiverDidFinish(_ archiver: KeyedArchiver) { finishes += 1 }

  func unarchiver(_ unarchiver: KeyedUnarchiver, didDecode object: Any?) -> Any? {
    if let didDecode { note { try didDecode(unarchiver) } }
    return object
  }

  func unarchiverWillFinish(_ unarchiver: KeyedUnarchiver) {
    finishes += 1
    if let willFinishDecoding { note { try willFinishDecoding(unarchiver) } }
  }

  func unarchiverDidFinish(_ unarchiver: KeyedUnarchiver) { finishes += 1 }
}
