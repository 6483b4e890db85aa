/// How many bytes an instance of a class takes, its head included.
///
/// What is behind tail allocation is not in it.
func instanceByteCount(_ type: AnyClass) -> Int {
  Int(clamping: instanceExtents(type).positive)
}

/// How many bytes an array takes for each value of `type`; for a class, those of a reference.
func strideOf(_ type: Any.Type) -> Int {
  func stride<Value>(_ type: Value.Type) -> Int { MemoryLayout<Value>.stride }
  return _openExistential(type, do: stride)
}

/// The function is part of the stable interface of the standard library, to its own inlined code.
@_silgen_name("_swift_getSwiftClassInstanceExtents")
private func instanceExtents(_ type: AnyClass) -> (negative: UInt, positive: UInt)
