"""Decompile the code that libraries generate.

    python benchmarks/measure/generated_code.py -j 2
    python benchmarks/measure/generated_code.py --versions 3.12 --only attrs,mako --folder /tmp/environments

For each CPython an environment is made in FOLDER (one that is there is used again) and the libraries are installed into
it from PyPI. A small program for each (generators/) makes the library generate code: templates with every
tag, classes with every option, a test module with every kind of assert. That interpreter then decompiles every code
object that no file was compiled to. One line for each version and library; everything refused is named.

Exit code 1 if more than --refused percent of a library's code objects are refused, or something crashes.
"""

from __future__ import annotations

import argparse
import collections
import json
import marshal
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Iterable

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

import workers
from tally import Row, Tally, rows_of

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1] / "src"
LIBRARIES = {
    "attrs": "attrs", "beartype": "beartype", "cattrs": "cattrs", "dataclasses": "", "hy": "hy", "jinja2": "jinja2",
    "mako": "mako", "pytest": "pytest", "sqlalchemy": "sqlalchemy",
}  # fmt: skip
"""What is installed for each; dataclasses are Python's own."""
VERSIONS = "3.9,3.12,3.14"


def environment(python: str, folder: Path, packages: Iterable[str]) -> str:
    """The interpreter of the environment in ``folder``, made if it is not there, with ``packages``."""
    inside = folder / ("Scripts" if os.name == "nt" else "bin") / ("python.exe" if os.name == "nt" else "python")
    if not inside.exists():
        subprocess.run([python, "-m", "venv", "--without-pip", str(folder)], check=True)
    done = folder / "installed.txt"
    wanted = sorted(filter(None, packages))
    if not done.exists() or not set(wanted) <= set(done.read_text().split()):
        # This Python's pip: not every interpreter has one, nor the module that brings it.
        pip = [sys.executable, "-m", "pip", "--python", str(inside), "install", "--quiet", *wanted]
        subprocess.run([*pip, "--disable-pip-version-check"], check=True)
        done.write_text("\n".join(wanted))
    return str(inside)


def work(path: str) -> list[Row]:
    """Decompile one file of marshal data, in the interpreter that wrote it."""
    from depyf.decompiler.pipeline import analyze

    with open(path, "rb") as file:
        code = marshal.load(file)
    return rows_of(analyze(code), f"{Path(path).stem} {Path(code.co_filename).name}")


def measure(folder: str, jobs: int) -> list[Row]:
    """The rows of all files of code in ``folder``."""
    rows: list[Row] = []
    paths = sorted(map(str, Path(folder).glob("*.code")))
    for answer in workers.run(work, paths, processes=jobs, limit=120, memory=4 << 30):
        rows += [Row(Path(answer.item).stem, "crash", answer.failure)] if answer.failure else answer.value
    return rows


def of_library(python: str, library: str, folder: str, jobs: int) -> list[Row]:
    """Generate the code of ``library`` by the interpreter ``python``, and decompile it there."""
    variables = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONHASHSEED": "0"}
    collect = [python, "-W", "ignore", str(HERE / "generators" / "collect.py"), f"for_{library}", folder]
    # The program must not see depyf: what it imports is the library's.
    subprocess.run(collect, check=True, stdout=subprocess.DEVNULL, env={**variables, "PYTHONPATH": ""})
    command = [python, "-W", "ignore", str(HERE / "generated_code.py"), "--measure", folder, "-j", str(jobs)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=variables)
    return [Row(*row) for row in json.loads(done.stdout)]


def main(arguments: Iterable[str] | None = None) -> int:
    """Print the table and what is refused; the exit code is 1 if that is too much."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--versions", default=VERSIONS, help="(default %(default)s)")
    parser.add_argument("--only", default=",".join(LIBRARIES), help="these libraries (default %(default)s)")
    parser.add_argument("--folder", type=Path, help="keep the environments here (default: a temporary folder)")
    parser.add_argument("--refused", type=float, default=0.2, metavar="PERCENT", help="allowed (default %(default)s)")
    parser.add_argument("--json", metavar="FILE", help="write every code object's verdict")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="processes (default 1)")
    parser.add_argument("--measure", metavar="FOLDER", help=argparse.SUPPRESS)
    options = parser.parse_args(list(arguments) if arguments is not None else None)
    if options.measure:
        print(json.dumps(measure(options.measure, options.jobs)))
        return 0
    from depyf.decompiler.bytecode.interpreters import find_interpreter

    libraries = options.only.split(",")
    if not set(libraries) <= set(LIBRARIES):
        parser.error(f"no program for {', '.join(set(libraries) - set(LIBRARIES))}; there are {', '.join(LIBRARIES)}")
    tally = Tally()
    with tempfile.TemporaryDirectory() as temporary:
        kept = options.folder or Path(temporary)
        for version in options.versions.split(","):
            major, _, minor = version.partition(".")
            found = find_interpreter((int(major), int(minor))) if (major + minor).isdigit() else None
            if found is None:
                parser.error(f"no CPython {version} is found here (DEPYF_PYTHONS names more folders to look in)")
            python = environment(found, kept / version, map(LIBRARIES.__getitem__, libraries))
            for library in libraries:
                with tempfile.TemporaryDirectory() as folder:
                    tally.add(f"{version} {library}", of_library(python, library, folder, options.jobs))
                    tally.files[f"{version} {library}"] = len(os.listdir(folder))
                    print(f"{version} {library} is done", file=sys.stderr)
    print(tally.table())
    for line in tally.failed():
        print(line)
    if options.json:
        rows = {group: [row._asdict() for row in rows] for group, rows in tally.rows.items()}
        Path(options.json).write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return 1 if any(map(too_bad, tally.rows.values(), [options.refused] * len(tally.rows))) else 0


def too_bad(rows: list[Row], allowed: float) -> bool:
    """Whether more than ``allowed`` percent are refused, or anything crashes."""
    levels = collections.Counter(row.level for row in rows)
    return levels["crash"] > 0 or 100 * levels["refused"] > allowed * len(rows)


if __name__ == "__main__":
    sys.exit(main())
