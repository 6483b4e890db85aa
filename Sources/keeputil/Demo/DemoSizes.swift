import Foundation
import Keepsake

/// The size of the library in other formats.
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
