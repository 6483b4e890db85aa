package import Foundation

/// An archive that Foundation's NSKeyedArchiver writes.
package func foundationArchive(
  _ root: Any,
  format: PropertyListSerialization.PropertyListFormat = .binary
) -> Data {
  foundationArchive(format: format) { $0.encode(root, forKey: NSKeyedArchiveRootObjectKey) }
}

/// An archive of the values that `body` encodes.
package func foundationArchive(
  format: PropertyListSerialization.PropertyListFormat = .binary,
  _ body: (NSKeyedArchiver) -> Void
) -> Data {
  let archiver = NSKeyedArchiver(requiringSecureCoding: false)
  archiver.outputFormat = format
  body(archiver)
  archiver.finishEncoding()
  return archiver.encodedData
}

package let foundationFormats: [PropertyListSerialization.PropertyListFormat] = [.binary, .xml]
