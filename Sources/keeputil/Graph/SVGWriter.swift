/// Writes a drawing as self-contained SVG, in colors for light and for dark pages.
enum SVGWriter {
  static func write(_ drawing: GraphDrawing, _ output: any Output) throws {
    let (width, height) = (number(drawing.width), number(drawing.height))
    try output.write(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" \
      role="img">
      <title>\(text(drawing.graph.summary))</title>
      <style>
      \(style)
      </style>
      <defs>
      \(marker("arrow"))
      \(marker("weak-arrow"))
      </defs>
      <rect class="page" width="100%" height="100%"/>
      <g class="edges">

      """
    )
    for line in drawing.lines { try write(line, output) }
    try output.write("</g>\n<g class=\"nodes\">\n")
    for (node, box) in zip(drawing.graph.nodes, drawing.boxes) { try write(node, box, output) }
    // Labels are above all lines.
    try output.write("</g>\n<g class=\"labels\">\n")
    for line in drawing.lines {
      guard let label = line.label else { continue }
      let x = label.isRight ? label.box.x + label.box.width : label.box.x
      let y = label.box.y + GraphDrawing.labelSize
      let anchor = label.isRight ? " text-anchor=\"end\"" : ""
      try output.write("<text x=\"\(number(x))\" y=\"\(number(y))\"\(anchor)>\(text(label.text))</text>\n")
    }
    try output.write("</g>\n</svg>\n")
  }

  private static let style = """
    text { font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1f2328; white-space: pre; }
    .page { fill: #ffffff; }
    .node rect { fill: #f6f8fa; stroke-width: 1.5; }
    .top rect { fill: #ffffff; stroke: #8c959f; stroke-dasharray: 2 2; }
    .title { font-size: 12px; font-weight: bold; }
    .note { font-weight: normal; fill: #59636e; }
    .line { font-size: 11px; fill: #424a53; }
    .edges path { fill: none; stroke: #6e7781; stroke-width: 1.2; }
    .edges .weak { stroke: #8250df; stroke-dasharray: 5 4; }
    marker path { stroke: none; fill: #6e7781; }
    #weak-arrow path { fill: #8250df; }
    .labels text { font-size: 10px; fill: #59636e; stroke: #ffffff; stroke-width: 3px; paint-order: stroke; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; }
      .page { fill: #0d1117; }
      .node rect { fill: #161b22; }
      .top rect { fill: #0d1117; stroke: #7d8590; }
      .note { fill: #8d96a0; }
      .line { fill: #b9c2cb; }
      .edges path { stroke: #7d8590; }
      .edges .weak { stroke: #a371f7; }
      marker path { fill: #7d8590; }
      #weak-arrow path { fill: #a371f7; }
      .labels text { fill: #8d96a0; stroke: #0d1117; }
    }
    """

  private static func marker(_ name: String) -> String {
    "<marker id=\"\(name)\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" "
      + "markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0,0.5 L8,4 L0,7.5 z\"/></marker>"
  }

  private static func write(_ line: GraphDrawing.Line, _ output: any Output) throws {
    guard let start = line.points.first else { return }
    var path = "M\(point(start))"
    for index in stride(from: 1, to: line.points.count - 2, by: 3) {
      path += " C\(line.points[index..<(index + 3)].map(point).joined(separator: " "))"
    }
    let kind = line.isWeak ? " class=\"weak\" marker-end=\"url(#weak-arrow)\"" : " marker-end=\"url(#arrow)\""
    try output.write("<path d=\"\(path)\"\(kind)/>\n")
  }

  private static func write(_ node: ObjectGraph.Node, _ box: GraphDrawing.Box, _ output: any Output) throws {
    let x = number(box.x + GraphDrawing.padding)
    let note = node.note.isEmpty ? "" : "<tspan class=\"note\">  \(text(node.note))</tspan>"
    let border = node.isTopLevel ? "" : " stroke=\"hsl(\(hue(node.title)), 45%, 50%)\""
    var y = box.y + GraphDrawing.padding + GraphDrawing.titleSize - 2
    var result = """
      <g class="node\(node.isTopLevel ? " top" : "")">
      <rect x="\(number(box.x))" y="\(number(box.y))" width="\(number(box.width))" height="\(number(box.height))" \
      rx="7"\(border)/>
      <text class="title" x="\(x)" y="\(number(y))">\(text(node.title))\(note)</text>

      """
    for line in node.lines {
      y += GraphDrawing.lineHeight
      result += "<text class=\"line\" x=\"\(x)\" y=\"\(number(y))\">\(text(line))</text>\n"
    }
    try output.write(result + "</g>\n")
  }

  /// A color that is the same for a class in every picture: FNV-1a.
  private static func hue(_ title: String) -> Int {
    let hash = title.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    return Int((hash ^ hash >> 32) % 360)
  }

  private static func point(_ point: GraphDrawing.Point) -> String { "\(number(point.x)),\(number(point.y))" }

  /// The number with at most one digit after the decimal point.
  static func number(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    let digits = String(tenths.magnitude % 10)
    return (tenths < 0 ? "-" : "") + String(tenths.magnitude / 10) + (digits == "0" ? "" : "." + digits)
  }

  /// Text as XML. Texts are already escaped for a terminal, so they have no characters that XML forbids. Any such
  /// character would be left out.
  private static func text(_ string: String) -> String {
    respelled(string) { scalar, _ in scalar.isUnknownToXML ? "" : scalar.entity }
  }
}

/// Writes a graph in the language of Graphviz.
enum DOTWriter {
  static func write(_ graph: ObjectGraph, _ output: any Output) throws {
    try output.write(
      """
      // \(graph.summary)
      digraph archive {
        rankdir=LR;
        node [shape=box, style=rounded, fontname="monospace", fontsize=11];
        edge [fontname="monospace", fontsize=9];

      """
    )
    for (index, node) in graph.nodes.enumerated() {
      let title = node.note.isEmpty ? node.title : "\(node.title) \(node.note)"
      let label = ([title] + node.lines).map { text($0) + "\\l" }.joined()
      let style = node.isTopLevel ? ", style=\"rounded,dashed\"" : ""
      try output.write("  n\(index) [label=\"\(label)\"\(style)];\n")
    }
    for edge in graph.edges {
      let style = edge.isWeak ? ", style=dashed, constraint=false" : ""
      try output.write("  n\(edge.from) -> n\(edge.to) [label=\"\(text(edge.label))\"\(style)];\n")
    }
    try output.write("}\n")
  }

  /// Text within quotes, in which a backslash begins an escape of Graphviz.
  private static func text(_ string: String) -> String {
    respelled(string) { scalar, _ in scalar == "\\" || scalar == "\"" ? "\\\(scalar)" : nil }
  }
}
