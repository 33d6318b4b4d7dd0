"""Decompile packages that ask for Python 3.12 or later: what people write who need not think of older ones.

    python benchmarks/measure/new_packages.py FOLDER --sample 400 -j 2
    python benchmarks/measure/new_packages.py FOLDER --versions 3.15 --sample 100000

The newest release of each of twenty packages is downloaded into FOLDER, unless it is there already, and a sample of
their files, the same for each, decompiled by each CPython (roundtrip.py, which measures it). Prints a row for each
version, and everything that is not proven. Exit code 1 if anything is wrong, crashes or is refused.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Iterable

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

import packages

HERE = Path(__file__).resolve().parent
VERSIONS = "3.12,3.13,3.14,3.15"


def measured(python: str, files: list[str], jobs: int) -> dict[str, Any]:
    """The counts and rows of roundtrip.py for ``files``, by that interpreter."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder, "result.json")
        command = [python, str(HERE / "roundtrip.py"), *files, "--json", str(result), "-j", str(jobs)]
        variables = {**os.environ, "PYTHONPATH": str(HERE.parents[1] / "src")}
        subprocess.run([*command, "--limit", "600"], stdout=subprocess.DEVNULL, env=variables)
        found: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
        return found


def row(version: str, found: dict[str, Any]) -> str:
    """A line of the table in benchmarks/results/standard-library.md."""
    counts, files = found["counts"], {one["file"] for one in found["rows"]}
    everything = sum(counts.values())
    exact = 100 * (counts["identical"] + counts["exact"]) / max(1, everything)
    identical = 100 * counts["identical"] / max(1, everything)
    cells = [version, f"{len(files):,}", f"{everything:,}", f"{identical:.2f} %", f"{exact:.2f} %"]
    cells += [str(counts[name]) for name in ("equivalent", "refused", "unproven", "wrong", "crash")]
    return "| " + " | ".join(cells) + " |"


def main(arguments: Iterable[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path, help="where the packages are, or are put")
    parser.add_argument("--versions", default=VERSIONS, help="(default %(default)s)")
    parser.add_argument("--sample", type=int, default=400, metavar="N", help="files (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="which files (default 1)")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="processes (default 1)")
    options = parser.parse_args(list(arguments) if arguments is not None else None)
    from depyf.decompiler.bytecode.interpreters import find_interpreter

    packages.download(packages.NEW, options.folder, packages.NEWEST)
    older = [name for name in packages.NEW if not asks_for_new(packages.requires(name, options.folder))]
    if older:
        parser.error(f"these run on an older Python: {', '.join(older)}")
    files = packages.files_of(packages.NEW, options.folder, options.sample, options.seed)
    bad = 0
    for version in options.versions.split(","):
        major, _, minor = version.partition(".")
        python = find_interpreter((int(major), int(minor)))
        if python is None:
            parser.error(f"no CPython {version} is found here (DEPYF_PYTHONS names more folders to look in)")
        found = measured(python, files, options.jobs)
        print(row(version, found), flush=True)
        for one in found["rows"]:
            if one["outcome"] in ("refused", "unproven", "wrong", "crash"):
                bad += 1
                print(f"    {one['outcome']}  {one['file']}: {one['qualname']}\n        {one['reason']}")
    return 1 if bad else 0


def asks_for_new(requirement: str) -> bool:
    """Whether a Requires-Python, such as '>=3.12,<4', leaves out 3.11."""
    parts = [part.strip() for part in requirement.split(",")]
    lowest = [part[2:].strip().split(".")[:2] for part in parts if part.startswith(">=")]
    return any((int(major), int(minor)) >= (3, 12) for major, minor in lowest)


if __name__ == "__main__":
    sys.exit(main())
