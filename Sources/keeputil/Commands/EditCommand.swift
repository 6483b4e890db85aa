import Foundation
import Keepsake

enum EditCommand: Command {
  static let manual = ManualPage(
    "edit",
    "changes keys, values and names of classes in an archive",
    synopsis: ["CHANGES -o OUT FILE", "CHANGES --in-place FILE"],
    """
    Writes the archive FILE with changes to OUT, or in place of FILE. The classes of its objects need not exist:
    what is not changed is copied as it is, and what is shared stays shared. FILE may be - for standard input and
    OUT may be - for standard output. The archive is checked first, as by verify.

    Each option of a change may be given more than once. A PATH is one as of 'print --key', starting at the top
    level: root.books[3].title, root["odd key"]. It is always the path in FILE as it is, whatever else is changed.
    Changing what an object holds changes it for all that refer to the object. Objects to which nothing refers any
    more are left out.

    Nothing is written if one of the changes is about something that is not there: a path, a class, or a key that
    none of its objects has; nor if two changes are about one path. If two paths lead to the same value of a shared
    object, the last change counts.

    An archive of NSKeyedArchiver is written as one of Keepsake, as by convert. A note on standard error tells what
    cannot be carried over, or becomes something else.

    At the end a note on standard error tells how many objects have changed. An object that only refers to a changed
    one does not count, nor does the top level.

    \(ManualPage.progress)

    \(ManualPage.savedFile)
    """,
    options: """
      --rename PATH=KEY
        gives the value at PATH another key in the container that it is in
      --remove PATH
        removes a key with its value, or an element of an array
      --set PATH=JSON
        replaces the value at PATH, or adds one under a new key or behind the last element of an array. The value is
        what convert makes of JSON; a text needs its quotation marks. An array of numbers is set as a whole.
      --rename-key CLASS.KEY=NEW
        gives a key another name in all objects of a class and of its subclasses. CLASS is the name as print shows
        it; a name with other characters than a path has is in brackets and quotes, as in ["Box<[Int]>"].items=content.
      --remove-key CLASS.KEY
        removes a key with its value in all these objects
      --rename-class OLD=NEW
        gives a class, or a type behind a protocol, another name
      -o OUT
        the file to write; it may be FILE
      --in-place
        writes to FILE itself
      """,
    statusMeanings: [.badData: "FILE is no archive or damaged, or does not have what is to be changed."],
    examples: """
      A class that got another name:
        keeputil edit --rename-class Library.Author=Library.Person --in-place library.keepsake
      A key of all objects of a class:
        keeputil edit --rename-key Library.Book.titel=title -o new.keepsake library.keepsake
      Single values:
        keeputil edit --set 'root.title="Momo"' --remove root.drafts -o b.keepsake a.keepsake
      """
  )

  static func run(_ arguments: Arguments) throws {
    let file = try arguments.file()
    let changes = try RequestedChanges(arguments)
    let target = try target(arguments, file)
    try refuseTerminal(target, for: name)
    let input = try Input(file)
    // What is damaged would be copied as it is, with new checksums.
    let image = try input.openCheckedArchive().image
    try input.reading {
      var editor = ArchiveEditor(try image.topLevelValue)
      tellLosses(image.source?.losses ?? [])
      try changes.apply(to: &editor)
      let (data, count) = try input.progress("editing").wait { try editor.changedData() }
      try withOutput(target) { try $0.write(data) }
      Tool.note("\(counted(count, "object")) changed")
    }
  }

  private static func target(_ arguments: Arguments, _ file: String) throws(CommandFailure) -> String {
    try arguments.refuseTogether("-o", "--in-place")
    if let target = arguments.value("-o") { return target }
    guard arguments.has("--in-place") else {
      throw arguments.misuse(
        "say where the changed archive is to be written, with '-o OUT', or with '--in-place' to replace FILE"
      )
    }
    guard file != "-" else {
      throw arguments.misuse("standard input cannot be changed in place; say '-o OUT'")
    }
    return file
  }
}
