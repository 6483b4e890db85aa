import Foundation

/// An object of the library for NSKeyedArchiver: a subclass of NSObject that encodes key by key.
///
/// One class stands for all, which saves NSKeyedArchiver some bytes. It must be found by its name.
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
struct KeyedMirror {
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
      let dictionary = NSMutableDictionary()
      for (subject, books) in shelves { dictionary[subject as NSString] = mirrored(books) }
      return dictionary
    default:
      let reflection = Mirror(reflecting: value)
      guard reflection.displayStyle == .optional else { return mirror(of: value as AnyObject) }
      return reflection.children.first.flatMap { mirrored($0.value) }
    }
  }
}
