// The page: takes a file or typed text, asks the worker of the right CPython, shows the answer.

import { choose, madeBy } from "./choose.mjs";
import { comparedView, el, graphView, listingView, sourceView, stepsView, verdictsView } from "./view.mjs";

const $ = (id) => document.getElementById(id);
const here = (path) => new URL(path, document.baseURI).href;
const about = await (await fetch(here("versions.json"))).json();
const SECONDS = 120;
const MOST_BYTES = 64 << 20;
const MOST_WORKERS = 2;

// A worker with one CPython. Its script is a blob so that the page's Content-Security-Policy holds in it.
class Python {
  constructor(version) {
    this.version = version;
    this.waiting = new Map();
    const script = new Blob([`import ${JSON.stringify(here("worker.mjs"))};`], { type: "text/javascript" });
    this.url = URL.createObjectURL(script);
    this.worker = new Worker(this.url, { type: "module" });
    this.worker.onmessage = ({ data: { id, answer, bytes, failure } }) => {
      const { resolve, reject } = this.waiting.get(id);
      this.waiting.delete(id);
      if (failure === undefined) return resolve({ answer, bytes });
      reject(new Error(failure));
      this.end(failure);
    };
    this.worker.onerror = (event) => this.end(event.message || "the worker could not be started");
    this.ready = this.send({ folder: here(`python/${version}/`) });
  }

  send(message) {
    const id = this.waiting.size ? Math.max(...this.waiting.keys()) + 1 : 1;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, ...message });
    });
  }

  end(reason) {
    this.worker.terminate();
    URL.revokeObjectURL(this.url);
    pythons.delete(this.version);
    for (const { reject } of this.waiting.values()) reject(new Error(reason));
    this.waiting.clear();
  }
}

const pythons = new Map();
let working = null;

// The answer of depyf under a CPython; within the time limit, or never if the reader cancels.
async function ask(version, what, request, files) {
  let python = pythons.get(version);
  const isNew = !python;
  if (isNew) {
    while (pythons.size >= MOST_WORKERS) [...pythons.values()][0].end("another CPython was needed");
    python = new Python(version);
  }
  pythons.delete(version);  // the last is the latest
  pythons.set(version, python);
  const seconds = Number(document.documentElement.dataset.seconds ?? SECONDS);
  const timer = setTimeout(() => python.end(`ended after ${seconds} seconds, the limit of this page`), seconds * 1000);
  working = python;
  busy(isNew ? `Loading CPython ${version}` : what);
  try {
    await python.ready;
    python.isLoaded = true;
    busy(what);
    const { answer, bytes } = await python.send({ request, files });
    if (answer.error) throw new Error(answer.error);
    return bytes ?? answer;
  } finally {
    clearTimeout(timer);
    if (working === python && !python.waiting.size) busy("");
  }
}

function busy(text) {
  $("busy").hidden = !text;
  $("status").textContent = text && `${text} …`;
  if (!text) working = null;
}

// What is shown: a file, the CPython that decompiles it, the one that made it, and what it said.
let now = null;
const named = (name) => name.replace(/[^\p{L}\p{N}._+@ -]/gu, "_").replace(/^\.+/, "").slice(-120) || "file";
const path = (file, folder = 0) => `/files/${folder}/${named(file.name)}`;
const layout = () => document.querySelector("input[name=layout]:checked").value;
const isTyped = () => now?.file.typed;

let attempts = 0;
async function attempt(work) {
  const mine = ++attempts;
  trouble("");
  try {
    await work();
  } catch (error) {
    if (mine === attempts) trouble(error.message);
  }
}

function trouble(text) {
  $("trouble").hidden = !text;
  $("trouble").textContent = text;
}

function cancel(reason = "cancelled") {
  working?.end(reason);
}

async function open(file) {
  if (file.bytes.length > MOST_BYTES) throw new Error(`${file.name} has more than ${MOST_BYTES >> 20} MB: use the command line`);
  if (working?.isLoaded && !file.typed) cancel("another file was opened");
  $("input").classList.toggle("slim", !file.typed);
  for (const one of ["members", "report", "result"]) if (!file.typed && !(one === "members" && file.from)) $(one).hidden = true;
  if (file.others || REPORTS.test(file.name)) return report(file);
  const made = madeBy(file.bytes, about);
  const version = choose(file.bytes, about, $("python").value);
  const mine = now = { file, version, made };
  if (!made && !file.typed) {
    const { archive, members, unread, left } = await ask(version, `Opening ${file.name}`, { do: "open", file: path(file) }, filesOf(mine));
    if (mine !== now) return;
    if (archive) return list(file, version, archive, members, unread, left);
  }
  $("report").hidden = true;
  await decompile();
}

// What torch.compile did, as `depyf report --html` writes it, in a frame that has no origin and no network.
const REPORTS = /\.(log|json|jsonl)(\.gz)?$/i;
async function report(file) {
  now = null;
  const place = `/files/0/${named(file.name)}`;
  const files = file.others?.map(([name, bytes]) => [`${place}/${name.split("/").map(named).join("/")}`, bytes]) ?? [[place, file.bytes]];
  const { pages } = await ask(about.built.at(-1), `Reading ${file.name}`, { do: "report", file: place }, files);
  $("report-title").textContent = file.name;
  const show = (html) => {
    const frame = el("iframe", { sandbox: "allow-scripts", src: "report.html", title: "The report" });
    const ready = ({ source }) => {
      if (source !== frame.contentWindow) return;
      removeEventListener("message", ready);
      source.postMessage(html, "*");
    };
    addEventListener("message", ready);
    $("report").querySelector("iframe")?.remove();
    $("report").append(frame);
  };
  $("pages").replaceChildren(...pages.length > 1 ? pages.map(([name, html]) =>
    el("button", { type: "button", onclick: () => show(html) }, name)) : []);
  $("report").hidden = false;
  show(pages[0][1]);
}

// The files of a folder that was dropped, with their paths in it.
async function filesIn(folder) {
  const found = [], todo = [[folder, ""]];
  let size = 0;
  while (todo.length) {
    const [entry, path] = todo.pop();
    if (entry.isFile) {
      const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
      if ((size += file.size) > MOST_BYTES) throw new Error(`${folder.name} has more than ${MOST_BYTES >> 20} MB`);
      found.push([path + entry.name, new Uint8Array(await file.arrayBuffer())]);
      continue;
    }
    const reader = entry.createReader(), below = entry === folder ? "" : `${path}${entry.name}/`;
    for (let more; (more = await new Promise((resolve, reject) => reader.readEntries(resolve, reject))).length;) {
      todo.push(...more.map((one) => [one, below]));
    }
  }
  return found;
}

const filesOf = ({ file, other }) => [[path(file), file.bytes], ...(other ? [[path(other, 1), other.bytes]] : [])];
const request = (what, more = {}) => ({
  do: what, file: path(now.file), layout: layout(), python: $("python").value ? $("python").value.split(".").map(Number) : null, ...more,
});

function list(file, version, archive, members, unread, left) {
  $("result").hidden = true;
  $("members").hidden = false;
  $("members-title").textContent = `${file.name}: ${archive}, ${members.length + left} files`;
  $("filter").value = "";
  const items = members.map((name) => el("li", {}, el("button", { type: "button", class: "link", onclick: () => attempt(async () => {
    const bytes = await ask(version, `Reading ${name}`, { do: "member", file: path(file), member: name, to: "/files/member" },
      [[path(file), file.bytes]]);
    await open({ name: name.split("/").at(-1), bytes, from: file });
  }) }, name)));
  const notes = unread.map(([name, reason]) => el("li", { class: "quiet" }, `${name} ${reason}`));
  if (left) notes.push(el("li", { class: "quiet" }, `${left} more are left out`));
  $("members").querySelector("ul").replaceChildren(...items, ...notes);
}

async function decompile() {
  const mine = now;
  const answer = await ask(mine.version, `Decompiling ${mine.file.name}`, request("decompile"), filesOf(mine));
  if (mine !== now) return;
  now.answer = answer;
  $("result").hidden = false;
  $("name").textContent = mine.file.name;
  $("maker").textContent = answer.python ? `CPython ${answer.python}` : "";
  const known = about.built;
  const note = known.includes(answer.python) ? answer.proven && `proven here, by CPython ${answer.python}`
    : `Unproven here: no CPython ${answer.python}. Decompiled under ${mine.version}.`;
  const source = sourceView(answer);
  $("verdicts").replaceChildren(...verdictsView(answer, note, (row) => {
    select("source");
    const line = source.children[row - 1];
    line.querySelector("button").focus();
    pin(line);
  }));
  pinned = undefined;
  panes.source.replaceChildren(source);
  for (const name of LAZY) panes[name].replaceChildren();
  await select(selected);
}

// The views: the source, and one of the others beside it where there is room.
const VIEWS = { source: "Source", disassembly: "Disassembly", graph: "Graph", steps: "Steps", compare: "Compare" };
const LAZY = ["disassembly", "graph", "steps"];
const DRAW = { disassembly: ["disassemble", listingView], graph: ["graph", graphView], steps: ["steps", stepsView] };
const wide = matchMedia("(min-width: 1000px)");
const tabs = {}, panes = {};
let selected = "source";
for (const [name, title] of Object.entries(VIEWS)) {
  tabs[name] = el("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `pane-${name}`,
    onclick: () => attempt(() => select(name)) }, title);
  panes[name] = el("div", { role: "tabpanel", id: `pane-${name}`, "aria-labelledby": `tab-${name}` });
  $("tabs").append(tabs[name]);
  $("panes").append(panes[name]);
}
$("tabs").addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const order = Object.keys(VIEWS).filter((name) => !tabs[name].hidden);
  if (!step) return;
  const next = order[(order.indexOf(selected) + step + order.length) % order.length];
  attempt(() => select(next));
  tabs[next].focus();
});

async function select(name) {
  selected = wide.matches && name === "source" ? (selected === "source" ? "disassembly" : selected) : name;
  for (const one of Object.keys(VIEWS)) {
    tabs[one].hidden = wide.matches && one === "source";
    tabs[one].setAttribute("aria-selected", one === selected);
    tabs[one].tabIndex = one === selected ? 0 : -1;
    panes[one].hidden = one !== selected && !(wide.matches && one === "source");
  }
  const mine = now;
  if (!mine?.answer || !LAZY.includes(selected) || panes[selected].firstChild) return;
  const [what, view] = DRAW[selected], pane = panes[selected];
  const answer = await ask(mine.version, `${VIEWS[selected]} of ${mine.file.name}`, request(what), filesOf(mine));
  if (mine === now) pane.replaceChildren(view(answer));
}
wide.addEventListener("change", () => attempt(() => select(selected)));

// Lines that belong together: the source's, and the instructions made of it.
let pinned;
function light(line) {
  for (const one of document.querySelectorAll("#panes .on")) one.classList.remove("on");
  if (line === undefined) return;
  for (const one of document.querySelectorAll(`#panes [data-line="${line}"]`)) one.classList.add("on");
}
function pin(row) {
  pinned = row.dataset.line;
  light(row.dataset.line);
  const other = row.closest("[role=tabpanel]") === panes.source ? panes.disassembly : panes.source;
  const box = other.firstElementChild, goal = other.querySelector(".on");
  if (goal) box.scrollTop += goal.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3;
}
$("panes").addEventListener("mouseover", ({ target }) => {
  const row = target.closest("[data-line]");
  if (row && pinned === undefined) light(row.dataset.line);
});
$("panes").addEventListener("click", ({ target }) => {
  const row = target.closest("[data-line]");
  if (row && String(getSelection()) === "") pin(row);
});
panes.source.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
  const row = event.target.closest(".line");
  if (event.key === "Escape") light(pinned = undefined);
  const next = step > 0 ? row?.nextElementSibling : step && row?.previousElementSibling;
  if (!next) return;
  event.preventDefault();
  row.querySelector("button").tabIndex = -1;
  const button = next.querySelector("button");
  button.tabIndex = 0;
  button.focus();
  pin(next);
});

// Two files.
const otherInput = el("input", { type: "file", id: "other", class: "unseen", onchange: () => read(otherInput, compare) });
const compared = el("div", { id: "compared" });
panes.compare.append(el("div", { class: "code compare" },
  el("p", {}, "A compiled file with its source is verified as ", el("code", {}, "depyf verify"), " does; any other two are compared as ",
    el("code", {}, "depyf diff"), " does."),
  otherInput, el("label", { for: "other", class: "button" }, "Compare with a file"), compared));

async function compare(other) {
  const mine = now;
  mine.other = other;
  compared.replaceChildren();
  await select("compare");
  const version = mine.made ? mine.version : choose(other.bytes, about, mine.version);
  const answer = await ask(version, `Comparing with ${other.name}`, request("compare", { other: path(other, 1) }), filesOf(mine));
  if (mine === now) compared.replaceChildren(comparedView(answer, [mine.file.name, other.name]));
  mine.other = null;
}

// What comes in.
const read = (input, then) => attempt(async () => {
  const [file] = input.files;
  if (!file) return;
  await then({ name: file.name, bytes: new Uint8Array(await file.slice(0, MOST_BYTES + 1).arrayBuffer()) });
  input.value = "";
});
const opened = (file) => {
  history.replaceState(null, "", location.pathname + location.search);
  return open(file);
};
$("file").addEventListener("change", () => read($("file"), opened));
addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("over");
});
for (const name of ["dragleave", "drop"]) addEventListener(name, () => document.body.classList.remove("over"));
addEventListener("drop", (event) => {
  event.preventDefault();
  const entry = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).find((one) => one?.isDirectory);
  if (entry) return attempt(async () => opened({ name: entry.name, bytes: [], others: await filesIn(entry) }));
  read(event.dataTransfer, event.target.closest("#pane-compare") && now ? compare : opened);
});

let wait;
function typed(delay) {
  clearTimeout(wait);
  // What is typed while something is loaded or decompiled waits for it.
  wait = setTimeout(() => working && (isTyped() || !now) ? typed(200) : attempt(async () => {
    const text = $("typed").value;
    const state = new URLSearchParams({ code: text, layout: layout(), python: $("python").value });
    history.replaceState(null, "", text ? `#${state}` : location.pathname + location.search);
    if (text) await open({ name: "typed.py", bytes: new TextEncoder().encode(text), typed: true });
  }), delay);
}
$("typed").addEventListener("input", () => typed(500));
$("typed").addEventListener("focus", () => $("input").classList.remove("slim"));
$("python").addEventListener("change", () => now && !isTyped() ? attempt(() => open(now.file)) : typed(0));
for (const radio of document.querySelectorAll("input[name=layout]")) {
  radio.addEventListener("change", () => isTyped() ? typed(0) : now && attempt(() => open(now.file)));
}
$("filter").addEventListener("input", () => {
  const wanted = $("filter").value.toLowerCase();
  for (const one of document.querySelectorAll("#members li")) one.hidden = !one.textContent.toLowerCase().includes(wanted);
});
$("cancel").addEventListener("click", () => cancel());
$("copy").addEventListener("click", async () => {
  await navigator.clipboard.writeText(now.answer.text);
  $("copy").textContent = "Copied";
  setTimeout(() => { $("copy").textContent = "Copy"; }, 1500);
});
$("save").addEventListener("click", () => {
  const url = URL.createObjectURL(new Blob([now.answer.text], { type: "text/plain" }));
  el("a", { href: url, download: `${now.file.name.replace(/\.pyc?$/, "")}.py` }).click();
  URL.revokeObjectURL(url);
});

function restore() {
  const state = new URLSearchParams(location.hash.slice(1));
  if (!state.get("code")) return;
  $("typed").value = state.get("code");
  $("python").value = about.built.includes(state.get("python")) ? state.get("python") : "";
  const radio = document.querySelector(`input[name=layout][value=${state.get("layout") === "compact" ? "compact" : "author"}]`);
  radio.checked = true;
  typed(0);
}
addEventListener("hashchange", restore);

$("python").append(...[...about.built].reverse().map((version) => el("option", { value: version }, version)));
$("about").append(el("p", {}, `depyf ${about.depyf}, with CPython ${about.built.join(", ")}. A file of one of these is decompiled, compiled `
  + "again and compared by that CPython, here in the browser. Files of others from 3.7 on are decompiled, and stay unproven. "
  + "Code is read, never run."));
select(selected);
restore();
// At a second visit the page needs no network; nor does a browser that forbids this lack anything else.
navigator.serviceWorker?.register(here("offline.mjs"), { type: "module" }).catch(() => {});
