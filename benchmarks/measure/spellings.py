"""What the search for better spellings tries and finds: each kind of change, in how many code objects.

    python benchmarks/measure/spellings.py --stdlib --sample 150 -j 2
    python benchmarks/measure/spellings.py --stdlib --sample 150 --strip --save 3.13-strip.json
    python benchmarks/measure/spellings.py --stdlib --sample 150 --made     trees without positions, compiled
    python benchmarks/measure/spellings.py --dynamo                         what Dynamo was recorded to make
    python benchmarks/measure/spellings.py --table *.json --write

A row has a kind, in how many code objects it was tried, and in how many it is part of the spelling that was found.
``--show N`` names found ones. A kind that is never found can go. ``--save`` keeps the numbers; ``--table`` adds up
files of several Pythons, and ``--write`` puts that into benchmarks/results/spellings.md.
"""

from __future__ import annotations

import argparse
import ast
import collections
import functools
import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any, Dict, List

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "benchmarks" / "lib"), str(ROOT / "tests")]

import workers  # noqa: E402
from marked_page import put  # noqa: E402
from roundtrip import Item, add_file_options, chosen_files, compile_item, read, strip  # noqa: E402

LEVELS = ("proven", "exact", "identical")
PAGE = ROOT / "benchmarks" / "results" / "spellings.md"
OF = {"compiled": "as compiled", "stripped": "without line tables", "made": "made by a tool", "dynamo": "Dynamo's"}
"""What was measured, and the head of its column."""
Numbers = Dict[str, Any]


def rows(result: Any) -> List[Numbers]:
    """What each code object became, and what was searched for it."""
    found = []
    for part in result.walk():
        row: Numbers = {"name": part.qualname, "level": [bool(getattr(part.verdict, level)) for level in LEVELS]}
        search = part.search
        if search is not None:
            row["texts"], row["tried"] = search.texts, dict(search.tried)
            row["found"] = [{"kind": one.kind, "line": one.line} for one in search.found]
        found.append(row)
    return found


def measure(path: str, stripped: bool = False, made: bool = False) -> Numbers:
    """The rows of one file, and the seconds it took."""
    from depyf.decompiler.pipeline import analyze

    warnings.simplefilter("ignore")
    source = read(Item(path))
    code = compile_item(Item(path), source)
    if code is None:
        return {"rows": [], "seconds": 0.0}
    if made:
        code = compile(without_positions(ast.parse(source)), path, "exec", dont_inherit=True)
    if stripped:
        code = strip(code)
    start = time.process_time()
    result = analyze(code)
    return {"rows": rows(result), "seconds": time.process_time() - start}


def without_positions(tree: ast.Module) -> ast.Module:
    """The tree as a tool makes it, which leaves the positions to `ast.fix_missing_locations`."""
    for node in ast.walk(tree):
        for field in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
            if hasattr(node, field):
                delattr(node, field)
    return ast.fix_missing_locations(tree)


def of_dynamo(label: str) -> Numbers:
    """The rows of one code object that Dynamo was recorded to make."""
    import recorded_dynamo  # type: ignore[import-not-found]

    start = time.process_time()
    result = recorded_dynamo.analyze(recorded_dynamo.case_of(label).code)
    return {"rows": rows(result), "seconds": time.process_time() - start}


def summary(files: Dict[str, Numbers]) -> Numbers:
    """The numbers of the table."""
    tried: collections.Counter[str] = collections.Counter()
    found: collections.Counter[str] = collections.Counter()
    total: collections.Counter[str] = collections.Counter()
    for numbers in files.values():
        total["seconds"] += numbers["seconds"]
        for row in numbers["rows"]:
            total["objects"] += 1
            total["identical"] += row["level"][2]
            if "tried" in row:
                total["searched"] += 1
                total["texts"] += row["texts"]
                total["found"] += bool(row["found"])
                tried.update(row["tried"].keys())
                found.update({one["kind"] for one in row["found"]})
    return {"tried": tried, "found": found, "total": total}


def table(parts: List[Numbers]) -> str:
    """A row for each kind: in how many code objects it was tried, and found in those of each sort."""
    from depyf.decompiler.surface_forms.kinds import KINDS

    tried: collections.Counter[str] = collections.Counter()
    found: Dict[str, collections.Counter[str]] = {of: collections.Counter() for of in OF}
    for part in parts:
        tried.update(part["tried"])
        found[part["of"]].update(part["found"])
    head = f"| kind | what it makes | tried in | found: {' | '.join(OF.values())} |"
    lines = [head, "|---|---|---|" + "---|" * len(OF)]
    for kind, what in KINDS.items():
        lines.append(f"| `{kind}` | {what} | {tried[kind]} | {' | '.join(str(one[kind]) for one in found.values())} |")
    return "\n".join(lines)


def measured(parts: List[Numbers]) -> str:
    """Which code the numbers are of."""
    lines = ["| CPython | | code objects | searched | better spelling found |", "|---|---|---|---|---|"]
    for part in parts:
        total: collections.Counter[str] = collections.Counter(part["total"])
        numbers = " | ".join(str(total[name]) for name in ("objects", "searched", "found"))
        lines.append(f"| {part['python']} | {OF[part['of']]} | {numbers} |")
    return "\n".join(lines)


def main(arguments: List[str] | None = None) -> int:
    """Exit status 1 if a file could not be measured."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_file_options(parser)
    parser.add_argument("--strip", action="store_true", help="take the line tables away")
    parser.add_argument("--made", action="store_true", help="compile trees without positions")
    parser.add_argument("--dynamo", action="store_true", help="what Dynamo was recorded to make on this Python")
    parser.add_argument("--table", nargs="+", metavar="FILE", help="add up what was saved")
    parser.add_argument("--write", action="store_true", help="put what --table adds up into results/spellings.md")
    parser.add_argument("--save", metavar="FILE", help="keep the numbers")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="processes (default 1)")
    parser.add_argument("--limit", type=float, default=600, help="seconds per item (default 600)")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="code objects to name for each kind found")
    options = parser.parse_args(arguments)
    if options.table:
        parts = [json.loads(Path(name).read_text(encoding="utf-8"))["summary"] for name in options.table]
    else:
        if options.dynamo:
            import recorded_dynamo

            work: Any = of_dynamo
            items = [case.label for case in recorded_dynamo.cases(sample=options.sample)]
        else:
            work = functools.partial(measure, stripped=options.strip, made=options.made)
            items = chosen_files(options)
        files: Dict[str, Numbers] = {}
        for answer in workers.run(work, items, processes=options.jobs, limit=options.limit):
            if answer.failure:
                print(f"{answer.item}: {answer.failure}")
            else:
                files[answer.item] = answer.value
        shown: collections.Counter[str] = collections.Counter()
        for path, numbers in files.items():
            for row in numbers["rows"]:
                for one in row.get("found", ()):
                    shown[one["kind"]] += 1
                    if shown[one["kind"]] <= options.show:
                        print(f"{one['kind']}: {path}: {row['name']}, line {one['line']}")
        of = "dynamo" if options.dynamo else "made" if options.made else "stripped" if options.strip else "compiled"
        parts = [{**summary(files), "of": of, "python": sys.version.split()[0]}]
        print(f"{len(files)} items, CPython {sys.version.split()[0]}: {dict(parts[0]['total'])}\n")
        if options.save:
            Path(options.save).write_text(json.dumps({"summary": parts[0], "files": files}), encoding="utf-8")
    print(table(parts))
    if options.table and options.write:
        put(PAGE, "spellings", f"{table(parts)}\n\n{measured(parts)}")
    return 0 if options.table else int(len(files) < len(items))


if __name__ == "__main__":
    sys.exit(main())
