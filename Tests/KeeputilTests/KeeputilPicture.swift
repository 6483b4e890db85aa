import Foundation
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// The contents of an SVG, read with an XML parser.
final class Picture: NSObject, XMLParserDelegate {
  struct Arrow {
    let start: CGPoint
    let end: CGPoint
    let isWeak: Bool
  }

  let text: String
  private(set) var width = 0.0
  private(set) var height = 0.0
  private(set) var boxes: [CGRect] = []
  private(set) var arrows: [Arrow] = []
  private(set) var titles: [String] = []
  private(set) var lines: [String] = []
  private(set) var labels: [String] = []
  private var group = ""
  private var kind: String?
  private var characters = ""

  init(_ text: String) throws {
    self.text = text
    super.init()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = self
    guard parser.parse() else { throw Malformed(line: parser.lineNumber) }
    #expect(width > 0 && height > 0)
  }

  struct Malformed: Error {
    let line: Int
  }

  func parser(
    _ parser: XMLParser,
    didStartElement name: String,
    namespaceURI: String?,
    qualifiedName: String?,
    attributes: [String: String]
  ) {
    func number(_ name: String) -> Double { attributes[name].flatMap { Double($0) } ?? .nan }
    switch name {
    case "svg": (width, height) = (number("width"), number("height"))
    case "g": group = attributes["class"] ?? ""
    case "rect" where group.hasPrefix("node"):
      boxes.append(CGRect(x: number("x"), y: number("y"), width: number("width"), height: number("height")))
    case "path" where group == "edges":
      let numbers = (attributes["d"] ?? "").split { !"0123456789.-".contains($0) }.compactMap { Double($0) }
      guard numbers.count >= 8, numbers.count % 2 == 0 else { return }
      arrows.append(
        Arrow(
          start: CGPoint(x: numbers[0], y: numbers[1]),
          end: CGPoint(x: numbers[numbers.count - 2], y: numbers[numbers.count - 1]),
          isWeak: attributes["class"] == "weak"
        )
      )
    case "text":
      kind = attributes["class"] ?? group
      characters = ""
    default: break
    }
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) { characters += string }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?)
  {
    guard name == "text" else { return }
    switch kind {
    case "title": titles.append(characters)
    case "line": lines.append(characters)
    case "labels": labels.append(characters)
    default: break
    }
  }
}
