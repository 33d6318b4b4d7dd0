"""Does every host read every version's bytecode alike?

    python benchmarks/measure/hosts.py [--sample 20] [--seed 0]

Each CPython of this machine, 3.7 included, compiles a sample of its own standard library into .pyc files. Each CPython
from 3.8 on then reads all of them with depyf, and its own version also as live code objects. A digest is taken of every
canonical instruction, with operands, targets, handlers and lines: for one file it must be the same everywhere.
Exit code 1 if a digest differs or a host failed.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import marshal
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Iterable

SOURCE = Path(__file__).resolve().parents[2] / "src"

COMPILE = """
import importlib.util, marshal, os, random, sys, sysconfig, warnings
warnings.simplefilter("ignore")
folder, count, seed, tests = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "True"
skipped = {"__pycache__", "site-packages"} | (set() if tests else {"test", "tests", "idle_test"})
files = []
for place, folders, names in os.walk(sysconfig.get_paths()["stdlib"]):
    folders[:] = sorted(set(folders) - skipped)
    paths = [os.path.join(place, name) for name in sorted(names) if name.endswith(".py")]
    files += [path for path in paths if os.path.exists(path)]  # not links that lead nowhere
done = 0
for path in random.Random(seed).sample(files, len(files)):
    with open(path, "rb") as file:
        source = file.read()
    try:
        code = compile(source, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        continue
    with open(os.path.join(folder, "%05d.pyc" % done), "wb") as file:
        file.write(importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(code))
    done += 1
    if done == count:
        break
"""
"""For any CPython from 3.7 on: writes .pyc files of its library into a folder: how many (0: all), seed, with tests."""


def digest(raw: Any) -> str:
    """A hash of the canonical instructions of the code and of all nested in it; in words if it can't be read."""
    from depyf.decompiler.bytecode import disassemble
    from depyf.errors import DepyfError

    text = hashlib.sha256()
    for code in raw.walk():
        head = (code.name, code.qualname, code.flags, code.parameters, code.cellvars, code.freevars, code.docstring)
        text.update(repr(head).encode("utf-8", "backslashreplace"))
        try:
            instructions = disassemble(code)
        except DepyfError as error:
            text.update(str(error).encode("utf-8", "backslashreplace"))
            continue
        for i in instructions:
            row = (i.op, stable(i.arg), i.target, i.handler and tuple(i.handler), i.offset, i.line, i.position)
            text.update(repr(row).encode("utf-8", "backslashreplace"))
    return text.hexdigest()


def stable(constant: Any) -> Any:
    """A constant in a form whose repr is the same on every host; sets have no order, code is hashed by itself."""
    if isinstance(constant, frozenset):
        return ("frozenset", sorted(repr(stable(item)) for item in constant))
    if isinstance(constant, tuple):
        return tuple(stable(item) for item in constant)
    return f"<code {constant.name}>" if hasattr(constant, "bytecode") else constant


def read_all(folder: Path) -> dict[str, str]:
    """Digest of every .pyc file below ``folder``, and under 'live ...' of those of the running version as live code."""
    from depyf.decompiler.bytecode import load
    from depyf.decompiler.bytecode.reading.load import HOST_VERSION
    from depyf.decompiler.bytecode.reading.pyc import read_pyc

    found = {}
    for path in sorted(folder.rglob("*.pyc")):
        name = f"{path.parent.name}/{path.name}"
        found[name] = digest(read_pyc(str(path)))
        if path.parent.name == f"{HOST_VERSION[0]}.{HOST_VERSION[1]}":
            found[f"live {name}"] = digest(load(marshal.loads(path.read_bytes()[16:])))
    return found


def interpreters() -> dict[str, str]:
    """Path of every CPython found, by version; 3.7 is asked to compile only."""
    from depyf.decompiler.bytecode.interpreters import find_interpreter
    from depyf.decompiler.bytecode.versions import TABLES

    paths = {f"{version[0]}.{version[1]}": find_interpreter(version) for version in sorted(TABLES)}
    return {version: path for version, path in paths.items() if path is not None}


def disagreements(readings: dict[str, dict[str, str]]) -> list[str]:
    """Files that hosts read differently; ``readings`` is digest by file by host."""
    by_file: dict[str, dict[str, list[str]]] = collections.defaultdict(lambda: collections.defaultdict(list))
    for host, reading in readings.items():
        for name, found in reading.items():
            by_file[name.replace("live ", "")][found].append(host + (" (live)" if name.startswith("live ") else ""))
    return [
        f"{name}: " + " against ".join(", ".join(hosts) for hosts in groups.values())
        for name, groups in sorted(by_file.items())
        if len(groups) > 1
    ]


def main(arguments: Iterable[str] | None = None) -> int:
    """Run the comparison; the exit code is 1 if hosts disagree."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--sample", type=int, default=20, help="files of each version (default %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--read", metavar="FOLDER", help=argparse.SUPPRESS)
    options = parser.parse_args(list(arguments) if arguments is not None else None)
    if options.read:
        print(json.dumps(read_all(Path(options.read))))
        return 0
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    found = interpreters()
    readings: dict[str, dict[str, str]] = {}
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for version, path in found.items():
            os.mkdir(os.path.join(folder, version))
            numbers = (str(options.sample), str(options.seed), "True")
            subprocess.run([path, "-c", COMPILE, os.path.join(folder, version), *numbers], check=True)
        for version, path in found.items():
            if version == "3.7":
                continue
            command = [path, str(Path(__file__).resolve()), "--read", folder]
            done = subprocess.run(command, env=environment, capture_output=True)
            if done.returncode:
                failed += 1
                print(f"host {version} failed:", done.stderr.decode("utf-8", "replace").strip().split("\n")[-1])
            else:
                readings[version] = json.loads(done.stdout)
    differing = disagreements(readings)
    files = {name for reading in readings.values() for name in reading if not name.startswith("live ")}
    print(f"{len(readings)} hosts ({', '.join(readings)}) read {len(files)} files of {len(found)} versions:", end=" ")
    print(f"{len(differing)} read differently")
    for line in differing[:20]:
        print(" ", line)
    return 1 if differing or failed else 0


if __name__ == "__main__":
    sys.exit(main())
