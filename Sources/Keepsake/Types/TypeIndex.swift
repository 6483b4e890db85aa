internal import Synchronization

/// What is made of the loaded images, and made anew when there are more of them.
///
/// Images are added by `dlopen`, and never go: the runtime keeps pointers into them.
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
    // Outside of the lock, as it may call properties of types of the program. Two threads may both do it.
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
      modules.insert(declaration.module)
      if declaration.isHidden {
        obstacles[declaration.name] = .isHidden
      } else if declaration.isGeneric {
        obstacles[declaration.name] = .isGeneric
      } else {
        self.declarations[declaration.name, default: []].append(declaration)
      }
    }
  }

  /// The types of that name, those of images that were loaded earlier first. There are several where two libraries
  /// have a module of one name.
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

/// The look-up of types by name, which remembers for which names it has found something, and for which not.
final class TypeLookup: Sendable {
  private final class Memory: Sendable {
    let answers = Mutex<[ExactString: [Any.Type]]>([:])
  }

  /// So many answers are kept, of at most a kilobyte each; then it begins anew. Names come from files, and those that
  /// mean nothing have no end.
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

  /// The types named `name`, which are searched once until another image is loaded.
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
