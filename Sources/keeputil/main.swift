import Foundation

// keeputil is to Keepsake archives what plutil is to property lists.
//
// Commands    a file for each command, with its manual page; and what they share:
//             arguments, failures with their exit statuses, pages as text, and the list of commands in Tool
// Files       input and output: files, standard input and standard output
// Terminal    colors, and the line that shows the progress
// Text        escaped and shortened texts, numbers, tables, dates
// Values      values of an archive as text, and paths to them
//
// The other folders belong to one command each: Print, Statistics (also for report), Report, Graph, Diff, Verify, Edit,
// Convert (plain values, JSON and property lists, read and written), Demo.

replaceClosedStreams()
// `CommandLine.arguments` has other characters in place of what is not valid UTF-8.
exit(
  Tool.run(
    (1..<max(1, Int(CommandLine.argc))).map { index in
      unsafe CommandLine.unsafeArgv[index].flatMap { unsafe String(validatingCString: $0) }
    }
  )
)
