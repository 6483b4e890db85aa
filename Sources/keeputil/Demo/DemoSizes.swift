import Foundation

enum DemoSizes {
  static func table(_ library: Library, archiveSize: Int) throws -> [String] {
    let json = try JSONEncoder().encode(library)
    let propertyListEncoder = PropertyListEncoder()
    propertyListEncoder.outputFormat = .binary
    let propertyList = try propertyListEncoder.encode(library)
    let jsonObjects = try DemoReferences(JSONDecoder().decode(Library.self, from: json)).objectCount
    let decoded = try PropertyListDecoder().decode(Library.self, from: propertyList)
    let propertyListObjects = DemoReferences(decoded).objectCount
    let objects = "\(library.objectCount) objects"
    let copies = "read back as \(grouped(propertyListObjects)) objects (binary)"
    let rows = [
      ("Keepsake", archiveSize, "\(objects), as they were"),
      ("NSKeyedArchiver", KeyedMirror.archiveSize(library), "\(objects), with NSCoding written by hand"),
      ("JSONEncoder", json.count, "read back as \(grouped(jsonObjects)) objects: nothing is shared"),
      ("PropertyListEncoder", propertyList.count, copies),
    ]
    return rows.map { name, size, remark in
      let ratio = (Double(size) / Double(archiveSize) * 10).rounded() / 10
      return name.padding(toLength: 20, withPad: " ", startingAt: 0)
        + leftPadded(grouped(size), 9) + " bytes " + leftPadded("\(ratio)", 5) + " ×   " + remark
    }
  }
}

/// An object of the library for NSKeyedArchiver, which requires a subclass of NSObject that encodes key by key.
///
/// One class stands for all, which saves NSKeyedArchiver some bytes. It is not private, as its name must be visible.
final class Mirrored: NSObject, NSCoding {
  private let fields: [(key: String, value: Any?)]

  init(_ fields: [(key: String, value: Any?)]) {
    self.fields = fields
  }

  init?(coder: NSCoder) { nil }

  func encode(with coder: NSCoder) {
    for (key, value) in fields {
      if let number = value as? Int {
        coder.encode(number, forKey: key)
      } else {
        coder.encode(value, forKey: key)
      }
    }
  }
}

/// Makes one mirror for each object, so that shared objects stay shared.
private struct KeyedMirror {
  private var made: [ObjectIdentifier: Mirrored] = [:]

  static func archiveSize(_ library: Library) -> Int {
    var mirror = KeyedMirror()
    let archiver = NSKeyedArchiver(requiringSecureCoding: false)
    archiver.encode(mirror.mirror(of: library), forKey: NSKeyedArchiveRootObjectKey)
    archiver.finishEncoding()
    return archiver.encodedData.count
  }

  private mutating func mirror(of object: AnyObject) -> Mirrored {
    if let mirror = made[ObjectIdentifier(object)] { return mirror }
    let mirror = Mirrored(fields(of: object))
    made[ObjectIdentifier(object)] = mirror
    return mirror
  }

  private mutating func fields(of value: Any) -> [(key: String, value: Any?)] {
    Mirror(reflecting: value).children.map { ($0.label ?? "", mirrored($0.value)) }
  }

  private mutating func mirrored(_ value: Any) -> Any? {
    switch value {
    case let text as String: return text as NSString
    case let number as Int: return number
    case let date as Date: return date as NSDate
    case let id as UUID: return id as NSUUID
    case let address as Address: return Mirrored(fields(of: address))
    case let list as [Any]: return list.compactMap { mirrored($0) } as NSArray
    case let shelves as [String: [Any]]:
      return NSMutableDictionary(dictionary: shelves.mapValues { mirrored($0) ?? NSNull() })
    default:
      let reflection = Mirror(reflecting: value)
      guard reflection.displayStyle == .optional else { return mirror(of: value as AnyObject) }
      return reflection.children.first.flatMap { mirrored($0.value) }
    }
  }
}
