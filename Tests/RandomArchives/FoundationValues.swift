import Foundation

/// A property for every `Codable` type of Foundation that holds data.
struct FoundationValues: Codable, RandomValue {
  var date: Date
  var dates: [Date]
  var data: Data
  var uuid: UUID
  var uuids: Set<UUID>
  var url: URL
  var urlWithBase: URL?
  var urlComponents: URLComponents
  var decimal: Decimal
  var decimals: [Decimal]
  var dateComponents: DateComponents
  var dateInterval: DateInterval
  var calendar: Calendar
  var timeZone: TimeZone
  var locale: Locale
  var length: Measurement<UnitLength>
  var warmth: Measurement<UnitTemperature>
  var indexSet: IndexSet
  var indexPath: IndexPath
  var characters: CharacterSet
  var person: PersonNameComponents
  var point: CGPoint
  var rectangle: CGRect
  var number: CGFloat
  var maybe: Date??
  var byUUID: [UUID: Date]
  var mixed: [String: [Data?]]

  init(using random: inout SplitMix) {
    func makeDate(_ random: inout SplitMix) -> Date {
      let seconds = random.double()
      return Date(timeIntervalSinceReferenceDate: seconds.isNaN ? 0 : seconds)
    }
    func makeUUID(_ random: inout SplitMix) -> UUID {
      let bytes = (0..<16).map { _ in random.integer(UInt8.self) }
      return UUID(
        uuid: (
          bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
          bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
        )
      )
    }
    func makeDecimal(_ random: inout SplitMix) -> Decimal {
      if random.chance(0.05) { return .nan }
      let sign: FloatingPointSign = random.chance(0.5) ? .plus : .minus
      let exponent = Int.random(in: -100...80, using: &random)
      return Decimal(sign: sign, exponent: exponent, significand: Decimal(random.integer(UInt64.self)))
    }
    func makeNumber(_ random: inout SplitMix) -> Double { Double(random.integer(Int32.self)) / 8 }
    date = makeDate(&random)
    dates = random.list(6) { makeDate(&$0) }
    data = random.data()
    uuid = makeUUID(&random)
    uuids = Set(random.list(4) { makeUUID(&$0) })
    let place = "https://example.org/\(random.integer(Int.self))/a%20b?c=d#e"
    url = URL(string: place) ?? URL(filePath: "/a")
    urlWithBase =
      random.maybe { URL(string: "../b/\($0.integer(UInt8.self))?q", relativeTo: URL(string: place)) } ?? nil
    urlComponents = URLComponents()
    urlComponents.scheme = "https"
    urlComponents.host = "example.org"
    urlComponents.path = "/\(random.integer(UInt16.self))"
    decimal = makeDecimal(&random)
    decimals = random.list(4) { makeDecimal(&$0) }
    dateComponents = DateComponents(
      year: random.maybe { Int($0.integer(Int16.self)) },
      month: random.maybe { Int.random(in: 1...12, using: &$0) },
      day: random.maybe { Int.random(in: 1...31, using: &$0) },
      nanosecond: random.maybe { Int($0.integer(Int32.self)) }
    )
    dateInterval = DateInterval(
      start: Date(timeIntervalSinceReferenceDate: makeNumber(&random)),
      duration: abs(makeNumber(&random))
    )
    calendar = Calendar(
      identifier: random.element(of: [.gregorian, .iso8601, .buddhist, .hebrew]) ?? .gregorian
    )
    timeZone = TimeZone(secondsFromGMT: Int.random(in: -12...14, using: &random) * 3600) ?? .gmt
    locale = Locale(identifier: random.element(of: ["en_US", "de_DE", "ja_JP", "ar"]) ?? "en")
    length = Measurement(
      value: makeNumber(&random),
      unit: random.element(of: [.meters, .miles, .inches]) ?? .meters
    )
    warmth = Measurement(value: makeNumber(&random), unit: random.chance(0.5) ? .celsius : .fahrenheit)
    indexSet = IndexSet(random.list(12) { Int($0.integer(UInt16.self)) })
    indexPath = IndexPath(indexes: random.list(5) { Int($0.integer(UInt16.self)) })
    characters =
      random.element(of: [.letters, .decimalDigits, CharacterSet(charactersIn: "aäz日")]) ?? .letters
    person = PersonNameComponents()
    person.givenName = random.maybe { $0.string() }
    person.familyName = random.maybe { $0.string() }
    point = CGPoint(x: makeNumber(&random), y: makeNumber(&random))
    rectangle = CGRect(x: makeNumber(&random), y: 0, width: makeNumber(&random), height: 1)
    number = CGFloat(makeNumber(&random))
    maybe = random.maybe { random in random.maybe { makeDate(&$0) } }
    byUUID = Dictionary(random.list(3) { (makeUUID(&$0), makeDate(&$0)) }) { $1 }
    mixed = Dictionary(
      random.list(3) { random in (random.string(), random.list(3) { random in random.maybe { $0.data() } }) }
    ) { $1 }
  }

  func trace(into tracer: inout GraphTracer) {
    tracer.bits(date.timeIntervalSinceReferenceDate)
    tracer.value(dates.map(\.timeIntervalSinceReferenceDate.bitPattern))
    tracer.value(data)
    tracer.value(uuid)
    tracer.value(uuids)
    tracer.value(url)
    tracer.value(urlWithBase?.relativeString)
    tracer.value(urlWithBase?.baseURL?.absoluteString)
    tracer.value(urlComponents)
    tracer.value(decimal.isNaN)
    tracer.value(decimal.description)
    tracer.value(decimals.map(\.description))
    tracer.value(dateComponents)
    tracer.value(dateInterval)
    tracer.value(calendar.identifier)
    tracer.value(timeZone)
    tracer.value(locale.identifier)
    tracer.bits(length.value)
    tracer.value(length.unit.symbol)
    tracer.bits(warmth.value)
    tracer.value(warmth.unit.symbol)
    tracer.value(indexSet)
    tracer.value(indexPath)
    tracer.value(characters)
    tracer.value(person)
    tracer.value([point.x, point.y, rectangle.origin.x, rectangle.width, number])
    tracer.value(maybe)
    tracer.value(byUUID)
    tracer.value(mixed)
  }
}
