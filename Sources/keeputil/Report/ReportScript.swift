/// The script of a report. It makes elements and sets their texts, and never parses a text as HTML.
enum ReportScript {
  static let text = """

    (() => {
    "use strict";
    \(basics)
    \(ReportMapScript.text)
    \(ReportTableScript.text)
    \(ReportTreeScript.text)
    \(start)
    })();

    """

  private static let basics = #"""
    const data = JSON.parse(document.getElementById("data").textContent);
    const facts = data.facts;
    const byId = (id) => document.getElementById(id);

    function make(name, className, text) {
      const element = document.createElement(name);
      if (className) element.className = className;
      if (text !== undefined) element.textContent = text;
      return element;
    }

    // A text behind a coloured dot.
    function dotted(colour, text) {
      const box = make("span");
      box.append(make("span", "dot k-" + colour), text);
      return box;
    }

    function makeButton(className, text, action) {
      const button = make("button", className, text);
      button.type = "button";
      button.addEventListener("click", action);
      return button;
    }

    const numbers = new Intl.NumberFormat("en-US");
    const grouped = (number) => numbers.format(number);
    const counted = (number, one, many) => grouped(number) + " " + (number === 1 ? one : many || one + "s");
    const sized = (bytes) => counted(bytes, "byte");
    function short(bytes) {
      if (Math.abs(bytes) < 1000) return bytes + " B";
      let size = bytes / 1000, unit = 0;
      while (Math.abs(size) >= 999.95 && unit < 3) { size /= 1000; unit += 1; }
      return size.toFixed(1) + " " + ["kB", "MB", "GB", "TB"][unit];
    }
    function percent(bytes) {
      const share = facts.bytes ? bytes / facts.bytes * 100 : 0;
      return share > 0 && share < 0.05 ? "< 0.1 %" : share.toFixed(1) + " %";
    }

    // A tree in columns; the children of each node are found once.
    class Tree {
      constructor(columns) {
        Object.assign(this, columns);
        this.size = this.parent.length;
        this.first = new Int32Array(this.size).fill(-1);
        this.next = new Int32Array(this.size).fill(-1);
        const last = new Int32Array(this.size).fill(-1);
        this.homes = new Map();
        for (let node = 1; node < this.size; node += 1) {
          const parent = this.parent[node];
          if (last[parent] < 0) this.first[parent] = node; else this.next[last[parent]] = node;
          last[parent] = node;
          const kind = this.kindName(node);
          if (this.body[node] > 0 && kind !== "reference" && kind !== "weak") this.homes.set(this.body[node], node);
        }
      }
      kindName(node) { return data.nodeKinds[this.kind[node]]; }
      children(node) {
        const list = [];
        for (let child = this.first[node]; child >= 0; child = this.next[child]) list.push(child);
        return list;
      }
      hasChildren(node) { return this.first[node] >= 0; }
      // From the root to the node.
      way(node) {
        const list = [];
        for (let around = node; around >= 0; around = this.parent[around]) list.push(around);
        return list.reverse();
      }
      string(number) { return number >= 0 ? data.texts[number] : ""; }
      preview(node) { return this.string(this.text[node]); }
      typeName(node) { return this.string(this.type[node]); }
      title(node) {
        const label = this.ownLabel(node);
        if (label !== null) return label;
        const kind = this.kindName(node);
        if (kind === "archive") return facts.name;
        if (kind === "others") return counted(this.count[node], "other");
        return this.typeName(node) || (this.body[node] ? "#" + this.body[node] : kindTitles[kind] || kind);
      }
      // The text before the value: a key, or an index.
      ownLabel(node) {
        const label = this.label[node];
        return label >= 0 ? data.texts[label] : label === -1 ? null : "[" + (-2 - label) + "]";
      }
      path(node) {
        let path = "";
        for (const step of this.way(node).slice(1)) {
          const label = this.label[step];
          if (label < -1) path += this.ownLabel(step);
          else path += (path ? "." : "") + this.title(step);
        }
        return path || facts.name;
      }
    }

    const kindTitles = {
      object: "object", reference: "reference", weak: "weak reference", list: "array", dictionary: "dictionary",
      record: "record", numbers: "array of numbers", text: "text", bytes: "bytes", number: "number", boolean: "boolean",
      date: "date", identifier: "UUID or URL", nothing: "nil", others: "others", group: "group", part: "table",
      type: "class", key: "key", archive: "archive",
    };
    const colours = {
      archive: "container", reference: "reference", weak: "reference", list: "container",
      dictionary: "container", record: "container", numbers: "number", number: "number", boolean: "number",
      text: "text", bytes: "bytes", date: "moment", identifier: "moment", nothing: "others", others: "others",
      group: "table", part: "table",
    };
    // The classes that take the most bytes have colours of their own; the others share one.
    const classColours = new Map(data.classes.slice(0, 6).map((row, index) => [row[0], "c" + index]));
    const classNames = new Set(data.classes.map((row) => row[0]));
    const colourOfClass = (name) => classColours.get(name) || "c6";
    function colour(tree, node) {
      const kind = tree.kindName(node);
      // Combined nodes of one class, or of one kind, have its colour.
      if (kind === "others") return classNames.has(tree.typeName(node)) ? colourOfClass(tree.typeName(node)) : colours[tree.typeName(node)] || "others";
      if (kind === "object") return colourOfClass(tree.typeName(node));
      if (kind === "type") return colourOfClass(tree.title(node));
      if (kind === "key") return tree.kindName(tree.parent[node]) === "type" ? colour(tree, tree.parent[node]) : "container";
      return colours[kind];
    }
    const shortType = (name) => name.slice(name.lastIndexOf(".") + 1);

    const trees = { path: new Tree(data.byPath), class: new Tree(data.byClass) };
    delete data.byPath;
    delete data.byClass;
    """#

  private static let start = #"""
    byId("name").textContent = facts.name;
    function fact(title, value, more) {
      const box = make("div");
      box.append(make("dt", "", title));
      const definition = make("dd", "", value);
      if (more) definition.append(make("small", "", more));
      box.append(definition);
      byId("facts").append(box);
    }
    if (facts.writer) fact("Written by", facts.writer, "a " + facts.madeOf);
    fact(facts.writer ? "Turned into" : "Size", short(facts.bytes), sized(facts.bytes));
    fact("Objects", grouped(facts.objects), "of " + counted(facts.classes, "class", "classes"));
    fact("Values", grouped(facts.values), counted(facts.texts, "text") + " shared");
    fact("Saved by sharing", short(facts.savedBytes + facts.savedTextBytes),
      short(facts.savedBytes) + " objects, " + short(facts.savedTextBytes) + " texts");
    if (!facts.writer) fact("Format", facts.format, facts.hasChecksums ? "with checksums" : "without checksums");
    if (facts.unreached) fact("Not referred to", grouped(facts.unreached), "objects and values");

    drawTables();
    drawTree();
    showMap("path", 0);
    """#
}
