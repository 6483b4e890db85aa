package import Foundation

/// Handmade NSKeyedArchiver archives that Foundation does not write on this platform, or that no program should write.
package indirect enum FoundationPropertyList {
  case bool(Bool)
  case integer(Int)
  case real(Double)
  case string(String)
  case data([UInt8])
  case reference(Int)
  case array([FoundationPropertyList])
  case dictionary([(String, FoundationPropertyList)])
  /// An instance of a class, which is added behind the objects.
  case instance([String], [(String, FoundationPropertyList)])

  package static func object(_ className: String, _ members: KeyValuePairs<String, FoundationPropertyList>)
    -> FoundationPropertyList
  {
    .instance([className, "NSObject"], members.map { ($0.key, $0.value) })
  }

  /// The XML archive of these objects, whose numbers begin with 1; the first is the root.
  package static func archive(
    objects: [FoundationPropertyList],
    top: [(String, FoundationPropertyList)] = [("root", .reference(1))]
  ) -> Data {
    var all: [FoundationPropertyList] = [.string("$null")]
    var classes: [FoundationPropertyList] = []
    for object in objects {
      guard case .instance(let names, let members) = object else {
        all.append(object)
        continue
      }
      let number = 1 + objects.count + classes.count
      all.append(.dictionary([("$class", .reference(number))] + members))
      classes.append(
        .dictionary([
          ("$classname", .string(names[0])), ("$classes", .array(names.map { .string($0) })),
        ])
      )
    }
    return document(
      .dictionary([
        ("$archiver", .string("NSKeyedArchiver")), ("$version", .integer(100_000)),
        ("$objects", .array(all + classes)), ("$top", .dictionary(top)),
      ])
    )
  }

  package static func document(_ root: FoundationPropertyList) -> Data {
    Data("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\(root.xml)</plist>\n".utf8)
  }

  private var xml: String {
    switch self {
    case .bool(let value): value ? "<true/>" : "<false/>"
    case .integer(let value): "<integer>\(value)</integer>"
    case .real(let value): "<real>\(value)</real>"
    case .string(let value): "<string>\(FoundationPropertyList.escaped(value))</string>"
    case .data(let bytes): "<data>\(Data(bytes).base64EncodedString())</data>"
    case .reference(let number): "<dict><key>CF$UID</key><integer>\(number)</integer></dict>"
    case .array(let elements): "<array>\(elements.map(\.xml).joined())</array>"
    case .dictionary(let members), .instance(_, let members):
      "<dict>\(members.map { "<key>\(FoundationPropertyList.escaped($0.0))</key>\($0.1.xml)" }.joined())</dict>"
    }
  }

  private static func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
  }
}
