import Foundation
import Keepsake

// Classes that make themselves known before their references are read: models, and one that declares its fields. Their
// references to each other lead anywhere; to the other classes only what is deferred or weak does.

class SoakModel: ArchivedModel, RandomObject {
  @Archived var name = ""
  @Archived var next: SoakModel?
  @Archived("mates") var friends: [SoakModel] = []
  @Archived var record: SoakRecord?
  @Archived var count: Int?
  @Archived var twice: Int??
  @Archived var data = Data()
  @Archived var fields = SoakFields()
  @Archived @Deferred var node: SoakNode?
  @Archived @WeakReference var parent: SoakModel?
  @Archived @WeakReference var watched: SoakNode?
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
  @Archived var level = 1
  @Archived var byName: [String: SoakModel] = [:]
  @Archived @Polymorphic var marks: [any SoakMarking] = []

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
  @Archived var values: StandardValues?

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

  static let archivedFields: [ArchivedField<SoakRecord>] = [
    .init("title", \.title), .init("weight", \.weight), .init("other", \.other), .init("model", \.model),
    .init("many", \.many), .init("node", \._node), .init("watched", \._watched),
  ]

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
