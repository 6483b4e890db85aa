import Foundation

// keeputil is to Keepsake archives what plutil is to property lists. Each command has a file of its own.

exit(Tool.run(Array(CommandLine.arguments.dropFirst())))
