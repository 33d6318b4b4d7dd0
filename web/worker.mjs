// A worker with one CPython and depyf. It answers requests in turn; the page ends it to cancel one.
//
// The page starts it from a blob, so that the page's Content-Security-Policy holds here too: whatever a file could
// bring this interpreter to do, there is nowhere to send anything.

const MOST_MEMORY = 1 << 30;

// A file that asks for more memory than that gets a MemoryError.
const grow = WebAssembly.Memory.prototype.grow;
WebAssembly.Memory.prototype.grow = function (pages) {
  if (this.buffer.byteLength + pages * 65536 > MOST_MEMORY) throw new RangeError("the limit of memory is reached");
  return grow.call(this, pages);
};

let python;

async function load(folder) {
  const { loadPyodide } = await import(folder + "pyodide.mjs");
  const own = async (name) => {
    const response = await fetch(folder + name);
    return response.ok ? new Uint8Array(await response.arrayBuffer()) : Promise.reject(new Error(`no ${name}`));
  };
  const [pyodide, depyf] = await Promise.all([
    loadPyodide({ indexURL: folder, stdout() {}, stderr() {} }), own("depyf.zip"),
  ]);
  pyodide.FS.writeFile("/depyf.zip", depyf);
  // Here is no thread with a deeper stack to do it again in; until 3.10 each call takes of the browser's stack.
  pyodide.runPython("import sys; sys.path.insert(0, '/depyf.zip'); import answers\n"
    + "if sys.version_info >= (3, 11): sys.setrecursionlimit(4000)");
  python = { pyodide, answer: pyodide.runPython("answers.answer") };
  return pyodide.runPython("sys.version.split()[0]");
}

// `files` are pairs of a folder's number and a file, which the request calls by `/files/NUMBER/NAME`.
function answered(request, files) {
  const { FS } = python.pyodide;
  for (const [path, bytes] of files) {
    FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    FS.writeFile(path, bytes);
  }
  const answer = JSON.parse(python.answer(JSON.stringify(request)));
  const bytes = request.to && !answer.error ? FS.readFile(request.to) : undefined;
  for (const path of [...files.map(([path]) => path), bytes && request.to].filter(Boolean)) FS.unlink(path);
  return { answer, bytes };
}

let turn = Promise.resolve();
onmessage = ({ data: { id, folder, request, files } }) => {
  turn = turn.then(async () => {
    try {
      postMessage(folder ? { id, answer: await load(folder) } : { id, ...answered(request, files) });
    } catch (error) {
      // Not one of depyf's: the interpreter itself has failed, and what it does next is nobody's guess.
      const text = String(error.message || error).trim().split("\n").at(-1).slice(0, 500);
      const isDeep = /call stack|too much recursion/i.test(text);
      postMessage({ id, failure: isDeep ? "nested too deep for the browser's stack: use the command line" : text });
    }
  });
};
