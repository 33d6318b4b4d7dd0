"""Decompiles the same compiled files natively and under Pyodide, as the page does, and compares texts and verdicts.

    python benchmarks/web/same_as_native.py                          1,000 code objects of each version that is built
    python benchmarks/web/same_as_native.py --built build/web --versions 3.13 --count 200

The files are modules of the standard library, compiled by each Pyodide. A version that is not found
here is left out. Exit status 1 if a text, a line or what is proven differs.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path
from typing import Any, Dict, List, Tuple

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "web")]

NODE = """
const [folder, work] = process.argv.slice(2);
const { readFileSync } = await import("node:fs");
const { loadPyodide } = await import(folder + "/pyodide.mjs");
const pyodide = await loadPyodide({ indexURL: folder + "/" });
pyodide.FS.mkdirTree("/work");
pyodide.FS.mount(pyodide.FS.filesystems.NODEFS, { root: work }, "/work");
pyodide.FS.writeFile("/depyf.zip", readFileSync(process.argv[4]));
await pyodide.runPythonAsync(PYTHON);
process.exit(0);
"""
PYTHON = """
import json, pathlib, py_compile, sys, time, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, "/depyf.zip")
import answers

work, count = pathlib.Path("/work"), 0
wanted = int((work / "count").read_text())
start = time.time()
for path in sorted(work.glob("*.py")):
    try:
        py_compile.compile(str(path), cfile=str(path) + "c", dfile=path.name, doraise=True)
    except py_compile.PyCompileError:
        continue
    found = answered(answers, f"/work/{path.name}c")
    (work / (path.stem + ".json")).write_text(json.dumps(found))
    count += len(found["units"])
    if count >= wanted:
        break
(work / "seconds").write_text(f"{time.time() - start} {sys.version.split()[0]}")
"""
SHARED = """
def answered(answers, path):
    import json
    found = json.loads(answers.answer(json.dumps({"do": "decompile", "file": path, "layout": "compact"})))
    found.setdefault("units", [])
    return found
"""


def there(built: Path, version: str, work: Path, package: Path) -> Tuple[float, str]:
    """Compile and decompile the files in ``work`` under Pyodide; the seconds, and the release of CPython."""
    script = work / "run.mjs"
    script.write_text(NODE.replace("PYTHON", json.dumps(SHARED + PYTHON)), encoding="utf-8")
    library = built / "python" / version / "depyf.zip"
    subprocess.run(["node", str(script), str(package), str(work), str(library)], check=True, stdout=subprocess.DEVNULL)
    seconds, release = (work / "seconds").read_text().split()
    return float(seconds), release


def release_of(interpreter: str) -> str:
    """The release of a CPython that is installed."""
    done = subprocess.run([interpreter, "-c", "import sys; print(sys.version.split()[0])"], check=True,
                          stdout=subprocess.PIPE)  # fmt: skip
    return done.stdout.decode().strip()


def here(path: Path) -> Any:
    """The same answer by this Python."""
    import answers

    names: Dict[str, Any] = {}
    exec(SHARED, names)
    return names["answered"](answers, str(path))


class Tally:
    """What differs between the answers for some files."""

    def __init__(self) -> None:
        self.total, self.other_levels = 0, 0
        self.differing: List[str] = []

    def compare(self, name: str, ours: Any, theirs: Any) -> None:
        """Compare the answers for one file.

        If the two releases of CPython compile differently, code is identical for one compiler and proven in another way
        for the other.
        """
        found = [field for field in ("error", "python", "lines") if ours.get(field) != theirs.get(field)]
        texts = itertools.zip_longest(*(side.get("text", "").split("\n") for side in (ours, theirs)))
        found += [f"text: {left!r} natively, {right!r}" for left, right in texts if left != right][:1]
        if len(ours["units"]) != len(theirs["units"]):
            found.append("the number of code objects")
        for left, right in zip(ours["units"], theirs["units"]):
            self.total += 1
            if any(left[field] != right[field] for field in ("name", "row", "line", "proven")):
                found.append(f"{left['name']}: {left['words']} natively, {right['words']}")
            elif left["level"] != right["level"]:
                self.other_levels += 1
        self.differing += [f"{name}: {one}" for one in found]


def main() -> int:
    """The command."""
    import build
    from depyf.decompiler.bytecode.interpreters import find_interpreter

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--built", type=Path, default=ROOT / "build" / "web", help="the page, built before")
    parser.add_argument("--versions", nargs="+", help="of CPython (default: all that are built)")
    parser.add_argument("--count", type=int, default=1000, help="code objects of each (default: 1000)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    built = json.loads((options.built / "versions.json").read_text())["built"]
    library = Path(sysconfig.get_path("stdlib"))
    sources = sorted(path for path in library.rglob("*.py")
                     if not {"site-packages", "test", "tests", "idlelib", "lib2to3"} & set(path.parts))  # fmt: skip
    chosen = random.Random(options.seed).sample(sources, len(sources))
    wrong = 0
    for version in options.versions or built:
        major, minor = map(int, version.split("."))
        native = find_interpreter((major, minor))
        if native is None:
            print(f"CPython {version}: none here to compare with")
            continue
        with tempfile.TemporaryDirectory() as name:
            work = Path(name)
            for number, path in enumerate(chosen[: options.count]):
                (work / f"{number:04}_{path.name}").write_bytes(path.read_bytes())
            (work / "count").write_text(str(options.count))
            package = build.installed(version, work / "npm")
            seconds, release = there(options.built, version, work, package)
            start, tally = time.monotonic(), Tally()
            for path in sorted(work.glob("*.json")):
                tally.compare(path.stem, here(path.with_suffix(".pyc")), json.loads(path.read_text()))
        print(f"CPython {release} there, {release_of(native)} here: {tally.total} code objects, "
              f"{len(tally.differing)} differ, {tally.other_levels} are proven in another way; "
              f"{seconds:.1f} s there, {time.monotonic() - start:.1f} s here", flush=True)  # fmt: skip
        for one in tally.differing[:20]:
            print("  " + one[:300])
        wrong += len(tally.differing)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
