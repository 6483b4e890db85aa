/// The author of a status, with the appearance of the profile.
struct User: Codable, Equatable {
  var id: Int
  var idString: String
  var name: String
  var screenName: String
  var location: String
  var description: String
  var url: String?
  var entities: UserEntities
  var isProtected: Bool
  var followersCount: Int
  var friendsCount: Int
  var listedCount: Int
  var createdAt: String
  var favouritesCount: Int
  var utcOffset: Int?
  var timeZone: String?
  var isGeoEnabled: Bool
  var isVerified: Bool
  var statusesCount: Int
  var language: String
  var areContributorsEnabled: Bool
  var isTranslator: Bool
  var isTranslationEnabled: Bool
  var backgroundColor: String
  var backgroundImageURL: String
  var backgroundImageURLHTTPS: String
  var isBackgroundTiled: Bool
  var imageURL: String
  var imageURLHTTPS: String
  var bannerURL: String?
  var linkColor: String
  var sidebarBorderColor: String
  var sidebarFillColor: String
  var textColor: String
  var usesBackgroundImage: Bool
  var hasDefaultProfile: Bool
  var hasDefaultImage: Bool
  var isFollowing: Bool
  var isFollowRequestSent: Bool
  var hasNotifications: Bool

  private enum CodingKeys: String, CodingKey {
    case id
    case idString = "id_str"
    case name
    case screenName = "screen_name"
    case location
    case description
    case url
    case entities
    case isProtected = "protected"
    case followersCount = "followers_count"
    case friendsCount = "friends_count"
    case listedCount = "listed_count"
    case createdAt = "created_at"
    case favouritesCount = "favourites_count"
    case utcOffset = "utc_offset"
    case timeZone = "time_zone"
    case isGeoEnabled = "geo_enabled"
    case isVerified = "verified"
    case statusesCount = "statuses_count"
    case language = "lang"
    case areContributorsEnabled = "contributors_enabled"
    case isTranslator = "is_translator"
    case isTranslationEnabled = "is_translation_enabled"
    case backgroundColor = "profile_background_color"
    case backgroundImageURL = "profile_background_image_url"
    case backgroundImageURLHTTPS = "profile_background_image_url_https"
    case isBackgroundTiled = "profile_background_tile"
    case imageURL = "profile_image_url"
    case imageURLHTTPS = "profile_image_url_https"
    case bannerURL = "profile_banner_url"
    case linkColor = "profile_link_color"
    case sidebarBorderColor = "profile_sidebar_border_color"
    case sidebarFillColor = "profile_sidebar_fill_color"
    case textColor = "profile_text_color"
    case usesBackgroundImage = "profile_use_background_image"
    case hasDefaultProfile = "default_profile"
    case hasDefaultImage = "default_profile_image"
    case isFollowing = "following"
    case isFollowRequestSent = "follow_request_sent"
    case hasNotifications = "notifications"
  }
}

/// The addresses in a profile.
struct UserEntities: Codable, Equatable {
  var url: LinkedURLs?
  var description: LinkedURLs
}

/// A list of addresses.
struct LinkedURLs: Codable, Equatable {
  var urls: [LinkedURL]
}
