/// Called before and after each object is archived.
struct EncodingObserver {
  /// The object to archive instead of the given one, which may be that itself, or `nil` to write nil.
  let replacement: (AnyObject) -> AnyObject?
  /// Called when everything that the object holds is archived.
  let didEncode: (AnyObject) -> Void
}

extension EncodingSession {
  /// Whether other objects may have to be archived in place of some.
  @inline(__always)
  var replacesObjects: Bool { observation.observer != nil || !observation.replacements.isEmpty }

  /// The object to archive instead of `object`. The observer is asked once for each object, not for its replacements.
  func replacement(for object: AnyObject, declared: Any.Type) throws -> AnyObject? {
    let identifier = ObjectIdentifier(object)
    if let observer = observation.observer, observation.replacements[identifier] == nil,
      bodies.objects.knownNumber(of: object) == nil
    {
      let other = whileClosed { observer.replacement(object) }
      observation.replacements[identifier] = (object, other)
      if let other, other !== object, observation.replacements[ObjectIdentifier(other)] == nil {
        observation.replacements[ObjectIdentifier(other)] = (other, other)
      }
    }
    guard let replacement = observation.replacements[identifier] else { return object }
    guard let other = replacement.object, other !== object else { return replacement.object }
    try checkReplacement(other, declared)
    return other
  }

  /// Throws unless `other`, which replaces an object, may stand where `declared` is declared.
  func checkReplacement(_ other: AnyObject, _ declared: Any.Type) throws {
    guard RuntimeTypes.conforms(type(of: other), to: declared) != false else {
      throw misuse(
        "The delegate replaces an object by one of the class \(type(of: other)) where \(declared) is declared",
        code: .typeMismatch
      )
    }
  }

  /// Records that a conditional reference declares `object`, which may be replaced, as `declared`: its own class or a
  /// superclass. A replacement that fits the lowest of these classes fits all.
  @inline(never)
  func noteDeclaration(of object: AnyObject, _ declared: AnyClass) {
    let known: AnyClass? = observation.declarations[ObjectIdentifier(object)]?.declared
    if known.map({ RuntimeTypes.isSubclass(declared, of: $0) }) ?? true {
      observation.declarations[ObjectIdentifier(object)] = (object, declared)
    }
  }

  /// Reports the objects from `first` on to the observer, each after those that were first reached from it.
  func reportEncoded(from first: Int) {
    guard let observer = observation.observer, first <= bodies.assembly.bodyCount else { return }
    var children: [Int: [Int]] = [:]
    var roots: [Int] = []
    for number in stride(from: first, through: bodies.assembly.bodyCount, by: 1) {
      let referrer = bodies.graph.firstReferrer(of: number) ?? 0
      if referrer >= first { children[referrer, default: []].append(number) } else { roots.append(number) }
    }
    var stack = roots.reversed().map { (number: $0, isLeft: false) }
    while let (number, isLeft) = stack.popLast() {
      if isLeft {
        // The content of a lazy property is an object only in the archive.
        if let object = bodies.objects.object(number), !(object is AnyLazyContent) {
          whileClosed { observer.didEncode(object) }
        }
      } else {
        stack.append((number, true))
        stack += (children[number] ?? []).reversed().map { ($0, false) }
      }
    }
  }
}
