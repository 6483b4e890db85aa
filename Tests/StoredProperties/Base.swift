import Keepsake

/// The base class of another module, which may be built for library evolution.
open class BaseModel: ArchivedModel {
  /// To which nobody assigns.
  public var baseName = "base"
  private var secret = "unseen"

  /// A private property, to which nobody assigns.
  public var seenSecret: String { secret }
}
