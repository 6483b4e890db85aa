import Keepsake

/// The base class of another module, which may be built for library evolution.
open class BaseModel: ArchivedModel {
  /// Never assigned.
  public var baseName = "base"
  private var secret = "unseen"

  /// A private property that is never assigned.
  public var seenSecret: String { secret }
}
