/// An error with a code to act on, a sentence to read, and where it was.
///
/// Encoding and decoding calls throw `EncodingError` and `DecodingError`, as every `Codable` coder does; an
/// `ArchiveError` is then the `underlyingError` of their context, where it prints as its ``code`` alone, since the context
/// has the sentence. Reading and writing files throws it directly.
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
  /// The kind of fault. New kinds may be added, hence not an enumeration.
  ///
  /// ```swift
  /// let error = context.underlyingError as? ArchiveError
  /// if error?.code == .unsupportedVersion { report("A later version of this program is needed.") }
  /// ```
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The code's name, as it is printed.
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
    /// A limit of ``ArchiveLimits`` was reached, or the stack is about to end.
    public static let limitExceeded = Code("limitExceeded")
    /// Objects refer to each other in a cycle that no initializer can read back.
    public static let cycle = Code("cycle")
    /// A class that the archive names cannot be found or must not be built.
    public static let unresolvableClass = Code("unresolvableClass")
    /// The program used an archiver, a coder or a container in a way that it does not allow.
    public static let misuse = Code("misuse")
    /// A file could not be opened or read.
    public static let unreadableFile = Code("unreadableFile")
    /// A file could not be written or put in place; what was there before is unchanged. Or, as the message then says,
    /// the new file is in place, but is not sure to survive a power cut.
    public static let unwritableFile = Code("unwritableFile")
    /// Another document has the file open for writing.
    public static let fileInUse = Code("fileInUse")
  }

  /// All of the error behind one reference: a function that throws it returns it in a register.
  private final class Content: Sendable {
    let code: Code
    let message: String
    let byteOffset: Int?
    let path: String?
    let isReason: Bool

    init(_ code: Code, _ message: String, _ byteOffset: Int?, _ path: String?, isReason: Bool) {
      (self.code, self.message, self.byteOffset, self.path) = (code, message, byteOffset, path)
      self.isReason = isReason
    }
  }

  private let content: Content

  /// The kind of fault.
  public var code: Code { content.code }
  /// What was wrong and, where that helps, what to do; a sentence for a person.
  public var message: String { content.message }
  /// The offset in the archive, in bytes from its start; `nil` when the fault has none.
  public var byteOffset: Int? { content.byteOffset }
  /// The file, as the caller spelled it; `nil` when no file is involved.
  public var path: String? { content.path }
  /// Whether it is the reason of another error, which says the same sentence.
  var isReason: Bool { content.isReason }

  @inline(never)
  init(_ code: Code, _ message: String, byteOffset: Int? = nil, path: String? = nil) {
    content = Content(code, message, byteOffset, path, isReason: false)
  }

  private init(reason error: ArchiveError) {
    content = Content(error.code, error.message, error.byteOffset, error.path, isReason: true)
  }

  /// The same as the reason of another error, which says the sentence.
  var asReason: ArchiveError { ArchiveError(reason: self) }
}

extension ArchiveError {
  /// Whether two errors say the same of the same.
  public static func == (left: ArchiveError, right: ArchiveError) -> Bool {
    left.code == right.code && left.message == right.message && left.byteOffset == right.byteOffset
      && left.path == right.path && left.isReason == right.isReason
  }

  /// Hashes the code and the message.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(message)
  }
}

// The kinds that most errors are of.
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
  /// The path, the message and the byte offset on one line. Of an error that is the `underlyingError` of another one, which
  /// says that already, it is the ``code``.
  public var description: String { isReason ? "ArchiveError.\(code)" : explanation }

  /// The path, the message and the byte offset on one line.
  package var explanation: String {
    let offset = byteOffset.map { " (at byte \($0))" } ?? ""
    let file = path.map { "\($0): " } ?? ""
    return file + message + offset
  }
}
