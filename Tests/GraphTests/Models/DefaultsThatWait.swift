import Foundation
import Keepsake
import TestSupport
import Testing

/// Properties of models to which `init()` gives an object, and which get the archived one last.
@Suite struct DefaultsThatWait {
  private final class Frame: ArchivedModel {
    var picture = Picture("default", nil)
    var number = 0
  }

  private final class Picture: Codable {
    let title: String
    let frame: Frame?

    init(_ title: String, _ frame: Frame?) { (self.title, self.frame) = (title, frame) }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      title = try container.decode(String.self, forKey: .title)
      frame = try container.decodeIfPresent(Frame.self, forKey: .frame)
      let title = (decoder.userInfo[.named("title")] as? String) ?? ""
      if let frame, !title.isEmpty {
        #expect(frame.picture.title == "default")
        frame.picture = Picture(title, nil)
      }
    }
  }

  private func framed() -> Frame {
    let frame = Frame()
    (frame.picture, frame.number) = (Picture("framed", frame), 5)
    return frame
  }

  @Test("the archived object replaces the default, from any object that a reader begins with")
  func replaced() throws {
    let frame = framed()
    let back = try roundTrip(frame.picture)
    #expect(back.title == "framed" && back.frame?.number == 5 && back.frame?.picture === back)
    let backFrame = try roundTrip(frame)
    #expect(backFrame.picture.title == "framed" && backFrame.picture.frame === backFrame)
    for frame in [frame, back.frame, backFrame] { frame?.picture = Picture("", nil) }
  }

  @Test("decoding throws if an initializer stores another object")
  func storedMeanwhile() throws {
    let frame = framed()
    defer { frame.picture = Picture("", nil) }
    let data = try KeyedArchiver.archivedData(withRootObject: frame.picture)
    let found = try failure {
      try KeyedUnarchiver.unarchive(Picture.self, from: data, userInfo: [.named("title"): "other"])
    }
    #expect(found.code == .misuse && found.path == "frame/picture", "\(found)")
    #expect(found.description.contains("Frame.picture closes a cycle"), "\(found)")
  }
}
