/// The map of bytes: a squarified treemap (Bruls, Huizing, van Wijk) of two or three levels at a time.
enum ReportMapScript {
  static let text = #"""

    // Rectangles with areas in proportion to the sizes, which decrease; each is as square as possible.
    function squarify(items, x, y, width, height) {
      const rects = [];
      let rest = items.reduce((sum, item) => sum + item.bytes, 0);
      let start = 0;
      while (start < items.length && rest > 0 && width > 0.5 && height > 0.5) {
        const side = Math.min(width, height), scale = width * height / rest;
        let end = start, sum = 0, worst = Infinity;
        while (end < items.length) {
          const next = sum + items[end].bytes;
          const thick = next * scale / side;
          // The first of a row is the largest and the last the smallest: one of these two is the least square.
          const long = items[start].bytes * scale / thick, little = items[end].bytes * scale / thick;
          const ratio = Math.max(long / thick, thick / Math.max(little, 1e-9));
          if (end > start && ratio > worst) break;
          worst = ratio;
          sum = next;
          end += 1;
        }
        const thick = sum * scale / side;
        let offset = 0;
        for (let index = start; index < end; index += 1) {
          const long = items[index].bytes / sum * side;
          rects.push(width >= height
            ? { item: items[index], x, y: y + offset, width: thick, height: long }
            : { item: items[index], x: x + offset, y, width: long, height: thick });
          offset += long;
        }
        if (width >= height) { x += thick; width -= thick; } else { y += thick; height -= thick; }
        rest -= sum;
        start = end;
      }
      return rects;
    }

    const map = byId("map");
    const state = { mode: "path", focus: 0 };
    const mostCells = 1400;

    function itemsOf(tree, node) {
      const items = tree.children(node).map((child) => ({ node: child, bytes: tree.bytes[child] }));
      const inside = items.reduce((sum, item) => sum + item.bytes, 0);
      const rest = tree.bytes[node] - inside;
      items.sort((left, right) => right.bytes - left.bytes || left.node - right.node);
      // The bytes of a container itself: tags, numbers of classes, keys of dictionaries.
      if (items.length && rest > tree.bytes[node] / 250) {
        const index = items.findIndex((item) => item.bytes < rest);
        items.splice(index < 0 ? items.length : index, 0, { node, bytes: rest, isSelf: true });
      }
      return items;
    }

    function drawMap() {
      const tree = trees[state.mode];
      const width = map.clientWidth, height = map.clientHeight;
      const cells = document.createDocumentFragment();
      // The large ones of each level come first, so that a limit leaves out deep ones.
      const queue = [{ node: state.focus, x: 0, y: 0, width, height, level: 0 }];
      let count = 0;
      for (let next = 0; next < queue.length && count < mostCells; next += 1) {
        const area = queue[next];
        let items = itemsOf(tree, area.node);
        // A node without members fills the map by itself.
        if (!items.length && area.level === 0) items = [{ node: area.node, bytes: Math.max(1, tree.bytes[area.node]) }];
        for (const rect of squarify(items, area.x, area.y, area.width, area.height)) {
          if (rect.width < 3 || rect.height < 3 || count >= mostCells) continue;
          count += 1;
          const node = rect.item.node;
          const isRoomy = area.level < 2 ? rect.width > 46 && rect.height > 40 : area.level < 6 && rect.width > 110 && rect.height > 80;
          const opens = isRoomy && !rect.item.isSelf && tree.hasChildren(node);
          cells.append(cell(tree, rect, opens, area.level));
          if (opens) {
            queue.push({
              node, x: rect.x + 4, y: rect.y + 21, width: rect.width - 8, height: rect.height - 25, level: area.level + 1,
            });
          }
        }
      }
      map.replaceChildren(cells);
      const first = map.querySelector("button");
      if (first) first.tabIndex = 0;
    }

    function cell(tree, rect, opens, level) {
      const node = rect.item.node, isSelf = rect.item.isSelf;
      const element = make(isSelf ? "div" : "button", "cell k-" + colour(tree, node));
      if (opens) element.classList.add("open");
      else if (!isSelf && tree.hasChildren(node)) element.classList.add("deep");
      if (isSelf) element.classList.add("self");
      const gap = level === 0 ? 1.5 : 1;
      element.style.left = rect.x + gap + "px";
      element.style.top = rect.y + gap + "px";
      element.style.width = Math.max(1, rect.width - 2 * gap) + "px";
      element.style.height = Math.max(1, rect.height - 2 * gap) + "px";
      element.dataset.node = node;
      if (isSelf) { element.setAttribute("aria-hidden", "true"); return element; }
      element.type = "button";
      element.tabIndex = -1;
      element.setAttribute("aria-label", described(tree, node));
      // A cut index means nothing; a cut name may still be recognized.
      const room = (rect.width - 14) / 8.2, label = tree.title(node), full = cellTitle(tree, node);
      const title = label.startsWith("[") ? (rect.width < 52 ? "" : full.length <= room ? full : label.length <= room ? label : "") : room > 3 ? full : "";
      if (title && rect.height > 19) element.append(make("span", "what", title));
      if (element.firstChild && (opens ? rect.width > 150 : rect.width > 46 && rect.height > 38)) {
        element.append(make("span", "much", short(tree.bytes[node])));
        if (opens) element.firstChild.style.right = "74px";
      }
      return element;
    }

    function cellTitle(tree, node) {
      const label = tree.title(node), type = shortType(tree.typeName(node));
      return type && type !== label && tree.kindName(node) !== "reference" ? label + " · " + type : label;
    }

    function described(tree, node) {
      return tree.title(node) + ", " + kindTitles[tree.kindName(node)] + ", " + sized(tree.bytes[node]) + ", "
        + percent(tree.bytes[node]);
    }

    // The description of a node besides its name, in lines.
    function details(tree, node) {
      const lines = [], kind = tree.kindName(node);
      const type = tree.typeName(node);
      lines.push(kind === "object" ? type + " #" + tree.body[node]
        : kindTitles[kind] + (type ? " " + type : "") + (tree.body[node] && !tree.preview(node) ? " #" + tree.body[node] : ""));
      lines.push(sized(tree.bytes[node]) + " · " + percent(tree.bytes[node]) + " of the file");
      const own = tree.own[node];
      if (own && own !== tree.bytes[node]) lines.push(sized(own) + " of its own, the rest in what it is the first to refer to");
      const count = tree.count[node];
      if (count && kind !== "others") {
        lines.push(kind === "type" ? counted(count, "object") : kind === "key" ? counted(count, "value")
          : kind === "part" ? counted(count, "entry", "entries") : counted(count, "member"));
      }
      if (tree.references[node] > 1) lines.push("referred to " + grouped(tree.references[node]) + " times");
      if (tree.folded[node]) lines.push("what is in it is not on this page");
      const text = tree.preview(node);
      if (text) lines.push(text);
      return lines;
    }

    function showMap(mode, focus, keepsPlace) {
      state.mode = mode;
      state.focus = focus;
      const tree = trees[mode];
      byId("by-path").setAttribute("aria-pressed", mode === "path");
      byId("by-class").setAttribute("aria-pressed", mode === "class");
      const crumbs = byId("crumbs");
      crumbs.replaceChildren();
      let way = tree.way(focus);
      const skipped = way.length > 9 ? way.splice(3, way.length - 8).length : 0;
      way.forEach((node, index) => {
        if (index) crumbs.append(make("span", "gap", skipped && index === 3 ? "› … ›" : "›"));
        const button = makeButton("", tree.title(node), () => showMap(mode, node));
        button.dataset.node = node;
        if (node === focus) button.setAttribute("aria-current", "location");
        crumbs.append(button);
      });
      crumbs.append(make("span", "size", sized(tree.bytes[focus]) + " · " + percent(tree.bytes[focus])));
      hideTip();
      pick(focus ? focus : -1);
      drawMap();
      if (keepsPlace) { const first = map.querySelector("button"); if (first) first.focus(); }
    }

    function pick(node) {
      const picked = byId("picked");
      picked.replaceChildren();
      if (node < 0) return;
      const tree = trees[state.mode];
      picked.append(make("span", "path", tree.path(node)));
      for (const line of details(tree, node)) picked.append(make("span", "quiet", line));
      if (state.mode === "path" && tree.kindName(node) !== "part") {
        picked.append(makeButton("link", "Show among all values", () => reveal(node)));
      }
    }

    function openCell(element, isKeyboard) {
      const tree = trees[state.mode], node = Number(element.dataset.node);
      if (tree.hasChildren(node)) showMap(state.mode, node, isKeyboard); else pick(node);
    }

    map.addEventListener("click", (event) => {
      const element = event.target.closest("button.cell");
      // A click by key has no position.
      if (element) openCell(element, event.detail === 0);
    });
    map.addEventListener("keydown", (event) => {
      const element = event.target.closest("button.cell");
      if (event.key === "Escape" || event.key === "Backspace") {
        const parent = trees[state.mode].parent[state.focus];
        if (parent >= 0) { event.preventDefault(); showMap(state.mode, parent, true); }
        return;
      }
      const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
      const direction = directions[event.key];
      if (!element || !direction) return;
      event.preventDefault();
      const from = element.getBoundingClientRect();
      let best = null, least = Infinity;
      for (const other of map.querySelectorAll("button.cell")) {
        if (other === element) continue;
        const to = other.getBoundingClientRect();
        const across = (to.left + to.right - from.left - from.right) / 2, down = (to.top + to.bottom - from.top - from.bottom) / 2;
        const along = across * direction[0] + down * direction[1];
        if (along <= 1) continue;
        const aside = Math.abs(across * direction[1]) + Math.abs(down * direction[0]);
        const distance = along + 2 * aside;
        if (distance < least) { least = distance; best = other; }
      }
      if (!best) return;
      element.tabIndex = -1;
      best.tabIndex = 0;
      best.focus();
    });

    const tip = byId("tip");
    function hideTip() { tip.hidden = true; }
    function showTip(element, x, y) {
      const tree = trees[state.mode], node = Number(element.dataset.node);
      const lines = element.classList.contains("self")
        ? ["tags, numbers of classes and keys of " + tree.title(node)] : details(tree, node);
      tip.replaceChildren(make("b", "", tree.path(node)), ...lines.map((line) => make("div", "", line)));
      tip.hidden = false;
      const box = tip.getBoundingClientRect();
      tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - box.width - 8)) + "px";
      tip.style.top = Math.max(4, y + 18 + box.height > innerHeight ? y - box.height - 12 : y + 18) + "px";
    }
    map.addEventListener("pointermove", (event) => {
      const element = event.target.closest(".cell");
      if (element && event.pointerType !== "touch") showTip(element, event.clientX, event.clientY); else hideTip();
    });
    map.addEventListener("pointerleave", hideTip);
    map.addEventListener("focusin", (event) => {
      const element = event.target.closest(".cell");
      if (!element || !element.matches(":focus-visible")) return;
      const box = element.getBoundingClientRect();
      showTip(element, box.left + box.width / 2, box.top + Math.min(box.height, 40));
    });
    map.addEventListener("focusout", hideTip);
    addEventListener("scroll", hideTip, { passive: true });

    byId("by-path").addEventListener("click", () => showMap("path", 0));
    byId("by-class").addEventListener("click", () => showMap("class", 0));
    for (const [name, title] of [
      ...data.classes.slice(0, 6).map((row) => [colourOfClass(row[0]), shortType(row[0])]),
      ...(data.classes.length > 6 ? [["c6", "other classes"]] : []),
      ["container", "arrays, dictionaries, records"], ["text", "texts"], ["number", "numbers"],
      ["bytes", "bytes"], ["moment", "dates, UUIDs, URLs"], ["reference", "references"], ["table", "tables"], ["others", "others"],
    ]) {
      const item = make("li");
      item.append(make("span", "dot k-" + name), title);
      byId("legend").append(item);
    }
    if (facts.foldedBytes) {
      byId("folded").textContent = "The page tells the largest " + counted(trees.path.size, "node") + " apart. "
        + sized(facts.foldedBytes) + " (" + percent(facts.foldedBytes) + ") in smaller ones are folded into “others”.";
    }
    let drawnWidth = 0;
    new ResizeObserver(() => {
      if (map.clientWidth !== drawnWidth) { drawnWidth = map.clientWidth; drawMap(); }
    }).observe(map);

    """#
}
