internal import Synchronization

/// A value that is computed from the loaded images, and again when there are more of them.
///
/// `dlopen` adds images, and none is ever removed: the runtime keeps pointers into them.
final class OfLoadedImages<Value: Sendable>: Sendable {
  private let made = Mutex<(imageCount: Int, value: Value)?>(nil)
  private let imageCount: @Sendable () -> Int
  private let make: @Sendable () -> Value

  init(
    imageCount: @escaping @Sendable () -> Int = { RuntimeMetadata.imageCount() },
    make: @escaping @Sendable () -> Value
  ) {
    self.imageCount = imageCount
    self.make = make
  }

  /// The value for the images that are loaded now.
  var value: Value {
    let imageCount = imageCount()
    if let known = made.withLock({ $0 }), known.imageCount == imageCount { return known.value }
    // Outside of the lock, as `make` may call properties of the program's types. Two threads may both call it.
    let value = make()
    made.withLock { $0 = (imageCount, value) }
    return value
  }
}

/// The types of the program by their names.
struct TypeIndex: Sendable {
  /// Why a type is not found by its name.
  enum Obstacle { case isGeneric, isHidden }

  private var declarations: [ExactString: [RuntimeMetadata.Declaration]] = [:]
  private var obstacles: [ExactString: Obstacle] = [:]
  private var modules: Set<String> = []

  init(_ declarations: [RuntimeMetadata.Declaration]) {
    for declaration in declarations {
      let name = ExactString(string: declaration.context.name)
      modules.insert(declaration.context.module)
      if declaration.context.isHidden {
        obstacles[name] = .isHidden
      } else if declaration.isGeneric {
        obstacles[name] = .isGeneric
      } else {
        self.declarations[name, default: []].append(declaration)
      }
    }
  }

  /// The types with that name, in the order in which their images were loaded. There are several if two libraries
  /// have modules of the same name.
  func types(named name: TypeName) -> [Any.Type] {
    var types: [Any.Type] = []
    for declaration in declarations[name.key] ?? [] {
      guard let type = RuntimeMetadata.type(of: declaration), !types.contains(where: { $0 == type })
      else { continue }
      types.append(type)
    }
    return types
  }

  func obstacle(to name: TypeName) -> Obstacle? { obstacles[name.key] }

  func hasModule(of name: TypeName) -> Bool {
    modules.contains(String(name.extending.first ?? name.components[0]))
  }
}

/// Looks up types by name, and remembers the answers, including those without types.
final class TypeLookup: Sendable {
  private final class Memory: Sendable {
    let answers = Mutex<[ExactString: [Any.Type]]>([:])
  }

  /// The number of answers to keep, of at most a kilobyte each, before it starts over. Names come from files, and there
  /// is no end of names that mean nothing.
  static let limit = 4_096

  private let memory: OfLoadedImages<Memory>
  private let find: @Sendable (String, TypeName) -> [Any.Type]

  init(
    imageCount: @escaping @Sendable () -> Int = { RuntimeMetadata.imageCount() },
    find: @escaping @Sendable (String, TypeName) -> [Any.Type]
  ) {
    memory = OfLoadedImages(imageCount: imageCount) { Memory() }
    self.find = find
  }

  /// The types named `name`, which are searched only once until another image is loaded.
  func types(named name: String) -> [Any.Type] {
    guard name.utf8.count <= TypeName.maximumLength else { return [] }
    let key = ExactString(string: name)
    let memory = memory.value
    if let known = memory.answers.withLock({ $0[key] }) { return known }
    guard let parts = TypeName(name) else { return [] }
    let types = find(name, parts)
    memory.answers.withLock {
      if $0.count >= TypeLookup.limit { $0.removeAll() }
      $0[key] = types
    }
    return types
  }
}
