/// The tree of values, in which only open nodes have elements.
enum ReportTreeScript {
  static let text = #"""

    const pageSize = 200;
    // For each node that has a row: its list item, its list of members, how many of them have rows.
    const rows = new Map();

    function drawTree() {
      const tree = trees.path, list = byId("tree");
      list.append(...tree.children(0).filter((node) => tree.kindName(node) !== "group" || tree.kindName(tree.first[node]) !== "part").map(treeRow));
      const only = list.children.length === 1 ? Number(list.firstChild.dataset.node) : -1;
      if (only >= 0 && tree.hasChildren(only)) setOpen(only, true);
      byId("collapse").addEventListener("click", () => {
        for (const child of list.children) setOpen(Number(child.dataset.node), false);
      });
    }

    function treeRow(node) {
      const tree = trees.path, kind = tree.kindName(node);
      const item = make("li"), row = make("div", "row k-" + colour(tree, node));
      item.dataset.node = node;
      item.id = "v" + node;
      const twist = makeButton("twist", "", () => setOpen(node, twist.getAttribute("aria-expanded") === "false"));
      if (tree.hasChildren(node)) {
        twist.setAttribute("aria-expanded", "false");
        twist.setAttribute("aria-label", "Open " + tree.title(node));
      } else {
        twist.className = "twist leaf";
        twist.tabIndex = -1;
        twist.setAttribute("aria-hidden", "true");
      }
      row.append(twist);
      if (kind !== "others" && tree.ownLabel(node) !== null) row.append(make("span", "label", tree.ownLabel(node)));
      row.append(...rowTexts(tree, node, kind));
      row.append(make("span", "size", short(tree.bytes[node])));
      if (tree.hasChildren(node)) {
        const go = makeButton("go", "map", () => { showMap("path", node); map.scrollIntoView({ block: "center" }); });
        go.setAttribute("aria-label", "Show " + tree.title(node) + " in the map");
        row.append(go);
      }
      item.append(row);
      rows.set(node, { item, row, twist, list: null, count: 0, more: null });
      return item;
    }

    // The text of a row after the label.
    function rowTexts(tree, node, kind) {
      const type = tree.typeName(node), text = tree.preview(node), body = tree.body[node];
      if (kind === "others") return [make("span", "kind", "… " + counted(tree.count[node], "other") + (type ? " · " + type : ""))];
      if (kind === "reference" || (kind === "weak" && body)) {
        const name = (kind === "weak" ? "weak " : "") + "→ " + (type || "value") + " #" + body;
        const home = tree.homes.get(body);
        if (home === undefined) return [make("span", "kind", name)];
        const link = make("a", "link", name);
        link.href = "#v" + home;
        link.addEventListener("click", (event) => { event.preventDefault(); reveal(home); });
        return [link];
      }
      const parts = [];
      if (kind === "object") parts.push(make("span", "kind", type + " #" + body));
      else if (type) parts.push(make("span", "kind", type));
      if (text) parts.push(make("span", "value", text));
      else if (kind === "list") parts.push(make("span", "kind", counted(tree.count[node], "element")));
      else if (kind === "dictionary" || (kind === "record" && !type)) parts.push(make("span", "kind", counted(tree.count[node], "key")));
      if (tree.references[node] > 1) parts.push(make("span", "size", grouped(tree.references[node]) + " references"));
      if (tree.folded[node]) parts.push(make("span", "size", "(its contents are not on this page)"));
      return parts;
    }

    function setOpen(node, isOpen) {
      const entry = rows.get(node);
      if (!entry || !trees.path.hasChildren(node)) return;
      entry.twist.setAttribute("aria-expanded", isOpen);
      if (!entry.list && isOpen) {
        entry.list = make("ul");
        entry.item.append(entry.list);
        addPage(node);
      }
      if (entry.list) entry.list.hidden = !isOpen;
    }

    // Makes rows for more members: a page of them, or all up to a given one.
    function addPage(node, upTo) {
      const entry = rows.get(node), members = trees.path.children(node);
      if (entry.more) entry.more.remove();
      entry.more = null;
      let end = entry.count + pageSize;
      if (upTo !== undefined) end = Math.max(entry.count, members.indexOf(upTo) + 1);
      entry.list.append(...members.slice(entry.count, end).map(treeRow));
      entry.count = Math.min(end, members.length);
      if (entry.count < members.length) {
        entry.more = make("li");
        entry.more.append(makeButton("more", "Show more of " + grouped(members.length - entry.count), () => addPage(node)));
        entry.list.append(entry.more);
      }
    }

    // Opens all nodes around a node, and shows it.
    function reveal(node) {
      const way = trees.path.way(node).slice(1);
      for (let index = 0; index < way.length - 1; index += 1) {
        setOpen(way[index], true);
        if (!rows.has(way[index + 1])) addPage(way[index], way[index + 1]);
      }
      const entry = rows.get(node);
      if (!entry) return;
      setOpen(node, true);
      for (const found of document.querySelectorAll(".row.found")) found.classList.remove("found");
      entry.row.classList.add("found");
      entry.row.scrollIntoView({ block: "center", inline: "nearest" });
      if (trees.path.hasChildren(node)) entry.twist.focus({ preventScroll: true });
    }

    """#
}
