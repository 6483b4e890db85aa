/// The hashtags, symbols, addresses, users and pictures in the text of a status.
struct Entities: Codable, Equatable {
  var hashtags: [Hashtag]
  var symbols: [Hashtag]
  var urls: [LinkedURL]
  var userMentions: [UserMention]
  var media: [Media]?

  private enum CodingKeys: String, CodingKey {
    case hashtags
    case symbols
    case urls
    case userMentions = "user_mentions"
    case media
  }
}

/// A word after a "#" or "$". Here and below, `indices` are the start and the end in the text.
struct Hashtag: Codable, Equatable {
  var text: String
  var indices: [Int]
}

/// An address.
struct LinkedURL: Codable, Equatable {
  var url: String
  var expandedURL: String
  var displayURL: String
  var indices: [Int]

  private enum CodingKeys: String, CodingKey {
    case url
    case expandedURL = "expanded_url"
    case displayURL = "display_url"
    case indices
  }
}

/// A user whom the text mentions.
struct UserMention: Codable, Equatable {
  var screenName: String
  var name: String
  var id: Int
  var idString: String
  var indices: [Int]

  private enum CodingKeys: String, CodingKey {
    case screenName = "screen_name"
    case name
    case id
    case idString = "id_str"
    case indices
  }
}

/// A picture.
struct Media: Codable, Equatable {
  var id: Int
  var idString: String
  var indices: [Int]
  var mediaURL: String
  var mediaURLHTTPS: String
  var url: String
  var displayURL: String
  var expandedURL: String
  var type: String
  var sizes: MediaSizes
  var sourceStatusID: Int?
  var sourceStatusIDString: String?

  private enum CodingKeys: String, CodingKey {
    case id
    case idString = "id_str"
    case indices
    case mediaURL = "media_url"
    case mediaURLHTTPS = "media_url_https"
    case url
    case displayURL = "display_url"
    case expandedURL = "expanded_url"
    case type
    case sizes
    case sourceStatusID = "source_status_id"
    case sourceStatusIDString = "source_status_id_str"
  }
}

/// The available sizes of a picture.
struct MediaSizes: Codable, Equatable {
  var medium: MediaSize
  var small: MediaSize
  var thumb: MediaSize
  var large: MediaSize
}

/// A size of a picture.
struct MediaSize: Codable, Equatable {
  var width: Int
  var height: Int
  var resize: String

  private enum CodingKeys: String, CodingKey {
    case width = "w"
    case height = "h"
    case resize
  }
}
