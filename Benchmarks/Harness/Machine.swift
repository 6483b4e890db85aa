import Foundation

/// The machine on which the figures are made.
enum Machine {
  /// The processor's name, if the system reports it.
  static var processor: String {
    let information = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
    let line = information?.split(separator: "\n").first { $0.hasPrefix("model name") }
    let name = line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
    return name ?? "unnamed processor"
  }

  /// The name of the system and its version.
  static var system: String { ProcessInfo.processInfo.operatingSystemVersionString }

  /// The architecture for which this program was compiled.
  static var architecture: String {
    #if arch(x86_64)
      "x86_64"
    #elseif arch(arm64)
      "arm64"
    #else
      "another architecture"
    #endif
  }

  /// The version of the Swift compiler on the path, which is the one that `swift run` uses. nil if there is none.
  ///
  /// A program knows only the first two numbers of its compiler's version.
  static let swiftVersion: String? = {
    guard let text = try? Subprocess.run(path: "/usr/bin/env", arguments: ["swift", "--version"]).output
    else { return nil }
    guard let marker = text.range(of: "Swift version ") else { return nil }
    return text[marker.upperBound...].split(whereSeparator: \.isWhitespace).first.map { String($0) }
  }()

  /// The current date in ISO 8601.
  static var today: String { String(ISO8601DateFormatter().string(from: Date()).prefix(10)) }
}
