// The object model of a tool that reads Swift source: plain classes that refer to each other in every direction. None
// of them uses the library; coding is synthesized, except of subclasses, for which Swift does not do that.

/// The contents of a program, which the tool archives between two runs.
public final class SourceProgram: Codable {
  var modules: [SourceModule] = []
  var types: [SourceType] = []
  var functions: [SourceMethod] = []
  var typealiases: [SourceTypealias] = []
  var typesByName: [String: SourceType] = [:]

  private enum CodingKeys: CodingKey { case modules, types, functions, typealiases, typesByName }

  init() {}

  // Releases all objects of the program, since they retain each other.
  deinit {
    for type in types { type.letGo() }
    for function in functions { function.letGo() }
  }
}

final class SourceModule: Codable {
  var name = ""
  var files: [SourceFile] = []
  var dependencies: [SourceModule] = []
}

final class SourceFile: Codable {
  var path = ""
  var lineCount = 0
  weak var module: SourceModule?
  var imports: [SourceImport] = []
  var types: [SourceType] = []
}

final class SourceImport: Codable {
  var path = ""
  var isTestable = false
  unowned let file: SourceFile

  init(path: String, file: SourceFile) {
    (self.path, self.file) = (path, file)
  }
}

class SourceType: Codable {
  var name = ""
  var accessLevel = "internal"
  var documentation: [String] = []
  var annotations: [String: String] = [:]
  weak var file: SourceFile?
  weak var parent: SourceType?
  var supertype: SourceType?
  var subtypes: [SourceType] = []
  var implements: [String: SourceType] = [:]
  var containedTypes: [SourceType] = []
  var inheritedNames: [SourceTypeName] = []
  var variables: [SourceVariable] = []
  var methods: [SourceMethod] = []
  var subscripts: [SourceSubscript] = []
  var attributes: [SourceAttribute] = []
  var genericParameters: [SourceGenericParameter] = []

  init() {}

  func letGo() {
    (supertype, subtypes, implements, containedTypes, inheritedNames) = (nil, [], [:], [], [])
    for method in methods { method.letGo() }
    (variables, methods, subscripts, attributes, genericParameters) = ([], [], [], [], [])
  }
}

final class SourceStruct: SourceType {}

final class SourceActor: SourceType {}

final class SourceClass: SourceType {
  var isFinal = false
  var overridden: [SourceMethod] = []

  private enum CodingKeys: CodingKey { case isFinal, overridden }

  override init() { super.init() }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    isFinal = try container.decode(Bool.self, forKey: .isFinal)
    overridden = try container.decode([SourceMethod].self, forKey: .overridden)
    try super.init(from: decoder)
  }

  override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(isFinal, forKey: .isFinal)
    try container.encode(overridden, forKey: .overridden)
  }

  override func letGo() {
    super.letGo()
    overridden = []
  }
}

final class SourceEnum: SourceType {
  var cases: [SourceCase] = []
  var rawTypeName: SourceTypeName?

  private enum CodingKeys: CodingKey { case cases, rawTypeName }

  override init() { super.init() }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    cases = try container.decode([SourceCase].self, forKey: .cases)
    rawTypeName = try container.decodeIfPresent(SourceTypeName.self, forKey: .rawTypeName)
    try super.init(from: container.superDecoder())
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(cases, forKey: .cases)
    try container.encodeIfPresent(rawTypeName, forKey: .rawTypeName)
    try super.encode(to: container.superEncoder())
  }

  override func letGo() {
    super.letGo()
    (cases, rawTypeName) = ([], nil)
  }
}

final class SourceProtocol: SourceType {
  var conforming: [SourceType] = []
  var requirements: [String: SourceMethod] = [:]

  private enum CodingKeys: CodingKey { case conforming, requirements }

  override init() { super.init() }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    conforming = try container.decode([SourceType].self, forKey: .conforming)
    requirements = try container.decode([String: SourceMethod].self, forKey: .requirements)
    try super.init(from: decoder)
  }

  override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(conforming, forKey: .conforming)
    try container.encode(requirements, forKey: .requirements)
  }

  override func letGo() {
    super.letGo()
    (conforming, requirements) = ([], [:])
  }
}

final class SourceAttribute: Codable {
  var name = ""
  var arguments: [String: String] = [:]
  var typeName: SourceTypeName?
}

final class SourceCase: Codable {
  var name = ""
  var rawValue: String?
  var values: [SourceAssociatedValue] = []
  unowned let owner: SourceEnum

  init(name: String, owner: SourceEnum) {
    (self.name, self.owner) = (name, owner)
  }
}

final class SourceAssociatedValue: Codable {
  var label: String?
  let typeName: SourceTypeName

  init(label: String?, typeName: SourceTypeName) {
    (self.label, self.typeName) = (label, typeName)
  }
}
