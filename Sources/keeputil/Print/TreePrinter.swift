import Keepsake

/// The parts of a tree that are shown, and their form.
struct TreeOptions {
  var deepest = Int.max
  var mostMembers = Int.max
  /// Longer texts, keys and names are cut, since an archive may have one once and refer to it very often.
  var longestText = TreeOptions.longestText
  var hasOffsets = false
  /// Whether each object is printed separately, not at its first reference.
  var isFlat = false
  var palette = Palette.plain
  var margin = ""

  static let longestText = 500
}

/// Prints a value of an archive line by line, and reads no more of it than it prints. It does not recurse, however deep
/// values are nested.
struct TreePrinter {
  /// What to print at the end of an open value.
  private struct Closing {
    let bracket: String
    let offset: Int
    /// For an object that was followed, the range of its body.
    let body: Range<Int>?
  }

  private let image: ArchiveImage
  private let output: any Output
  private let options: TreeOptions
  private var walk: ArchiveWalk
  /// One for each open value. `nil` for a value without brackets of its own.
  private var closings: [Closing?] = []
  private var indentation = 0
  /// The text before the next value on its line.
  private var prefix = ""
  /// The range of the body that contains the next value, if a reference was followed to it.
  private var pendingBody: Range<Int>?
  /// The objects that are still to be printed separately, in the order in which they were found.
  private var pending: [Int] = []
  /// The bodies printed so far. A set of these takes little memory if only a part of a large archive is printed.
  private var seen: Set<Int> = []

  /// The most levels of indentation, so that deep nesting does not multiply the output.
  private static let mostIndentation = 64

  /// - Parameter body: the object whose content is `value`, if it is shown as an object.
  init(_ value: ArchiveValue, _ output: any Output, _ options: TreeOptions, in body: ArchiveBody? = nil) {
    image = value.image
    self.output = output
    self.options = options
    walk = ArchiveWalk(value)
    if let body { enter(body) }
  }

  /// Prints the value and, if objects are printed separately, all objects to which it leads.
  mutating func printAll() throws {
    try printValue()
    var next = 0
    while next < pending.count {
      let body = try image.numberedBody(pending[next])
      next += 1
      walk = ArchiveWalk(body.value)
      enter(body)
      try printValue()
    }
  }

  private mutating func printValue() throws {
    while let step = try nextStep() {
      switch step {
      case .leave:
        guard let closing = closings.popLast() ?? nil else { continue }
        indentation -= 1
        var extent = closing.body
        if options.hasOffsets, extent == nil { extent = closing.offset..<(try walk.cursor) }
        try line(closing.bracket, extent)
      case .value(let value, let label):
        prefix += label.map(text) ?? ""
        try print(value)
      }
    }
  }

  private mutating func nextStep() throws -> ArchiveWalk.Step? {
    if let count = walk.leaveOut(behind: options.mostMembers) { try line(faint("… \(count) more")) }
    return try walk.next()
  }

  private mutating func print(_ value: ArchiveValue) throws {
    switch value.kind {
    case .some, .typed:
      prefix += "\(try value.typeName.map { name($0) } ?? faint("some")) "
      closings.append(nil)
    case .url:
      try line(painted(value), extent(of: value))
      try walk.skipMembers(endingAt: value.byteRange.upperBound)
    case .array, .map, .record:
      try open(value)
    case .object, .value:
      try printReference(value)
    case .conditional:
      // The object is printed where another reference leads to it.
      let target = try value.target.map { "\(name($0.className ?? "")) \(faint("#\($0.number)"))" }
      try line("\(faint("weak")) \(target ?? faint("nil"))", extent(of: value))
    case .numbers:
      try printNumbers(value)
    default:
      try line(painted(value), extent(of: value))
    }
  }

  private mutating func open(_ value: ArchiveValue) throws {
    let (opening, closing) = value.kind == .array ? ("[", "]") : ("{", "}")
    let body = pendingBody
    if try value.count == 0 {
      try line(opening + closing, extent(of: value))
      closings.append(nil)
    } else if indentation >= options.deepest {
      try line("\(opening)…\(closing)", extent(of: value))
      try walk.skipMembers()
    } else {
      try line(opening, start: body?.lowerBound ?? value.offset)
      indentation += 1
      closings.append(Closing(bracket: closing, offset: value.offset, body: body))
    }
  }

  private mutating func printReference(_ value: ArchiveValue) throws {
    guard let target = try value.target else { return }
    let name = name(of: target)
    if options.isFlat, value.kind == .object {
      if seen.insert(target.number).inserted { pending.append(target.number) }
      return try line(name, extent(of: value))
    }
    if seen.contains(target.number) {
      let text = name.isEmpty ? faint("(value #\(target.number), above)") : "\(name) \(faint("(above)"))"
      try line(text, extent(of: value))
    } else if indentation >= options.deepest {
      let content = target.value.kind == .array ? "[…]" : "{…}"
      try line(name + (name.isEmpty ? "" : " ") + content, extent(of: value))
    } else {
      enter(target)
    }
  }

  private mutating func enter(_ body: ArchiveBody) {
    seen.insert(body.number)
    let name = name(of: body)
    if !name.isEmpty { prefix += name + " " }
    pendingBody = body.byteRange
    walk.follow(body)
    closings.append(nil)
  }

  private mutating func printNumbers(_ value: ArchiveValue) throws {
    guard var numbers = try ArchiveNumberWalk(value) else { return }
    if numbers.count == 0 { return try line("[]", extent(of: value)) }
    if indentation >= options.deepest { return try line("[…]", extent(of: value)) }
    let body = pendingBody
    try line("[", start: body?.lowerBound ?? value.offset)
    indentation += 1
    var index = 0
    while index < options.mostMembers, let some = try numbers.next() {
      for text in some.texts.prefix(options.mostMembers - index) {
        try line("\(index) => \(options.palette.paint(text, .number))")
        index += 1
      }
    }
    if numbers.count > index { try line(faint("… \(numbers.count - index) more")) }
    indentation -= 1
    try line("]", body ?? extent(of: value))
  }

  /// Ends a line with its pending text, `text`, and the range of the value if that is shown.
  private mutating func line(_ text: String, _ extent: Range<Int>? = nil, start: Int? = nil) throws {
    let indent = String(repeating: "  ", count: min(indentation, TreePrinter.mostIndentation))
    var location = ""
    if options.hasOffsets, let extent {
      location = "  @\(extent.lowerBound)+\(extent.count)"
    } else if options.hasOffsets, let start {
      location = "  @\(start)"
    }
    try output.write("\(options.margin)\(indent)\(prefix)\(text)\(faint(location))\n")
    prefix = ""
    pendingBody = nil
  }

  /// The range of the value, if it is shown. Otherwise its end need not be found.
  private func extent(of value: ArchiveValue) throws -> Range<Int>? {
    options.hasOffsets ? try pendingBody ?? value.byteRange : nil
  }

  private func text(_ label: PathElement) -> String {
    switch label {
    case .key(let name): "\(options.palette.paint(quoted(name, options.longestText), .key)) => "
    case .intKey(let number): "\(options.palette.paint("\(number)", .key)) => "
    case .index(let index): "\(index) => "
    }
  }

  private func painted(_ value: ArchiveValue) throws -> String {
    let text = try value.scalarText(longest: options.longestText)
    return value.ink.map { options.palette.paint(text, $0) } ?? text
  }

  /// The class and number of an object. Empty for a value of the top level.
  private func name(of body: ArchiveBody) -> String {
    body.className.map { "\(name($0)) \(faint("#\(body.number)"))" } ?? ""
  }

  private func name(_ type: String) -> String {
    options.palette.paint(escaped(shortened(type, options.longestText)), .name)
  }

  private func faint(_ text: String) -> String { options.palette.paint(text, .faint) }
}
