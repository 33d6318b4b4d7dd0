// What depyf answers, as elements. All text of the input gets in as text, never as markup.

import { drawn } from "./draw.mjs";

export function el(name, attributes = {}, ...inside) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...inside.filter((one) => one !== null && one !== undefined));
  return element;
}

const RANK = ["identical", "exact", "equivalent", "unproven", "refused"];
const SIGN = { identical: "✓", exact: "✓", equivalent: "≈", unproven: "?", refused: "✗" };

export const chip = (level, words = level) =>
  el("span", { class: `chip ${level}` }, el("b", { "aria-hidden": "true" }, SIGN[level]), el("span", {}, words));

// The source: for each line its number, the verdicts of the code objects that begin there, and the text.
export function sourceView(answer) {
  const at = new Map();
  for (const unit of answer.units) at.set(unit.row, [...(at.get(unit.row) ?? []), unit]);
  const rows = answer.source.map((pieces, index) => {
    const number = index + 1, units = at.get(number) ?? [], line = answer.lines[number];
    const said = units.map((unit) => `${unit.name}: ${unit.words}`).join("; ");
    const margin = el("span", { class: "margin", title: said || undefined });
    if (units.length) {
      const level = units.map((unit) => unit.level).sort((a, b) => RANK.indexOf(b) - RANK.indexOf(a))[0];
      margin.append(chip(level), units.length > 1 ? el("small", {}, `×${units.length}`) : "");
    }
    const label = `line ${number}${said && `, ${said}`}`;
    return el("div", { class: "line", "data-line": line },
      el("button", { class: "number", type: "button", tabindex: index ? -1 : 0, "aria-label": label }, String(number)),
      margin, el("code", {}, ...pieces.map(([text, css]) => css ? el("span", { class: `t-${css}` }, text) : text)));
  });
  return el("div", { class: "code source", role: "region", tabindex: 0, "aria-label": "Source" }, ...rows, left(answer, "lines"));
}

// One line on the whole, and all code objects below it.
export function verdictsView(answer, note, go) {
  const [first, ...rest] = answer.summary;
  const counts = RANK.map((level) => [level, answer.units.filter((unit) => unit.level === level).length])
    .filter(([, count]) => count);
  const rows = answer.units.slice(0, 5000).map((unit) => el("tr", {},
    el("td", {}, chip(unit.level)),
    el("td", {}, el("button", { type: "button", class: "link", onclick: () => go(unit.row) }, unit.name)),
    el("td", {}, unit.words === unit.level ? "" : unit.words)));
  return [
    el("details", { class: answer.proven ? "proven" : "doubt" },
      el("summary", {}, ...counts.map(([level, count]) => chip(level, `${count} ${level}`)),
        el("span", { class: "quiet" }, note || rest.at(-1) || first)),
      el("p", {}, [first, ...rest].join("; ")),
      el("div", { class: "scroll", role: "region", tabindex: 0, "aria-label": "Verdicts" }, el("table", {},
        el("thead", {}, el("tr", {}, ...["Verdict", "Code object", "Reason"].map((head) => el("th", {}, head)))),
        el("tbody", {}, ...rows)))),
  ];
}

const left = (answer, what) => answer.left
  ? el("p", { class: "quiet" }, `${answer.left} more ${what} are left out here.`) : null;

export function listingView(answer) {
  const sections = answer.codes.map((code) => {
    let before = null;
    const rows = code.rows.map(([line, offset, stored, canonical]) => {
      const shown = line !== null && line !== before ? String(line) : "";
      before = line ?? before;
      return el("div", { class: canonical.startsWith(">") ? "line starts" : "line", "data-line": line ?? undefined },
        el("span", { class: "number" }, shown), el("span", { class: "offset" }, offset ?? ""),
        el("code", {}, stored), el("code", {}, canonical.replace(/^>/, " ")));
    });
    return el("section", {}, el("h3", {}, code.name), el("p", { class: "quiet" }, ...code.heading.join(" · ")), ...rows,
      ...code.notes.map((note) => el("p", { class: "quiet" }, note)));
  });
  const head = el("div", { class: "line head" }, el("span", { class: "number" }, "line"),
    el("span", { class: "offset" }, "byte"), el("code", {}, "stored"), el("code", {}, "     canonical"));
  return el("div", { class: "code listing", role: "region", tabindex: 0, "aria-label": "Disassembly" }, head, ...sections,
    left(answer, "code objects"));
}

export function graphView(answer) {
  const sections = answer.codes.map((code) => el("section", {}, el("h3", {}, code.name),
    code.failure ? el("p", { class: "quiet" }, code.failure) : drawn(code.name, code.blocks)));
  const key = el("p", { class: "quiet key" }, el("b", { class: "next" }, "falls through"), el("b", { class: "jump" }, "jumps"),
    el("b", { class: "raises" }, "raises"));
  return el("div", { class: "graphs", role: "region", tabindex: 0, "aria-label": "Control flow graph" }, key, ...sections,
    left(answer, "code objects"));
}

export function stepsView(answer) {
  const sections = answer.stages.map(([name, lines], at) => el("details", { open: at === answer.stages.length - 2 },
    el("summary", {}, el("code", {}, name)), el("pre", { tabindex: 0 }, lines.join("\n"))));
  return el("div", { class: "steps", role: "region", tabindex: 0, "aria-label": "Steps" },
    el("p", { class: "quiet" }, "What each stage of the decompiler leaves, code object by code object."), ...sections,
    left(answer, "stages"));
}

export function comparedView(answer, names) {
  const [before, after] = names;
  return el("div", { class: answer.equal ? "proven" : "doubt" },
    el("p", {}, el("b", {}, answer.equal ? "The same" : "They differ"), `: ${before} and ${after}, ${answer.how}`),
    el("pre", { tabindex: 0, role: "region", "aria-label": "Differences" }, answer.lines.join("\n")));
}
