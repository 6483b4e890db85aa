/// The colors and the type of the charts, for light and dark pages.
enum ChartStyle {
  /// Classes: `page`, `head`, `note`, `name`, `label`, `value`, `lost`, `tick`, `grid`, `one`, and those of the bars.
  static let css = """
    text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
    .page { fill: #ffffff; }
    .head { font-size: 21px; font-weight: 600; fill: #1f2328; }
    .note { font-size: 12.5px; font-weight: 400; fill: #59636e; }
    .name { font-size: 14px; font-weight: 600; fill: #1f2328; }
    .label { font-size: 12px; fill: #1f2328; }
    .value { font-size: 12px; fill: #1f2328; stroke: #ffffff; stroke-width: 4px; paint-order: stroke; }
    .lost { font-size: 12px; font-weight: 700; fill: #b3400a; stroke: #ffffff; stroke-width: 4px; paint-order: stroke; }
    .tick { font-size: 11px; fill: #59636e; }
    .grid { stroke: #dfe3e8; stroke-width: 1; }
    .one { stroke: #1f2328; stroke-width: 1.5; }
    .win { fill: #3f7cc4; }
    .loss { fill: #e0601d; }
    .even { fill: #c9a227; }
    .own { fill: #4aa79b; }
    .reference { fill: #b4bcc5; }
    .keepsake { fill: #1f2328; }
    @media (prefers-color-scheme: dark) {
      .page { fill: #0d1117; }
      .head, .name, .label { fill: #e6edf3; }
      .note, .tick { fill: #9198a1; }
      .value { fill: #e6edf3; stroke: #0d1117; }
      .lost { fill: #ff9a5c; stroke: #0d1117; }
      .grid { stroke: #2b3139; }
      .one { stroke: #e6edf3; }
      .win { fill: #5a9be8; }
      .loss { fill: #f47b3a; }
      .even { fill: #d4b13f; }
      .own { fill: #4fb3a6; }
      .reference { fill: #5f6873; }
      .keepsake { fill: #e6edf3; }
    }
    """
}
