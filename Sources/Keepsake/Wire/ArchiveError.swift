/// An error with a code for the program, a message for people, and its place.
///
/// Encoding and decoding calls throw `EncodingError` and `DecodingError`, as every `Codable` coder does. An
/// `ArchiveError` is then the `underlyingError` of the context, and prints as its ``code`` alone, since the context has
/// the message. Opening and writing files throws it directly, as do ``ArchiveValue`` and ``ArchiveEditor``.
///
/// ```swift
/// do {
///   library = try KeyedUnarchiver.unarchive(Library.self, fromFile: path)
/// } catch let error as ArchiveError {
///   report(error.description)  // library.keepsake: cannot open the file: No such file or directory
/// } catch DecodingError.dataCorrupted(let context) {
///   report(context.debugDescription)
/// }
/// ```
public struct ArchiveError: Error, Hashable, Sendable {
  /// The kind of an error. It is not an enumeration, so that later releases can add kinds.
  ///
  /// ```swift
  /// let error = context.underlyingError as? ArchiveError
  /// if error?.code == .unsupportedVersion { report("A later version of this program is needed.") }
  /// ```
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The name of the code.
    public let description: String

    init(_ description: String) {
      self.description = description
    }

    /// The bytes do not begin as an archive does, or are a property list that NSKeyedArchiver did not write.
    public static let notAnArchive = Code("notAnArchive")
    /// The archive is of a version, or uses a feature, that this library does not know.
    public static let unsupportedVersion = Code("unsupportedVersion")
    /// The bytes were changed or cut off after the archive was written, or were never a valid archive.
    public static let damaged = Code("damaged")
    /// A value is not of the requested type, or does not fit into it.
    public static let typeMismatch = Code("typeMismatch")
    /// The archive exceeds a limit of ``ArchiveLimits``, or the stack is too small.
    public static let limitExceeded = Code("limitExceeded")
    /// Objects refer to each other in a cycle that no initializer can read back.
    public static let cycle = Code("cycle")
    /// A class that the archive names cannot be found or must not be built.
    public static let unresolvableClass = Code("unresolvableClass")
    /// The program used an archiver, a coder or a container in a way that it does not allow.
    public static let misuse = Code("misuse")
    /// A file could not be opened or read.
    public static let unreadableFile = Code("unreadableFile")
    /// A file could not be written or put in place, and the old file is unchanged. Or, if the message says so, the new
    /// file is in place, but may not survive a power cut.
    public static let unwritableFile = Code("unwritableFile")
    /// Another document has the file open for writing.
    public static let fileInUse = Code("fileInUse")
  }

  private struct Content: Hashable {
    let code: Code
    let message: String
    let byteOffset: Int?
    let path: String?
    var isReason = false
  }

  /// All of the error behind one reference, so a function that throws it returns it in a register.
  private indirect enum Box: Hashable {
    case of(Content)
  }

  private let box: Box

  private var content: Content {
    switch box {
    case .of(let content): content
    }
  }

  /// The kind of the error.
  public var code: Code { content.code }
  /// What is wrong, and often what to do.
  public var message: String { content.message }
  /// The offset in the archive, in bytes from its start; `nil` when the error has none.
  public var byteOffset: Int? { content.byteOffset }
  /// The file, as the caller spelled it; `nil` when no file is involved.
  public var path: String? { content.path }
  /// Whether this is the reason for another error, which has the same message.
  var isReason: Bool { content.isReason }

  @inline(never)
  init(
    _ code: Code,
    _ message: String,
    byteOffset: Int? = nil,
    path: String? = nil,
    isReason: Bool = false
  ) {
    self.init(
      Content(code: code, message: message, byteOffset: byteOffset, path: path, isReason: isReason)
    )
  }

  private init(_ content: Content) {
    box = .of(content)
  }

  /// This error as the reason for another one, which has the message.
  @inline(never)
  var asReason: ArchiveError {
    if isReason { return self }
    var content = content
    content.isReason = true
    return ArchiveError(content)
  }
}

// The most frequent kinds of errors.
extension ArchiveError {
  static func damaged(_ message: String, at offset: Int? = nil) -> ArchiveError {
    ArchiveError(.damaged, message, byteOffset: offset)
  }

  static func limitExceeded(_ message: String, at offset: Int? = nil) -> ArchiveError {
    ArchiveError(.limitExceeded, message, byteOffset: offset)
  }

  static func misuse(_ message: String, at offset: Int? = nil, path: String? = nil) -> ArchiveError {
    ArchiveError(.misuse, message, byteOffset: offset, path: path)
  }
}

extension ArchiveError: CustomStringConvertible {
  /// The path, the message and the byte offset on one line; for the `underlyingError` of an `EncodingError` or
  /// `DecodingError`, which has these itself, the ``code`` alone.
  public var description: String { isReason ? "ArchiveError.\(code)" : explanation }

  /// The path, the message and the byte offset on one line.
  package var explanation: String {
    let content = content
    var text = content.path.map { $0 + ": " + content.message } ?? content.message
    if let offset = content.byteOffset {
      // Room for all that follows.
      text.reserveCapacity(text.utf8.count + 31)
      text += " (at byte "
      text += String(offset)
      text += ")"
    }
    return text
  }
}
