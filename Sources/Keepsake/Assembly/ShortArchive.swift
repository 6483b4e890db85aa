/// Writes a small archive in the short form, which omits what a small archive does not need (Format §7).
struct ShortArchive {
  /// Archives with more bodies get the long form, in which a body can be found without the lengths of all.
  static let mostBodies = 63
  /// Longer archives get the long form, of which a part can be checked and read without the rest.
  private static let mostBytes = 1 << 15

  private let buffer: ByteBuffer
  private var flags: Header.Flags

  /// Writes the short form of an archive to `buffer`, or returns `false` if the archive is too large for it.
  ///
  /// - Parameters:
  ///   - bodies: the bodies, behind a header of the long form.
  ///   - lengths: the number of bytes of each.
  static func write(
    to buffer: ByteBuffer,
    bodies: ByteBuffer,
    lengths: OwnedArray<Int>,
    topLevel: ByteBuffer,
    keys: inout KeyRegistry,
    shapes: inout ShapeTrie,
    classes: [ClassEntry],
    strings: inout StringSharing,
    conditionals: [Int],
    _ flags: Header.Flags
  ) -> Bool {
    guard lengths.count <= mostBodies, bodies.count + topLevel.count <= mostBytes else { return false }
    var archive = ShortArchive(buffer: buffer, flags: flags.union(.short))
    archive.flags.insert(shapes.count > 0 ? .shapes : [])
    archive.flags.insert(classes.isEmpty ? [] : .classes)
    archive.flags.insert(strings.count > 0 ? .strings : [])
    archive.flags.insert(conditionals.isEmpty ? [] : .conditionals)
    archive.flags.insert(lengths.count > 0 ? .bodies : [])
    let hasWideLengths = (0..<lengths.count).contains { lengths[$0] > UInt8.max }
    archive.flags.insert(hasWideLengths ? .wideLengths : [])
    let impliesTopLevel = ShortForm.isImplied(topLevel, bodies)
    archive.flags.insert(impliesTopLevel ? .impliedTopLevel : [])

    buffer.truncate(to: 0)
    buffer.append(word: Header.signatureWord)
    buffer.append(word: archive.flags.headerWord, byteCount: 4)
    if shapes.count > 0 { buffer.append(varint: shapes.count) }
    if !classes.isEmpty { buffer.append(varint: classes.count) }
    if strings.count > 0 { buffer.append(varint: strings.count) }
    if !conditionals.isEmpty { buffer.append(varint: conditionals.count) }
    if lengths.count > 0 { buffer.append(varint: lengths.count) }
    for index in 0..<lengths.count {
      buffer.append(word: UInt64(lengths[index]), byteCount: hasWideLengths ? 2 : 1)
    }
    if shapes.count > 0 { shapes.writeShort(to: buffer, names: keys.names) }
    if !classes.isEmpty { for entry in classes { entry.write(to: buffer) } }
    for number in 0..<strings.count { strings.write(number, to: buffer) }
    for number in conditionals { buffer.append(varint: number) }
    let tablesEnd = buffer.count
    buffer.append(bodies, Header.byteCount..<bodies.count)
    if !impliesTopLevel { buffer.append(topLevel) }
    let covered = 0..<(flags.contains(.withoutChecksums) ? tablesEnd : buffer.count)
    buffer.append(word: buffer.checksum(covered), byteCount: ShortForm.checksumByteCount)
    return true
  }
}
