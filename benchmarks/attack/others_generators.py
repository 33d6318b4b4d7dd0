"""Modules that other people's generators and rewriting tools make, decompiled with proof by each CPython.

    python benchmarks/attack/others_generators.py FOLDER --count 200                 three generators, 3.11 to 3.15
    python benchmarks/attack/others_generators.py FOLDER --count 2000 --write benchmarks/results/fuzzing.md
    python benchmarks/attack/others_generators.py FOLDER --only astcd pof --versions 3.13 --count 50
    python benchmarks/attack/others_generators.py FOLDER --reuse --smallest 5        what was refused, made small

The generators are installed from PyPI into environments in FOLDER and save their modules there, for each version its
own; those that are there are used again. Where a generator does not run on a version, a later one makes the modules,
and those that the version compiles are measured. roundtrip.py counts code objects. Exit status 1 if one is wrong,
unproven or crashes, or more than --refused percent are refused.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any, NamedTuple

BENCHMARKS = Path(__file__).resolve().parents[1]
SOURCE = BENCHMARKS.parent / "src"
sys.path[:0] = [str(SOURCE), *(str(BENCHMARKS / folder) for folder in ("lib", "measure"))]

import generated_code  # noqa: E402
from depyf.decompiler.bytecode.interpreters import find_interpreter  # noqa: E402
from marked_page import put  # noqa: E402
from others_modules import GENERATORS  # noqa: E402

VERSIONS = ("3.11", "3.12", "3.13", "3.14", "3.15")
THREE = ("pychd-pyfuzz", "pysource-codegen", "hypothesmith")
MINIMIZER = "pysource-minimize"
REGION = "modules of other people's generators"
HEAD = (
    "generator", "CPython", "modules", "code objects", "exact or identical", "equivalent", "refused", "unproven",
    "wrong", "crash",
)  # fmt: skip


class Measured(NamedTuple):
    """The modules of one generator on one version."""

    name: str
    version: str
    rows: list[dict[str, Any]]

    def row(self) -> str:
        found = collections.Counter(row["outcome"] for row in self.rows)
        share = f"{found['refused']} ({100 * found['refused'] / max(1, len(self.rows)):.2f} %)"
        cells = [self.name, self.version, len({row["file"] for row in self.rows}), len(self.rows)]
        cells += [found["identical"] + found["exact"], found["equivalent"], share if found["refused"] else 0]
        return f"| {' | '.join(map(str, [*cells, *(found[one] for one in ('unproven', 'wrong', 'crash'))]))} |"

    def is_bad(self, allowed: float) -> bool:
        found = collections.Counter(row["outcome"] for row in self.rows)
        return bool(found["unproven"] + found["wrong"] + found["crash"]) or found["refused"] > allowed * len(self.rows)


def python_of(version: str) -> str:
    major, _, minor = version.partition(".")
    found = find_interpreter((int(major), int(minor)))
    if found is None:
        raise SystemExit(f"no CPython {version} is found here (DEPYF_PYTHONS names more folders to look in)")
    return found


def modules(folder: Path, name: str, version: str, first: int, count: int) -> list[Path]:
    """``count`` modules of a generator for a version, from number ``first`` on, made if fewer are there."""
    there = folder / name / version

    def found() -> list[Path]:
        return sorted(file for file in there.glob("*.py") if first <= int(file.stem) < first + count)

    made = there / f"all of {first} to {first + count - 1}"
    if len(found()) < count and not made.exists():
        generator = GENERATORS[name]
        oldest = "{}.{}".format(*generator.oldest)
        by = version if tuple(map(int, version.split("."))) >= generator.oldest else oldest
        python = python_of(by)
        if generator.packages:
            python = generated_code.environment(python, folder / f"{name}-{by}", generator.packages)
        script = str(BENCHMARKS / "lib" / "others_modules.py")
        variables = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": ""}
        command = [python, "-W", "ignore", script, name, version, str(first), str(count), str(there)]
        done = subprocess.run(command, check=False, capture_output=True, text=True, env=variables)
        if done.returncode:
            raise SystemExit(f"{name} fails on {by}: {done.stderr[-2000:]}")
        made.touch()  # what a tool can't rewrite is missing
    return found()


def measure(folder: Path, name: str, version: str, options: argparse.Namespace) -> Measured:
    out = folder / f"{name}-{version}.json"
    if not options.reuse:
        paths = modules(folder, name, version, options.first, options.count)
        roundtrip(list(map(str, paths)), version, out, options.jobs)
    return Measured(name, version, json.loads(out.read_text(encoding="utf-8"))["rows"])


def roundtrip(paths: list[str], version: str, out: Path, jobs: int) -> None:
    script = str(BENCHMARKS / "measure" / "roundtrip.py")
    command = [python_of(version), script, *paths, "--json", str(out), "-j", str(jobs), "--slowest", "0"]
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": str(SOURCE)})


def refusals(text: str) -> dict[str, str]:
    """What of a module is not proven: the kind of each reason, and one of them."""
    from depyf import analyze

    try:
        code = compile(text, "<module>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    parts = [part for part in analyze(code).walk() if not part.verdict.proven]
    reasons = [part.verdict.reasons[0] for part in parts]
    return {kind_of(reason): reason for reason in reasons}


def kind_of(reason: str) -> str:
    """The reason without lines, numbers and names."""
    return re.sub(r"at (the )?lines? \d+|`[^`]*`|'[^']*'|\w*\d\w*", "", reason)[:60]


def make_small(paths: list[str]) -> None:
    """Print each module's smallest part that is refused for a reason of the same kind; in an environment."""
    import pysource_minimize  # type: ignore[import-not-found]

    warnings.simplefilter("ignore")
    for path in paths:
        text = Path(path).read_text(encoding="utf-8")
        kinds = set(refusals(text))
        small = pysource_minimize.minimize(text, lambda one, kinds=kinds: not kinds.isdisjoint(refusals(one)))
        print(f"##### {path}\n{small}\n----- {'; '.join(refusals(small).values())[:300]}", flush=True)


def smallest(folder: Path, one: Measured, most: int) -> None:
    """`make_small` of modules that have different reasons, by the interpreter that refused them."""
    chosen = {row["reason"][:50]: row["file"] for row in one.rows if row["outcome"] in ("refused", "unproven", "crash")}
    paths = sorted({*list(chosen.values())[:most]})
    if not paths:
        return
    python = generated_code.environment(python_of(one.version), folder / f"{MINIMIZER}-{one.version}", [MINIMIZER])
    subprocess.run([python, __file__, str(folder), "--make-small", *paths], check=False)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="of environments and modules")
    parser.add_argument("--count", type=int, default=200, help="modules of each generator and version (default 200)")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="number of the first of them (default 0)")
    parser.add_argument("--only", nargs="*", choices=list(GENERATORS), default=list(THREE), help="generators")
    parser.add_argument("--versions", nargs="*", default=list(VERSIONS), help="of CPython (default 3.11 to 3.15)")
    parser.add_argument("--refused", type=float, default=0.1, metavar="PERCENT", help="allowed (default 0.1)")
    parser.add_argument("--reuse", action="store_true", help="the figures that are in FOLDER, no others")
    parser.add_argument("--smallest", type=int, default=0, metavar="N", help="make N refused modules small")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the table into this page")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="processes (default 1)")
    parser.add_argument("--make-small", nargs="*", metavar="FILE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make_small:
        make_small(options.make_small)
        return 0
    found: list[Measured] = []
    lines = [f"| {' | '.join(HEAD)} |", "|" + "---|" * len(HEAD)]
    print("\n".join(lines), flush=True)
    for name in options.only:
        for version in options.versions:
            if options.reuse and not (options.folder / f"{name}-{version}.json").exists():
                continue
            found.append(measure(options.folder, name, version, options))
            lines.append(found[-1].row())
            print(lines[-1], flush=True)
    for one in found if options.smallest else ():
        smallest(options.folder, one, options.smallest)
    if options.write:
        put(options.write, REGION, "\n".join(lines))
    return int(any(one.is_bad(options.refused / 100) for one in found))


if __name__ == "__main__":
    sys.exit(main())
