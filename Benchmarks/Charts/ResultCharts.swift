/// The charts of a run.
struct ResultCharts {
  /// The measured workloads.
  let results: [WorkloadResult]

  /// Where and when the results were measured.
  let origin: String

  /// The chart of times in one direction.
  func times(_ direction: Direction) -> RatioChart {
    let verb = direction == .encode ? "write" : "read"
    return RatioChart(
      title: direction == .encode ? "Encoding: time against Keepsake's" : "Decoding: time against Keepsake's",
      notes: [
        "Bars to the right: takes as many times as long as Keepsake to \(verb) the same. "
          + "To the left: takes less. Logarithmic.",
        origin,
      ],
      legend: [
        (.win, "slower than Keepsake"), (.loss, "faster than Keepsake"), (.even, "even within 0.5 %"),
        (.own, "Keepsake, other form"), (.reference, "floor, copying"),
      ],
      groups: results.compactMap { timeGroup($0, direction) }
    )
  }

  /// The chart of sizes.
  var sizes: RatioChart {
    RatioChart(
      title: "Size against Keepsake's",
      notes: [
        "Bars to the right: takes as many times as many bytes as Keepsake for the same. "
          + "To the left: takes fewer. Logarithmic.",
        origin,
      ],
      legend: [
        (.win, "larger than Keepsake"), (.loss, "smaller than Keepsake"), (.even, "even within 0.5 %"),
        (.own, "Keepsake, other form"), (.reference, "plain bytes"),
      ],
      groups: results.compactMap { sizeGroup($0) }
    )
  }

  /// A line for each figure in which another coder is better than Keepsake.
  var losses: [String] {
    let charts = [
      ("encodes faster", times(.encode)), ("decodes faster", times(.decode)), ("is smaller", sizes),
    ]
    return charts.flatMap { what, chart in
      chart.groups.flatMap { group in
        group.bars.filter { $0.kind == .loss }.map { "`\(group.name)`: \($0.label) \(what), \($0.value)" }
      }
    }
  }

  private func timeGroup(_ result: WorkloadResult, _ direction: Direction) -> RatioChart.Group? {
    guard let own = result.keepsake?.figures(direction)?.nanoseconds, own > 0 else { return nil }
    let unit = result.workload.unit
    return group(result, own: "\(Figure.number(unit.value(nanoseconds: own))) \(unit.name)") { measurement in
      measurement.figures(direction).map { $0.nanoseconds / own }
    }
  }

  private func sizeGroup(_ result: WorkloadResult) -> RatioChart.Group? {
    guard let own = result.keepsake?.trial.encodedSize, own > 0 else { return nil }
    return group(result, own: "\(Figure.count(own)) bytes") { measurement in
      // A contender that only reads the same archive in another way has no size of its own.
      let isOnlyRead = measurement.contender.role == .keepsake && measurement.trial.encode == nil
      guard !isOnlyRead, let size = measurement.trial.encodedSize else { return nil }
      return Double(size) / Double(own)
    }
  }

  /// The bars of a workload, or nil if there is only Keepsake.
  private func group(
    _ result: WorkloadResult,
    own: String,
    ratio: (Measurement) -> Double?
  ) -> RatioChart.Group? {
    var bars = [RatioChart.Bar(label: "Keepsake", kind: .keepsake, ratio: 1, value: own)]
    for measurement in result.measurements where measurement.contender.name != result.keepsake?.contender.name
    {
      guard let ratio = ratio(measurement), ratio > 0, ratio.isFinite else { continue }
      bars.append(
        RatioChart.Bar(
          label: measurement.contender.name.replacing(", by its rules", with: ""),
          kind: kind(measurement.contender.role, ratio),
          ratio: ratio,
          value: "× \(Figure.number(ratio))"
        )
      )
    }
    guard bars.count > 1 else { return nil }
    return RatioChart.Group(name: result.name, title: result.workload.title, bars: bars)
  }

  private func kind(_ role: Contender.Role, _ ratio: Double) -> RatioChart.Kind {
    switch role {
    case .floor, .copying: .reference
    case .keepsake: .own
    // Half a percent is less than the figures at the bars show, and less than times vary between runs.
    case .other, .rule: abs(ratio - 1) < 0.005 ? .even : ratio < 1 ? .loss : .win
    }
  }
}
