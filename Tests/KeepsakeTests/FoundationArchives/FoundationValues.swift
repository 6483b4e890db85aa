import Foundation
import Keepsake
import TestSupport
import Testing

/// The values of Foundation's classes, from archives that Foundation writes on this platform.
@Suite struct FoundationValues {
  private func read<Value: Decodable>(
    _ type: Value.Type,
    _ root: Any,
    _ format: PropertyListSerialization.PropertyListFormat
  ) throws -> Value {
    try KeyedUnarchiver.unarchive(type, from: foundationArchive(root, format: format))
  }

  @Test(arguments: foundationFormats)
  func textsAndData(_ format: PropertyListSerialization.PropertyListFormat) throws {
    #expect(try read(String.self, "plain" as NSString, format) == "plain")
    #expect(try read(String.self, NSMutableString(string: "grün & <gelb> 🟡"), format) == "grün & <gelb> 🟡")
    #expect(try read(String.self, String(repeating: "lang ", count: 500) as NSString, format).count == 2_500)
    let data = Data((0..<300).map { UInt8(truncatingIfNeeded: $0) })
    #expect(try read(Data.self, data as NSData, format) == data)
    #expect(try read(Data.self, NSMutableData(data: data), format) == data)
    #expect(try read(Data.self, NSData(), format).isEmpty)
    #expect(try read([UInt8].self, data as NSData, format) == Array(data))
  }

  @Test(arguments: foundationFormats)
  func numbers(_ format: PropertyListSerialization.PropertyListFormat) throws {
    for number in [0, 1, -1, 127, 128, 255, 256, 65_535, 65_536, Int.max, Int.min] {
      #expect(try read(Int.self, NSNumber(value: number), format) == number)
    }
    for number in [0.0, -0.5, 1e300, 2.5e-300, 0.1] {
      #expect(try read(Double.self, NSNumber(value: number), format) == number)
    }
    #expect(try read(Float.self, NSNumber(value: Float(2.5)), format) == 2.5)
    #expect(try read(Bool.self, NSNumber(value: true), format))
    #expect(try read(Double.self, NSNumber(value: 7), format) == 7)
    #expect(throws: DecodingError.self) { try read(Int8.self, NSNumber(value: 128), format) }
    #expect(throws: DecodingError.self) { try read(Int.self, "7" as NSString, format) }
  }

  @Test(arguments: foundationFormats)
  func collections(_ format: PropertyListSerialization.PropertyListFormat) throws {
    #expect(try read([String].self, ["a", "b", "a"] as NSArray, format) == ["a", "b", "a"])
    #expect(try read([Int].self, NSMutableArray(array: [3, 1, 3]), format) == [3, 1, 3])
    #expect(try read([Int].self, NSArray(), format) == [])
    #expect(try read([Double].self, [1.5, 2] as NSArray, format) == [1.5, 2])
    #expect(try read(Set<Int>.self, NSSet(array: [1, 2, 3]), format) == [1, 2, 3])
    #expect(try read(Set<String>.self, NSMutableSet(array: ["x"]), format) == ["x"])
    #expect(try read([Int].self, NSOrderedSet(array: [3, 1, 2]), format) == [3, 1, 2])
    #expect(try read([Int].self, NSMutableOrderedSet(array: [9]), format) == [9])
    #expect(try read([[Int]].self, [[1], [], [2, 3]] as NSArray, format) == [[1], [], [2, 3]])
    #expect(try read([String: Int].self, ["a": 1, "b": 2] as NSDictionary, format) == ["a": 1, "b": 2])
    #expect(try read([Int: String].self, [1: "a", -2: "b"] as NSDictionary, format) == [1: "a", -2: "b"])
    #expect(try read([String: Int].self, NSDictionary(), format) == [:])
    #expect(try read([Date: Int].self, NSDictionary(), format) == [:])
    let dates = [Date(timeIntervalSinceReferenceDate: 1): "a", Date(timeIntervalSinceReferenceDate: 2): "b"]
    #expect(try read([Date: String].self, dates as NSDictionary, format) == dates)
    #expect(
      try read([String: [String?]].self, ["k": ["v", NSNull()]] as NSDictionary, format) == ["k": ["v", nil]]
    )
  }

  private enum Suit: String, Codable { case hearts, spades }

  /// Swift writes dictionaries with such keys as alternating keys and values; an NSKeyedArchiver archive does not
  /// distinguish them.
  @Test func keysOfOtherTypes() throws {
    let bySuit = ["hearts": 1, "spades": 2] as NSDictionary
    #expect(try read([Suit: Int].self, bySuit, .binary) == [.hearts: 1, .spades: 2])
    let byNumber = [200: "a", 7: "b"] as NSDictionary
    #expect(try read([Int64: String].self, byNumber, .binary) == [200: "a", 7: "b"])
    #expect(try read([UInt8: String].self, byNumber, .binary) == [200: "a", 7: "b"])
    #expect(throws: DecodingError.self) { try read([Int8: String].self, byNumber, .binary) }
    #expect(throws: DecodingError.self) { try read([Suit: String].self, byNumber, .binary) }
    // A text and an integer with the same digits are two keys.
    let both: [FoundationPropertyList] = [
      .object(
        "NSDictionary",
        [
          "NS.keys": .array([.reference(2), .reference(3)]),
          "NS.objects": .array([.reference(2), .reference(3)]),
        ]
      ), .integer(5), .string("5"),
    ]
    let archive = try ArchiveValue(forReadingFrom: FoundationPropertyList.archive(objects: both))
    #expect(try archive["root"]?.members().map { try $0.value.stringValue } == [nil, nil, "5", "5"])
  }

  @Test(arguments: foundationFormats)
  func datesAndPlaces(_ format: PropertyListSerialization.PropertyListFormat) throws {
    let date = Date(timeIntervalSinceReferenceDate: 12_345.678)
    #expect(try read(Date.self, date as NSDate, format) == date)
    let uuid = UUID()
    #expect(try read(UUID.self, uuid as NSUUID, format) == uuid)
    let base = try #require(URL(string: "http://x.y/z/"))
    let url = try #require(NSURL(string: "a/b?c#d", relativeTo: base))
    let back = try read(URL.self, url, format)
    #expect(back.baseURL == base && back.relativeString == "a/b?c#d")
    #expect(back.absoluteString == "http://x.y/z/a/b?c#d")
    #expect(try read(URL.self, base as NSURL, format) == base)
    #expect(try read(CGPoint.self, NSValue(point: NSPoint(x: 1, y: -2.5)), format) == CGPoint(x: 1, y: -2.5))
    #expect(
      try read(CGSize.self, NSValue(size: NSSize(width: 3, height: 4)), format) == CGSize(width: 3, height: 4)
    )
    let rect = CGRect(x: 1, y: 2, width: 3, height: 4)
    #expect(try read(CGRect.self, NSValue(rect: rect), format) == rect)
    let range = NSRange(location: 5, length: 7)
    #expect(try read(NSRange.self, NSValue(range: range), format) == range)
    #expect(try read(Int?.self, NSNull(), format) == nil)
  }

  @Test(arguments: foundationFormats)
  func whatElseFoundationHas(_ format: PropertyListSerialization.PropertyListFormat) throws {
    let length = Measurement(value: 45, unit: UnitLength.miles)
    let old = NSMeasurement(doubleValue: 45, unit: UnitLength.miles)
    #expect(try read(Measurement<UnitLength>.self, old, format) == length)
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    #expect(try read(TimeZone.self, zone as NSTimeZone, format) == zone)
    let locale = Locale(identifier: "de_DE")
    #expect(try read(Locale.self, locale as NSLocale, format).identifier == "de_DE")
    let indexes = IndexSet([3, 4, 5, 9])
    for set in [indexes, IndexSet(7...9), IndexSet()] {
      #expect(try read(IndexSet.self, set as NSIndexSet, format) == set)
    }
    for path in [IndexPath(indexes: [1, 200, 70_000]), IndexPath(indexes: [4])] {
      #expect(try read(IndexPath.self, path as NSIndexPath, format) == path)
    }
    let interval = DateInterval(start: Date(timeIntervalSinceReferenceDate: 5), duration: 7)
    #expect(try read(DateInterval.self, interval as NSDateInterval, format) == interval)
  }

  @Test(arguments: foundationFormats)
  func calendarsAndNames(_ format: PropertyListSerialization.PropertyListFormat) throws {
    var calendar = Calendar(identifier: .japanese)
    calendar.locale = Locale(identifier: "de_DE")
    calendar.timeZone = try #require(TimeZone(identifier: "Asia/Tokyo"))
    calendar.firstWeekday = 3
    calendar.minimumDaysInFirstWeek = 2
    #expect(try read(Calendar.self, calendar as NSCalendar, format) == calendar)
    let dates = [
      DateComponents(
        calendar: calendar,
        timeZone: calendar.timeZone,
        era: 1,
        year: 2,
        month: 3,
        day: 4,
        hour: 5,
        minute: 6,
        second: 7,
        nanosecond: 8,
        weekday: 9,
        weekdayOrdinal: 10,
        quarter: 11,
        weekOfMonth: 12,
        weekOfYear: 13,
        yearForWeekOfYear: 14
      ), DateComponents(day: -5), DateComponents(),
    ]
    for (date, isLeapMonth) in zip(dates, [true, false, true]) {
      var date = date
      date.isLeapMonth = isLeapMonth
      #expect(try read(DateComponents.self, date as NSDateComponents, format) == date)
    }
    var name = PersonNameComponents()
    #expect(try read(PersonNameComponents.self, name as NSPersonNameComponents, format) == name)
    name.givenName = "Ada"
    #expect(try read(PersonNameComponents.self, name as NSPersonNameComponents, format) == name)
    (name.namePrefix, name.middleName, name.familyName) = ("Lady", "Augusta", "Lovelace")
    (name.nameSuffix, name.nickname) = ("FRS", "Enchantress")
    #expect(try read(PersonNameComponents.self, name as NSPersonNameComponents, format) == name)
  }

  @Test("date components, names and intervals are read in the forms of Apple platforms")
  func calendarsAndNamesOfApple() throws {
    let date: KeyValuePairs<String, FoundationPropertyList> = [
      "NS.day": .reference(3), "NS.dayOfYear": .integer(34), "NS.leapMonth": .integer(1),
      "NS.repeatedDay": .bool(false), "NS.timezone": .reference(2), "NS.second": .integer(Int(Int32.max)),
    ]
    let zone = FoundationPropertyList.object("NSTimeZone", ["NS.name": .string("Asia/Tokyo")])
    let day = FoundationPropertyList.object("NSNumber", ["NS.number": .integer(3)])
    let read3 = try read(DateComponents.self, objects: .object("NSDateComponents", date), zone, day)
    var expected = DateComponents(
      timeZone: TimeZone(identifier: "Asia/Tokyo"),
      day: 3,
      second: Int(Int32.max)
    )
    expected.dayOfYear = 34
    expected.isLeapMonth = true
    #expect(read3 == expected && read3.hashValue == expected.hashValue)
    let plain = try read(
      DateComponents.self,
      objects: .object("NSDateComponents", ["NS.leapMonth": .integer(0)])
    )
    #expect(plain == DateComponents() && plain.isLeapMonth == nil)

    let name = FoundationPropertyList.object(
      "NSPersonNameComponents",
      ["NS.nameComponentsPrivate": .reference(2)]
    )
    let content: FoundationPropertyList = .object(
      "_NSPersonNameComponentsData",
      ["NS.givenName": .reference(3), "NS.phoneticRepresentation": .reference(0)]
    )
    let given = FoundationPropertyList.object("NSMutableString", ["NS.string": .string("Ada")])
    #expect(try read(PersonNameComponents.self, objects: name, content, given).givenName == "Ada")

    let interval: KeyValuePairs<String, FoundationPropertyList> = [
      "NS.startDate": .reference(2), "NS.endDate": .reference(2), "NS.duration": .real(0.1),
    ]
    let start = FoundationPropertyList.object("NSDate", ["NS.time": .real(1e9)])
    #expect(try read(DateInterval.self, objects: .object("NSDateInterval", interval), start).duration == 0.1)
  }

  @Test("calendars, locales and time zones that follow the settings are read")
  func followingTheSettings() throws {
    let date = FoundationPropertyList.object(
      "NSDateComponents",
      ["NS.calendar": .reference(2), "NS.day": .integer(1)]
    )
    let (calendar, zone) = (FoundationPropertyList.object("_NSAutoCalendar", [:]), "__NSLocalTimeZone")
    let back = try read(DateComponents.self, objects: date, calendar)
    #expect(back.calendar == .autoupdatingCurrent && back.day == 1)
    #expect(try read(Calendar.self, objects: calendar) == .autoupdatingCurrent)
    #expect(try read(TimeZone.self, objects: .object(zone, [:])) == .autoupdatingCurrent)
    #expect(try read(Locale.self, objects: .object("NSAutoLocale", [:])) == .autoupdatingCurrent)
  }

  @Test("many references to one object stay references")
  func manyReferences() throws {
    let date = DateComponents(
      calendar: Calendar(identifier: .gregorian),
      era: 1,
      year: 2,
      month: 3,
      day: 4,
      hour: 5
    )
    let one = date as NSDateComponents
    let data = foundationArchive(Array(repeating: one, count: 2_000) as NSArray, format: .binary)
    let dates = try KeyedUnarchiver.unarchive([DateComponents].self, from: data)
    #expect(dates.count == 2_000 && dates.allSatisfy { $0.calendar == date.calendar && $0.hour == 5 })
    let archive = try ArchiveValue(forReadingFrom: data)
    let elements = try #require(try archive["root"]).members().map { $0.value.kind }
    #expect(elements.count == 2_000 && elements.allSatisfy { $0 == .object })
  }

  @Test("references to values of three parts stay, and not those to smaller ones", arguments: [2, 3])
  func fewParts(_ count: Int) throws {
    let ranges: [UInt8] = Array([1, 1, 3, 2, 6, 1].prefix(2 * count))
    let archive = try ArchiveValue(
      forReadingFrom: FoundationPropertyList.archive(objects: [
        .object("NSArray", ["NS.objects": .array([2, 3, 2, 3].map { .reference($0) })]),
        .object("NSIndexSet", ["NSRangeCount": .integer(count), "NSRangeData": .data(ranges)]),
        .object("NSDateComponents", ["NS.year": .integer(1), "NS.day": .integer(2), "NS.era": .integer(3)]),
      ])
    )
    let kinds = try #require(try archive["root"]).members().map { $0.value.kind }
    let set: ArchiveValue.Kind = count > 2 ? .object : .record
    #expect(kinds == [set, .object, set, .object])
  }

  private func read<Value: Decodable>(_ type: Value.Type, objects: FoundationPropertyList...) throws -> Value
  {
    try KeyedUnarchiver.unarchive(type, from: FoundationPropertyList.archive(objects: objects))
  }

  @Test("numbers that are objects are read, with the keys of each version of Foundation")
  func numberObjects() throws {
    #expect(try read(Int.self, objects: .object("NSNumber", ["NS.intval": .integer(-5)])) == -5)
    #expect(try read(Int.self, objects: .object("NSNumber", ["NS.number": .integer(6)])) == 6)
    #expect(try read(Double.self, objects: .object("NSNumber", ["NS.dblval": .real(2.5)])) == 2.5)
    #expect(try read(Bool.self, objects: .object("NSNumber", ["NS.boolval": .bool(true)])))
    #expect(try read(Int.self, objects: .object("NSNumber", ["NS.intval": .reference(2)]), .integer(7)) == 7)
  }

  @Test("texts, data, dictionaries and dates are read in other forms of Foundation")
  func otherForms() throws {
    let text = FoundationPropertyList.object("NSMutableString", ["NS.string": .string("http://a.b/c")])
    #expect(try read(String.self, objects: text) == "http://a.b/c")
    let url = FoundationPropertyList.object(
      "NSURL",
      ["NS.base": .reference(0), "NS.relative": .reference(2)]
    )
    #expect(try read(URL.self, objects: url, text) == URL(string: "http://a.b/c"))
    let bytes = (1...16).map { UInt8($0) }
    let id = FoundationPropertyList.object("NSUUID", ["NS.uuidbytes": .reference(2)])
    let data = FoundationPropertyList.object("NSData", ["NS.data": .data(bytes)])
    #expect(try read(UUID.self, objects: id, data).uuidString == "01020304-0506-0708-090A-0B0C0D0E0F10")
    let numbered = FoundationPropertyList.object(
      "NSMutableDictionary",
      [
        "NS.key.0": .reference(2), "NS.object.0": .integer(1),
        "NS.key.1": .string("b"), "NS.object.1": .integer(2),
      ]
    )
    #expect(try read([String: Int].self, objects: numbered, .string("a")) == ["a": 1, "b": 2])
    let date = FoundationPropertyList.object("NSDate", ["NS.time": .integer(5)])
    #expect(try read(Date.self, objects: date) == Date(timeIntervalSinceReferenceDate: 5))
    let late = FoundationPropertyList.object("NSDate", ["NS.time": .integer(1 << 53 + 1)])
    #expect(try read(Date.self, objects: late).timeIntervalSinceReferenceDate == 0x1p53)
  }

  @Test("the text that PropertyListEncoder writes for nil is read as nil")
  func nilInPropertyLists() throws {
    let elements = FoundationPropertyList.array([.reference(2), .reference(3)])
    let list = FoundationPropertyList.object("NSArray", ["NS.objects": elements])
    #expect(try read([String?].self, objects: list, .string("$null"), .string("x")) == [nil, "x"])
    #expect(try read([Int?].self, objects: list, .string("$null"), .integer(5)) == [nil, 5])
    #expect(throws: DecodingError.self) { try read(String.self, objects: .string("$null")) }
  }

  @Test("a class in place of an object is read as its name")
  func classes() throws {
    let names: [FoundationPropertyList] = [.string("Thing"), .string("NSObject")]
    let type = FoundationPropertyList.dictionary([("$classname", names[0]), ("$classes", .array(names))])
    #expect(try read(String.self, objects: type) == "Thing")
    let array = FoundationPropertyList.object(
      "NSArray",
      ["NS.objects": .array([.reference(2), .reference(2)])]
    )
    #expect(try read([String].self, objects: array, type) == ["Thing", "Thing"])
  }

  @Test("shared values of Foundation are read, and unknown kinds of values by their keys")
  func otherValues() throws {
    let twice = FoundationPropertyList.object(
      "NSArray",
      ["NS.objects": .array([.reference(2), .reference(2)])]
    )
    let point = FoundationPropertyList.object(
      "NSValue",
      ["NS.special": .integer(1), "NS.pointval": .string("{1, -2.5}")]
    )
    let expected = CGPoint(x: 1, y: -2.5)
    #expect(try read([CGPoint].self, objects: twice, point) == [expected, expected])
    let indexes = FoundationPropertyList.object(
      "NSIndexSet",
      ["NSRangeCount": .integer(5), "NSRangeData": .data([1, 1, 3, 2, 6, 1, 8, 1, 10, 1])]
    )
    let set = IndexSet([1, 3, 4, 6, 8, 10])
    #expect(try read([IndexSet].self, objects: twice, indexes) == [set, set])
    let steps = FoundationPropertyList.object(
      "NSIndexPath",
      ["NSIndexPathLength": .integer(5), "NSIndexPathData": .data([1, 2, 0x80, 1, 4, 5])]
    )
    let path = IndexPath(indexes: [1, 2, 128, 4, 5])
    #expect(try read([IndexPath].self, objects: twice, steps) == [path, path])
    let insets = FoundationPropertyList.object(
      "NSValue",
      ["NS.special": .integer(12), "NS.edgeval.top": .real(1.5)]
    )
    #expect(try read([String: Double].self, objects: insets) == ["NS.special": 12, "NS.edgeval.top": 1.5])
  }

  /// Foundation can archive these only on Apple platforms.
  @Test func decimalsAsAMacWritesThem() throws {
    func decimal(
      _ mantissa: [UInt16],
      exponent: Int,
      isNegative: Bool = false,
      isBigEndian: Bool = false
    ) throws -> Decimal {
      let words = isBigEndian ? mantissa.map(\.byteSwapped) : mantissa
      var bytes = words.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
      bytes += Array(repeating: 0, count: 16 - bytes.count)
      return try KeyedUnarchiver.unarchive(
        Decimal.self,
        from: FoundationPropertyList.archive(objects: [
          .object(
            "NSDecimalNumber",
            [
              "NS.mantissa": .data(bytes), "NS.exponent": .integer(exponent),
              "NS.length": .integer(mantissa.count),
              "NS.negative": isBigEndian ? .integer(isNegative ? 1 : 0) : .bool(isNegative),
              "NS.compact": .bool(true), "NS.mantissa.bo": .integer(isBigEndian ? 2 : 1),
            ]
          )
        ])
      )
    }
    #expect(try decimal([125], exponent: -1) == Decimal(string: "12.5"))
    #expect(try decimal([0x4321, 1], exponent: 3, isNegative: true) == Decimal(string: "-82721000"))
    let big = try decimal([0x4321, 1], exponent: 3, isNegative: true, isBigEndian: true)
    #expect(big == Decimal(string: "-82721000"))
    #expect(try decimal([125], exponent: -1, isBigEndian: true) == Decimal(string: "12.5"))
    #expect(try decimal([], exponent: 0) == 0)
    #expect(try decimal([], exponent: 0, isNegative: true).isNaN)
  }
}
