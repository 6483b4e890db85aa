/// The file that a save is to replace: its folder, its name there, and what is there now. The folder is opened before
/// anything is written, so a change of the working directory or of the folder's name does no harm.
struct SaveTarget {
  /// The path as the caller spelled it, for messages.
  let path: String
  let folder: OpenFile
  let name: String
  /// The regular file that is there now, if there is one.
  private(set) var existing: FileStatus?

  /// Finds the file at a path, through any symbolic links, even one that leads to nothing yet.
  init(_ path: String) throws(ArchiveError) {
    let (resolved, existing) = try Self.followLinks(from: path)
    let (folderPath, name) = Self.split(resolved)
    guard name != ".", name != ".." else {
      throw Self.failure("the path names a folder; add a file name", path)
    }
    (self.path, self.name, self.existing) = (path, name, existing)
    do {
      self.folder = try OpenFile.openFolder(folderPath)
    } catch {
      let advice =
        switch error {
        case .noFile: "; create the folder first"
        case .noAccess: "; it must be readable, too, for the save to be made durable"
        default: error.advice
        }
      throw Self.failure("cannot open the folder \(folderPath): \(error.reason)\(advice)", path)
    }
  }

  /// Finds the file at a path when all earlier background saves of it are done.
  static func afterEarlierSaves(_ path: String) throws(ArchiveError) -> SaveTarget {
    let target = try SaveTarget(path)
    return SaveOrder.shared.wait(for: target) ? try SaveTarget(path) : target
  }

  /// The same target, with the file that is there now, if its status can be read.
  var asOfNow: SaveTarget {
    guard let status = try? folder.status(of: name), status.specialKind == nil else { return self }
    var target = self
    target.existing = status
    return target
  }

  /// An error about saving to this file. `error` is the failure of a system call, if there was one.
  func failure(_ what: String, _ error: SystemError? = nil) -> ArchiveError {
    Self.failure(what, path, error)
  }

  /// Returns the result of `step`. If it fails, the error says what this save cannot do.
  func attempt<Result>(
    _ step: @autoclosure () throws(SystemError) -> Result,
    _ what: String
  ) throws(ArchiveError) -> Result {
    do { return try step() } catch { throw failure(what, error) }
  }

  private static func failure(_ what: String, _ path: String, _ error: SystemError? = nil) -> ArchiveError {
    let reason = error.map { ": \($0.reason)\($0.advice)" } ?? ""
    return ArchiveError(.unwritableFile, what + reason, path: path)
  }

  /// Makes the new file in the folder survive a power cut.
  func synchronizeFolder() throws(ArchiveError) {
    do {
      try folder.synchronize()
    } catch  where !error.isUnsupported {
      throw failure("the new file is in place, but a power cut may bring back the old one", error)
    } catch {
      // A file system that cannot synchronize a folder: nothing more can be done.
    }
  }

  // MARK: Finding the file

  private static func followLinks(
    from path: String
  ) throws(ArchiveError) -> (resolved: String, existing: FileStatus?) {
    try check(path, path)
    // Checked first, because a link of the system, such as /dev/stdout, may not spell what it leads to.
    if let status = try? fileStatus(path) { try check(status, path) }
    var resolved = path
    for _ in 0..<maximalLinks {
      let status: FileStatus
      do {
        status = try fileStatus(resolved, followingLinks: false)
      } catch .noFile {
        return (resolved, nil)
      } catch {
        throw failure("cannot inspect the file to replace", path, error)
      }
      guard status.isLink else {
        try check(status, path)
        return (resolved, status)
      }
      resolved = try destination(ofLink: resolved, for: path)
    }
    let reason = SystemError.endlessLink.reason
    throw failure("cannot follow the symbolic link: \(reason); it refers to itself", path)
  }

  /// The limit of Linux, too. A longer chain counts as a cycle.
  private static let maximalLinks = 40

  private static func destination(ofLink link: String, for path: String) throws(ArchiveError) -> String {
    let destination: String?
    do { destination = try linkDestination(link) } catch {
      throw failure("cannot read the symbolic link \(link)", path, error)
    }
    guard let destination else {
      throw failure("the symbolic link \(link) refers to a name that is not valid UTF-8", path)
    }
    try check(destination, path)
    if destination.utf8.first == slash { return destination }
    // The system resolves what is before the last slash, including ".." after links.
    return split(link).folder + "/" + destination
  }

  /// The folder and the last name of a path. By bytes: a slash before a combining mark is no `Character` of its own.
  private static func split(_ path: String) -> (folder: String, name: String) {
    guard let last = path.utf8.lastIndex(of: slash) else { return (".", path) }
    let folder = last == path.startIndex ? "/" : String(path[..<last])
    return (folder, String(path[path.utf8.index(after: last)...]))
  }

  private static let slash = UInt8(ascii: "/")

  /// Throws if `candidate`, which `path` leads to, cannot be the path of a file.
  private static func check(_ candidate: String, _ path: String) throws(ArchiveError) {
    if let problem = pathProblem(candidate) { throw failure(problem, path) }
    guard candidate.utf8.last != slash else {
      throw failure("the path ends in a slash and so names a folder; add a file name", path)
    }
  }

  private static func check(_ status: FileStatus, _ path: String) throws(ArchiveError) {
    guard let kind = status.specialKind else { return }
    throw failure("cannot be replaced: it is \(kind), not a regular file", path)
  }
}
