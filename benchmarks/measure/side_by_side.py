"""Decompile .pyc files with several decompilers, recompile what they print, and compare the code with the original.

    git clone https://github.com/zrax/pycdc /tmp/pycdc; cmake -S /tmp/pycdc -B /tmp/pycdc/b; cmake --build /tmp/pycdc/b
    python benchmarks/measure/side_by_side.py /tmp/pycdc/tests/compiled --tool 'pycdc=/tmp/pycdc/b/pycdc {}' \\
        --tool 'uncompyle6=/tmp/venv/bin/uncompyle6 {}' --tool 'decompyle3=/tmp/venv/bin/decompyle3 -o {out}/ {}'

Each tool is a command, run once for each file, with the file's path for {}; what it prints, or the file that it writes
below the empty folder {out}, is its text. The CPython of the file's version compiles the text. A file counts as

    right       all of its code objects are compiled to the original's code, or to code that depyf's proof shows to do
                the same; "same" counts those files whose code objects have the same bytecode, names and constants
    other code  the text compiles to code of which neither is known
    no Python   the text does not compile
    nothing     there is no text, or the tool ended with an error or not in time

The judge is depyf's, the tools' bytecode is compared field by field before that. Prints a table, Markdown with --write.
"""

from __future__ import annotations

import argparse
import os
import random
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Iterable, Iterator

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from depyf.decompiler.bytecode import RawCode, read_code
from depyf.decompiler.bytecode.interpreters import find_interpreter
from depyf.decompiler.proof.prove import prove_all
from depyf.errors import DecompilationError, PycError
from depyf.files.content import read_compiled
from depyf.files.trees import Folder, Problem, Unreadable
from depyf.verification.comparison import LINES, differences
from depyf.verification.compiling import NotCompiled, compiled
from marked_page import put

OWN = "depyf"
OUTCOMES = ("right", "same", "other code", "no Python", "nothing")
PAGE = Path(__file__).resolve().parents[1] / "results" / "side-by-side.md"
REGIONS = ("pycdc", "uncompyle6", "library")
_UNSUPPORTED = b"Unsupported Python version"
"""What uncompyle6 prints, and calls a success."""
_NO_MATTER = frozenset({LINES, "name of the source file than in the code around it"})


def originals(folders: Iterable[str], sample: int, seed: int) -> Iterator[tuple[str, RawCode]]:
    """The .pyc files that depyf's reader takes, and whose CPython is here; at most ``sample`` of each version."""
    by_version: dict[tuple[int, int], list[tuple[str, RawCode]]] = {}
    for folder in folders:
        tree = Folder(folder)
        for name in tree.compiled():
            if isinstance(name, Unreadable):
                continue
            try:
                raw = read_compiled(tree.read(name), name)
            except (PycError, Problem):
                continue
            if find_interpreter(raw.version) is not None:
                by_version.setdefault(raw.version, []).append((tree.shown(name), raw))
    for _, files in sorted(by_version.items()):
        chosen = files if len(files) <= sample else random.Random(seed).sample(files, sample)
        yield from sorted(chosen, key=lambda one: one[0])


def text_of(command: str, path: str, limit: float) -> bytes | None:
    """What the tool prints, or writes to {out}; None if that is nothing, or it failed."""
    with tempfile.TemporaryDirectory() as out:
        words = [word.replace("{out}", out).replace("{}", os.path.abspath(path)) for word in shlex.split(command)]
        try:
            done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=limit)
        except (OSError, subprocess.TimeoutExpired):
            return None
        written = [one for one in Path(out).rglob("*") if one.is_file()]
        text = done.stdout if "{out}" not in command else written[0].read_bytes() if written else b""
    if b"\n" + _UNSUPPORTED in text:
        return None
    # 1: some tools tell so that not all of it is good, and print the rest.
    return text if text.strip() and done.returncode in (0, 1) else None


def judge(raw: RawCode, text: bytes | None) -> str:
    """The outcome for one file: see the docstring of the module."""
    if text is None:
        return "nothing"
    optimize = 0
    try:
        made = read_code(compiled(text, raw.filename or "x.py", raw.version, optimize).data, raw.version)
    except NotCompiled:
        return "no Python"
    except PycError:
        return "other code"
    if all(set(one.fields) <= _NO_MATTER and one.fields for one in differences(raw, made)):
        return "same"
    if all(not line.strip() or line.startswith(b"#") for line in text.splitlines()):
        return "nothing"  # but comments
    try:
        proofs = prove_all(raw, made)
    except (DecompilationError, RecursionError):
        return "other code"
    return "right" if all(verdict.proven for verdict, _ in proofs.values()) else "other code"


def main(arguments: Iterable[str] | None = None) -> int:
    """Run it; see the docstring of the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="+", metavar="FOLDER", help="folders with .pyc files")
    parser.add_argument("--tool", action="append", default=[], metavar="NAME=COMMAND", help="another decompiler")
    parser.add_argument("--sample", type=int, default=10_000, metavar="N", help="at most N files of each version")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=60, metavar="SECONDS", help="for one file (default: 60)")
    parser.add_argument("--show", action="store_true", help="print each file's outcomes")
    parser.add_argument("--write", choices=REGIONS, help="put the table into that region of results/side-by-side.md")
    options = parser.parse_args(list(arguments) if arguments is not None else None)
    tools = {OWN: f"{shlex.quote(sys.executable)} -m depyf decompile --no-strict {{}}"}
    for text in options.tool:
        name, _, command = text.partition("=")
        tools[name] = command
    counts: dict[tuple[str, str], Counter[str]] = {}
    seconds: Counter[tuple[str, str]] = Counter()
    for path, raw in originals(options.folders, options.sample, options.seed):
        version = "{}.{}".format(*raw.version)
        found = {}
        for name, command in tools.items():
            start = time.perf_counter()
            text = text_of(command, path, options.limit)
            seconds[version, name] += time.perf_counter() - start  # type: ignore[assignment]
            found[name] = judge(raw, text)
            counts.setdefault((version, name), Counter())[found[name]] += 1
        if options.show:
            print(f"{version} {path}: {found}", flush=True)
    table = "\n".join(_rows(counts, seconds))
    print(table)
    if options.write:
        put(PAGE, options.write, table)
    return 0


def _rows(counts: dict[tuple[str, str], Counter[str]], seconds: Counter[tuple[str, str]]) -> Iterator[str]:
    yield "| Python | files | decompiler | right | same bytecode | other code | no Python | nothing | seconds a file |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for (version, name), found in counts.items():
        total = sum(found.values())
        right = found["right"] + found["same"]
        rest = " | ".join(str(found[outcome]) for outcome in OUTCOMES[2:])
        mean = seconds[version, name] / total
        yield f"| {version} | {total} | {name} | {right} | {found['same']} | {rest} | {mean:.2f} |"


if __name__ == "__main__":
    sys.exit(main())
