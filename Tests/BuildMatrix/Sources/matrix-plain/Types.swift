import Foundation
import Keepsake
import MatrixZoo
import Observation

// Types in every kind of declaration context. Each is made in one line of main.swift and named nowhere else.

enum Namespace {
  final class Cat: Animal {}

  enum Inner {
    struct Structure {
      final class Dog: Animal {}
    }

    actor Actor {
      final class Mouse: Animal {}
    }
  }

  struct Stamp: Mark { var text = "here" }
  enum Choice: Mark { case one(Int) }
}

class Outer: Animal {
  final class Nested: Animal {}
}

extension Namespace.Inner { final class Later: Animal {} }

extension Park {
  final class Squirrel: Animal {}
  enum Pond { final class Duck: Animal {} }
}
extension Park.Pond { final class Swan: Animal {} }
extension String { enum Text { final class Bookworm: Animal {} } }
extension Date { final class Mayfly: Animal {} }
extension Data { struct Label: Mark { var text = "label" } }

enum Größe { final class Wal: Animal {} }
final class 猫: Animal {}
enum `two words` { final class `an animal, 1.5 m (or so)`: Animal {} }
final class `class`: Animal {}

private final class Hidden: Animal {}
final class Generic<Value>: Animal {}
enum GenericSpace<Value> { final class Inside: Animal {} }

func makeHidden() -> [Animal] {
  final class Local: Animal {}
  return [Hidden(), Local()]
}

/// A private class that states a name.
private final class Stated: Animal, ArchivableClass {
  static var archivedClassName: String { "matrix.stated" }
}

func makeStated() -> Animal { Stated() }

struct Marked: Codable { @Polymorphic var marks: [any Mark] }

// With synthesized keys.

@Observable final class ObservedNote: Codable {
  var text = "text"
  var more: String?
  @ObservationIgnored var number = 1
}

final class PlainNote: Codable {
  var text = "text"
  var more: String?
  var number = 1
}
