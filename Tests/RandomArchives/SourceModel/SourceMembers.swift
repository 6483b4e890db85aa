// The members of the types of a program, and the names by which they refer to types (see SourceTypes.swift).

/// The name of a type at one of its uses, with a reference to the type.
final class SourceTypeName: Codable {
  let name: String
  var isOptional = false
  var type: SourceType?
  var tuple: SourceTuple?
  var closure: SourceClosure?
  var arguments: [SourceTypeName] = []
  var attributes: [SourceAttribute] = []

  init(name: String) {
    self.name = name
  }
}

final class SourceTuple: Codable {
  var labels: [String?] = []
  var elements: [SourceTypeName] = []
}

final class SourceClosure: Codable {
  var isAsync = false
  var isThrowing = false
  var parameters: [SourceTypeName] = []
  let result: SourceTypeName

  init(result: SourceTypeName) {
    self.result = result
  }
}

final class SourceGenericParameter: Codable {
  var name = ""
  var constraints: [SourceTypeName] = []
}

final class SourceVariable: Codable {
  var name = ""
  var isStatic = false
  var defaultValue: String?
  let typeName: SourceTypeName
  weak var owner: SourceType?
  var getter: SourceMethod?
  var attributes: [SourceAttribute] = []

  init(name: String, typeName: SourceTypeName) {
    (self.name, self.typeName) = (name, typeName)
  }
}

final class SourceParameter: Codable {
  var label: String?
  var name = ""
  let typeName: SourceTypeName
  weak var method: SourceMethod?

  init(name: String, typeName: SourceTypeName) {
    (self.name, self.typeName) = (name, typeName)
  }
}

final class SourceMethod: Codable {
  var name = ""
  var isThrowing = false
  var parameters: [SourceParameter] = []
  let result: SourceTypeName
  var owner: SourceType?
  var overrides: SourceMethod?
  var overriddenBy: [SourceMethod] = []
  var calls: [SourceMethod] = []
  var attributes: [SourceAttribute] = []

  init(name: String, result: SourceTypeName) {
    (self.name, self.result) = (name, result)
  }

  func letGo() {
    (parameters, owner, overrides, overriddenBy, calls, attributes) = ([], nil, nil, [], [], [])
  }
}

final class SourceSubscript: Codable {
  var parameters: [SourceParameter] = []
  let result: SourceTypeName
  unowned var owner: SourceType

  init(result: SourceTypeName, owner: SourceType) {
    (self.result, self.owner) = (result, owner)
  }
}

final class SourceTypealias: Codable {
  var name = ""
  let typeName: SourceTypeName
  weak var parent: SourceType?
  var type: SourceType?

  init(name: String, typeName: SourceTypeName) {
    (self.name, self.typeName) = (name, typeName)
  }
}
