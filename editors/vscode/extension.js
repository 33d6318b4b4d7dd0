// The editor's side: a .pyc file opens as source, verdicts stand above definitions, remarks of a recording on lines.

"use strict";

const fs = require("node:fs");
const vscode = require("vscode");
const depyf = require("./depyf");

const SCHEME = "depyf";

const setting = (name) => vscode.workspace.getConfiguration("depyf").get(name);

// The document of a compiled file: its path and ".py", so that it is coloured as Python.
function sourceUri(file) {
  return file.with({ scheme: SCHEME, path: file.path + ".py" });
}

// Gives these documents their text, and lenses with the verdict above each definition.
class Decompiled {
  constructor(collection) {
    this.collection = collection;
    this.results = new Map();
    this.changed = new vscode.EventEmitter();
    this.onDidChange = this.changed.event;
    this.lenses = new vscode.EventEmitter();
    this.onDidChangeCodeLenses = this.lenses.event;
  }

  async provideTextDocumentContent(uri) {
    const file = vscode.Uri.file(uri.path.slice(0, -3)).fsPath;
    try {
      const found = await depyf.decompile(setting("command"), file);
      this.results.set(uri.toString(), found);
      const doubts = found.verdicts.filter((one) => !one.proven);
      this.collection.set(uri, doubts.map((one) => diagnostic(one.line - 1, one.words, "warning")));
      this.lenses.fire();
      return found.source;
    } catch (error) {
      this.results.delete(uri.toString());
      return String(error.message).split("\n").map((line) => "# " + line + "\n").join("");
    }
  }

  provideCodeLenses(document) {
    const found = this.results.get(document.uri.toString()) || { verdicts: [] };
    return found.verdicts.filter((one) => one.line <= document.lineCount).map((one) => {
      const title = one.name === "<module>" && found.summary.length ? found.summary.join("; ") : `${one.name}: ${one.words}`;
      return new vscode.CodeLens(new vscode.Range(one.line - 1, 0, one.line - 1, 0), { title, command: "" });
    });
  }
}

// Opens the document in the place of the bytes.
class CompiledEditor {
  openCustomDocument(uri) {
    return { uri, dispose() {} };
  }

  async resolveCustomEditor(document, panel) {
    await show(document.uri, panel.viewColumn);
    panel.dispose();
  }
}

async function show(file, column) {
  const document = await vscode.workspace.openTextDocument(sourceUri(file));
  await vscode.languages.setTextDocumentLanguage(document, "python");
  await vscode.window.showTextDocument(document, { viewColumn: column, preview: true });
}

function diagnostic(line, words, severity, code = "", link = "") {
  const kinds = { error: "Error", warning: "Warning", information: "Information" };
  const range = new vscode.Range(line, 0, line, Number.MAX_SAFE_INTEGER);
  const made = new vscode.Diagnostic(range, words, vscode.DiagnosticSeverity[kinds[severity]]);
  made.source = "depyf";
  if (code) {
    made.code = link ? { value: code, target: vscode.Uri.parse(link) } : code;
  }
  return made;
}

// The remarks of the folder that was shown last; shown again when the folder gets another recording.
class Recording {
  constructor(collection) {
    this.collection = collection;
    this.watcher = undefined;
  }

  async show(folder) {
    this.watch(folder);
    const files = await depyf.report(setting("command"), folder.fsPath, setting("kinds"));
    this.collection.clear();
    for (const [file, remarks] of files) {
      const found = fs.statSync(file, { throwIfNoEntry: false });
      if (!found || !found.isFile()) {
        continue; // recorded on another machine; never a pipe
      }
      const lines = fs.readFileSync(file, "utf8").split(/\r?\n/);
      const placed = remarks.map((one) => [depyf.lineNow(one, lines), one]).filter(([line]) => line >= 0);
      const made = placed.map(([line, one]) => diagnostic(line, one.words, one.severity, one.code, one.link));
      this.collection.set(vscode.Uri.file(file), made);
    }
    return files.size;
  }

  watch(folder) {
    this.dispose();
    this.watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, "**/remarks.json"));
    const again = () => this.show(folder).catch(() => {}); // a recording that is not whole yet
    this.watcher.onDidChange(again);
    this.watcher.onDidCreate(again);
  }

  dispose() {
    this.watcher?.dispose();
    this.watcher = undefined;
  }
}

function activate(context) {
  const verdicts = vscode.languages.createDiagnosticCollection("depyf verdicts");
  const remarks = vscode.languages.createDiagnosticCollection("depyf remarks");
  const decompiled = new Decompiled(verdicts);
  const recording = new Recording(remarks);
  context.subscriptions.push(
    verdicts,
    remarks,
    recording,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, decompiled),
    vscode.languages.registerCodeLensProvider({ scheme: SCHEME }, decompiled),
    vscode.window.registerCustomEditorProvider("depyf.compiled", new CompiledEditor()),
    vscode.commands.registerCommand("depyf.decompile", (file) => file && show(file)),
    vscode.commands.registerCommand("depyf.clear", () => remarks.clear()),
    vscode.commands.registerCommand("depyf.showReport", async (given) => {
      const options = { canSelectFolders: true, canSelectFiles: false, title: "depyf_report, or a log of TORCH_TRACE" };
      const folder = given || ((await vscode.window.showOpenDialog(options)) || [])[0];
      try {
        if (folder && !(await recording.show(folder))) {
          vscode.window.showInformationMessage("depyf: nothing to show for the kinds in depyf.kinds");
        }
      } catch (error) {
        vscode.window.showErrorMessage(error.message);
      }
    }),
  );
}

module.exports = { activate };
