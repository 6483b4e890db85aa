/// Where the boxes of archived properties are in the memory of a model, so that reflection, which takes more than a
/// microsecond for each property, is needed for the first instance of a class only.
///
/// A stored property is at the same offset in all instances of a class, and an `Archived` is nothing but the reference
/// to its box. The offset is that of the word which, in an instance whose properties reflection has shown, is the
/// address of the box. Where several words are, which takes a property that repeats another one, there is no offset,
/// and reflection is used.
enum ModelStorage {
  /// The offset of the reference to `box` in `model`, which has `byteCount` bytes.
  static func offset(of box: AnyArchivedBox, in model: ArchivedModel, _ byteCount: Int) -> Int? {
    let word = MemoryLayout<UInt>.size
    guard MemoryLayout<Archived<Int>>.size == word else { return nil }
    return withExtendedLifetime((box, model)) {
      let memory = unsafe UnsafeRawPointer(Unmanaged.passUnretained(model).toOpaque())
      let target = unsafe UInt(bitPattern: Unmanaged.passUnretained(box).toOpaque())
      // Within the instance, whose properties have all been initialized; the words are only compared.
      let matches = stride(from: 2 * word, through: byteCount - word, by: word).filter { offset in
        unsafe memory.load(fromByteOffset: offset, as: UInt.self) == target
      }
      return matches.count == 1 ? matches[0] : nil
    }
  }

  /// The box to which the reference at `offset` in `model` leads.
  @inline(__always)
  static func box(at offset: Int, in model: ArchivedModel) -> AnyArchivedBox {
    withExtendedLifetime(model) {
      let memory = unsafe UnsafeRawPointer(Unmanaged.passUnretained(model).toOpaque())
      // The offset is that of an `Archived` in the class of the model; the model owns the box, which is retained here.
      return unsafe memory.load(fromByteOffset: offset, as: Unmanaged<AnyArchivedBox>.self)
        .takeUnretainedValue()
    }
  }
}
