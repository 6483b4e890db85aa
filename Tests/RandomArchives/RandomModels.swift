import Foundation
import Keepsake

// Classes that register themselves before their references are read: models, and one that declares its fields. Their
// references to each other lead anywhere; only deferred and weak ones lead to the other classes.

class SoakModel: ArchivedModel, RandomObject {
  override class var archivedKeys: [String: String?] { ["friends": "mates"] }

  var name = ""
  var next: SoakModel?
  var friends: [SoakModel] = []
  var record: SoakRecord?
  var count: Int?
  var twice: Int??
  var data = Data()
  var fields = SoakFields()
  @Deferred var node: SoakNode?
  @WeakReference var parent: SoakModel?
  @WeakReference var watched: SoakNode?
  private let live = LiveToken()

  func trace(into tracer: inout GraphTracer) {
    tracer.text(name)
    tracer.object(next)
    tracer.objects(friends)
    tracer.object(record)
    tracer.value(count)
    tracer.value(twice)
    tracer.value(data)
    fields.trace(into: &tracer)
    tracer.object(node)
    tracer.weakly(parent)
    tracer.weakly(watched)
  }

  func cut() {
    (next, friends, record, node) = (nil, [], nil, nil)
  }
}

class SoakSubmodel: SoakModel {
  var level = 1
  var byName: [String: SoakModel] = [:]
  @Polymorphic var marks: [any SoakMarking] = []

  override func trace(into tracer: inout GraphTracer) {
    super.trace(into: &tracer)
    tracer.value(level)
    tracer.table(byName)
    tracer.value(marks.count)
    for mark in marks { mark.trace(shapeInto: &tracer) }
  }

  override func cut() {
    super.cut()
    byName = [:]
  }
}

final class SoakLastModel: SoakSubmodel {
  var values: StandardValues?

  override func trace(into tracer: inout GraphTracer) {
    super.trace(into: &tracer)
    tracer.value(values == nil)
    values?.trace(into: &tracer)
  }
}

/// A class that declares its fields.
final class SoakRecord: ArchivedFields, SelfRegistering, RandomObject {
  var title = ""
  var weight = 0.0
  var other: SoakRecord?
  var model: SoakModel?
  var many: [SoakRecord] = []
  @Deferred var node: SoakNode?
  @WeakReference var watched: SoakModel?
  private let live = LiveToken()

  func trace(into tracer: inout GraphTracer) {
    tracer.text(title)
    tracer.bits(weight)
    tracer.object(other)
    tracer.object(model)
    tracer.objects(many)
    tracer.object(node)
    tracer.weakly(watched)
  }

  func cut() {
    (other, model, many, node) = (nil, nil, [], nil)
  }
}
