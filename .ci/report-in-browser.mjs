// Opens reports in a headless Chromium and uses them as a person would. Started by .ci/report-in-browser.
//
//   node report-in-browser.mjs BROWSER REPORT [SCREENSHOTS]
//
// It controls the browser through its debugging pipe (Chrome DevTools Protocol), so that it needs no packages.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [browser, report, screenshots] = process.argv.slice(2);
const profile = mkdtempSync(join(tmpdir(), "report-in-browser-"));
const child = spawn(browser, [
  "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
  "--remote-debugging-pipe", `--user-data-dir=${profile}`, "about:blank",
], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
const [input, output] = [child.stdio[3], child.stdio[4]];

let received = Buffer.alloc(0), lastId = 0, problems = [];
const waiting = new Map(), listeners = [];
output.on("data", (data) => {
  received = Buffer.concat([received, data]);
  for (let end = received.indexOf(0); end >= 0; end = received.indexOf(0)) {
    const message = JSON.parse(received.subarray(0, end).toString());
    received = received.subarray(end + 1);
    if (message.id) {
      const { done, failed } = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.error) failed(new Error(message.error.message)); else done(message.result);
    } else {
      for (const listener of [...listeners]) listener(message);
    }
  }
});
child.on("exit", () => { for (const { failed } of waiting.values()) failed(new Error("the browser ended")); });

let session;
function send(method, params = {}, sessionId = session) {
  return new Promise((done, failed) => {
    lastId += 1;
    waiting.set(lastId, { done, failed });
    input.write(JSON.stringify({ id: lastId, method, params, ...(sessionId ? { sessionId } : {}) }) + "\0");
  });
}
const event = (method) => new Promise((done) => {
  const listener = (message) => {
    if (message.method !== method) return;
    listeners.splice(listeners.indexOf(listener), 1);
    done(message.params);
  };
  listeners.push(listener);
});

// Runs a function in the page, and returns its result.
async function page(work, ...values) {
  const expression = `(${work})(...${JSON.stringify(values)})`;
  const { result, exceptionDetails } = await send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value;
}

let checks = 0, failures = 0, place = "";
function check(isRight, what) {
  checks += 1;
  if (isRight) return;
  failures += 1;
  console.log(`FAILED (${place}): ${what}`);
}

async function press(key) {
  const code = { Enter: 13, Escape: 27, ArrowRight: 39, ArrowDown: 40 }[key];
  const text = key === "Enter" ? "\r" : undefined;
  await send("Input.dispatchKeyEvent", { type: "keyDown", key, code: key, windowsVirtualKeyCode: code, text });
  await send("Input.dispatchKeyEvent", { type: "keyUp", key, code: key, windowsVirtualKeyCode: code });
}

async function clickOn(selector) {
  const point = await page((selector) => {
    const element = document.querySelector(selector);
    element.scrollIntoView({ block: "center", behavior: "instant" });
    const box = element.getBoundingClientRect();
    // In a cell of the map, nested cells lie on top; its upper left corner is its own.
    return [box.left + Math.min(12, box.width / 2), box.top + Math.min(9, box.height / 2)];
  }, selector);
  const mouse = (type) => send("Input.dispatchMouseEvent", { type, x: point[0], y: point[1], button: "left", clickCount: 1 });
  await send("Input.dispatchMouseEvent", { type: "mouseMoved", x: point[0], y: point[1] });
  await mouse("mousePressed");
  await mouse("mouseReleased");
}

async function shoot(name, isWhole) {
  if (!screenshots) return;
  const { cssContentSize } = await send("Page.getLayoutMetrics");
  const clip = isWhole ? { x: 0, y: 0, width: cssContentSize.width, height: Math.min(cssContentSize.height, 6000), scale: 1 } : undefined;
  const { data } = await send("Page.captureScreenshot", { format: "png", captureBeyondViewport: !!isWhole, ...(clip ? { clip } : {}) });
  writeFileSync(join(screenshots, `${name}.png`), Buffer.from(data, "base64"));
}

async function use(width, scheme) {
  place = `${width} px, ${scheme}`;
  await send("Emulation.setDeviceMetricsOverride", { width, height: width < 600 ? 844 : 1000, deviceScaleFactor: 1, mobile: width < 600 });
  await send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
  const loaded = event("Page.loadEventFired");
  await send("Page.navigate", { url: pathToFileURL(resolve(report)).href });
  await loaded;
  const drawn = await page(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done({
    cells: document.querySelectorAll("#map button.cell").length,
    facts: document.querySelectorAll("#facts div").length,
    tables: [...document.querySelectorAll("table")].map((table) => table.tBodies[0].rows.length),
    rows: document.querySelectorAll("#tree .row").length,
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    strangers: document.querySelectorAll("img, iframe, object, embed, link, script[src], [onerror], [onload]").length,
    scripts: document.scripts.length,
    ground: getComputedStyle(document.body).backgroundColor,
  })))));
  check(drawn.cells >= 3, `a map with cells, ${drawn.cells}`);
  check(drawn.facts >= 5, "facts");
  check(drawn.tables.length >= 4 && drawn.tables.every((count) => count > 0), `tables with rows, ${drawn.tables}`);
  check(drawn.rows > 0, "rows of the tree");
  check(drawn.overflow <= 0, `nothing sticks out to the side, ${drawn.overflow} px do`);
  check(drawn.strangers === 0, "no elements from the texts of the archive");
  check(drawn.scripts === 2, "no other scripts");
  const light = Number(/\d+/.exec(drawn.ground)[0]) > 128;
  check(light === (scheme === "light"), `the ground is ${drawn.ground}`);
  await shoot(`${width}-${scheme}`, true);

  // The cells of one level fill the map without overlap.
  const areas = await page(() => {
    const map = document.getElementById("map").getBoundingClientRect();
    let outside = 0;
    for (const cell of document.querySelectorAll("#map .cell")) {
      const box = cell.getBoundingClientRect();
      if (box.left < map.left - 1 || box.top < map.top - 1 || box.right > map.right + 1 || box.bottom > map.bottom + 1) outside += 1;
    }
    return outside;
  });
  check(areas === 0, `${areas} cells lie outside of the map`);

  // Into the map by mouse, deeper by key, and back.
  const before = await page(() => document.querySelector("#crumbs .size").textContent);
  await clickOn("#map button.open");
  const inside = await page(() => ({
    crumbs: document.querySelectorAll("#crumbs button").length,
    size: document.querySelector("#crumbs .size").textContent,
    picked: document.getElementById("picked").textContent,
  }));
  check(inside.crumbs === 2 && inside.size !== before, `a click goes into the map: ${JSON.stringify(inside)}`);
  check(inside.picked.includes("byte"), "what was opened is described");
  await page(() => document.querySelector("#map button.open, #map button").focus());
  await press("ArrowRight");
  await press("ArrowDown");
  const moved = await page(() => document.activeElement.classList.contains("cell"));
  check(moved, "arrow keys stay in the map");
  await page(() => document.querySelector("#map button.open, #map button.deep")?.focus());
  await press("Enter");
  const deeper = await page(() => document.querySelectorAll("#crumbs button").length);
  check(deeper >= 3, `Enter goes deeper, ${deeper}`);
  await press("Escape");
  check(await page(() => document.querySelectorAll("#crumbs button").length) === deeper - 1, "Escape goes back");
  check(await page(() => document.activeElement.closest("#map") !== null), "the focus stays in the map");
  await shoot(`${width}-${scheme}-inside`);
  await page(() => document.querySelector("#crumbs button").click());
  check(await page(() => document.querySelectorAll("#crumbs button").length) === 1, "the first crumb leads back");

  // A tooltip appears at the mouse.
  if (width > 600) {
    const box = await page(() => {
      const cell = document.querySelector("#map button.cell");
      cell.scrollIntoView({ block: "center", behavior: "instant" });
      const box = cell.getBoundingClientRect();
      return [box.left + 10, box.top + 8];
    });
    await page(() => new Promise((done) => setTimeout(done, 100)));
    await send("Input.dispatchMouseEvent", { type: "mouseMoved", x: box[0], y: box[1] });
    await send("Input.dispatchMouseEvent", { type: "mouseMoved", x: box[0] + 2, y: box[1] });
    const tip = await page(() => [document.getElementById("tip").hidden, document.getElementById("tip").textContent]);
    check(!tip[0] && tip[1].includes("of the file"), `a tooltip shows: ${tip}`);
    await shoot(`${width}-${scheme}-tip`);
  }

  // By class, and back.
  await page(() => document.getElementById("by-class").click());
  const byClass = await page(() => [document.getElementById("by-class").getAttribute("aria-pressed"), document.querySelectorAll("#map button.cell").length]);
  check(byClass[0] === "true" && byClass[1] >= 2, `the map by class, ${byClass}`);
  await page(() => document.getElementById("map").scrollIntoView({ block: "center", behavior: "instant" }));
  await shoot(`${width}-${scheme}-class`);
  await page(() => document.getElementById("by-path").click());

  // A table can be sorted by each column.
  const orders = await page(() => {
    const number = (row, index) => Number(row.cells[index].textContent.replaceAll(",", ""));
    const all = document.querySelector("#keys .more");
    if (all && !all.hidden) all.click();
    const table = document.querySelector("#keys table");
    const read = () => [...table.tBodies[0].rows].map((row) => [row.cells[0].textContent.toLowerCase(), number(row, 1), number(row, 2)]);
    const start = read();
    table.tHead.rows[0].cells[1].firstChild.click();
    const byCount = read(), sort = table.tHead.rows[0].cells[1].getAttribute("aria-sort");
    table.tHead.rows[0].cells[1].firstChild.click();
    const rising = read();
    table.tHead.rows[0].cells[0].firstChild.click();
    return { start, byCount, sort, rising, byName: read() };
  });
  const isSorted = (list, index, sign) => list.every((row, place) => place === 0 ||
    (sign > 0 ? list[place - 1][index] <= row[index] : list[place - 1][index] >= row[index]));
  check(orders.start.length > 1 && isSorted(orders.start, 2, -1), "keys are in the order of their bytes");
  check(orders.sort === "descending" && isSorted(orders.byCount, 1, -1), "a click sorts by the number of values");
  check(isSorted(orders.rising, 1, 1), "another click turns that around");
  check(isSorted(orders.byName, 0, 1), "names rise first");

  // A large value leads to its row in the tree, and a reference to its object.
  const found = await page(() => {
    document.querySelector("#values .link").click();
    const row = document.querySelector(".row.found");
    return row && { id: row.parentElement.id, crumbs: document.querySelectorAll("#crumbs button").length, text: row.textContent };
  });
  check(found && found.crumbs >= 1, `a large value leads into the tree, ${JSON.stringify(found)}`);
  // Whether a reference leads to anything on the page: there is none in an archive without objects.
  const leads = await page(() => {
    const { byPath, nodeKinds } = JSON.parse(document.getElementById("data").textContent);
    const reference = nodeKinds.indexOf("reference"), homes = new Set();
    byPath.body.forEach((body, node) => { if (body && byPath.kind[node] !== reference) homes.add(body); });
    return byPath.kind.some((kind, node) => kind === reference && homes.has(byPath.body[node]));
  });
  const followed = leads && await page(() => {
    let count = 0;
    for (let round = 0; round < 60; round += 1) {
      const link = document.querySelector("#tree a.link");
      if (link) {
        link.click();
        return "#" + document.querySelector(".row.found").parentElement.id === link.getAttribute("href") ? "followed" : "astray";
      }
      const twist = [...document.querySelectorAll('#tree .twist[aria-expanded="false"]')].find((twist) => twist.offsetParent);
      if (!twist) return "none";
      count += 1;
      twist.click();
    }
    return "none";
  });
  check(!leads || followed === "followed", `a reference leads to its object: ${followed}`);
  const opened = await page(() => {
    const twists = [...document.querySelectorAll('#tree .twist[aria-expanded="false"]')].filter((twist) => twist.offsetParent);
    const before = document.querySelectorAll("#tree .row").length;
    if (twists[0]) twists[0].click();
    return [twists.length, before, document.querySelectorAll("#tree .row").length];
  });
  check(opened[0] === 0 || opened[2] > opened[1], `the tree opens, ${opened}`);
  await page(() => document.getElementById("tree").closest("section").scrollIntoView({ block: "start", behavior: "instant" }));
  await shoot(`${width}-${scheme}-tree`);
  check(await page(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth), "still nothing sticks out");
}

try {
  const { targetId } = await send("Target.createTarget", { url: "about:blank" });
  session = (await send("Target.attachToTarget", { targetId, flatten: true })).sessionId;
  listeners.push((message) => {
    const { method, params } = message;
    if (method === "Runtime.exceptionThrown") problems.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === "Log.entryAdded") problems.push(`${params.entry.level}: ${params.entry.text}`);
    if (method === "Runtime.consoleAPICalled") problems.push(`console.${params.type}`);
    if (method === "Page.javascriptDialogOpening") { problems.push(`a dialog: ${params.message}`); send("Page.handleJavaScriptDialog", { accept: true }); }
    if (method === "Network.requestWillBeSent" && !params.request.url.startsWith("file:")) problems.push(`a request: ${params.request.url}`);
  });
  for (const domain of ["Page", "Runtime", "Log", "Network"]) await send(`${domain}.enable`);
  for (const width of [390, 1400]) for (const scheme of ["light", "dark"]) await use(width, scheme);
  place = "all";
  check(problems.length === 0, `the console is silent:\n  ${problems.join("\n  ")}`);
} catch (error) {
  check(false, error.stack);
} finally {
  await Promise.race([send("Browser.close", {}, null).catch(() => {}), new Promise((done) => setTimeout(done, 3000))]);
  child.kill();
  setTimeout(() => {
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    console.log(`${report}: ${checks - failures} passed, ${failures} failed`);
    process.exit(failures ? 1 : 0);
  }, 300);
}
