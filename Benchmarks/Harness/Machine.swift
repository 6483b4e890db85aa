import Foundation

/// Where the figures are made.
enum Machine {
  /// The processor's name where the system tells it.
  static var processor: String {
    let information = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
    let line = information?.split(separator: "\n").first { $0.hasPrefix("model name") }
    let name = line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
    return name ?? "unnamed processor"
  }

  /// The name of the system and its version.
  static var system: String { ProcessInfo.processInfo.operatingSystemVersionString }

  /// The architecture this was compiled for.
  static var architecture: String {
    #if arch(x86_64)
      "x86_64"
    #elseif arch(arm64)
      "arm64"
    #else
      "another architecture"
    #endif
  }

  /// The version of the Swift compiler on the path, which is the one that `swift run` uses; nil when there is none.
  ///
  /// A program cannot tell by which compiler it was made but for the first two numbers.
  static let swiftVersion: String? = {
    guard let text = try? Subprocess.run(path: "/usr/bin/env", arguments: ["swift", "--version"]).output
    else { return nil }
    guard let marker = text.range(of: "Swift version ") else { return nil }
    return text[marker.upperBound...].split(whereSeparator: \.isWhitespace).first.map { String($0) }
  }()

  /// The date of today, as ISO 8601 writes it.
  static var today: String { String(ISO8601DateFormatter().string(from: Date()).prefix(10)) }
}
