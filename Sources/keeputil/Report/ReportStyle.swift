/// The style of a report: light or dark, as the reader's system, and for screens as narrow as a phone.
enum ReportStyle {
  static let text = """

    :root {
      color-scheme: light dark;
      --ground: #f4f5f7; --card: #ffffff; --ink: #1d2530; --quiet: #5d6878; --line: #e2e6ec; --soft: #eef1f5;
      --accent: #3562d4; --shadow: 0 1px 2px rgb(20 30 50 / 6%), 0 6px 20px rgb(20 30 50 / 5%);
      --c0: #5478cf; --c1: #8f6bc4; --c2: #2f8fa6; --c3: #b8609f; --c4: #7c8f35; --c5: #c06f52; --c6: #6b7a99;
      --container: #8290a8; --text: #d6a03d; --number: #4da56f; --bytes: #d0586b;
      --moment: #55a9c9; --reference: #9aa4b2; --table: #a39580; --others: #b4bbc6; --fill: 60%;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --ground: #11141a; --card: #191e26; --ink: #e8ecf2; --quiet: #9aa6b6; --line: #2a313d; --soft: #212833;
        --accent: #8fb0ff; --shadow: none;
        --c0: #6d90e8; --c1: #a283dc; --c2: #45a6be; --c3: #cb78b3; --c4: #97a94f; --c5: #d28568; --c6: #7f8fae;
        --container: #7786a0; --text: #dcae57; --number: #5fb882; --bytes: #df7283;
        --moment: #66b6d4; --reference: #6f7a8b; --table: #97876f; --others: #5d6675; --fill: 55%;
      }
    }
    * { box-sizing: border-box; }
    html { scroll-behavior: smooth; -webkit-text-size-adjust: 100%; }
    body {
      margin: 0 auto; padding: 0 clamp(12px, 3vw, 32px) 32px; max-width: 1480px; background: var(--ground);
      color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Inter", "DejaVu Sans", sans-serif;
      font-variant-numeric: tabular-nums;
    }
    h1, h2, p, dl, dd, ul { margin: 0; }
    ul { padding: 0; list-style: none; }
    h1 { font-size: clamp(20px, 3.4vw, 28px); line-height: 1.2; font-weight: 650; overflow-wrap: anywhere; letter-spacing: -0.01em; }
    h2 { font-size: 16px; font-weight: 620; letter-spacing: -0.005em; }
    button { font: inherit; color: inherit; }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
    .top { display: flex; align-items: center; gap: 14px; padding: clamp(18px, 4vw, 34px) 0 18px; }
    .titles { min-width: 0; }
    .eyebrow { color: var(--quiet); font-size: 13px; }
    .brand {
      flex: none; width: 42px; height: 42px; border-radius: 11px; background:
        linear-gradient(var(--text), var(--text)) 9px 10px / 11px 22px no-repeat,
        linear-gradient(#fff, #fff) 22px 10px / 11px 12px no-repeat,
        linear-gradient(#ffffff99, #ffffff99) 22px 24px / 11px 8px no-repeat, var(--c0);
    }
    .facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(128px, 1fr)); gap: 10px; margin-bottom: 16px; }
    .facts div { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 10px 14px; }
    .facts dt { color: var(--quiet); font-size: 12.5px; }
    .facts dd { font-size: 19px; font-weight: 620; line-height: 1.3; }
    .facts dd small { display: block; font-size: 12px; font-weight: 400; color: var(--quiet); }
    .card {
      background: var(--card); border: 1px solid var(--line); border-radius: 16px; box-shadow: var(--shadow);
      padding: clamp(14px, 2vw, 20px); margin-bottom: 16px; min-width: 0;
    }
    .columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 480px), 1fr)); gap: 0 16px; align-items: start; }
    .columns > div { min-width: 0; }
    .bar { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 8px 16px; }
    .below { margin-top: 10px; align-items: baseline; }
    .quiet { color: var(--quiet); font-size: 13px; }
    .note { padding: 12px 16px; border: 1px solid var(--line); border-radius: 12px; }
    footer { color: var(--quiet); font-size: 13px; padding: 8px 4px; }

    .switch { display: inline-flex; padding: 3px; border-radius: 10px; background: var(--soft); }
    .switch button { border: 0; background: none; padding: 5px 12px; border-radius: 8px; color: var(--quiet); cursor: pointer; }
    .switch button[aria-pressed="true"] { background: var(--card); color: var(--ink); box-shadow: 0 1px 3px rgb(20 30 50 / 18%); }
    .crumbs { display: flex; flex-wrap: wrap; align-items: center; gap: 2px 4px; margin: 10px 0 8px; font-size: 14px; min-height: 28px; }
    .crumbs button { border: 0; background: none; padding: 2px 6px; border-radius: 6px; color: var(--accent); cursor: pointer; max-width: 28ch; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    .crumbs button:hover { background: var(--soft); }
    .crumbs button[aria-current] { color: var(--ink); font-weight: 600; cursor: default; }
    .crumbs .gap { color: var(--quiet); }
    .crumbs .size { margin-left: auto; color: var(--quiet); }
    .map { position: relative; height: clamp(340px, 46vw, 640px); border-radius: 10px; overflow: hidden; background: var(--soft); }
    .cell {
      position: absolute; overflow: hidden; margin: 0; padding: 0; min-width: 0; text-align: left; line-height: 1.25; font-size: 12.5px;
      border: 0; border-radius: 4px; color: var(--ink); cursor: pointer; display: block;
      background: color-mix(in srgb, var(--kind) var(--fill), var(--card));
    }
    .cell.open { background: color-mix(in srgb, var(--kind) 20%, var(--card)); box-shadow: inset 0 0 0 1px color-mix(in srgb, var(--kind) 45%, var(--card)); border-radius: 6px; }
    .cell.deep { background: color-mix(in srgb, var(--kind) 46%, var(--card)); }
    .cell:hover { filter: brightness(1.06) saturate(1.1); box-shadow: inset 0 0 0 2px color-mix(in srgb, var(--kind) 80%, var(--ink)); }
    .cell:focus-visible { outline: 3px solid var(--accent); outline-offset: -3px; }
    .cell span { position: absolute; left: 6px; right: 4px; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; pointer-events: none; }
    .cell .what { top: 3px; font-weight: 560; }
    .cell .much { top: 19px; opacity: 0.78; }
    .cell.open .much { top: 3px; left: auto; right: 6px; background: none; }
    .cell.self { cursor: default; opacity: 0.5; background: repeating-linear-gradient(135deg, transparent 0 5px, color-mix(in srgb, var(--kind) 40%, transparent) 5px 6px); }
    .legend { display: flex; flex-wrap: wrap; gap: 4px 14px; font-size: 13px; color: var(--quiet); }
    .dot { display: inline-block; width: 10px; height: 10px; border-radius: 3px; margin-right: 6px; background: var(--kind); }
    .picked { display: flex; flex-wrap: wrap; gap: 2px 12px; align-items: baseline; margin-top: 10px; padding: 8px 12px; background: var(--soft); border-radius: 10px; font-size: 14px; min-height: 40px; }
    .picked .path { overflow-wrap: anywhere; font-weight: 560; }
    .picked:empty { display: none; }
    .k-c0 { --kind: var(--c0); } .k-c1 { --kind: var(--c1); } .k-c2 { --kind: var(--c2); } .k-c3 { --kind: var(--c3); }
    .k-c4 { --kind: var(--c4); } .k-c5 { --kind: var(--c5); } .k-c6 { --kind: var(--c6); } .k-container { --kind: var(--container); } .k-text { --kind: var(--text); }
    .k-number { --kind: var(--number); } .k-bytes { --kind: var(--bytes); } .k-moment { --kind: var(--moment); }
    .k-reference { --kind: var(--reference); } .k-table { --kind: var(--table); } .k-others { --kind: var(--others); }
    .tip {
      position: fixed; z-index: 10; left: 0; top: 0; max-width: min(380px, 90vw); padding: 8px 12px; border-radius: 10px; pointer-events: none;
      background: var(--card); border: 1px solid var(--line); box-shadow: 0 8px 28px rgb(10 20 40 / 22%); font-size: 13px; overflow-wrap: anywhere;
    }
    .tip[hidden] { display: none; }
    .tip b { display: block; font-weight: 620; }
    .tip div { color: var(--quiet); }

    .strip { display: flex; gap: 2px; height: 22px; margin: 12px 0 4px; border-radius: 7px; overflow: hidden; }
    .strip span { flex: 1 1 0; min-width: 3px; background: var(--kind); }
    .scroll { overflow-x: auto; margin: 8px -6px 0; }
    table { width: 100%; border-collapse: collapse; font-size: 14px; }
    th, td { padding: 5px 6px; text-align: left; vertical-align: baseline; border-bottom: 1px solid var(--line); }
    tbody tr:last-child td { border-bottom: 0; }
    th { font-weight: 500; font-size: 13px; color: var(--quiet); white-space: nowrap; }
    th button { border: 0; background: none; padding: 2px 0; cursor: pointer; }
    th button::after { content: "\\2195"; opacity: 0.35; padding-left: 4px; font-size: 11px; }
    th[aria-sort="descending"] button::after { content: "\\2193"; opacity: 1; }
    th[aria-sort="ascending"] button::after { content: "\\2191"; opacity: 1; }
    .right { text-align: right; white-space: nowrap; }
    td.name { overflow-wrap: break-word; word-break: break-word; min-width: 15ch; }
    td.share { width: 24%; min-width: 92px; }
    .meter { display: flex; align-items: center; gap: 8px; justify-content: flex-end; }
    .meter i { flex: 1; height: 7px; border-radius: 4px; background: var(--soft); overflow: hidden; min-width: 24px; }
    .meter i b { display: block; height: 100%; border-radius: 4px; background: var(--kind, var(--c0)); }
    .meter span { width: 6.5ch; text-align: right; color: var(--quiet); font-size: 13px; white-space: nowrap; }
    .link { border: 0; background: none; padding: 0; text-align: left; color: var(--accent); cursor: pointer; overflow-wrap: anywhere; text-decoration: none; }
    .link:hover { text-decoration: underline; }
    .plain, .more { border: 1px solid var(--line); background: none; border-radius: 8px; padding: 4px 12px; cursor: pointer; font-size: 13px; color: var(--quiet); }
    .more { margin-top: 8px; }
    .plain:hover, .more:hover { background: var(--soft); color: var(--ink); }
    #sharing { margin-top: 6px; }

    .tree { margin-top: 8px; overflow-x: auto; font-size: 14px; }
    .tree ul { margin-left: 9px; padding-left: 13px; border-left: 1px solid var(--line); }
    .row { display: flex; align-items: baseline; gap: 6px; padding: 1px 4px; border-radius: 6px; min-width: max-content; }
    .row:hover { background: var(--soft); }
    .row.found { background: color-mix(in srgb, var(--accent) 18%, transparent); }
    .twist { flex: none; width: 20px; height: 20px; border: 0; background: none; padding: 0; cursor: pointer; color: var(--quiet); line-height: 1; border-radius: 5px; }
    .twist::before { content: "\\25B8"; display: inline-block; transition: transform 0.12s; }
    .twist[aria-expanded="true"]::before { transform: rotate(90deg); }
    .twist.leaf { visibility: hidden; }
    .row .label { font-weight: 560; white-space: nowrap; max-width: 60ch; overflow: hidden; text-overflow: ellipsis; }
    .row .kind { color: color-mix(in srgb, var(--kind) 75%, var(--ink)); white-space: nowrap; }
    .row .value { white-space: nowrap; max-width: 80ch; overflow: hidden; text-overflow: ellipsis; }
    .row .size { color: var(--quiet); font-size: 12.5px; white-space: nowrap; }
    .row .go { visibility: hidden; border: 0; background: none; padding: 0 4px; color: var(--accent); font-size: 12.5px; cursor: pointer; }
    .row:hover .go, .row .go:focus-visible { visibility: visible; }
    @media (max-width: 620px) {
      .facts { grid-template-columns: repeat(2, 1fr); }
      .facts div:last-child:nth-child(odd) { grid-column: 1 / -1; }
      .map { height: 420px; }
      td.share { width: auto; min-width: 0; }
      .meter i { display: none; }
      td.name { min-width: 12ch; }
    }
    @media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } .twist::before { transition: none; } }
    @media print { .map, .tree, .tip { display: none; } .card { break-inside: avoid; } }

    """
}
