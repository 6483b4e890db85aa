/// The tables of a report, which can be sorted by each column.
enum ReportTableScript {
  static let text = #"""

    const fewRows = 10;

    // columns: title; value(row), the sort key; show(row), a text or an element; isRight; isName; isShare.
    function table(id, columns, rows, first, isSortable = true) {
      const box = byId(id);
      if (!rows.length) { box.append(make("p", "quiet", "There are none.")); return; }
      const state = { column: first, falls: true, all: rows.length <= fewRows + 2 };
      const scroll = make("div", "scroll"), element = make("table"), head = make("thead"), body = make("tbody");
      const headRow = make("tr");
      const more = makeButton("more", "Show all " + grouped(rows.length), () => { state.all = true; fill(); });
      columns.forEach((column, index) => {
        const cell = make("th", column.isRight || column.isShare ? "right" : "");
        cell.scope = "col";
        if (isSortable && column.value) {
          cell.append(makeButton("", column.title, () => {
            state.falls = state.column === index ? !state.falls : typeof column.value(rows[0]) === "number";
            state.column = index;
            fill();
          }));
        } else {
          cell.textContent = column.title;
        }
        headRow.append(cell);
      });
      function fill() {
        let order = rows.slice();
        const column = columns[state.column];
        if (isSortable && column && column.value) {
          const sign = state.falls ? -1 : 1;
          order = rows.map((row, index) => ({ row, index, key: column.value(row) })).sort((left, right) =>
            (left.key < right.key ? -sign : left.key > right.key ? sign : 0) || left.index - right.index).map((entry) => entry.row);
          [...headRow.children].forEach((cell, index) => {
            if (index === state.column) cell.setAttribute("aria-sort", state.falls ? "descending" : "ascending");
            else cell.removeAttribute("aria-sort");
          });
        }
        body.replaceChildren(...(state.all ? order : order.slice(0, fewRows)).map((row) => {
          const line = make("tr");
          for (const column of columns) {
            const cell = make("td", column.isShare ? "share" : column.isRight ? "right" : column.isName ? "name" : "");
            const content = column.show(row);
            if (typeof content === "string") cell.textContent = content; else cell.append(content);
            line.append(cell);
          }
          return line;
        }));
        more.hidden = state.all;
      }
      head.append(headRow);
      element.append(head, body);
      scroll.append(element);
      box.append(scroll, more);
      fill();
    }

    function meter(bytes, most, className) {
      const box = make("div", "meter" + (className ? " " + className : ""));
      const line = make("i"), bar = make("b");
      bar.style.width = (most ? Math.min(100, bytes / most * 100) : 0) + "%";
      line.append(bar);
      box.append(line, make("span", "", percent(bytes)));
      return box;
    }

    function pathLink(path, node) {
      return makeButton("link", path || facts.name, () => {
        const tree = trees.path;
        showMap("path", tree.hasChildren(node) || node === 0 ? node : tree.parent[node]);
        if (!tree.hasChildren(node)) pick(node);
        reveal(node);
      });
    }

    function drawTables() {
      const number = (title, index) => ({ title, isRight: true, value: (row) => row[index], show: (row) => grouped(row[index]) });
      const share = (rows, index, className) => {
        const most = rows.reduce((most, row) => Math.max(most, row[index]), 0);
        return { title: "Share", isShare: true, show: (row) => meter(row[index], most, className) };
      };
      const name = (title) => ({ title, isName: true, value: (row) => row[0].toLowerCase(), show: (row) => row[0] });

      const partColours = ["others", "c0", "c1", "text", "moment", "bytes", "number", "c3", "table", "others", "reference", "others"];
      const parts = data.parts.map((part, index) => [...part, partColours[index] || ["c0", "c1"][index % 2]]).filter((part) => part[1] > 0);
      for (const part of parts) {
        const piece = make("span", "k-" + part[3]);
        piece.style.flexGrow = part[1] / facts.bytes * 1000;
        piece.title = part[0] + ": " + sized(part[1]);
        byId("strip").append(piece);
      }
      table("parts", [
        { title: "Part", isName: true, show: (row) => dotted(row[3], row[0]) },
        { title: "Entries", isRight: true, show: (row) => row[2] < 0 ? "" : grouped(row[2]) },
        number("Bytes", 1),
        share(parts, 1, "k-c0"),
      ], parts, -1, false);

      table("classes", [
        { ...name("Class"), show: (row) => dotted(colourOfClass(row[0]), row[0]) }, number("Objects", 1), number("Bytes", 2),
        { title: "Average", isRight: true, value: (row) => row[2] / row[1], show: (row) => grouped(Math.round(row[2] / row[1] * 10) / 10) },
        share(data.classes, 2, "k-c0"),
      ], data.classes, 2);
      table("keys", [
        name("Key"), number("Values", 1), number("Bytes", 2), number("With nested", 3), share(data.keys, 2, "k-c1"),
      ], data.keys, 2);
      for (const [id, list] of [["classes", data.moreClasses], ["keys", data.moreKeys]]) {
        if (list) byId(id).append(make("p", "quiet", "And " + grouped(list) + " more, which take less."));
      }
      table("kinds", [name("Kind"), number("Values", 1), number("Bytes", 2), share(data.kinds, 2, "k-number")], data.kinds, 2);

      const path = (title) => ({ title, isName: true, value: (row) => row[2], show: (row) => pathLink(row[2], row[3]) });
      const kind = (title) => ({ title, value: (row) => row[0], show: (row) => title === "Class" ? shortType(row[0]) : row[0] });
      table("values", [path("Path"), kind("Kind"), number("Bytes", 1)], data.values, 2);
      table("objects", [path("Path"), kind("Class"), number("Bytes", 1)], data.objects, 2);
      byId("sharing").textContent = facts.sharedObjects
        ? counted(facts.sharedObjects, "object is", "objects are") + " referred to more than once. Written again each time, they would take "
          + sized(facts.savedBytes) + " more, what they refer to not counted."
        : "No object is referred to more than once.";
      if (facts.textReferences) {
        byId("sharing").append(" The string table " + (facts.savedTextBytes >= 0
          ? "saves " + sized(facts.savedTextBytes) : "costs " + sized(-facts.savedTextBytes) + " more than it saves")
          + ", with " + counted(facts.textReferences, "reference") + " to " + counted(facts.texts, "text") + ".");
      }
      if (data.shared.length) table("shared", [path("Path"), kind("Class"), number("References", 4), number("Saved", 5)], data.shared, 3);
    }

    """#
}
