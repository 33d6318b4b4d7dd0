// `node --test editors/vscode`: the logic, and the extension in an editor that only remembers what it is told.

"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const Module = require("node:module");
const os = require("node:os");
const path = require("node:path");
const test = require("node:test");

const SAID = "identical  <module> (line 1)\nrefused    f (line 2)\n             no such loop\n# <module>: 1 of 2 not proven:\n";
const REMARK = { line: 2, kind: "break", words: "no", text: "y = f(x)", gb_id: "GB1", link: "javascript:1", hints: ["h"] };

class Emitter { fire() {} }
class Range { constructor(...place) { this.place = place; } }
class Diagnostic { constructor(range, message, severity) { Object.assign(this, { range, message, severity }); } }
const uri = (file, scheme = "file") => ({
  scheme, path: file, fsPath: file, toString: () => `${scheme}:${file}`, with: (other) => uri(other.path, other.scheme),
});

// A stand-in for the module vscode; `told` is what the extension has made known.
function editor(answers) {
  const told = { shown: [], errors: [], sets: new Map(), commands: {} };
  const collection = () => ({ set: (of, what) => told.sets.set(String(of), what), clear: () => told.sets.clear(), dispose() {} });
  const script = `process.stderr.write(${JSON.stringify(answers.stderr || "")}); process.stdout.write(${JSON.stringify(answers.stdout)})`;
  const settings = { command: [process.execPath, "-e", script], kinds: ["break"] };
  const watcher = { onDidChange() {}, onDidCreate() {}, dispose() {} };
  return {
    told,
    EventEmitter: Emitter, Range, Diagnostic, RelativePattern: class {}, DiagnosticSeverity: { Warning: 1, Error: 0 },
    CodeLens: class { constructor(range, command) { Object.assign(this, { range, command }); } },
    Uri: { file: uri, parse: (text) => text },
    languages: {
      createDiagnosticCollection: collection, setTextDocumentLanguage: async () => {},
      registerCodeLensProvider: (_, one) => { told.lenses = one; return one; },
    },
    window: {
      registerCustomEditorProvider: (_, one) => { told.custom = one; return one; },
      showTextDocument: async (document) => told.shown.push(document), showErrorMessage: (text) => told.errors.push(text),
      showInformationMessage: (text) => told.errors.push(text),
    },
    workspace: {
      getConfiguration: () => ({ get: (name) => settings[name] }), createFileSystemWatcher: () => watcher,
      registerTextDocumentContentProvider: (_, one) => { told.provider = one; return one; },
      openTextDocument: async (of) => ({ uri: of, lineCount: 9, text: await told.provider.provideTextDocumentContent(of) }),
    },
    commands: { registerCommand: (name, run) => { told.commands[name] = run; return run; } },
  };
}

function activated(answers) {
  const vscode = editor(answers);
  const load = Module._load;
  Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));
  delete require.cache[require.resolve("./extension")];
  require("./extension").activate({ subscriptions: [] });
  Module._load = load;
  return vscode.told;
}

test("a compiled file opens as its source, with verdicts and what is not proven", async () => {
  const told = activated({ stdout: "x = 1\ndef f(): pass\n", stderr: SAID });
  let closed = false;
  await told.custom.resolveCustomEditor({ uri: uri("/tmp/x.pyc") }, { viewColumn: 1, dispose: () => (closed = true) });
  const [document] = told.shown;
  assert.ok(closed);
  assert.equal(document.text, "x = 1\ndef f(): pass\n");
  assert.deepEqual(told.lenses.provideCodeLenses(document).map((one) => one.command.title),
    ["<module>: 1 of 2 not proven:", "f: refused: no such loop"]);
  const [doubt] = told.sets.get("depyf:/tmp/x.pyc.py");
  assert.deepEqual([doubt.message, doubt.range.place[0]], ["refused: no such loop", 1]);
});

test("remarks are on the lines where their text is now, each once, and links are of the web", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "depyf-"));
  const file = path.join(folder, "train.py");
  fs.writeFileSync(file, "# new\n\ny = f(x)\n");
  const remark = { ...REMARK, file };
  const ranks = { rank_0: { remarks: [remark, { ...remark, kind: "graph" }] }, rank_1: { remarks: [remark] } };
  const told = activated({ stdout: JSON.stringify(ranks) });
  await told.commands["depyf.showReport"](uri(folder));
  const made = told.sets.get(`file:${file}`);
  assert.deepEqual(told.errors, []);
  assert.deepEqual(made.map((one) => [one.range.place[0], one.message, one.code]), [[2, "break: no\n→ h", "GB1"]]);
});

test("a program that is not there is one sentence", async () => {
  const { decompile } = require("./depyf");
  await assert.rejects(decompile(["/no/such/depyf"], "/tmp/x.pyc"), /Set depyf.command/);
});
