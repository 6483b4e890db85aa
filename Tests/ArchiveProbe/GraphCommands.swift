import Foundation
import Keepsake

/// Graphs with subclasses, between two processes.
///
///     graph-write SAMPLE PATH     writes a sample of GraphSamples.swift
///     graph-check SAMPLE PATH     reads it, and ends with 1 if anything is wrong
///     graph-bytes SAMPLE          writes its bytes to standard output
///
/// Returns false if the command is none of these.
func runGraphCommand(_ arguments: [String]) throws -> Bool {
  guard let command = arguments.first, command.hasPrefix("graph-") else { return false }
  guard arguments.count >= 2, let sample = GraphSample(rawValue: arguments[1]) else {
    fail("\(command): samples: \(GraphSample.allCases)")
  }
  switch (command, arguments.dropFirst(2).first) {
  case ("graph-bytes", nil): FileHandle.standardOutput.write(try sample.bytes())
  case ("graph-write", let path?): try sample.bytes().write(to: URL(fileURLWithPath: path))
  case ("graph-check", let path?):
    let faults = try sample.faults(inFile: path)
    if !faults.isEmpty { fail(faults.joined(separator: "; ")) }
  default: return false
  }
  return true
}
