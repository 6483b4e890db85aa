/// The errors for objects that are related so that no reader could rebuild them.
extension EncodingSession {
  func unreadable(_ obstacle: ReferenceGraph.Obstacle) -> EncodingError {
    switch obstacle {
    case .cycle(let edges): unreadable(cycle: edges)
    case .depth(let depth, let number):
      unreadable(
        "Objects and values are nested \(depth) deep or more. Readers accept \(settings.limits.maximumDepth) levels by "
          + "default, and need a few for themselves. Declare a property of the chain as an optional var, or mark it "
          + "@Deferred: what is read last does not count",
        .limitExceeded,
        number
      )
    case .cost(let number):
      unreadable(
        "So many keys lead into cycles of objects that it would take too long to find out whether a reader can decode "
          + "them in any order. Put the objects into one value, such as a dictionary, or declare "
          + "a property in each cycle as an optional var, or mark it @Deferred",
        .limitExceeded,
        number
      )
    }
  }

  private func unreadable(cycle: [ReferenceGraph.Edge]) -> EncodingError {
    let steps = distinctSteps(of: cycle)
    let advice = steps.reversed().compactMap(\.advice).prefix(EncodingSession.mostAdvice)
    let message =
      "Objects refer to each other in a cycle that no initializer can read back: \(describe(steps)). "
      + (advice.isEmpty ? "Make" : sentence(advice.joined(separator: ", or ")) + " Or make")
      + " one of the classes an ArchivedModel or SelfRegistering"
    return unreadable(message, .cycle, cycle.first?.body ?? 0)
  }

  private func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() + "." }

  /// How many of the last steps of a coding path are given, since the graph may be very deep.
  private static let longestPath = 100
  /// How many properties of a cycle are shown, and for how many there is advice.
  private static let mostSteps = 12
  private static let mostAdvice = 3

  private func unreadable(_ message: String, _ code: ArchiveError.Code, _ number: Int) -> EncodingError {
    EncodingError.invalid(
      bodies.objects.object(number) as Any,
      ArchiveError(code, message),
      Array(path(ofObject: number).suffix(EncodingSession.longestPath))
    )
  }

  /// A property in a cycle, and how to make it wait; `nil` if another one has to.
  private typealias Step = (name: String, advice: String?)

  /// The properties of a cycle, each once.
  private func distinctSteps(of cycle: [ReferenceGraph.Edge]) -> [Step] {
    var names: Set<String> = []
    var steps: [Step] = []
    for (index, edge) in cycle.enumerated() {
      let step = step(edge, to: cycle[(index + 1) % cycle.count].body)
      if names.insert(step.name).inserted { steps.append(step) }
    }
    return steps
  }

  private func describe(_ steps: [Step]) -> String {
    let names = steps.map(\.name)
    guard names.count > EncodingSession.mostSteps else { return names.joined(separator: " → ") }
    let rest = names.count - EncodingSession.mostSteps
    return names.prefix(EncodingSession.mostSteps).joined(separator: " → ") + " → … \(rest) more …"
  }

  private func step(_ edge: ReferenceGraph.Edge, to target: Int) -> Step {
    let type = bodies.objects.object(edge.body).map { String(describing: Swift.type(of: $0)) } ?? "the value"
    guard let (property, finding) = property(of: edge) else {
      let path = ArchivePath(steps(from: edge.body, to: target))
      return switch path.elements.first {
      // A single-value container cannot defer its value.
      case nil: (type, nil)
      case .index: ("\(type)\(path)", deferring("\(path) of \(type)", "(_:)", "(_:_:)"))
      default: ("\(type).\(path)", deferring("\(path) of \(type)", "(_:forKey:)", "(_:forKey:_:)"))
      }
    }
    let name = "\(type).\(property.shownName)"
    return (name, advice(property, finding, name))
  }

  private func deferring(_ value: String, _ labels: String, _ decodingLabels: String) -> String {
    "encode \(value) with encodeDeferred\(labels) and decode it with decodeDeferred\(decodingLabels)"
  }

  private func advice(
    _ property: StoredProperty,
    _ finding: PropertyProbe.Finding,
    _ name: String
  ) -> String? {
    guard property.ownership != .weak else { return nil }
    if property.ownership == .unmanaged { return "make \(name) weak or unowned" }
    guard property.type == finding.type || property.type == finding.optionalType else {
      // As a wrapper of another library.
      if !(property.type is any Encodable.Type) { return deferring(name, "(_:forKey:)", "(_:forKey:_:)") }
      return "encode \(name) as the \(property.type) that it is, not as \(finding.type)"
    }
    if property.type is any ValueThatCanBeEmpty.Type { return "declare \(name) as a var" }
    if property.type is AnyClass { return "declare \(name) as an optional var" }
    if property.hasUnderscore { return "write @Deferred before the wrapper of \(name)" }
    return "mark \(name) @Deferred, which is a value that holds the object"
  }
}
