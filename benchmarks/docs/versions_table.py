"""Make the table of versions in results/versions.md: each interpreter of this machine reads, and its proof is attacked.

    python benchmarks/docs/versions_table.py            a sample, as the tests run it
    python benchmarks/docs/versions_table.py --full     whole standard libraries, 5000 mutants for each version

Any Python will do to start it. For each of CPython 3.8 to 3.15 that is found it runs, with that interpreter,
dis_witness.py, attack_proof.py, and differential.py twice. Exit code 1 if one of them reports anything.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "benchmarks" / "lib")]

from depyf.decompiler.bytecode.versions import HOSTS  # noqa: E402
from marked_page import put  # noqa: E402

HEAD = (
    "| CPython | code objects read | differences from `dis` | mutants tried | accepted | harmful "
    "| run on the canonical machine | differently | decompiled and run | differently |\n"
    "|---|---|---|---|---|---|---|---|---|---|\n"
)


def measured(name: str, python: str, options: argparse.Namespace) -> tuple[str, bool]:
    """The row of one interpreter, and whether all is well."""
    count = str(options.functions)
    size = ["--full"] if options.full else ["--sample", str(options.files)]
    folder = Path(options.results) / name if options.results else Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    witness = result(folder / "dis.json", python, "measure/dis_witness.py", *size)
    attack = result(folder / "attack.json", python, "attack/attack_proof.py", "--mutants", str(options.mutants))
    machine = result(folder / "machine.json", python, "attack/differential.py", "--count", count, "--machine")
    decompiled = result(folder / "decompiled.json", python, "attack/differential.py", "--count", count)
    accepted = str(attack["accepted"]) + (f" ({attack['not_run']} not run)" if attack["not_run"] else "")
    cells = [
        attack["version"], f"{witness['codes']} in {witness['files']} files", witness["differences"],
        attack["tried"], accepted, attack["harmful"],
        machine["same"] + len(machine["different"]), len(machine["different"]),
        decompiled["same"] + len(decompiled["different"]), len(decompiled["different"]),
    ]  # fmt: skip
    bad = witness["differences"] or attack["harmful"] or machine["different"] or decompiled["different"]
    return "| " + " | ".join(map(str, cells)) + " |\n", not bad


def result(file: Path, python: str, script: str, *arguments: str) -> dict[str, Any]:
    """What a benchmark writes into ``file``, run by another interpreter; as it is if it was written before."""
    if not file.exists():
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        command = [python, str(ROOT / "benchmarks" / script), *arguments, "--json", str(file)]
        subprocess.run(command, env=environment, check=False)
        if not file.exists():
            raise SystemExit(f"{' '.join(command)} gave no result")
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def main() -> int:
    from depyf.decompiler.bytecode.interpreters import find_interpreter

    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--full", action="store_true", help="whole standard libraries")
    parser.add_argument("--mutants", type=int, help="mutants for each version (default 2500, with --full 5000)")
    parser.add_argument("--functions", type=int, help="functions of the library to run (default 200, with --full 1000)")
    parser.add_argument("--files", type=int, default=60, help="files of the library to read (default %(default)s)")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="interpreters to run at the same time")
    parser.add_argument("--versions", nargs="+", help="only these, such as 3.8 3.15")
    parser.add_argument("--results", help="keep results in this folder, and use those that are there: to go on later")
    parser.add_argument("--dry", action="store_true", help="print the table, leave results/versions.md alone")
    options = parser.parse_args()
    options.mutants = options.mutants or (5000 if options.full else 2500)
    options.functions = options.functions or (1000 if options.full else 200)
    names = {f"{version[0]}.{version[1]}": version for version in HOSTS}

    def row_of(name: str) -> tuple[str, bool]:
        python = find_interpreter(names[name])
        if python is None:
            return f"| {name} | no such interpreter here |" + " |" * 8 + "\n", True
        return measured(name, python, options)

    with ThreadPoolExecutor(options.jobs) as pool:
        found = list(pool.map(row_of, options.versions or names))
    rows = "".join(row for row, _ in found)
    print(HEAD + rows)
    if not options.dry and not options.versions:
        put(ROOT / "benchmarks" / "results" / "versions.md", "versions", HEAD + rows)
    return 0 if all(good for _, good in found) else 1


if __name__ == "__main__":
    sys.exit(main())
