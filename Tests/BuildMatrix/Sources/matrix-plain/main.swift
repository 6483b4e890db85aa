import Foundation
import Keepsake
import MatrixZoo

// matrix-plain write FOLDER, matrix-plain read FOLDER: classes of the program itself and of the libraries linked into
// it.

func fail(_ message: String) -> Never {
  print("matrix-plain: \(message)")
  exit(1)
}

let arguments = CommandLine.arguments
guard arguments.count == 3 else { fail("write or read, and FOLDER") }
let (command, folder) = (arguments[1], arguments[2])

let animals: [Animal] = [
  Namespace.Cat(), Namespace.Inner.Structure.Dog(), Namespace.Inner.Actor.Mouse(), Outer.Nested(),
  Namespace.Inner.Later(), Park.Squirrel(), Park.Pond.Duck(), Park.Pond.Swan(), String.Text.Bookworm(),
  Date.Mayfly(), Größe.Wal(), 猫(), `two words`.`an animal, 1.5 m (or so)`(), `class`(), makeGull(),
  makeStated(),
]
let marks: [any Mark] = [Namespace.Stamp(), Namespace.Choice.one(2), Data.Label(), makeFlag()]
let note = ObservedNote()
note.more = "more"
let old = PlainNote()
old.more = "more"

switch command {
case "write":
  for (index, animal) in animals.enumerated() {
    animal.legs = index
    try KeyedArchiver.archive(rootObject: [animal], toFile: "\(folder)/animal-\(index).keepsake")
  }
  try KeyedArchiver.archive(rootObject: Marked(marks: marks), toFile: "\(folder)/marks.keepsake")
  try KeyedArchiver.archive(rootObject: note, toFile: "\(folder)/observed.keepsake")
  try KeyedArchiver.archive(rootObject: old, toFile: "\(folder)/plain.keepsake")
  let refused =
    makeHidden().map { ($0, "private or local") } + [
      (Generic<Int>(), "generic"), (GenericSpace<Int>.Inside(), "generic"),
    ]
  for (animal, reason) in refused {
    do {
      _ = try KeyedArchiver.archivedData(withRootObject: [animal])
      fail("\(animal) was archived, and nothing could read it")
    } catch EncodingError.invalidValue(_, let context) where context.debugDescription.contains(reason) {}
  }
case "read":
  for (index, animal) in animals.enumerated() {
    let read = try KeyedUnarchiver.unarchive([Animal].self, fromFile: "\(folder)/animal-\(index).keepsake")
    guard read.count == 1, type(of: read[0]) == type(of: animal), read[0].legs == index else {
      fail("\(String(reflecting: type(of: animal))) came back as \(read)")
    }
  }
  let marked = try KeyedUnarchiver.unarchive(Marked.self, fromFile: "\(folder)/marks.keepsake")
  guard marked.marks.map({ "\($0)" }) == marks.map({ "\($0)" }) else {
    fail("the marks came back as \(marked)")
  }
  for name in ["observed", "plain"] {
    let path = "\(folder)/\(name).keepsake"
    let observed = try KeyedUnarchiver.unarchive(ObservedNote.self, fromFile: path)
    let plain = try KeyedUnarchiver.unarchive(PlainNote.self, fromFile: path)
    guard observed.text == "text", observed.more == "more", observed.number == 1 else {
      fail("\(name), observed")
    }
    guard plain.text == "text", plain.more == "more", plain.number == 1 else { fail("\(name), plain") }
  }
default: fail("no command is spelled \(command)")
}
