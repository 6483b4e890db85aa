import Foundation

/// Asks a process of the measurement a question, which it answers with one line of numbers.
///
/// Each figure comes from a separate process, so that no measurement affects the memory or the heap of another.
enum ScaleProcess {
  /// Runs this program again with `option` and `arguments`, and returns the numbers that it prints.
  static func ask(_ arguments: [String], _ option: String = "--scale-question") throws -> [Double] {
    let process = Process()
    process.executableURL = URL(filePath: Bundle.main.executablePath ?? CommandLine.arguments[0])
    process.arguments = [option] + arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let answer = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw ScaleError(question: arguments) }
    return String(decoding: answer, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      .compactMap { Double($0) }
  }
}

struct ScaleError: Error {
  let question: [String]
}
