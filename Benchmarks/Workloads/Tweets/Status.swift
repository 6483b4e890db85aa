/// A page of a timeline, as Twitter's API returned it.
struct Timeline: Codable, Equatable {
  var statuses: [Status]
}

/// A status, with everything that the API returns.
struct Status: Codable, Equatable {
  var metadata: StatusMetadata?
  var createdAt: String
  var id: Int
  var idString: String
  var text: String
  var source: String
  var isTruncated: Bool
  var inReplyToStatusID: Int?
  var inReplyToStatusIDString: String?
  var inReplyToUserID: Int?
  var inReplyToUserIDString: String?
  var inReplyToScreenName: String?
  var user: User
  var coordinates: Coordinates?
  var place: Place?
  var contributors: [Int]?
  var retweetedStatus: RetweetedStatus?
  var retweetCount: Int
  var favoriteCount: Int
  var entities: Entities
  var isFavorited: Bool
  var isRetweeted: Bool
  var isPossiblySensitive: Bool?
  var language: String?

  private enum CodingKeys: String, CodingKey {
    case metadata
    case createdAt = "created_at"
    case id
    case idString = "id_str"
    case text
    case source
    case isTruncated = "truncated"
    case inReplyToStatusID = "in_reply_to_status_id"
    case inReplyToStatusIDString = "in_reply_to_status_id_str"
    case inReplyToUserID = "in_reply_to_user_id"
    case inReplyToUserIDString = "in_reply_to_user_id_str"
    case inReplyToScreenName = "in_reply_to_screen_name"
    case user
    case coordinates
    case place
    case contributors
    case retweetedStatus = "retweeted_status"
    case retweetCount = "retweet_count"
    case favoriteCount = "favorite_count"
    case entities
    case isFavorited = "favorited"
    case isRetweeted = "retweeted"
    case isPossiblySensitive = "possibly_sensitive"
    case language = "lang"
  }
}

/// A status in another status, which a structure cannot contain directly.
indirect enum RetweetedStatus: Codable, Equatable {
  case status(Status)

  init(from decoder: any Decoder) throws {
    self = .status(try Status(from: decoder))
  }

  func encode(to encoder: any Encoder) throws {
    switch self {
    case .status(let status): try status.encode(to: encoder)
    }
  }
}

/// How a status was found.
struct StatusMetadata: Codable, Equatable {
  var resultType: String
  var languageCode: String

  private enum CodingKeys: String, CodingKey {
    case resultType = "result_type"
    case languageCode = "iso_language_code"
  }
}

/// A position: longitude and latitude.
struct Coordinates: Codable, Equatable {
  var type: String
  var coordinates: [Double]
}

/// The place of a status.
struct Place: Codable, Equatable {
  var id: String
  var fullName: String
  var countryCode: String

  private enum CodingKeys: String, CodingKey {
    case id
    case fullName = "full_name"
    case countryCode = "country_code"
  }
}
