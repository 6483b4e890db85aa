#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A database with a row for each page, as many programs would store a document. It uses the SQLite library of the
/// system, if there is one, and loads it at run time, so that the package depends on nothing.
///
/// The program must know which rows have changed, and has no graph: it writes and reads each page by its number.
@safe
final class SQLitePages {
  private typealias Database = OpaquePointer
  private typealias Statement = OpaquePointer

  private let library: UnsafeMutableRawPointer
  private var database: Database?

  struct Failure: Error {
    let call: String
    let code: Int32
  }

  /// - Parameter path: The path of a file that does not exist yet, or that another instance made.
  /// - Returns: `nil` if the system has no SQLite.
  init?(_ path: String) throws {
    let names = ["libsqlite3.so.0", "libsqlite3.dylib"]
    guard let library = unsafe names.lazy.compactMap({ unsafe dlopen($0, RTLD_NOW) }).first else {
      return nil
    }
    unsafe self.library = library
    let open: @convention(c) (UnsafePointer<CChar>?, UnsafeMutablePointer<OpaquePointer?>?) -> Int32 =
      try unsafe function("sqlite3_open")
    var database: Database?
    try check("sqlite3_open", unsafe open(path, &database))
    unsafe self.database = database
  }

  deinit {
    let close: (@convention(c) (OpaquePointer?) -> Int32)? = try? unsafe function("sqlite3_close")
    if let close = unsafe close { _ = unsafe close(database) }
  }

  /// Runs statements without results.
  func run(_ text: String) throws {
    typealias Execute =
      @convention(c) (
        OpaquePointer?, UnsafePointer<CChar>?, UnsafeRawPointer?, UnsafeRawPointer?, UnsafeRawPointer?
      ) -> Int32
    let execute: Execute = try unsafe function("sqlite3_exec")
    try check(text, unsafe execute(database, text, nil, nil, nil))
  }

  /// Writes pages in one transaction, which is on the disk when the call returns.
  ///
  /// - Parameter statement: Has the parameters ?1 for the number of a page, ?2 for its title and ?3 for its text.
  func write(_ statement: String, _ pages: some Sequence<(number: Int, title: String, text: String)>) throws {
    typealias BindNumber = @convention(c) (OpaquePointer?, Int32, Int64) -> Int32
    typealias BindText =
      @convention(c) (
        OpaquePointer?, Int32, UnsafePointer<CChar>?, Int32, Int
      ) -> Int32
    let bindNumber: BindNumber = try unsafe function("sqlite3_bind_int64")
    let bindText: BindText = try unsafe function("sqlite3_bind_text")
    try run("BEGIN")
    try unsafe prepared(statement) { prepared, step in
      for page in pages {
        _ = unsafe bindNumber(prepared, 1, Int64(page.number))
        // The second -1 makes SQLite copy the text.
        _ = unsafe bindText(prepared, 2, page.title, -1, -1)
        _ = unsafe bindText(prepared, 3, page.text, -1, -1)
        _ = step()
      }
    }
    try run("COMMIT")
  }

  /// Reads all rows of the result of a statement, and returns their number.
  func count(_ statement: String) throws -> Int {
    typealias Column = @convention(c) (OpaquePointer?, Int32) -> UnsafePointer<UInt8>?
    let column: Column = try unsafe function("sqlite3_column_text")
    var (count, byteCount) = (0, 0)
    try unsafe prepared(statement) { prepared, step in
      while step() {
        count += 1
        for index in 0..<2 {
          if let text = unsafe column(prepared, Int32(index)) {
            byteCount += unsafe String(cString: text).utf8.count
          }
        }
      }
    }
    return byteCount > 0 ? count : 0
  }

  private func prepared(_ text: String, _ body: (Statement?, _ step: () -> Bool) throws -> Void) throws {
    typealias Prepare =
      @convention(c) (
        OpaquePointer?, UnsafePointer<CChar>?, Int32, UnsafeMutablePointer<OpaquePointer?>?, UnsafeRawPointer?
      ) -> Int32
    typealias OnStatement = @convention(c) (OpaquePointer?) -> Int32
    let prepare: Prepare = try unsafe function("sqlite3_prepare_v2")
    let (step, reset): (OnStatement, OnStatement) = (
      try unsafe function("sqlite3_step"), try unsafe function("sqlite3_reset")
    )
    let finalize: OnStatement = try unsafe function("sqlite3_finalize")
    var statement: Statement?
    try check(text, unsafe prepare(database, text, -1, &statement, nil))
    defer { _ = unsafe finalize(statement) }
    let hasRow: Int32 = 100
    unsafe try body(statement) {
      if unsafe step(statement) == hasRow { return true }
      _ = unsafe reset(statement)
      return false
    }
  }

  private func check(_ call: String, _ code: Int32) throws {
    guard code == 0 else { throw Failure(call: call, code: code) }
  }

  /// A function of the library. `Function` must be its type in C, as documented.
  @unsafe
  private func function<Function>(_ name: String) throws -> Function {
    guard let symbol = unsafe dlsym(library, name) else { throw Failure(call: name, code: -1) }
    return unsafe unsafeBitCast(symbol, to: Function.self)
  }
}
