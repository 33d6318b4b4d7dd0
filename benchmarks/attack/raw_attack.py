"""Attack depyf with raw mutants: compiled code with a byte or field changed; CPython runs the mutant and its text.

    python benchmarks/attack/raw_attack.py --mutants 2500 --seed 1 -j 2        on every CPython of this machine
    python benchmarks/attack/raw_attack.py --mutants 300 --pythons this        on the running one alone
    python benchmarks/attack/raw_attack.py --pythons 3.12 --show 1:77          one mutant: listings, text, outcome
    python benchmarks/attack/raw_attack.py --pythons 3.12 --show 1:77 --shrink

--mutants is for each version. A mutant is harmful if `depyf.analyze` calls all of it proven and the text does something
else on recording stand-ins: a bug. It is crashed if it is proven and brings the interpreter down, or hangs, or does not
do the same twice. --pythons takes versions, or paths of interpreters. Harmful mutants and others worth a look are
written to --lines as JSON, one in a line. Exit status 1 if one is harmful.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dis
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Dict, List, Tuple

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from attack.raw import judge, mutants, shrink, tables  # type: ignore[import-not-found] # noqa: E402

from depyf.decompiler.bytecode.interpreters import find_interpreter  # noqa: E402
from depyf.decompiler.bytecode.versions import HOSTS  # noqa: E402

CHUNK = 120
TOLD = ("harmful", "crashed", "slow", "broken")


def here(first: int, count: int, seed: int) -> Dict[str, Any]:
    """The mutants of these numbers on the running interpreter: counts, and those worth a look."""
    counts: tables.Counts = {}
    told = []
    made = [one for one in (mutants.mutant(seed, number) for number in range(first, first + count)) if one is not None]
    for one, outcome in zip(made, judge.outcomes(made)):
        tables.count(counts, one.kind, outcome.kind)
        if outcome.kind in TOLD:
            told.append(described(one, outcome))
    return {"version": "{}.{}".format(*sys.version_info[:2]), "counts": counts, "told": told}


def described(one: Any, outcome: Any) -> Dict[str, Any]:
    """A mutant as JSON."""
    return {
        "outcome": outcome.kind, "python": "{}.{}.{}".format(*sys.version_info[:3]), "mutant": one.title,
        "show": f"{one.seed}:{one.number}", "kind": one.kind, "subject": one.source.subject, "levels": outcome.levels,
        "fields": {name: _plain(value) for name, value in one.fields.items()},
        "reason": outcome.reason, "text": outcome.text,
    }  # fmt: skip


def _plain(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else repr(value)


def show(which: str, smaller: bool) -> None:
    seed, number = map(int, which.split(":"))
    one = mutants.mutant(seed, number)
    if one is None:
        print(f"{which}: no mutant")
        return
    if smaller:
        one, outcome = shrink.shrunk(one)
    else:
        (outcome,) = judge.outcomes([one])
    print(one.title, one.fields, "", sep="\n")
    for path in sorted(set(mutants.paths(one.code))):
        code = mutants.part_at(one.code, path)
        before = mutants.part_at(one.source.code, path)
        if smaller or code.co_code != before.co_code or code.co_consts != before.co_consts or code != before:
            print(f"mutant of {code.co_name!r}: {_fields(code)}")
            try:
                dis.dis(code, depth=0)
            except Exception as error:
                print(f"dis: {error!r}")
    print(f"\n{outcome.kind} ({outcome.levels}): {outcome.reason}\n\n{outcome.text}")


def _fields(code: Any) -> str:
    fields = ("argcount", "posonlyargcount", "kwonlyargcount", "flags", "names", "varnames", "cellvars", "freevars")
    return ", ".join(f"{name} {getattr(code, 'co_' + name)}" for name in fields)


def on(python: str, arguments: List[str]) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "1"}
    return subprocess.run([python, __file__, *arguments], env=environment, capture_output=True, check=False)


def interpreters(wanted: List[str]) -> Tuple[Dict[str, str], List[str]]:
    """Interpreters by name, and the names of those that are not on this machine."""
    found: Dict[str, str] = {}
    missing = []
    for name in wanted or ["{}.{}".format(*version) for version in HOSTS]:
        if name == "this":
            found["{}.{}".format(*sys.version_info[:2])] = sys.executable
            continue
        path = name if os.path.exists(name) else find_interpreter((3, int(name.partition(".")[2])))
        if path is None:
            missing.append(name)
        else:
            found[name] = path
    return found, missing


def attack(options: argparse.Namespace) -> Dict[str, tables.Counts]:
    """The counts of each version; those worth a look are written as they come."""
    found, missing = interpreters(options.pythons)
    if missing:
        print(f"not on this machine, and left out: {', '.join(missing)}")
    by_version: Dict[str, tables.Counts] = {}
    last = options.first + options.mutants
    chunks = [(first, min(CHUNK, last - first)) for first in range(options.first, last, CHUNK)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool, open(
        options.lines, "a", encoding="utf-8"
    ) as lines:
        jobs = {
            pool.submit(on, python, ["--here", str(first), str(count), "--seed", str(options.seed)]): (name, first)
            for first, count in chunks
            for name, python in found.items()
        }
        for job in concurrent.futures.as_completed(jobs):
            name, first = jobs[job]
            done = job.result()
            if done.returncode:
                words = done.stderr.decode("utf-8", "replace")[-800:]
                print(f"{name} from {first}: exit status {done.returncode}: {words}")
                continue
            answer = json.loads(done.stdout.decode().splitlines()[-1])
            version = answer["version"]
            by_version[version] = tables.merged([by_version.get(version, {}), answer["counts"]])
            for one in answer["told"]:
                lines.write(json.dumps(one) + "\n")
                if one["outcome"] in ("harmful", "broken"):
                    print(f"{one['outcome'].upper()} on {version}: {one['mutant']}\n  {one['reason']}", flush=True)
            lines.flush()
    return dict(sorted(by_version.items(), key=lambda item: int(item[0].partition(".")[2])))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--mutants", type=int, default=2500, help="for each version (default 2500)")
    parser.add_argument("--first", type=int, default=0, help="number of the first one")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-j", "--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--pythons", nargs="+", default=[], metavar="PYTHON", help="versions or paths (default: all)")
    parser.add_argument("--lines", default=os.devnull, metavar="FILE", help="append harmful and crashed mutants here")
    parser.add_argument("--json", metavar="FILE", help="write the counts there")
    parser.add_argument("--show", metavar="SEED:NUMBER", help="one mutant")
    parser.add_argument("--shrink", action="store_true", help="with --show: made smaller first")
    parser.add_argument("--here", nargs=2, type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        print(json.dumps(here(options.here[0], options.here[1], options.seed)))
        return 0
    if options.show:
        if options.pythons and options.pythons != ["this"]:
            for python in interpreters(options.pythons)[0].values():
                done = on(python, ["--show", options.show, *["--shrink"] * options.shrink])
                print((done.stdout + done.stderr).decode("utf-8", "replace"))
        else:
            show(options.show, options.shrink)
        return 0
    start = time.monotonic()
    by_version = attack(options)
    print(tables.markdown(by_version))
    everything = tables.total(tables.merged(by_version.values()))
    print(f"\n{everything['tried']} mutants in {time.monotonic() - start:.0f} s, {everything['harmful']} harmful")
    if options.json:
        Path(options.json).write_text(json.dumps({"seed": options.seed, "versions": by_version}), encoding="utf-8")
    return 1 if everything["harmful"] or not everything["tried"] else 0


if __name__ == "__main__":
    sys.exit(main())
