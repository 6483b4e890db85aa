import Foundation

/// The style of a node for NSKeyedArchiver, which does not accept private classes.
final class CodedStyle: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }

  let name: String
  let size: Double
  let color: Int
  let isBold: Bool

  init(_ style: Style) {
    name = style.name
    size = style.size
    color = style.color
    isBold = style.isBold
  }

  init?(coder: NSCoder) {
    guard let name = coder.decodeObject(of: NSString.self, forKey: "name") else { return nil }
    self.name = String(describing: name)
    size = coder.decodeDouble(forKey: "size")
    color = coder.decodeInteger(forKey: "color")
    isBold = coder.decodeBool(forKey: "isBold")
  }

  func encode(with coder: NSCoder) {
    coder.encode(NSString(string: name), forKey: "name")
    coder.encode(size, forKey: "size")
    coder.encode(color, forKey: "color")
    coder.encode(isBold, forKey: "isBold")
  }

  var style: Style { Style(name: name, size: size, color: color, isBold: isBold) }
}

/// A node of the graph for NSKeyedArchiver: ``Node`` as a class with NSCoding.
final class CodedNode: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }

  let identifier: Int
  let title: String
  let style: CodedStyle
  let children: [CodedNode]

  init(_ node: Node, styles: inout [ObjectIdentifier: CodedStyle]) {
    identifier = node.identifier
    title = node.title
    let style = styles[ObjectIdentifier(node.style)] ?? CodedStyle(node.style)
    styles[ObjectIdentifier(node.style)] = style
    self.style = style
    children = node.children.map { CodedNode($0, styles: &styles) }
  }

  init?(coder: NSCoder) {
    guard
      let title = coder.decodeObject(of: NSString.self, forKey: "title"),
      let style = coder.decodeObject(of: CodedStyle.self, forKey: "style"),
      let children = coder.decodeObject(of: [NSArray.self, CodedNode.self], forKey: "children")
    else { return nil }
    identifier = coder.decodeInteger(forKey: "identifier")
    self.title = String(describing: title)
    self.style = style
    self.children = (children as? [Any] ?? []).compactMap { $0 as? CodedNode }
  }

  func encode(with coder: NSCoder) {
    coder.encode(identifier, forKey: "identifier")
    coder.encode(NSString(string: title), forKey: "title")
    coder.encode(style, forKey: "style")
    coder.encode(NSArray(array: children), forKey: "children")
  }

  /// The node as it is in the graph of the other contenders, with the same sharing of styles.
  func node(styles: inout [ObjectIdentifier: Style]) -> Node {
    let shared = styles[ObjectIdentifier(style)] ?? style.style
    styles[ObjectIdentifier(style)] = shared
    return Node(
      identifier: identifier,
      title: title,
      style: shared,
      children: children.map { $0.node(styles: &styles) }
    )
  }
}

/// Thrown if an archive of NSKeyedArchiver does not contain a node.
private struct MissingRoot: Error {}

extension Contender {
  /// NSKeyedArchiver on a graph of NSCoding classes with the same content as `root`.
  static func keyedArchiving(_ root: Node) -> Contender {
    Contender(name: "NSKeyedArchiver", role: .other) {
      var trial = Trial()
      do {
        var codedStyles: [ObjectIdentifier: CodedStyle] = [:]
        let coded = CodedNode(root, styles: &codedStyles)
        let archive = try encode(coded)
        let decoded = try decode(archive)
        var styles: [ObjectIdentifier: Style] = [:]
        let node = decoded.node(styles: &styles)
        guard node == root else { return trial.failed("brings back another value") }
        trial.encodedSize = archive.count
        trial.note = node.sharing
        trial.encode = { try encode(coded) }
        trial.decode = { try decode(archive) }
        return trial
      } catch {
        return trial.failed("fails: \(error)")
      }
    }
  }

  private static func encode(_ root: CodedNode) throws -> Data {
    try NSKeyedArchiver.archivedData(withRootObject: root, requiringSecureCoding: true)
  }

  private static func decode(_ archive: Data) throws -> CodedNode {
    guard let root = try NSKeyedUnarchiver.unarchivedObject(ofClass: CodedNode.self, from: archive) else {
      throw MissingRoot()
    }
    return root
  }
}
