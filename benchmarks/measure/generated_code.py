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
import types
from pathlib import Path
from typing import Iterable

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
sys.path.insert(1, str(Path(__file__).resolve().parent / "generators"))

from collect import STAND_IN  # type: ignore[import-not-found]

import workers
from tally import Row, Tally, rows_of

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1] / "src"
LIBRARIES = {
    "adaptix": "adaptix pyserde", "antlr": "omegaconf sympy", "asyncio_repl": "", "attrs": "attrs",
    "beartype": "beartype", "birdseye": "birdseye", "bottle": "bottle", "bytecode": "bytecode", "cattrs": "cattrs",
    "chameleon": "chameleon", "cheetah": "CT3", "construct": "construct", "dataclasses": "", "ddtrace": "ddtrace",
    "decorators": "decorator makefun boltons", "fastjsonschema": "fastjsonschema", "genshi": "genshi",
    "goto": "goto-statement", "hy": "hy", "ipython": "ipython", "jinja2": "jinja2", "kajiki": "kajiki", "lark": "lark",
    "mako": "mako", "mashumaro": "mashumaro", "mcpyrate": "mcpyrate", "ovld": "ovld patchy",
    "protobuf": "grpcio-tools", "pyccolo": "pyccolo", "pytest": "pytest", "restricted": "RestrictedPython",
    "slipcover": "slipcover", "sqlalchemy": "sqlalchemy", "sympy": "sympy", "tatsu": "tatsu", "thrift": "thriftpy2",
    "tornado": "tornado", "typeguard": "typeguard", "webpy": "web.py", "xonsh": "xonsh",
}  # fmt: skip
"""What is installed for each; dataclasses and the REPL of asyncio are Python's own."""
VERSIONS = "3.8,3.11,3.13,3.14"


def environment(python: str, folder: Path, packages: Iterable[str]) -> str:
    """The interpreter of the environment in ``folder``, made if it is not there, with ``packages`` installed.

    Raises CalledProcessError if they can't be.
    """
    inside = folder / ("Scripts" if os.name == "nt" else "bin") / ("python.exe" if os.name == "nt" else "python")
    if not inside.exists():
        subprocess.run([python, "-m", "venv", "--without-pip", str(folder)], check=True)
    done = folder / "installed.txt"
    known = set(done.read_text().split()) if done.exists() else set()
    wanted = sorted(set(packages) - known)
    if wanted:
        # This Python's pip: not every interpreter has one, nor the module that brings it.
        pip = [sys.executable, "-m", "pip", "--python", str(inside), "install", "--quiet", "--prefer-binary", *wanted]
        subprocess.run([*pip, "--disable-pip-version-check"], check=True)
        done.write_text("\n".join(sorted(known | set(wanted))))
    return str(inside)


def work(path: str) -> list[Row]:
    """Decompile one file of marshal data, in the interpreter that wrote it."""
    from depyf.decompiler.pipeline import analyze

    with open(path, "rb") as file:
        code = with_objects(marshal.load(file))
    return rows_of(analyze(code), f"{Path(path).stem} {Path(code.co_filename).name}")


def with_objects(code: types.CodeType) -> types.CodeType:
    """``code`` with objects where the collector could not write the constant."""
    consts = tuple(
        with_objects(one)
        if isinstance(one, types.CodeType)
        else (object() if isinstance(one, tuple) and one[:1] == (STAND_IN,) else one)
        for one in code.co_consts
    )
    return code.replace(co_consts=consts)


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
            for library in libraries:
                group = f"{version} {library}"
                with tempfile.TemporaryDirectory() as folder:
                    try:
                        python = environment(found, kept / version, LIBRARIES[library].split())
                        tally.add(group, of_library(python, library, folder, options.jobs))
                    except subprocess.CalledProcessError:
                        tally.leave_out(group, "it can't be installed or used here")
                        continue
                    tally.files[group] = len(os.listdir(folder))
                    print(f"{group} is done", file=sys.stderr)
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
