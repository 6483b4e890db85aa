import Foundation

// keeputil is to Keepsake archives what plutil is to property lists.
//
// Commands    a file for each command: its page of the manual, and how it lets others do the work; what all share:
//             arguments, failures with their exit statuses, pages as text, and the list of the commands in Tool
// Files       what is read and written: files, standard input and output
// Terminal    colours, and the line that tells how far the work is
// Text        texts so that they can be shown: escaped, shortened, numbers, tables, dates
// Values      values of an archive as text, and paths to them: for print, diff and graph
//
// And what single commands are made of: Print, Statistics (also for report), Report, Graph, Diff, Verify, Edit,
// Convert (plain values, JSON and property lists, read and written), Demo.

exit(Tool.run(Array(CommandLine.arguments.dropFirst())))
