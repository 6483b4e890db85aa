/// What there is to say about a command, in the parts that a page of a manual has.
struct ManualPage {
  /// A piece of the description.
  enum Block {
    /// A paragraph, which is broken into lines as the page needs.
    case text(String)
    /// Lines that stay as they are.
    case verbatim(String)
    /// A term and what it means.
    case item(String, String)

    /// How the file OUT is written, the same for all commands that write one.
    static let savedFile = text(
      """
      OUT takes the place of an old file only when it is complete and on the disk: after a failure, an interruption or \
      a power cut the old one is there, whole. Where SIGINT, SIGTERM or SIGHUP end the command, it takes away what it \
      had written. Killed otherwise, it leaves that beside OUT, under a name that begins with .OUT.keepsake-, and the \
      next command that writes to OUT removes it.
      """
    )
  }

  struct Option {
    /// As it is typed, with the name of its value: `--depth N`.
    let form: String
    let meaning: String

    init(_ form: String, _ meaning: String) {
      self.form = form
      self.meaning = meaning
    }
  }

  struct Example {
    let command: String
    let meaning: String

    init(_ command: String, _ meaning: String) {
      self.command = command
      self.meaning = meaning
    }
  }

  let name: String
  /// What the command does, in a few words.
  let summary: String
  /// The ways to call it, without the name of the tool.
  let synopsis: [String]
  let description: [Block]
  var options: [Option] = []
  var exitStatuses: [ExitStatus] = [.done, .usage, .badData, .noInput, .inputOutput]
  /// What an exit status means for this command in particular.
  var statusMeanings: [ExitStatus: String] = [:]
  var examples: [Example] = []
}
