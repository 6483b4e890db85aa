// The classes of Foundation with a form of their own in Swift.

extension ContentFields {
  /// The content of an object of the class `name`; `nil` if that is no class of Foundation, or has no form in Swift.
  func content(ofClass name: String, _ contents: inout ContentReader) throws(ReadingError) -> ArchivedContent?
  {
    switch name {
    case "NSArray", "NSMutableArray":
      return .elements(try elements())
    case "NSSet", "NSMutableSet", "NSOrderedSet", "NSMutableOrderedSet":
      contents.note(change: "\(name) became an array")
      return .elements(try elements())
    case "NSCountedSet":
      guard let count = try integer("NS.count") else { return nil }
      contents.note(change: "\(name) became an array")
      contents.note(loss: "NSCountedSet: how often it holds each element")
      let elements = numbered("NS.object")
      guard elements.count == count else { throw damaged("A collection lacks elements") }
      return .elements(elements)
    case "NSDictionary", "NSMutableDictionary":
      return .pairs(try pairs())
    case "NSNull":
      return .value(.none)
    case "NSString", "NSMutableString":
      if let text = try string("NS.string") { return .value(.string(text)) }
      let bytes = try bytes("NS.bytes")
      try contents.charge(bytes?.count ?? 0, at: node)
      guard let bytes, let text = String(validating: bytes, as: UTF8.self) else {
        throw damaged("A string has no text")
      }
      return .value(.string(text))
    case "NSData", "NSMutableData":
      guard let bytes = try bytes("NS.data", "NS.bytes") else { throw damaged("Data has no bytes") }
      return .value(.bytes(bytes))
    case "NSDate":
      guard let seconds = try real("NS.time") else { throw damaged("A date has no time") }
      return .value(.date(seconds))
    case "NSNumber":
      return .value(try number())
    case "NSDecimalNumber", "NSDecimalNumberPlaceholder":
      return .value(try decimal())
    case "NSUUID":
      guard let bytes = try bytes("NS.uuidbytes"), bytes.count == 16 else {
        throw damaged("A UUID does not have 16 bytes")
      }
      return .value(.uuid(bytes))
    case "NSURL":
      return .value(.url(try urlParts(&contents)))
    case "NSValue", "NSConcreteValue":
      return try geometry().map { .value($0) }
    case "NSMeasurement":
      return .value(try measurement(&contents))
    case "NSTimeZone":
      guard let name = try string("NS.name") else { throw damaged("A time zone has no name") }
      return .value(.record([("identifier", .string(name))]))
    case "__NSLocalTimeZone":
      return .value(.record([("autoupdating", .bool(true))]))
    case "NSLocale":
      guard let name = try string("NS.identifier") else { throw damaged("A locale has no identifier") }
      return .value(.record([("identifier", .string(name))]))
    case "NSAutoLocale", "_NSAutoCalendar":
      return .value(.record([("current", .integer(2))]))
    case "NSCalendar":
      return .value(try record(ContentFields.calendarKeys, &contents))
    case "NSDateComponents":
      if let week = try integer("NS.week"), week != Int.max {
        contents.note(loss: "NSDateComponents: its week, which is neither of the month nor of the year")
      }
      return .value(try record(ContentFields.dateKeys, &contents))
    case "NSPersonNameComponents":
      return .value(try nameComponents(&contents))
    case "NSIndexSet", "NSMutableIndexSet":
      return .value(.ranges(try indexRanges(&contents)))
    case "NSIndexPath":
      return .value(.indexes(try indexes(&contents)))
    case "NSDateInterval":
      guard let start = try date("NS.startDate"), let duration = try duration(from: start), duration >= 0
      else { return nil }
      return .value(.record([("start", .date(start)), ("duration", .real(duration))]))
    default:
      return nil
    }
  }
}

// MARK: - Collections

extension ContentFields {
  /// The nodes of the elements of an array or a set.
  fileprivate func elements() throws(ReadingError) -> [Int] {
    try resolved("NS.objects").flatMap { archive.list.array($0) } ?? numbered("NS.object.")
  }

  /// The nodes under keys that end in a number, counted from 0.
  fileprivate func numbered(_ prefix: String) -> [Int] {
    var elements: [Int] = []
    while let node = nodes["\(prefix)\(elements.count)"] { elements.append(node) }
    return elements
  }

  fileprivate func pairs() throws(ReadingError) -> [PropertyList.Member] {
    let keys = try resolved("NS.keys").flatMap { archive.list.array($0) } ?? numbered("NS.key.")
    let values = try elements()
    guard keys.count == values.count else {
      throw damaged("A dictionary has different numbers of keys and values")
    }
    return zip(keys, values).map { PropertyList.Member(key: $0, value: $1) }
  }
}

// MARK: - Numbers

extension ContentFields {
  fileprivate func number() throws(ReadingError) -> FoundationValue {
    for key in ["NS.number", "NS.intval", "NS.dblval", "NS.boolval"] {
      guard let node = try resolved(key) else { continue }
      return try archive.plainValue(node)
    }
    throw damaged("A number has no value")
  }

  fileprivate func decimal() throws(ReadingError) -> FoundationValue {
    guard let bytes = try bytes("NS.mantissa"), let exponent = try integer("NS.exponent"),
      let length = try integer("NS.length"), 0...8 ~= length, -128...127 ~= exponent,
      bytes.count >= 2 * length
    else { throw damaged("A decimal number has no valid parts") }
    let isLittleEndian = try integer("NS.mantissa.bo") != 2
    let isNegative =
      switch try value("NS.negative") {
      case .bool(let value)?: value
      case .integer(let number)?: number != 0
      default: false
      }
    var mantissa: UInt128 = 0
    for index in stride(from: length - 1, through: 0, by: -1) {
      let (first, second) = (UInt128(bytes[2 * index]), UInt128(bytes[2 * index + 1]))
      mantissa = mantissa << 16 | (isLittleEndian ? second << 8 | first : first << 8 | second)
    }
    // Without digits but with a sign, it is not a number.
    let isNumber = length > 0 || !isNegative
    return .decimal(
      isNegative: isNegative && isNumber,
      exponent: isNumber ? exponent : 0,
      mantissa: isNumber ? mantissa : nil
    )
  }

  /// The numbers of an index path, or the locations and lengths of a set of indexes, from their data: seven bits in
  /// each byte, the lowest first.
  private func packedNumbers(_ bytes: [UInt8], _ contents: inout ContentReader) throws(ReadingError)
    -> [Int]
  {
    // The list with its free capacity, and what is written of it.
    try contents.budget.charge(bytes.count, of: 3 * MemoryLayout<Int>.stride, at: archive.list.offsets[node])
    var numbers: [Int] = []
    var number: UInt64 = 0
    var shift: UInt64 = 0
    for byte in bytes {
      guard shift < 63 else { throw damaged("A packed number is too large") }
      number |= UInt64(byte & 0x7F) << shift
      shift += 7
      guard byte < 0x80 else { continue }
      numbers.append(Int(clamping: number))
      (number, shift) = (0, 0)
    }
    guard shift == 0 else { throw damaged("A packed number is truncated") }
    return numbers
  }

  fileprivate func indexes(_ contents: inout ContentReader) throws(ReadingError) -> [Int] {
    guard let count = try integer("NSIndexPathLength") else { throw damaged("An index path has no length") }
    var indexes: [Int] = []
    if let bytes = try bytes("NSIndexPathData") {
      indexes = try packedNumbers(bytes, &contents)
    } else if let single = try integer("NSIndexPathValue") {
      indexes = [single]
    }
    guard indexes.count == count else { throw damaged("An index path lacks indexes") }
    return indexes
  }

  /// Locations and lengths alternate.
  fileprivate func indexRanges(_ contents: inout ContentReader) throws(ReadingError) -> [Int] {
    let count = nodes["NSRangeCount"] == nil ? 0 : try integer("NSRangeCount")
    var numbers: [Int] = []
    if let bytes = try bytes("NSRangeData") {
      numbers = try packedNumbers(bytes, &contents)
    } else if count == 1, let location = try integer("NSLocation"), let length = try integer("NSLength") {
      numbers = [location, length]
    }
    guard numbers.count / 2 == count, numbers.count % 2 == 0 else {
      throw damaged("A set of indexes lacks ranges")
    }
    return numbers
  }
}

// MARK: - Places, dates and units

extension ContentFields {
  fileprivate func date(_ key: String) throws(ReadingError) -> Double? {
    if case .date(let seconds)? = try value(key) { return seconds }
    return try inner(key, ["NS.time"])?.real("NS.time")
  }

  /// The duration of an interval, which Foundation writes, or the time until its end.
  fileprivate func duration(from start: Double) throws(ReadingError) -> Double? {
    if let duration = try real("NS.duration") { return duration }
    return try date("NS.endDate").map { $0 - start }
  }

  /// The text of the URL, then that of its base, and so on.
  fileprivate func urlParts(_ contents: inout ContentReader) throws(ReadingError) -> [String] {
    var parts: [String] = []
    var current: ContentFields? = self
    while let fields = current {
      guard let text = try fields.string("NS.relative") else { throw damaged("A URL has no text") }
      parts.append(text)
      guard parts.count <= ContentFields.mostBases else { throw damaged("A URL has too many bases") }
      current = try fields.inner("NS.base", ["NS.relative", "NS.base"])
      // Any number of URLs may have this base.
      if let base = current {
        try contents.budget.count(ContentFields.baseWork, at: archive.list.offsets[base.node])
      }
    }
    return parts
  }

  private static let mostBases = 16
  /// About the bytes that are compared to find the members of a base, and of its text if that is an object.
  private static let baseWork = 2_048

  /// A point, a size, a rectangle or a range, in its `Codable` form; `nil` for a value of another kind.
  fileprivate func geometry() throws(ReadingError) -> FoundationValue? {
    switch try integer("NS.special") {
    case 1: return .array(try coordinates("NS.pointval", count: 2).map { .real($0) })
    case 2: return .array(try coordinates("NS.sizeval", count: 2).map { .real($0) })
    case 3:
      let numbers = try coordinates("NS.rectval", count: 4)
      return .array([.array(numbers[..<2].map { .real($0) }), .array(numbers[2...].map { .real($0) })])
    case 4:
      guard let location = try integer("NS.rangeval.location"), let length = try integer("NS.rangeval.length")
      else { throw damaged("A range lacks its location or length") }
      return .array([.integer(Int128(location)), .integer(Int128(length))])
    default:
      return nil
    }
  }

  /// The numbers in a text such as {{1, 2}, {3, 4}}.
  private func coordinates(_ key: String, count: Int) throws(ReadingError) -> [Double] {
    let text = try string(key) ?? ""
    guard text.utf8.count <= 400 else { throw damaged("A string is not a point, size or rectangle") }
    let numbers = text.split { "{}, ".contains($0) }.map { Double($0) }
    let known = numbers.compactMap { $0 }
    guard known.count == count, numbers.count == count else {
      throw damaged("\"\(text.prefix(60))\" is not a point, size or rectangle")
    }
    return known
  }

  fileprivate func measurement(_ contents: inout ContentReader) throws(ReadingError) -> FoundationValue {
    guard let value = try real("NS.value"), let unit = try inner("NS.unit", ["NS.symbol", "NS.converter"]),
      let symbol = try unit.string("NS.symbol")
    else { throw damaged("A measurement has no value, or no unit") }
    if let kind = try contents.className(at: unit.node) {
      contents.note(loss: "NSMeasurement: the class of its unit, \(kind)")
    }
    var members: [(key: String, value: FoundationValue)] = [("symbol", .string(symbol))]
    if let converter = try unit.inner("NS.converter", ["NS.coefficient", "NS.constant"]) {
      if let coefficient = try converter.real("NS.coefficient") {
        let constant = try converter.real("NS.constant") ?? 0
        members.append(
          ("converter", .record([("coefficient", .real(coefficient)), ("constant", .real(constant))]))
        )
      } else {
        contents.note(loss: "NSMeasurement in \(symbol): how its unit is converted, which is not by a factor")
      }
    }
    return .record([("value", .real(value)), ("unit", .record(members))])
  }
}

// MARK: - Calendars and names

extension ContentFields {
  fileprivate typealias Keys = [(key: String, name: String)]

  fileprivate static let calendarKeys: Keys = [
    ("NS.identifier", "identifier"), ("NS.locale", "locale"), ("NS.timezone", "timeZone"),
    ("NS.firstwkdy", "firstWeekday"), ("NS.mindays", "minimumDaysInFirstWeek"),
  ]

  /// Apple platforms write `NS.leapMonth`, others `NS.isLeapMonth`. The first one that has a value counts.
  fileprivate static let dateKeys: Keys = [
    ("NS.calendar", "calendar"), ("NS.timezone", "timeZone"), ("NS.era", "era"), ("NS.year", "year"),
    ("NS.quarter", "quarter"), ("NS.month", "month"), ("NS.day", "day"), ("NS.hour", "hour"),
    ("NS.minute", "minute"), ("NS.second", "second"), ("NS.nanosec", "nanosecond"),
    ("NS.weekday", "weekday"), ("NS.weekdayOrdinal", "weekdayOrdinal"), ("NS.weekOfMonth", "weekOfMonth"),
    ("NS.weekOfYear", "weekOfYear"), ("NS.yearForWOY", "yearForWeekOfYear"), ("NS.dayOfYear", "dayOfYear"),
    ("NS.repeatedDay", "isRepeatedDay"), ("NS.leapMonth", "isLeapMonth"), ("NS.isLeapMonth", "isLeapMonth"),
  ]

  private static let nameKeys: Keys = [
    ("NS.namePrefix", "namePrefix"), ("NS.givenName", "givenName"), ("NS.middleName", "middleName"),
    ("NS.familyName", "familyName"), ("NS.nameSuffix", "nameSuffix"), ("NS.nickname", "nickname"),
  ]

  /// The classes of members that are not texts or numbers.
  private static let innerClasses = [
    "NS.calendar": ["NSCalendar", "_NSAutoCalendar"], "NS.locale": ["NSLocale", "NSAutoLocale"],
    "NS.timezone": ["NSTimeZone", "__NSLocalTimeZone"],
  ]

  /// The names are members of the object, or of one that only holds them.
  fileprivate func nameComponents(_ contents: inout ContentReader) throws(ReadingError) -> FoundationValue {
    let phonetic = "NS.phoneticRepresentation"
    let keys = ContentFields.nameKeys.map(\.key) + [phonetic]
    let holder = try inner("NS.nameComponentsPrivate", keys) ?? self
    guard archive.list.dictionary(holder.node) != nil else {
      throw damaged("The parts of a name are missing")
    }
    if try holder.resolved(phonetic) != nil {
      contents.note(loss: "NSPersonNameComponents: its phonetic representation")
    }
    return try holder.record(ContentFields.nameKeys, &contents)
  }

  /// A record of the members under `keys` that have a value.
  fileprivate func record(_ keys: Keys, _ contents: inout ContentReader) throws(ReadingError)
    -> FoundationValue
  {
    var members: [(key: String, value: FoundationValue)] = []
    var lastName = ""
    for (key, name) in keys where name != lastName {
      guard let value = try recordValue(key, &contents) else { continue }
      members.append((name, value))
      lastName = name
    }
    return .record(members)
  }

  private func recordValue(_ key: String, _ contents: inout ContentReader) throws(ReadingError)
    -> FoundationValue?
  {
    guard let node = nodes[key], let resolved = try archive.resolved(node) else { return nil }
    if archive.list.dictionary(resolved) != nil, case .object(let number) = try archive.meaning(of: node) {
      // The class is checked before the content is read: date components that are a member of themselves would recurse.
      let expected = ContentFields.innerClasses[key] ?? ["NSString", "NSMutableString", "NSNumber"]
      guard let name = try contents.className(at: resolved), expected.contains(name),
        case .value(let value) = try contents.content(of: number)
      else { throw damaged("The member \"\(key)\" is of an unexpected class") }
      return value
    }
    switch (try archive.plainValue(resolved), key) {
    // On Apple platforms, these are written even if they have no value.
    case (.integer(0), "NS.leapMonth"), (.bool(false), "NS.repeatedDay"): return nil
    case (.integer, "NS.leapMonth"): return .bool(true)
    // A component without a value.
    case (.integer(Int128(Int64.max)), _): return nil
    case (let value, _): return value
    }
  }
}
