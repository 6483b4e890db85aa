/// Generates statuses with the length, repetition and nesting of those from the API.
struct TimelineGenerator {
  private var generator: SeededGenerator

  private static let sources = ["iphone", "android", "ipad", "mac"].map {
    "<a href=\"http://twitter.com/download/\($0)\" rel=\"nofollow\">Twitter for \($0)</a>"
  }
  private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  private static let months = ["Jan", "Mar", "Apr", "Jun", "Aug", "Oct", "Dec"]
  private static let colors = ["C0DEED", "DDEEF6", "0084B4", "FFFFFF", "333333", "000000"]
  private static let syllables = ["あ", "の", "かな", "です", "今日", "一同", "って", "ない", "、", "れは", "行", "w"]
  private static let languages = ["ja", "ja", "ja", "ja", "en", "es", "zh-cn"]

  /// Creates a generator whose statuses are determined by `seed`.
  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
  }

  /// Makes `count` statuses, of which many retweet another.
  mutating func timeline(count: Int) -> Timeline {
    Timeline(statuses: (0..<count).map { _ in status(isRetweet: generator.chance(percent: 70)) })
  }

  private mutating func status(isRetweet: Bool, isOriginal: Bool = false) -> Status {
    let id = number(500_000_000_000_000_000...506_000_000_000_000_000)
    let original = isRetweet ? status(isRetweet: false, isOriginal: true) : nil
    let mentions = original.map { [mention($0.user)] } ?? []
    let isReply = !isRetweet && generator.chance(percent: 25)
    let other = number(1_000_000...2_700_000_000)
    let language = generator.pick(Self.languages)
    return Status(
      metadata: StatusMetadata(resultType: "recent", languageCode: language),
      createdAt: date(year: 2014),
      id: id,
      idString: "\(id)",
      text: original.map { "RT @\($0.user.screenName): \($0.text)" } ?? prose(6...40),
      source: generator.pick(Self.sources),
      isTruncated: false,
      inReplyToStatusID: isReply ? id - 1_234_567 : nil,
      inReplyToStatusIDString: isReply ? "\(id - 1_234_567)" : nil,
      inReplyToUserID: isReply ? other : nil,
      inReplyToUserIDString: isReply ? "\(other)" : nil,
      inReplyToScreenName: isReply ? generator.word(length: 5...14) : nil,
      user: user(language: language),
      coordinates: generator.chance(percent: 3)
        ? Coordinates(type: "Point", coordinates: [139.75, 35.685]) : nil,
      place: nil,
      contributors: nil,
      retweetedStatus: original.map { .status($0) },
      retweetCount: original?.retweetCount ?? number(0...isOriginalLimit(isOriginal)),
      favoriteCount: isRetweet ? 0 : number(0...isOriginalLimit(isOriginal)),
      entities: Entities(
        hashtags: generator.chance(percent: 8) ? [Hashtag(text: prose(1...4), indices: indices)] : [],
        symbols: [],
        urls: generator.chance(percent: 10) ? [link()] : [],
        userMentions: mentions,
        media: original?.entities.media ?? (generator.chance(percent: 5) ? [media()] : nil)
      ),
      isFavorited: false,
      isRetweeted: false,
      isPossiblySensitive: generator.chance(percent: 12) ? false : nil,
      language: language
    )
  }

  private func isOriginalLimit(_ isOriginal: Bool) -> Int { isOriginal ? 8_000 : 2 }

  private mutating func user(language: String) -> User {
    let id = number(1_000_000...2_700_000_000)
    let theme = generator.chance(percent: 60) ? "1" : "\(number(2...19))"
    let image =
      "pbs.twimg.com/profile_images/\(number(400_000_000_000_000_000...500_000_000_000_000_000))/"
      + "\(generator.word(length: 8...8))_normal.jpeg"
    let hasDefaultProfile = theme == "1"
    let hasURL = generator.chance(percent: 11)
    let isInJapan = generator.chance(percent: 18)
    let ownURL = hasURL ? link() : nil
    return User(
      id: id,
      idString: "\(id)",
      name: prose(1...5),
      screenName: generator.word(length: 5...14),
      location: generator.chance(percent: 25) ? prose(2...5) : "",
      description: prose(5...45),
      url: ownURL?.url,
      entities: UserEntities(
        url: ownURL.map { LinkedURLs(urls: [$0]) },
        description: LinkedURLs(urls: generator.chance(percent: 4) ? [link()] : [])
      ),
      isProtected: false,
      followersCount: number(0...20_000),
      friendsCount: number(0...5_000),
      listedCount: number(0...80),
      createdAt: date(year: number(2_009...2_014)),
      favouritesCount: number(0...8_000),
      utcOffset: isInJapan ? 32_400 : nil,
      timeZone: isInJapan ? generator.pick(["Tokyo", "Irkutsk", "Osaka"]) : nil,
      isGeoEnabled: generator.chance(percent: 30),
      isVerified: false,
      statusesCount: number(1...90_000),
      language: language,
      areContributorsEnabled: false,
      isTranslator: false,
      isTranslationEnabled: generator.chance(percent: 5),
      backgroundColor: hasDefaultProfile ? "C0DEED" : generator.pick(Self.colors),
      backgroundImageURL: "http://abs.twimg.com/images/themes/theme\(theme)/bg.png",
      backgroundImageURLHTTPS: "https://abs.twimg.com/images/themes/theme\(theme)/bg.png",
      isBackgroundTiled: generator.chance(percent: 20),
      imageURL: "http://\(image)",
      imageURLHTTPS: "https://\(image)",
      bannerURL: generator.chance(percent: 88)
        ? "https://pbs.twimg.com/profile_banners/\(id)/\(number(1_380_000_000...1_409_500_000))" : nil,
      linkColor: hasDefaultProfile ? "0084B4" : generator.pick(Self.colors),
      sidebarBorderColor: hasDefaultProfile ? "C0DEED" : generator.pick(Self.colors),
      sidebarFillColor: "DDEEF6",
      textColor: "333333",
      usesBackgroundImage: true,
      hasDefaultProfile: hasDefaultProfile,
      hasDefaultImage: false,
      isFollowing: false,
      isFollowRequestSent: false,
      hasNotifications: false
    )
  }

  private mutating func media() -> Media {
    let id = number(500_000_000_000_000_000...506_000_000_000_000_000)
    let file = "\(generator.word(length: 15...15)).jpg"
    let short = generator.word(length: 10...10)
    return Media(
      id: id,
      idString: "\(id)",
      indices: indices,
      mediaURL: "http://pbs.twimg.com/media/\(file)",
      mediaURLHTTPS: "https://pbs.twimg.com/media/\(file)",
      url: "http://t.co/\(short)",
      displayURL: "pic.twitter.com/\(short)",
      expandedURL: "http://twitter.com/\(generator.word(length: 5...14))/status/\(id)/photo/1",
      type: "photo",
      sizes: MediaSizes(
        medium: MediaSize(width: 600, height: number(300...800), resize: "fit"),
        small: MediaSize(width: 340, height: number(150...500), resize: "fit"),
        thumb: MediaSize(width: 150, height: 150, resize: "crop"),
        large: MediaSize(width: 1_024, height: number(500...1_024), resize: "fit")
      ),
      sourceStatusID: nil,
      sourceStatusIDString: nil
    )
  }

  private mutating func link() -> LinkedURL {
    let host = "\(generator.word(length: 4...10)).jp"
    let path = generator.word(length: 4...16)
    return LinkedURL(
      url: "http://t.co/\(generator.word(length: 10...10))",
      expandedURL: "http://\(host)/\(path)",
      displayURL: "\(host)/\(path)",
      indices: indices
    )
  }

  private mutating func mention(_ user: User) -> UserMention {
    UserMention(
      screenName: user.screenName,
      name: user.name,
      id: user.id,
      idString: user.idString,
      indices: [3, 4 + user.screenName.count]
    )
  }

  private var indices: [Int] {
    mutating get {
      let start = number(0...110)
      return [start, start + number(5...23)]
    }
  }

  private mutating func date(year: Int) -> String {
    func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let time = (0..<3).map { padded(number(0...($0 == 0 ? 23 : 59))) }.joined(separator: ":")
    return
      "\(generator.pick(Self.days)) \(generator.pick(Self.months)) \(padded(number(1...28))) \(time) +0000 \(year)"
  }

  private mutating func prose(_ length: ClosedRange<Int>) -> String {
    (0..<number(length)).map { _ in generator.pick(Self.syllables) }.joined()
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &generator)
  }
}
