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
  private let declarations: [RuntimeMetadata.Declaration]
  /// For each bucket of hashes, 1 more than the index of its last declaration, or 0.
  private var last: [Int32]
  /// The same for the declaration before each one in its bucket.
  private var previous: [Int32] = []

  init(_ declarations: [RuntimeMetadata.Declaration]) {
    self.declarations = declarations
    last = Array(repeating: 0, count: max(1, declarations.count))
    for (index, declaration) in declarations.enumerated() {
      let bucket = Int(declaration.nameHash) % last.count
      previous.append(last[bucket])
      last[bucket] = Int32(truncatingIfNeeded: index + 1)
    }
  }

  /// The declarations with that name, the last one first.
  private func declarations(
    named name: TypeName
  ) -> [(RuntimeMetadata.Declaration, RuntimeMetadata.Declaration.Kind)] {
    let hash = RuntimeMetadata.nameHash((name.components.last ?? "").utf8)
    var found: [(RuntimeMetadata.Declaration, RuntimeMetadata.Declaration.Kind)] = []
    var number = last[Int(hash) % last.count]
    while number > 0 {
      let declaration = declarations[Int(number) - 1]
      number = previous[Int(number) - 1]
      guard declaration.nameHash == hash else { continue }
      guard let kind = RuntimeMetadata.kind(of: declaration, named: name) else { continue }
      found.append((declaration, kind))
    }
    return found
  }

  /// The types with that name, in the order in which their images were loaded. There are several if two libraries
  /// have modules of the same name.
  func types(named name: TypeName) -> [Any.Type] {
    var types: [Any.Type] = []
    for case (let declaration, .named) in declarations(named: name).reversed() {
      guard let type = RuntimeMetadata.type(of: declaration), !types.contains(where: { $0 == type })
      else { continue }
      types.append(type)
    }
    return types
  }

  /// Why a type is not found by its name: it is generic or hidden.
  func obstacle(to name: TypeName) -> RuntimeMetadata.Declaration.Kind? {
    declarations(named: name).first { $0.1 != .named }?.1
  }

  /// The modules that have types.
  func modules() -> Set<String> { RuntimeMetadata.modules(of: declarations) }
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
