/// What there is to say about `keeputil edit`: more than fits beside its code.
enum EditManual {
  static var page: ManualPage {
    ManualPage(
      name: EditCommand.name,
      summary: "changes keys, values and names of classes in an archive",
      synopsis: ["CHANGES -o OUT FILE", "CHANGES --in-place FILE"],
      description: [
        .text(
          """
          Writes the archive FILE with changes to OUT, or in place of FILE. The classes of its objects need not exist: \
          what is not changed is copied as it is, and what is shared stays shared. FILE may be - for standard input \
          and OUT may be - for standard output. The archive is checked first, as by verify.
          """
        ),
        .text(
          """
          Each option of a change may be given more than once. A PATH is one as of 'print --key', from the top level \
          on: root.books[3].title, root["odd key"]. It is always the path in FILE as it is, whatever else is changed. \
          Whoever changes what an object holds changes it for all that refer to the object. Objects to which nothing \
          refers any more are left out.
          """
        ),
        .text(
          """
          Nothing is written if one of the changes is about something that is not there: a path, a class, or a key \
          that none of its objects has; nor if two say what becomes of one path. Where two paths lead to one place of \
          a shared object, the last change counts.
          """
        ),
        .text(
          """
          An archive of NSKeyedArchiver is written as one of Keepsake, as by convert. What could not be carried over, \
          or became something else, is told on standard error.
          """
        ),
        .text(
          """
          At the end it tells on standard error how many objects were changed. An object that only refers to a changed \
          one does not count, nor does the top level.
          """
        ),
        Progress.note,
        .savedFile,
      ],
      options: [
        .init("--rename PATH=KEY", "gives the value at PATH another key in the container that it is in"),
        .init("--remove PATH", "takes out a key with its value, or an element of an array"),
        .init(
          "--set PATH=JSON",
          """
          puts a value in place of what is at PATH, or under a new key, or behind the last element of an array. It \
          becomes what convert makes of JSON; a text needs its quotation marks. An array of numbers is set as a whole.
          """
        ),
        .init(
          "--rename-key CLASS.KEY=NEW",
          """
          gives a key another name in all objects of a class and of its subclasses. CLASS is the name as print shows \
          it; a name with other characters than a path has stands in brackets and quotes, as in \
          ["Box<[Int]>"].items=content.
          """
        ),
        .init("--remove-key CLASS.KEY", "takes out a key with its value in all these objects"),
        .init("--rename-class OLD=NEW", "gives a class, or a type behind a protocol, another name"),
        .init("-o OUT", "the file to be written; it may be FILE"),
        .init("--in-place", "writes to FILE itself"),
      ],
      statusMeanings: [
        .badData: "FILE is no archive or damaged, or what is to be changed is not there."
      ],
      examples: [
        .init(
          "keeputil edit --rename-class Library.Author=Library.Person --in-place library.keepsake",
          "A class that got another name:"
        ),
        .init(
          "keeputil edit --rename-key Library.Book.titel=title -o new.keepsake library.keepsake",
          "A key of all objects of a class:"
        ),
        .init(
          "keeputil edit --set 'root.title=\"Momo\"' --remove root.drafts -o b.keepsake a.keepsake",
          "Single values:"
        ),
      ]
    )
  }
}
