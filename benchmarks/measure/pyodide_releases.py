"""Decompile a sample of the standard library on releases of CPython that nobody has installed: those of Pyodide.

    python benchmarks/measure/pyodide_releases.py                      one for each release
    python benchmarks/measure/pyodide_releases.py 0.28.3 --sample 100  one of them

Releases of one version may compile the same text differently. Pyodide is CPython compiled to WebAssembly; its npm
package needs nothing but Node.js (20 or later) and npm. There depyf decompiles what that release compiles. Then this
Python decompiles the .pyc files made there; the CPython of that version that is found here compiles the texts, mostly
another release. The sources are the running Python's: run it with 3.11, whose syntax all of these releases know.

Exit status 1 if a code object is not proven.
"""

from __future__ import annotations

import argparse
import collections
import json
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "src"))

PYODIDES = ("0.25.0", "0.26.4", "0.27.7", "0.28.3", "314.0.0", "315.0.0-alpha.2")
"""One for each release: CPython 3.11.3, 3.12.1, 3.12.7, 3.13.2, 3.14.2 and 3.15.0rc1."""

NODE = """
const [repository, library, folder, sample] = process.argv.slice(2);
const { loadPyodide } = await import(folder + "/node_modules/pyodide/pyodide.mjs");
const pyodide = await loadPyodide();
for (const [name, root] of [["/depyf", repository], ["/library", library], ["/compiled", folder + "/compiled"]]) {
  pyodide.FS.mkdirTree(name);
  pyodide.FS.mount(pyodide.FS.filesystems.NODEFS, { root }, name);
}
pyodide.globals.set("sample", Number(sample));
console.log(await pyodide.runPythonAsync(PYTHON));
process.exit(0);
"""
PYTHON = """
import json, pathlib, py_compile, random, sys, warnings
warnings.simplefilter("ignore")
sys.dont_write_bytecode = True
sys.path.insert(0, "/depyf/benchmarks/measure")
import pyodide_releases

paths = sorted(path for path in pathlib.Path("/library").rglob("*.py")
               if not {"site-packages", "test", "tests", "idlelib", "lib2to3"} & set(path.parts))
compiled = pathlib.Path("/compiled")
for path in random.Random(1).sample(paths, min(sample, len(paths))):
    py_compile.compile(str(path), cfile=str(compiled / ("_".join(path.parts[2:]) + "c")), doraise=True)
json.dumps([sys.version.split()[0], *pyodide_releases.decompile(compiled)])
"""
"""Runs in Pyodide."""


def decompile(folder: Path) -> tuple[dict[str, int], list[str]]:
    """The levels of what the .pyc files in ``folder`` contain, and what is not proven; here and in Pyodide."""
    from depyf.decompiler.bytecode import read_pyc
    from depyf.decompiler.pipeline import analyze

    levels: collections.Counter[str] = collections.Counter()
    unproven = []
    for path in sorted(folder.glob("*.pyc")):
        for part in analyze(read_pyc(str(path))).walk():
            levels[part.verdict.level.value] += 1
            if not part.verdict.proven:
                unproven.append(f"{path.name}: {part.qualname}: {part.verdict.reasons[0]}")
    return dict(levels), unproven


def decompile_there(pyodide: str, folder: Path, sample: int) -> tuple[str, dict[str, int], list[str]]:
    """Install a version of Pyodide into ``folder``, compile files to ``folder/compiled`` and decompile them in it.

    Returns the release of CPython, and what `decompile` returned there.
    """
    (folder / "compiled").mkdir()
    npm = [shutil.which("npm") or "npm", "install", "--silent", "--prefix", str(folder), f"pyodide@{pyodide}"]
    subprocess.run(npm, check=True, stdout=subprocess.DEVNULL)
    script = folder / "run.mjs"
    script.write_text(NODE.replace("PYTHON", json.dumps(PYTHON)), encoding="utf-8")
    arguments = [str(ROOT), sysconfig.get_path("stdlib"), str(folder), str(sample)]
    done = subprocess.run(["node", str(script), *arguments], check=True, stdout=subprocess.PIPE)
    release, levels, unproven = json.loads(done.stdout.decode("utf-8").splitlines()[-1])
    return release, levels, unproven


def main() -> int:
    """Print a line for each release, and what is not proven."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("pyodide", nargs="*", help="versions of Pyodide (default: " + ", ".join(PYODIDES) + ")")
    parser.add_argument("--sample", type=int, default=30, metavar="N", help="files of the library (default 30)")
    options = parser.parse_args()
    bad: list[str] = []
    for pyodide in options.pyodide or PYODIDES:
        with tempfile.TemporaryDirectory() as name:
            release, there, unproven = decompile_there(pyodide, Path(name), options.sample)
            here, more = decompile(Path(name) / "compiled")
        print(f"{release}: {there}; compiled by another release: {here}", flush=True)
        bad += [f"{release}: {line}" for line in [*unproven, *more]]
    for line in bad:
        print(" ", line)
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
