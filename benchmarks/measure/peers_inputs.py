"""Decompile what other decompilers test themselves with.

    git clone https://github.com/zrax/pycdc /tmp/pycdc
    python benchmarks/measure/peers_inputs.py /tmp/pycdc -j 2

FOLDER is a checkout of pycdc, uncompyle6 or decompyle3, or any folder with .pyc files and Python sources. The .pyc
files are decompiled as they are; the sources below folders called test or tests are compiled by the CPythons of
--sources first. Foreign files are counted apart (--left-out names them): .pyc files of other Pythons, damaged ones,
and sources that the CPython can't compile.

Exit code 1 if anything is refused or crashes.
"""

from __future__ import annotations

import argparse
import collections
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Iterable, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

import workers
from tally import Row, Tally, rows_of

SOURCES = "3.8,3.12,3.15"

COMPILE = """
import importlib.util, json, marshal, sys, warnings
warnings.simplefilter("ignore")
failed = {}
for name, target in json.load(sys.stdin):
    try:
        with open(name, "rb") as file:
            code = compile(file.read(), name, "exec", dont_inherit=True)
        data = marshal.dumps(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OSError) as error:
        failed[name] = "%s: %s" % (type(error).__name__, error)
        continue
    with open(target, "wb") as file:
        file.write(importlib.util.MAGIC_NUMBER + bytes(12) + data)
json.dump(failed, sys.stdout)
"""
"""Runs in another Python: compiles sources into .pyc files, and says which it can't."""


class Item(NamedTuple):
    """A .pyc file, and what it is called in the report."""

    path: str
    name: str
    group: str = ""


class Answer(NamedTuple):
    """The version of a file and the rows of its code objects; ``foreign`` is why it is not ours to read."""

    group: str
    rows: list[Row]
    foreign: str = ""


def work(item: Item) -> Answer:
    """Decompile one .pyc file."""
    from depyf.decompiler.bytecode import read_pyc
    from depyf.decompiler.pipeline import analyze
    from depyf.errors import PycError

    try:
        raw = read_pyc(item.path)
    except PycError as error:
        return Answer(item.group or "foreign", [], str(error))
    rows = rows_of(analyze(raw), item.name)
    unknown = [row.reason for row in rows if row.reason.startswith("unknown opcode")]
    if unknown and not item.group:
        return Answer("foreign", [], f"it says that CPython wrote it, which has no such opcode: {unknown[0]}")
    return Answer(item.group or "{}.{} as found".format(*raw.version), rows)


def sources_in(folder: Path) -> list[Path]:
    """The Python sources below folders called test or tests."""
    paths = sorted(path for ending in ("*.py", "*.src") for path in folder.rglob(ending))
    return [path for path in paths if not {"test", "tests"}.isdisjoint(path.relative_to(folder).parts[:-1])]


def compiled(folder: Path, version: str, python: str, out: Path, tally: Tally) -> list[Item]:
    """The sources in ``folder``, compiled into ``out`` by the CPython ``python``; those it can't compile are noted."""
    group = f"{version} from source"
    sources = sources_in(folder)
    targets = [(str(path), str(out / f"{version}-{number:05d}.pyc")) for number, path in enumerate(sources)]
    done = subprocess.run(
        [python, "-c", COMPILE], input=json.dumps(targets).encode(), stdout=subprocess.PIPE, check=True
    )
    failed = json.loads(done.stdout)
    for path, reason in failed.items():
        tally.leave_out(group, f"{Path(path).relative_to(folder)}: {reason}")
    names = [(target, str(Path(path).relative_to(folder))) for path, target in targets if path not in failed]
    return [Item(target, name, group) for target, name in names]


def main(arguments: Iterable[str] | None = None) -> int:
    """Print the table and what is refused; the exit code is 1 if anything is, or crashed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--sources", default=SOURCES, help="versions that compile the sources (default %(default)s)")
    parser.add_argument("--left-out", action="store_true", help="name the files that are left out")
    parser.add_argument("--json", metavar="FILE", help="write every code object's verdict")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="processes (default 1)")
    options = parser.parse_args(list(arguments) if arguments is not None else None)
    from depyf.decompiler.bytecode.interpreters import find_interpreter

    tally = Tally()
    with tempfile.TemporaryDirectory() as out:
        items = [
            Item(str(path), str(path.relative_to(options.folder))) for path in sorted(options.folder.rglob("*.pyc"))
        ]
        for version in filter(None, options.sources.split(",")):
            major, _, minor = version.partition(".")
            python = find_interpreter((int(major), int(minor))) if (major + minor).isdigit() else None
            if python is None:
                parser.error(f"no CPython {version} is found here (DEPYF_PYTHONS names more folders to look in)")
            items += compiled(options.folder, version, python, Path(out), tally)
        if not items and not tally.left_out:
            parser.error(f"no .pyc files and no sources below {options.folder}")
        for answer in workers.run(work, items, processes=options.jobs, limit=120, memory=4 << 30):
            name = answer.item.name
            if answer.failure:
                tally.add(answer.item.group or "crashed", [Row(name, "crash", answer.failure)])
            elif answer.value.foreign:
                tally.leave_out(answer.value.group, f"{name}: {answer.value.foreign}")
            else:
                tally.add(answer.value.group, answer.value.rows)
    print(tally.table())
    for line in tally.failed():
        print(line)
    if options.left_out:
        for group, reasons in tally.left_out.items():
            print("\n".join([f"left out of {group}:", *(f"    {reason}" for reason in reasons)]))
    if options.json:
        rows = {group: [row._asdict() for row in rows] for group, rows in tally.rows.items()}
        Path(options.json).write_text(json.dumps(rows, indent=1), encoding="utf-8")
    levels = collections.Counter(row.level for rows in tally.rows.values() for row in rows)
    return 1 if levels["refused"] + levels["crash"] else 0


if __name__ == "__main__":
    sys.exit(main())
