import Foundation

/// Bars that start at 1 × Keepsake: to the right where Keepsake is better, to the left where it loses.
struct RatioChart {
  /// The subject of the chart.
  var title: String

  /// What the bars show, and the origin of the figures.
  var notes: [String]

  /// The meanings of the colors, in the order of the legend.
  var legend: [(kind: Kind, text: String)]

  /// A workload with its bars.
  struct Group {
    var name: String
    var title: String
    var bars: [Bar]
  }

  /// The bar of one contender.
  struct Bar {
    var label: String
    var kind: Kind

    /// The contender's figure, divided by Keepsake's.
    var ratio: Double

    /// The text at the end of the bar.
    var value: String
  }

  /// Determines the color of a bar. The raw value is the name of its style.
  enum Kind: String {
    case win, loss, even, own, reference, keepsake
  }

  /// The workloads, from top to bottom.
  var groups: [Group]

  // The measures of the drawing.
  private static let width = 920.0
  private static let margin = 32.0
  private static let labelWidth = 190.0
  private static let valueRoom = 72.0
  private static let rowHeight = 20.0
  private static let barHeight = 12.0
  private static let groupHead = 40.0
  private static let groupGap = 10.0
  private static let lineHeight = 18.0

  private var plotLeft: Double { Self.margin + Self.labelWidth + 12 }
  private var plotRight: Double { Self.width - Self.margin }

  /// The text of the file.
  var svg: String {
    var text = SVGText()
    let headHeight = 56 + Double(notes.count) * Self.lineHeight
    let legendY = headHeight + 18
    let top = legendY + 42
    let heights = groups.map { Self.groupHead + Double($0.bars.count) * Self.rowHeight + Self.groupGap }
    let bottom = top + heights.reduce(0, +)
    let height = bottom + 40

    text.rectangle(x: 0, y: 0, width: Self.width, height: height, style: "page")
    text.words(title, x: Self.margin, y: 44, style: "head")
    for (index, note) in notes.enumerated() {
      text.words(note, x: Self.margin, y: 68 + Double(index) * Self.lineHeight, style: "note")
    }
    drawLegend(in: &text, y: legendY)

    let scale = LogScale(
      values: groups.flatMap { $0.bars.map(\.ratio) },
      from: plotLeft + Self.valueRoom,
      to: plotRight - Self.valueRoom
    )
    for tick in scale.ticks {
      text.words(tick.label, x: tick.x, y: top - 6, anchor: .middle, style: "tick")
      text.words(tick.label, x: tick.x, y: bottom + 16, anchor: .middle, style: "tick")
    }
    var y = top
    for (group, height) in zip(groups, heights) {
      draw(group, in: &text, y: y, scale: scale)
      y += height
    }
    return text.file(
      width: Self.width,
      height: height,
      title: title,
      description: notes.joined(separator: " "),
      css: ChartStyle.css
    )
  }

  private func drawLegend(in text: inout SVGText, y: Double) {
    var x = Self.margin
    for entry in legend {
      text.rectangle(x: x, y: y - 10, width: 12, height: 12, radius: 2, style: entry.kind.rawValue)
      text.words(entry.text, x: x + 18, y: y, style: "label")
      x += 18 + Self.estimatedWidth(entry.text, size: 12) + 24
    }
  }

  private func draw(_ group: Group, in text: inout SVGText, y: Double, scale: LogScale) {
    let nameY = y + 26
    let room = plotRight - Self.margin - Self.estimatedWidth(group.name, size: 14) - 16
    text.words(
      group.name,
      then: Self.shortened(group.title, to: room, size: 12.5),
      x: Self.margin,
      y: nameY,
      styles: ("name", "note")
    )
    let first = y + Self.groupHead
    let last = first + Double(group.bars.count) * Self.rowHeight
    for tick in scale.ticks {
      text.line(x: tick.x, from: first - 4, to: last, style: "grid")
    }
    for (index, bar) in group.bars.enumerated() {
      let middle = first + (Double(index) + 0.5) * Self.rowHeight - 2
      draw(bar, in: &text, middle: middle, scale: scale)
    }
    text.line(x: scale.x(1), from: first - 4, to: last, style: "one")
  }

  private func draw(_ bar: Bar, in text: inout SVGText, middle: Double, scale: LogScale) {
    let one = scale.x(1)
    let end = scale.x(bar.ratio)
    let baseline = middle + 4
    text.words(bar.label, x: plotLeft - 12, y: baseline, anchor: .end, style: "label")
    if bar.kind == .keepsake {
      text.rectangle(x: one - 4, y: middle - 4, width: 8, height: 8, radius: 4, style: "keepsake")
      text.words(bar.value, x: one + 10, y: baseline, style: "value")
      return
    }
    // A bar must be visible even if its ratio is nearly 1.
    let width = max(4, abs(end - one))
    let isLeft = bar.ratio < 1
    text.rectangle(
      x: isLeft ? one - width : one,
      y: middle - Self.barHeight / 2,
      width: width,
      height: Self.barHeight,
      radius: 1.5,
      style: bar.kind.rawValue
    )
    text.words(
      bar.value,
      x: isLeft ? one - width - 6 : one + width + 6,
      y: baseline,
      anchor: isLeft ? .end : .start,
      style: bar.kind == .loss ? "lost" : "value"
    )
  }

  /// A generous estimate of the width of a text, since the reader's font is unknown.
  private static func estimatedWidth(_ text: String, size: Double) -> Double {
    Double(text.count) * size * 0.58
  }

  private static func shortened(_ text: String, to width: Double, size: Double) -> String {
    let count = Int(width / (size * 0.58))
    return text.count <= count ? text : text.prefix(max(0, count - 1)) + "…"
  }
}
