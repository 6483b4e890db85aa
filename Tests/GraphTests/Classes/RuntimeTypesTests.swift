import Foundation
import TestSupport
import Testing

@testable import Keepsake

@Suite("types of the running process") struct RuntimeTypesTests {
  // MARK: By the runtime's name

  @Test("a type is found by the name that the runtime prints, wherever it is nested")
  func nested() {
    let types: [Any.Type] = [
      NamedBeing.self, NamedBeing.Tail.self, NamedPark.self, NamedPark.Gate.self, NamedPark.Gate.Keeper.self,
      NamedPark.Gate.Keeper.Key.self, NamedPark.InExtension.self, NamedCreature.self, NamedActor.self,
      NamedTwice.self, NamedTwice.NamedTwice.self, NamedTwice.GraphTests.self, _Named_1.self,
      _Named_1.C.V.O.self, C3.self, String.Latin.self, NamedUnused.NamedInside.self,
      `named by 1.5 (or so)`.self,
      `named by 1.5 (or so)`.`a<b>`.`self`.self, Maß.self, Maß.素敵.self,
      RuntimeTypesTests.self, RuntimeTypes.self, KeyedArchiver.self, ArchiveLimits.self,
    ]
    for type in types {
      let name = String(reflecting: type)
      #expect(RuntimeTypes.types(named: name).first == type, "\(name)")
      #expect(RuntimeTypes.types(named: name).first == type, "\(name), again")
      #expect(RuntimeTypes.name(of: type) == name)
    }
    #expect(RuntimeTypes.types(named: "GraphTests.NamedPark.Gate.Keeper").first == NamedPark.Gate.Keeper.self)
  }

  @Test("names may have up to eight parts of at most 255 bytes")
  func bounds() {
    let deepest = Deep1.Deep2.Deep3.Deep4.Deep5.Deep6.Deep7.self
    #expect(RuntimeTypes.types(named: String(reflecting: deepest)).first == deepest)
    #expect(RuntimeTypes.types(named: String(reflecting: deepest.Deep8.self)).first == nil)
    #expect(TypeName("a." + String(repeating: "b", count: 255))?.components.count == 2)
    #expect(TypeName("a." + String(repeating: "b", count: 256))?.components == nil)
    let longest = Array(repeating: String(repeating: "b", count: 203), count: 5).joined(separator: ".")
    #expect(TypeName(longest)?.components.count == 5)
    #expect(TypeName(longest + ".bbbbb")?.components == nil)
  }

  @Test("invalid and unknown names find no type", arguments: HostileNames.all)
  func hostile(name: String) {
    #expect(RuntimeTypes.types(named: name).first == nil)
    #expect(RuntimeTypes.declaring(name: name).isEmpty)
  }

  @Test("names with changed letters find no type or the one with that name")
  func mutated() {
    var generator = SeededGenerator("mutated names of types")
    let names = [NamedPark.Gate.Keeper.self, NamedBeing.self, Duration.self, KeyedArchiver.self].map {
      Array(String(reflecting: $0 as Any.Type).utf8)
    }
    for _ in 0..<500 {
      guard var bytes = names.randomElement(using: &generator) else { continue }
      for _ in 0..<Int.random(in: 1...3, using: &generator) where bytes.count > 1 {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes.remove(at: place)
        case 1: bytes.insert(bytes[place], at: place)
        default: bytes[place] = UInt8.random(in: 0...127, using: &generator)
        }
      }
      let name = String(decoding: bytes, as: UTF8.self)
      if let type = RuntimeTypes.types(named: name).first {
        #expect(RuntimeTypes.name(of: type) == name)
      }
    }
  }

  @Test("private, local and generic types and protocols are not found by name")
  func unnamed() {
    class Local {}
    let types: [Any.Type] = [
      Hidden.self, Hidden.Inner.self, Local.self, NamedBox<Int>.self, NamedBox<Int>.Inside.self, [Int].self,
      (any NamedShape).self, Int?.self, (Int, Int).self,
    ]
    for type in types { #expect(RuntimeTypes.types(named: String(reflecting: type)).first == nil, "\(type)") }
    for name in ["GraphTests.NamedBox", "GraphTests.NamedBox.Inside", "Swift.Array", "Swift.Optional"] {
      #expect(RuntimeTypes.types(named: name).first == nil, "\(name)")
    }
    #expect(RuntimeTypes.types(named: "GraphTests.NamedShape").first == nil)
    #expect(RuntimeTypes.types(named: "GraphTests.Hidden").first == nil)
    #expect(RuntimeTypes.types(named: "GraphTests.Local").first == nil)
    #expect(RuntimeTypes.types(named: "GraphTests.NamedAlias").first == nil)
  }

  @Test("standard types have one name on all platforms")
  func standard() {
    let types: [(Any.Type, String)] = [
      (Int.self, "Swift.Int"), (Int8.self, "Swift.Int8"), (Int16.self, "Swift.Int16"),
      (Int32.self, "Swift.Int32"), (Int64.self, "Swift.Int64"), (Int128.self, "Swift.Int128"),
      (UInt.self, "Swift.UInt"), (UInt8.self, "Swift.UInt8"), (UInt16.self, "Swift.UInt16"),
      (UInt32.self, "Swift.UInt32"), (UInt64.self, "Swift.UInt64"), (UInt128.self, "Swift.UInt128"),
      (Bool.self, "Swift.Bool"), (Double.self, "Swift.Double"), (Float.self, "Swift.Float"),
      (String.self, "Swift.String"), (Character.self, "Swift.Character"), (Duration.self, "Swift.Duration"),
      (Data.self, "Foundation.Data"),
      (Date.self, "Foundation.Date"),
      (UUID.self, "Foundation.UUID"), (URL.self, "Foundation.URL"), (Decimal.self, "Foundation.Decimal"),
      (DateComponents.self, "Foundation.DateComponents"), (TimeZone.self, "Foundation.TimeZone"),
      (IndexSet.self, "Foundation.IndexSet"), (DateInterval.self, "Foundation.DateInterval"),
      (Locale.LanguageCode.self, "Foundation.Locale.LanguageCode"),
      (Date.NamedInExtension.self, "(extension in GraphTests):Foundation.Date.NamedInExtension"),
      (
        Date.NamedInExtension.Inner.Größe.self,
        "(extension in GraphTests):Foundation.Date.NamedInExtension.Inner.Größe"
      ),
    ]
    for (type, name) in types {
      #expect(RuntimeTypes.name(of: type) == name)
      #expect(RuntimeTypes.types(named: name).first == type, "\(name)")
    }
    #expect(RuntimeTypes.name(of: [Int].self) == "Swift.Array<Swift.Int>")
  }

  @Test("many threads look up types at once")
  func threads() async {
    await withTaskGroup(of: Bool.self) { group in
      for number in 0..<64 {
        group.addTask {
          (0..<50).allSatisfy { round in
            RuntimeTypes.types(named: "GraphTests.Deep1.Deep2").first == Deep1.Deep2.self
              && RuntimeTypes.types(named: "GraphTests.Absent\(number % 8)").first == nil
              && RuntimeTypes.types(named: "Foundation.Date").first == Date.self
              && RuntimeTypes.declaring(name: "stated.hidden").count == 1
              && RuntimeTypes.conforms(NamedSquare.self, to: (any NamedShape).self) == true
              && RuntimeTypes.conforms(NamedSquare.self, to: (any Codable & NamedShape).self) == (round < 0)
          }
        }
      }
      for await right in group { #expect(right) }
    }
  }
}

// MARK: - Types

protocol NamedShape {}
class NamedBeing { struct Tail {} }
enum NamedCreature { case one }
actor NamedActor {}
typealias NamedAlias = NamedBeing

struct NamedSquare: NamedShape {}

struct NamedPark {
  enum Gate {
    final class Keeper { struct Key {} }
  }
}

extension NamedPark { struct InExtension {} }

struct NamedBox<Value> { struct Inside {} }

/// Has the same name as the types and the module around it.
enum NamedTwice {
  struct NamedTwice {}
  struct GraphTests {}
}

/// Names that read like parts of mangled names.
struct _Named_1 {
  class C { struct V { enum O {} } }
}
struct C3 {}

enum Deep1 {
  struct Deep2 {
    class Deep3 {
      enum Deep4 {
        struct Deep5 {
          class Deep6 {
            enum Deep7 { struct Deep8 {} }
          }
        }
      }
    }
  }
}

private final class Hidden { struct Inner {} }

extension String { struct Latin {} }
extension Date { final class NamedInExtension { enum Inner {} } }
extension Date.NamedInExtension.Inner { class Größe {} }

/// Used only as a namespace: optimized builds omit its record.
enum NamedUnused { final class NamedInside {} }

class `named by 1.5 (or so)` { struct `a<b>` { final class `self` {} } }
class Maß { class 素敵 {} }

/// Names that a file may contain.
enum HostileNames {
  static let all: [String] = [
    "", ".", "..", "a", "KeepsakeTests", "GraphTests.", ".NamedBeing", "GraphTests..NamedBeing",
    "GraphTests.NamedBeing.", " GraphTests.NamedBeing", "GraphTests.Named Being",
    "GraphTests.NamedBeing\0", "GraphTests.NamedBeing\n", "GraphTests.NamedBeing.Tail.x",
    "$s13KeepsakeTests10NamedBeingC", "13KeepsakeTests10NamedBeingC", "s.13KeepsakeTests10NamedBeingC",
    "GraphTests.10NamedBeingC", "GraphTests.NamedBeingC", "Si", "Swift.Si", "s.Int",
    "13GraphTests.NamedBeing",
    "_TtC13KeepsakeTests10NamedBeing", "GraphTests._TtC13KeepsakeTests10NamedBeing",
    "GraphTests.NamedBox<Swift.Int>", "Swift.Array<Swift.Int>", "Swift.Array.Index",
    "(Swift.Int, Swift.Int)",
    "() -> ()", "GraphTests.(unknown context at $7f0000000000).Hidden", "../../etc/passwd",
    "KeepsakeTests/NamedBeing", "KeepsakeTests\\NamedBeing", "file:///dev/zero", "%s%n.%s%n",
    "\u{1}\u{0}\u{0}\u{0}\u{0}", "\u{1}aaaa.b", "\u{2}aaaa.C", "GraphTests.\u{1}aaaa",
    "\u{9}aaaa.\u{9}aaaa",
    "\u{FF}.\u{FE}", "GraphTests.Gr\u{F6}\u{DF}e", "Бар.Фу", "GraphTests.\u{1F600}", "\u{202E}a.b",
    // KELVIN SIGN: `==` treats it as a K.
    "\u{212A}eepsakeTests.NamedBeing", "GraphTests.NamedPark.Gate.\u{212A}eeper",
    "Builtin.Int64", "Builtin.NativeObject", "__C.timespec", "__C.FILE", "__C_Synthesized.x",
    "Swift.AnyObject", "Swift.Any", "Swift.Never.Type", "Swift.Error", "Swift.Codable", "x.Protocol",
    "x.Type",
    "0.0", "1.2", "_._", "_._._._._._._._", "C.V.O", "C.C.C.C.C.C.C.C", "S.S", "y.y", "yXl.p", "A.A",
    "AA.AAC",
    "\(UInt64.max).\(UInt64.max)", "a.99999999999999999999a", "-1.-1",
    Array(repeating: "a", count: 9).joined(separator: "."),
    Array(repeating: "a", count: 10_000).joined(separator: "."),
    String(repeating: ".", count: 10_000), "a." + String(repeating: "b", count: 1_000_000),
    String(repeating: "GraphTests.NamedBeing.", count: 50_000) + "x",
  ]
}
