import Foundation

extension Workload {
  /// A page of a timeline: nested records of many keys, with many optionals and many repeated strings.
  ///
  /// The data is not reduced, since it is small. If a file is given, its statuses are used.
  static let tweets = Workload(name: "tweets", countingDivisor: 1) { scale in
    let timeline: Timeline
    var origin = "made up"
    if let path = scale.tweetsPath {
      timeline = try JSONDecoder().decode(Timeline.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
      origin = "of a file"
    } else {
      var generator = TimelineGenerator(seed: 16)
      timeline = generator.timeline(count: 100)
    }
    return PreparedWorkload(
      title: "\(Figure.count(timeline.statuses.count)) statuses of a timeline, \(origin)",
      unit: .nanosecondsPer("status", count: timeline.statuses.count),
      value: timeline,
      targets: [SizeTarget(limit: 1, measure: .contender("binary property list"))]
    )
  }
}
