#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// The file that a save is to replace: its folder, held open, its name in there, and what is there now.
///
/// The folder is opened before anything is written. From then on a change of the working directory or of the
/// folder's own name does no harm, and nothing but its synchronization can fail once the file is in place.
struct SaveTarget {
  /// The path as the caller spelled it, for messages.
  let path: String
  let folder: OpenFile
  let name: String
  /// The regular file that is there now, if there is one.
  private(set) var existing: stat?

  /// Finds the file behind a path, through any symbolic links, also when the last of them points to nothing
  /// yet.
  init(_ path: String) throws(ArchiveError) {
    let (resolved, existing) = try Self.followLinks(from: path)
    let (folderPath, name) = Self.split(resolved)
    if let problem = Self.problem(withName: name) { throw Self.failure(problem, path) }
    self.path = path
    self.name = name
    self.existing = existing
    do {
      self.folder = try OpenFile.open(folderPath, O_RDONLY | O_DIRECTORY)
    } catch {
      throw Self.folderFailure(error, folderPath, path)
    }
  }

  /// The same target, with the file that is there now, if its status can be read.
  var asOfNow: SaveTarget {
    guard let status = try? folder.status(of: name), status.specialKind == nil else { return self }
    var target = self
    target.existing = status
    return target
  }

  /// An error about saving to this file.
  func failure(_ what: String, _ error: SystemError) -> ArchiveError {
    Self.failure("\(what): \(error.reason)\(error.advice)", path)
  }

  /// Performs `step`, whose failure is one of this save.
  func perform<Result>(
    _ what: String,
    _ step: () throws(SystemError) -> Result
  ) throws(ArchiveError) -> Result {
    do { return try step() } catch { throw failure(what, error) }
  }

  /// An error about saving to this file that no system call told.
  func failure(_ what: String) -> ArchiveError { Self.failure(what, path) }

  // MARK: Finding the file

  private static func followLinks(from path: String) throws(ArchiveError) -> (
    resolved: String, existing: stat?
  ) {
    if let problem = problem(withPath: path) { throw failure(problem, path) }
    // Asked first, because a link of the system's own, such as /dev/stdout, may not spell what it leads to.
    if let status = try? fileStatus(path), let problem = problem(withKind: status) {
      throw failure(problem, path)
    }
    var resolved = path
    for _ in 0..<maximalLinks {
      let status: stat
      do {
        status = try fileStatus(resolved, followingLinks: false)
      } catch let error where error.number == ENOENT {
        return (resolved, nil)
      } catch {
        throw failure("cannot inspect the file to replace: \(error.reason)\(error.advice)", path)
      }
      guard status.st_mode & S_IFMT == S_IFLNK else {
        if let problem = problem(withKind: status) { throw failure(problem, path) }
        return (resolved, status)
      }
      resolved = try destination(ofLink: resolved, for: path)
    }
    let reason = SystemError(number: ELOOP).reason
    throw failure("cannot follow the symbolic link: \(reason); it refers to itself", path)
  }

  /// The bound that Linux has, too; a longer chain is taken for a circle.
  private static let maximalLinks = 40

  private static func destination(ofLink link: String, for path: String) throws(ArchiveError) -> String {
    let destination: String?
    do {
      destination = try linkDestination(link)
    } catch {
      throw failure("cannot read the symbolic link \(link): \(error.reason)\(error.advice)", path)
    }
    guard let destination else {
      throw failure("the symbolic link \(link) refers to a name that is not valid UTF-8", path)
    }
    if let problem = problem(withPath: destination) { throw failure(problem, path) }
    if destination.utf8.first == slash { return destination }
    // The system resolves what is before the last slash, ".." after links included.
    return split(link).folder + "/" + destination
  }

  /// A path's folder and last name. By bytes: a slash before a combining mark is no `Character` of its own.
  private static func split(_ path: String) -> (folder: String, name: String) {
    guard let last = path.utf8.lastIndex(of: slash) else { return (".", path) }
    let folder = last == path.startIndex ? "/" : String(path[..<last])
    return (folder, String(path[path.utf8.index(after: last)...]))
  }

  private static let slash = UInt8(ascii: "/")

  // MARK: What cannot be replaced

  private static func problem(withPath path: String) -> String? {
    if path.isEmpty { return "the path is empty" }
    if path.utf8.contains(0) { return "the path contains a NUL character" }
    if path.utf8.last == slash { return "the path ends in a slash and so names a folder; add a file name" }
    return nil
  }

  private static func problem(withName name: String) -> String? {
    name == "." || name == ".." ? "the path names a folder; add a file name" : nil
  }

  private static func problem(withKind status: stat) -> String? {
    guard let kind = status.specialKind else { return nil }
    return "cannot be replaced: it is \(kind), not a regular file"
  }

  private static func failure(_ message: String, _ path: String) -> ArchiveError {
    ArchiveError(.unwritableFile, message, path: path)
  }

  private static func folderFailure(_ error: SystemError, _ folder: String, _ path: String) -> ArchiveError {
    let advice =
      switch error.number {
      case ENOENT: "; create the folder first"
      case EACCES: "; it must be readable, too, for the save to be made durable"
      default: error.advice
      }
    return failure("cannot open the folder \(folder): \(error.reason)\(advice)", path)
  }
}
