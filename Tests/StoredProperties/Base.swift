import Keepsake

/// The base class of another module, which may be built for library evolution.
open class BaseModel: ArchivedModel {
  public var baseName = "base"
  private var secret = "unseen"

  public var seenSecret: String { secret }
}
