// What the extension knows, without the editor: how depyf is asked, and what its answers mean.

"use strict";

const { execFile } = require("node:child_process");
const path = require("node:path");

const MOST_OUTPUT = 1 << 28;

// An error of depyf's own, whose text is for the reader.
class DepyfError extends Error {}

// Runs depyf; gives its exit status and both outputs. Nothing of the input becomes a word of a shell.
function run(command, args, folder) {
  return new Promise((resolve, reject) => {
    const options = { cwd: folder, maxBuffer: MOST_OUTPUT, windowsHide: true, env: { ...process.env, NO_COLOR: "1" } };
    execFile(command[0], [...command.slice(1), ...args], options, (error, stdout, stderr) => {
      if (error && typeof error.code !== "number") {
        reject(new DepyfError(`${command.join(" ")}: ${error.message}. Set depyf.command to a depyf that is installed.`));
      } else {
        resolve({ status: error ? error.code : 0, stdout, stderr });
      }
    });
  });
}

// The source of a compiled file, the verdict of each code object with its line, and the summary.
async function decompile(command, file) {
  const folder = path.dirname(file);
  const done = await run(command, ["decompile", "--no-strict", "--verdicts", file], folder);
  if (!done.stdout && done.status) {
    throw new DepyfError(done.stderr.trim() || `depyf ended with ${done.status}`);
  }
  return { source: done.stdout, ...verdictsIn(done.stderr) };
}

// The lines that `--verdicts` prints: "identical  Shape.area (line 3)", below it the reasons, then the summary.
const VERDICT = /^(identical|exact|equivalent|unproven|refused) +(.+) \(line (\d+)\)$/;

function verdictsIn(text) {
  const verdicts = [];
  const summary = [];
  for (const line of text.split(/\r?\n/)) {
    const found = VERDICT.exec(line);
    if (found) {
      const [, level, name, number] = found;
      verdicts.push({ level, name, line: Number(number), words: level, proven: !/^(unproven|refused)$/.test(level) });
    } else if (line.startsWith("   ") && verdicts.length) {
      const last = verdicts[verdicts.length - 1];
      last.words += (last.words === last.level ? ": " : "; ") + line.trim();
    } else if (line.startsWith("# ")) {
      summary.push(line.slice(2));
    }
  }
  return { verdicts, summary };
}

// The remarks of a recording, or of a log of TORCH_TRACE, by file. `severity` is "error", "warning" or "information".
async function report(command, folder, kinds) {
  const done = await run(command, ["report", folder, "--format", "json"], path.dirname(folder));
  if (done.status) {
    throw new DepyfError(done.stderr.trim() || `depyf ended with ${done.status}`);
  }
  return remarksIn(JSON.parse(done.stdout), kinds);
}

const SEVERITY = { wrong: "error", raised: "error", break: "warning", recompile: "warning", uncompiled: "warning" };

function remarksIn(answer, kinds) {
  const reports = Array.isArray(answer.remarks) ? [answer] : Object.values(answer); // one for each rank
  const files = new Map();
  const seen = new Set();
  for (const one of reports.flatMap((each) => each.remarks || [])) {
    if (!kinds.includes(one.kind) || one.follows) {
      continue;
    }
    const advice = [one.instead, ...(one.hints || [])].filter(Boolean).map((words) => `\n→ ${words}`);
    const words = `${one.kind}: ${one.words}` + (one.inside ? `\ninside ${one.inside}` : "") + advice.join("");
    const remark = {
      line: one.line,
      text: (one.text || "").trim(),
      severity: SEVERITY[one.kind] || "information",
      words,
      code: one.gb_id || "",
      link: /^https:\/\//.test(one.link || "") ? one.link : "",
    };
    const key = JSON.stringify([one.file, remark]);
    if (!seen.has(key)) {
      seen.add(key);
      files.set(one.file, [...(files.get(one.file) || []), remark]);
    }
  }
  return files;
}

// Where a remark is in the text as it is now: on its line, on the nearest with the same text, or nowhere.
function lineNow(remark, lines) {
  const here = remark.line - 1;
  if (!remark.text || (lines[here] || "").trim() === remark.text) {
    return here < lines.length ? here : -1;
  }
  let best = -1;
  lines.forEach((line, number) => {
    if (line.trim() === remark.text && (best < 0 || Math.abs(number - here) < Math.abs(best - here))) {
      best = number;
    }
  });
  return best;
}

module.exports = { DepyfError, decompile, lineNow, remarksIn, report, run, verdictsIn };
