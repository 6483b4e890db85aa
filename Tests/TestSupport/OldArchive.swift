package import Foundation

/// An archive that Foundation's NSKeyedArchiver writes.
package func oldArchive(
  _ root: Any,
  format: PropertyListSerialization.PropertyListFormat = .binary
) -> Data {
  oldArchive(format: format) { $0.encode(root, forKey: NSKeyedArchiveRootObjectKey) }
}

/// An archive of what `body` encodes.
package func oldArchive(
  format: PropertyListSerialization.PropertyListFormat = .binary,
  _ body: (NSKeyedArchiver) -> Void
) -> Data {
  let archiver = NSKeyedArchiver(requiringSecureCoding: false)
  archiver.outputFormat = format
  body(archiver)
  archiver.finishEncoding()
  return archiver.encodedData
}

package let oldFormats: [PropertyListSerialization.PropertyListFormat] = [.binary, .xml]
