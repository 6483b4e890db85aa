extension SourceProgram {
  /// Makes a program that is determined by `seed`, with about 32 objects for each of its types.
  public static func make(typeCount: Int, seed: UInt64) -> SourceProgram {
    var generator = SourceGenerator(seed: seed)
    return generator.make(typeCount)
  }
}

/// Makes a program whose types, members and names refer to each other as in real ones.
private struct SourceGenerator {
  private var random: SplitMix
  private let program = SourceProgram()

  init(seed: UInt64) {
    random = SplitMix(seed: seed)
  }

  mutating func make(_ typeCount: Int) -> SourceProgram {
    for number in 0..<max(1, typeCount / 100) { addModule(number) }
    for number in 0..<typeCount { addType(number) }
    for type in program.types { addMembers(to: type) }
    for type in program.types { relate(type) }
    for number in 0..<typeCount / 10 {
      let function = makeMethod("function\(number)")
      program.functions.append(function)
      let alias = SourceTypealias(name: "Alias\(number)", typeName: typeName())
      (alias.parent, alias.type) = (anyType, alias.typeName.type)
      program.typealiases.append(alias)
    }
    return program
  }

  private var anyType: SourceType? {
    mutating get { random.element(of: program.types) }
  }

  private mutating func count(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  private mutating func addModule(_ number: Int) {
    let module = SourceModule()
    module.name = "Module\(number)"
    module.dependencies = (0..<2).compactMap { _ in random.element(of: program.modules) }
    for index in 0..<count(5...20) {
      let file = SourceFile()
      (file.path, file.module, file.lineCount) = (
        "Sources/\(module.name)/File\(index).swift", module, count(10...900)
      )
      for other in module.dependencies { file.imports.append(SourceImport(path: other.name, file: file)) }
      module.files.append(file)
    }
    program.modules.append(module)
  }

  private mutating func addType(_ number: Int) {
    let type: SourceType
    switch count(0...9) {
    case 0...3: type = SourceStruct()
    case 4...5: type = SourceClass()
    case 6...7: type = SourceEnum()
    case 8: type = SourceProtocol()
    default: type = SourceActor()
    }
    let parent = random.chance(0.2) ? anyType : nil
    type.name = parent.map { "\($0.name).Type\(number)" } ?? "Type\(number)"
    type.accessLevel = ["private", "internal", "public"][count(0...2)]
    type.documentation = (0..<count(0...2)).map { "Line \($0) of what Type\(number) is for." }
    if random.chance(0.1) { type.annotations = ["generate": "equality", "number": "\(number)"] }
    type.parent = parent
    parent?.containedTypes.append(type)
    let module = random.element(of: program.modules)
    type.file = module.flatMap { random.element(of: $0.files) }
    type.file?.types.append(type)
    program.types.append(type)
    program.typesByName[type.name] = type
  }

  private mutating func typeName(_ depth: Int = 0) -> SourceTypeName {
    guard random.chance(0.7), let type = anyType else {
      return SourceTypeName(name: ["Int", "String", "Bool", "Double", "Void"][count(0...4)])
    }
    let name = SourceTypeName(name: type.name)
    (name.type, name.isOptional) = (type, random.chance(0.2))
    guard depth < 2 else { return name }
    switch count(0...19) {
    case 0:
      let tuple = SourceTuple()
      tuple.elements = [typeName(depth + 1), typeName(depth + 1)]
      tuple.labels = ["first", nil]
      name.tuple = tuple
    case 1:
      let closure = SourceClosure(result: typeName(depth + 1))
      (closure.parameters, closure.isThrowing) = ([typeName(depth + 1)], random.chance(0.5))
      name.closure = closure
    case 2: name.arguments = (0..<count(1...2)).map { _ in typeName(depth + 1) }
    case 3: name.attributes = [makeAttribute()]
    default: break
    }
    return name
  }

  private mutating func makeAttribute() -> SourceAttribute {
    let attribute = SourceAttribute()
    attribute.name = ["discardableResult", "available", "Wrapper", "objc"][count(0...3)]
    if attribute.name == "available" { attribute.arguments = ["macOS": "15", "message": "\"none\""] }
    if attribute.name == "Wrapper" { attribute.typeName = typeName(2) }
    return attribute
  }

  private mutating func makeParameters() -> [SourceParameter] {
    (0..<count(0...3)).map { number in
      let parameter = SourceParameter(name: "parameter\(number)", typeName: typeName())
      if random.chance(0.5) { parameter.label = "label\(number)" }
      return parameter
    }
  }

  private mutating func makeMethod(_ name: String) -> SourceMethod {
    let method = SourceMethod(name: name, result: typeName())
    method.parameters = makeParameters()
    for parameter in method.parameters { parameter.method = method }
    method.isThrowing = random.chance(0.3)
    if random.chance(0.1) { method.attributes = [makeAttribute()] }
    return method
  }

  private mutating func addMembers(to type: SourceType) {
    for number in 0..<count(0...6) {
      let variable = SourceVariable(name: "variable\(number)", typeName: typeName())
      variable.owner = type
      if random.chance(0.2) { variable.defaultValue = "\(number)" }
      if random.chance(0.1) { variable.attributes = [makeAttribute()] }
      type.variables.append(variable)
    }
    for number in 0..<count(0...6) {
      let method = makeMethod("method\(number)")
      method.owner = type
      type.methods.append(method)
    }
    if random.chance(0.2) {
      let subscripted = SourceSubscript(result: typeName(), owner: type)
      subscripted.parameters = makeParameters()
      type.subscripts.append(subscripted)
    }
    if random.chance(0.2) {
      let parameter = SourceGenericParameter()
      (parameter.name, parameter.constraints) = ("Element", [typeName()])
      type.genericParameters.append(parameter)
    }
    guard let enumeration = type as? SourceEnum else { return }
    for number in 0..<count(1...6) {
      let oneCase = SourceCase(name: "case\(number)", owner: enumeration)
      oneCase.values = (0..<count(0...2)).map { _ in SourceAssociatedValue(label: nil, typeName: typeName()) }
      enumeration.cases.append(oneCase)
    }
    if random.chance(0.3) { enumeration.rawTypeName = SourceTypeName(name: "String") }
  }

  private mutating func relate(_ type: SourceType) {
    if random.chance(0.3), let other = anyType {
      type.supertype = other
      other.subtypes.append(type)
      type.inheritedNames.append(SourceTypeName(name: other.name))
    }
    while random.chance(0.4), let other = anyType {
      type.implements[other.name] = other
      if let described = other as? SourceProtocol { described.conforming.append(type) }
    }
    if let described = type as? SourceProtocol {
      for method in described.methods { described.requirements[method.name] = method }
    }
    for method in type.methods {
      while random.chance(0.5), let called = random.element(of: anyType?.methods ?? []) {
        method.calls.append(called)
      }
      guard let parent = type.supertype, let overridden = random.element(of: parent.methods) else { continue }
      method.overrides = overridden
      overridden.overriddenBy.append(method)
      if let type = type as? SourceClass { type.overridden.append(method) }
    }
    for variable in type.variables where random.chance(0.2) { variable.getter = type.methods.first }
  }
}
