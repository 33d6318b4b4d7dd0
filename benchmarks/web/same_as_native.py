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
from pathlib import Path
from typing import Any, List, Tuple

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
sys.dont_write_bytecode = True
sys.path[:0] = PATHS
import answers

work, count, start = pathlib.Path(FOLDER), 0, time.time()
for path in sorted(work.glob(PATTERN)):
    if path.suffix == ".py":
        try:
            path = pathlib.Path(py_compile.compile(str(path), str(path) + "c", path.name, doraise=True))
        except py_compile.PyCompileError:
            continue
    asked = json.dumps({"do": "decompile", "file": str(path), "layout": "compact"})
    found = answers.answer(asked)
    path.with_suffix(SUFFIX).write_text(found)
    count += len(json.loads(found).get("units", ()))
    if count >= WANTED:
        break
(work / "told").write_text(f"{time.time() - start} {sys.version.split()[0]}")
"""
"""Runs in Pyodide, where it compiles the files too, and in the CPython of the same version here."""


def program(**names: Any) -> str:
    """`PYTHON` with what is not the same on both sides."""
    return "".join(f"{name.upper()} = {value!r}\n" for name, value in names.items()) + PYTHON


def told(work: Path) -> Tuple[float, str]:
    """The seconds that it took, and the release of CPython."""
    seconds, release = (work / "told").read_text().split()
    return float(seconds), release


def there(built: Path, version: str, work: Path, package: Path, wanted: int) -> Tuple[float, str]:
    """Compile and decompile the files in ``work`` under Pyodide; what that told."""
    text = program(paths=["/depyf.zip"], folder="/work", pattern="*.py", suffix=".there", wanted=wanted)
    script = work / "run.mjs"
    script.write_text(NODE.replace("PYTHON", json.dumps(text)), encoding="utf-8")
    library = built / "python" / version / "depyf.zip"
    subprocess.run(["node", str(script), str(package), str(work), str(library)], check=True, stdout=subprocess.DEVNULL)
    return told(work)


def here(interpreter: str, work: Path) -> Tuple[float, str]:
    """Decompile the same compiled files by a CPython of that version; what that told."""
    paths = [str(ROOT / "src"), str(ROOT / "web")]
    text = program(paths=paths, folder=str(work), pattern="*.pyc", suffix=".here", wanted=1 << 30)
    subprocess.run([interpreter, "-I", "-c", text], check=True)
    return told(work)


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
        units = ours.get("units", []), theirs.get("units", [])
        if len(units[0]) != len(units[1]):
            found.append("the number of code objects")
        for left, right in zip(*units):
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
            theirs = there(options.built, version, work, build.installed(version, work / "npm"), options.count)
            ours = here(native, work)
            tally = Tally()
            for path in sorted(work.glob("*.there")):
                answers = (json.loads(one.read_text()) for one in (path.with_suffix(".here"), path))
                tally.compare(path.stem, *answers)
        print(f"CPython {theirs[1]} there, {ours[1]} here: {tally.total} code objects, {len(tally.differing)} differ, "
              f"{tally.other_levels} are proven in another way; {theirs[0]:.1f} s there, {ours[0]:.1f} s here",
              flush=True)  # fmt: skip
        for one in tally.differing[:20]:
            print("  " + one[:300])
        wrong += len(tally.differing)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
