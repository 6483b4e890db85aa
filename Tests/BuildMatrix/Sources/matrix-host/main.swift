import Foundation
import Keepsake
import MatrixModel
import MatrixZoo

// matrix-host write FOLDER PLUGIN, matrix-host read FOLDER PLUGIN: classes of a dynamic library, and of a plug-in that
// is loaded at run time.

func fail(_ message: String) -> Never {
  print("matrix-host: \(message)")
  exit(1)
}

func load(_ plugin: String) -> UnsafeMutableRawPointer {
  guard let handle = dlopen(plugin, RTLD_NOW) else {
    fail("cannot load \(plugin): \(String(cString: dlerror()))")
  }
  return handle
}

let arguments = CommandLine.arguments
guard arguments.count == 4 else { fail("write or read, FOLDER and PLUGIN") }
let (command, folder, plugin) = (arguments[1], arguments[2], arguments[3])

switch command {
case "write":
  let library = load(plugin)
  guard let symbol = dlsym(library, "makeMatrixMachine"), let maker = dlsym(library, "makeMatrixValue") else {
    fail("the plug-in makes nothing")
  }
  // The plug-in's copy of Keepsake has its own wrappers and models, which this copy does not know.
  let makeValue = unsafeBitCast(maker, to: (@convention(c) (Int) -> UnsafeMutableRawPointer).self)
  for number in 0..<3 {
    let box = Unmanaged<AnyObject>.fromOpaque(makeValue(number)).takeRetainedValue()
    guard let values = box as? [any Encodable] else { fail("the plug-in made \(box)") }
    do {
      _ = try KeyedArchiver.archivedData(withRootObject: values[0])
      fail("what another copy of Keepsake should archive was archived")
    } catch EncodingError.invalidValue(_, let context)
      where context.debugDescription.contains("two copies of Keepsake")
    {}
  }
  let make = unsafeBitCast(symbol, to: (@convention(c) (Int) -> UnsafeMutableRawPointer).self)
  let machines = (0..<2).map { Unmanaged<Machine>.fromOpaque(make($0)).takeRetainedValue() }
  try KeyedArchiver.archive(rootObject: machines, toFile: folder + "/plugin.keepsake")
  try KeyedArchiver.archive(rootObject: [makeDiesel()], toFile: folder + "/library.keepsake")
case "read":
  let diesel = try KeyedUnarchiver.unarchive([Machine].self, fromFile: folder + "/library.keepsake")
  guard diesel.map({ String(reflecting: type(of: $0)) }) == ["MatrixModel.Engines.Diesel"],
    diesel[0].parts == 5
  else { fail("the library's class came back as \(diesel)") }
  do {
    _ = try KeyedUnarchiver.unarchive([Machine].self, fromFile: folder + "/plugin.keepsake")
    fail("a class of a plug-in that is not loaded was found")
  } catch DecodingError.dataCorrupted(let context)
    where context.debugDescription.contains("module MatrixPlugin")
  {}
  _ = load(plugin)
  // In the same process, which has not looked them up before.
  let machines = try KeyedUnarchiver.unarchive([Machine].self, fromFile: folder + "/plugin.keepsake")
  let names = machines.map { String(reflecting: type(of: $0)) }
  guard names == ["MatrixPlugin.Extras.Turbo", "(extension in MatrixPlugin):MatrixModel.Machine.Spoiler"],
    machines.map(\.parts) == [7, 8]
  else { fail("the plug-in's classes came back as \(names)") }
  // The plug-in has another class with the same name.
  let gull = makeGull()
  let copy = try KeyedArchiver.archivedData(withRootObject: [gull])
  let animals = try KeyedUnarchiver.unarchive([Animal].self, from: copy)
  guard animals.map({ type(of: $0) == type(of: gull) }) == [true] else {
    fail("the gull came back as \(animals)")
  }
default: fail("no command is spelled \(command)")
}
