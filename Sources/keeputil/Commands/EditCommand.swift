import Foundation
import Keepsake

enum EditCommand: Command {
  static let manual = ManualPage(
    "edit",
    "changes keys, values and names of classes in an archive",
    synopsis: ["CHANGES -o OUT FILE", "CHANGES --in-place FILE"],
    """
    Writes the archive FILE with changes to OUT, or in place of FILE. The classes of its objects need not exist: all
    other values are copied, and shared objects stay shared. FILE may be - for standard input, and OUT may be - for
    standard output. The archive is first checked, as by verify.

    Each option for a change may be given more than once. A PATH is as in 'print --key', starting at the top level:
    root.books[3].title, root["odd key"]. It refers to the original FILE, whatever other changes there are. A change
    in an object applies wherever the object is referred to. Objects to which nothing refers any more are left out.

    Nothing is written if a change names a path, a class, or a key of a class that does not exist, if two changes give
    a value, key or class two contents or two names, or if a change is in a value that another one replaces or removes.
    If two paths lead to the same value of a shared object, the last change counts.

    An archive of NSKeyedArchiver is written as an archive of Keepsake, as by convert. A note on standard error lists
    what is lost or changed.

    At the end, a note on standard error says how many objects have changed, without the top level and objects that
    only refer to a changed one.

    \(ManualPage.progress)

    \(ManualPage.savedFile)
    """,
    options: """
      --rename PATH=KEY
        gives the value at PATH another key in its container
      --remove PATH
        removes a key with its value, or an element of an array
      --set PATH=JSON
        replaces the value at PATH, or adds one under a new key or behind the last element of an array. JSON is
        converted as by convert; a text needs quotation marks. An array of numbers can only be set as a whole.
      --rename-key CLASS.KEY=NEW
        renames a key in all objects of a class and of its subclasses. CLASS is the name as print shows it, with
        special characters in brackets and quotes, as in ["Box<[Int]>"].items=content.
      --remove-key CLASS.KEY
        removes a key with its value in all these objects
      --rename-class OLD=NEW
        renames a class, or a type behind a protocol
      -o OUT
        the file to write; it may be FILE
      --in-place
        replaces FILE itself
      """,
    statusMeanings: [.badData: "FILE is damaged or not an archive, or lacks something that a change names."],
    examples: """
      A class that was renamed:
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
    if arguments.has("--in-place") { try input.refuseEarlierSave(for: name) }
    // Without this check, damaged values would be copied and get valid checksums.
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
        "give a file for the changed archive with '-o OUT', or '--in-place' to replace FILE"
      )
    }
    guard file != "-" else {
      throw arguments.misuse("standard input cannot be changed in place; give '-o OUT'")
    }
    return file
  }
}
