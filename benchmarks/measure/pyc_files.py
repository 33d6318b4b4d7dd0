"""Decompile the .pyc files of another Python, and let that Python compile what comes out.

    python benchmarks/measure/pyc_files.py 3.7 --tests -j 2
    python benchmarks/measure/pyc_files.py 3.14 --sample 50

The CPython of that version (found as depyf finds it) compiles its own standard library into .pyc files. The running
Python, which can't load them, decompiles them with their proofs. Then that CPython compiles every text.

Exit code 1 if a text does not compile, or a file failed as a whole.
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

import hosts
import workers

COMPILE = """
import json, os, sys, warnings
warnings.simplefilter("ignore")
failed = []
for name in sorted(os.listdir(sys.argv[1])):
    if name.endswith(".py"):
        try:
            with open(os.path.join(sys.argv[1], name), "rb") as file:
                compile(file.read(), name, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            failed.append("%s: %s" % (name, error))
json.dump(failed, sys.stdout)
"""
"""Runs in the other Python: says of the texts in a folder which it can't compile."""


class Decompiled(NamedTuple):
    """How many code objects of a file are exact, equivalent and so on, and the first reason for what is not proven."""

    levels: dict[str, int]
    reason: str


def work(path: str) -> Decompiled:
    """Decompile one .pyc file; the text is written beside it."""
    from depyf.decompiler.bytecode import read_pyc
    from depyf.decompiler.pipeline import analyze

    result = analyze(read_pyc(path))
    with open(path[:-1], "w", encoding="utf-8", errors="surrogatepass", newline="\n") as file:
        file.write(result.source)
    parts = list(result.walk())
    reasons = [f"{one.qualname}: {one.verdict.reasons[0]}" for one in parts if not one.verdict.proven]
    return Decompiled(collections.Counter(one.verdict.level.value for one in parts), reasons[0] if reasons else "")


def main(arguments: Iterable[str] | None = None) -> int:
    """Print the figures; the exit code is 1 if a text does not compile or a file failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("version", help="such as 3.7")
    parser.add_argument("--tests", action="store_true", help="with the tests of its library")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="only N files, chosen at random")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (default 1)")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="processes (default 1)")
    options = parser.parse_args(list(arguments) if arguments is not None else None)
    from depyf.decompiler.bytecode.interpreters import find_interpreter

    major, _, minor = options.version.partition(".")
    python = find_interpreter((int(major), int(minor))) if (major + minor).isdigit() else None
    if python is None:
        parser.error(f"no CPython {options.version} is found here (DEPYF_PYTHONS names more folders to look in)")
    levels: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        numbers = (str(options.sample), str(options.seed), str(options.tests))
        subprocess.run([python, "-c", hosts.COMPILE, folder, *numbers], check=True)
        paths = sorted(map(str, Path(folder).glob("*.pyc")))
        bad = []
        for answer in workers.run(work, paths, processes=options.jobs, limit=120):
            if answer.failure:
                bad.append(f"{answer.item}: {answer.failure}")
            else:
                levels.update(answer.value.levels)
                bad += [answer.value.reason] if answer.value.reason else []
        texts = len(list(Path(folder).glob("*.py")))
        done = subprocess.run([python, "-c", COMPILE, folder], check=True, stdout=subprocess.PIPE)
    failed = json.loads(done.stdout)
    good = texts - len(failed)
    print(f"{len(paths)} .pyc files of {options.version}, read by {sys.version.split()[0]}")
    print(", ".join(f"{level} {number}" for level, number in levels.most_common()))
    print(f"{options.version} compiles {good} of {len(paths)} texts, {100 * good / max(1, len(paths)):.2f} %")
    for line in [*bad, *failed]:
        print(" ", line)
    return 0 if good == len(paths) else 1


if __name__ == "__main__":
    sys.exit(main())
