import Foundation
import TestSupport
import Testing

@testable import keeputil

/// The pages of the manual.
@Suite struct KeeputilManual {
  @Test("each command has a manual page with the usual sections")
  func parts() {
    #expect(Tool.commands.count >= 9)
    for command in Tool.commands {
      let page = command.manual
      let text = page.text(.plain)
      #expect(page.name == command.name)
      var place = text.startIndex
      for heading in ["NAME\n", "SYNOPSIS\n", "DESCRIPTION\n", "EXIT STATUS\n", "EXAMPLES\n"] {
        let found = text.range(of: "\n" + heading) ?? text.range(of: heading)
        #expect(found.map { $0.lowerBound >= place } == true, "\(command.name): \(heading)")
        place = found?.lowerBound ?? place
      }
      #expect(text.contains("       keeputil \(page.name) - \(page.summary)\n"))
      for option in page.options { #expect(text.contains("       \(option.term)\n"), "\(command.name)") }
      for status in page.exitStatuses {
        #expect(text.contains("\n       \(status.rawValue) "), "\(command.name)")
      }
      #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 && $0.last != " " }, "\(command.name)")
      #expect(page.exitStatuses.contains(.done) && page.exitStatuses.contains(.usage))
      #expect(page.examples.allSatisfy { $0.text.hasPrefix("keeputil ") && $0.term.hasSuffix(":") })
    }
  }

  @Test("a styled page has the same text as a plain one")
  func style() {
    for command in Tool.commands {
      let styled = command.manual.text(Palette(isOn: true))
      #expect(styled.hasPrefix("\u{1B}[1mNAME\u{1B}[0m\n"))
      var plain = styled
      for code in ["\u{1B}[1m", "\u{1B}[4m", "\u{1B}[0m"] {
        plain = plain.replacingOccurrences(of: code, with: "")
      }
      #expect(plain == command.manual.text(.plain), "\(command.name)")
    }
  }

  @Test("each command accepts the options of its page and no others")
  func options() throws {
    let folder = try TemporaryFolder()
    for command in Tool.commands {
      for option in command.manual.options {
        let name = try #require(option.term.split(separator: " ").first)
        let errors = try Keeputil.run(command.name, String(name), in: folder).errors
        #expect(!errors.contains("there is no option"), "\(errors)")
      }
      #expect(
        try Keeputil.run(command.name, "--surely-not", in: folder).errors.contains("there is no option")
      )
    }
  }

  @Test("the overview lists all commands and all exit statuses")
  func overview() throws {
    let folder = try TemporaryFolder()
    let output = try Keeputil.run("--help", in: folder).output
    for command in Tool.commands {
      #expect(output.contains("  \(command.name) ") && output.contains(command.manual.summary))
    }
    for status in ExitStatus.allCases {
      #expect(output.contains(" \(status.rawValue)   \(status.meaning)\n"))
    }
    #expect(!output.contains("\u{1B}"))
  }
}
