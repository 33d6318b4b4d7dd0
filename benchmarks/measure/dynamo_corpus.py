"""What depyf makes of the code that Dynamo was recorded to make (tests/cases/dynamo): one command, one table.

    python benchmarks/measure/dynamo_corpus.py                     what was recorded on the running Python
    python benchmarks/measure/dynamo_corpus.py --all               on every CPython of this machine, one after the other
    python benchmarks/measure/dynamo_corpus.py --all --sample 100  some of each
    python benchmarks/measure/dynamo_corpus.py --all --peer /environments/of/depyf-0.20/*/bin/python

For each torch and Python: how many distinct codes, how many are proven and in which form, how many are
refused, how many are wrong (proven, but what they do to recording stand-ins differs), reports of values that live
longer, and assumptions. ``--peer`` runs an earlier depyf, one interpreter that has it for each Python, on the same
codes: whether it gives text, whether that compiles alone, and whether the code made of it to replace the original does
the same on the stand-ins. Exit status 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "benchmarks" / "lib"), str(Path(__file__).resolve().parent)]
if "--peer-part" not in sys.argv:
    sys.path.insert(0, str(ROOT / "src"))

import recorded_dynamo  # type: ignore[import-not-found]  # noqa: E402
import standins  # type: ignore[import-not-found]  # noqa: E402

import dynamo_statements  # noqa: E402
from marked_page import put  # noqa: E402

Row = Dict[str, Any]
LADDER = (
    "structured", "one-trip loop", "tail duplication", "loop rotation", "events", "nested blocks", "state variable",
    "dispatch loop",
)  # fmt: skip
LAST = LADDER[-1]
"""The form that only codes with irreducible loops should need."""


def measure(case: recorded_dynamo.Case, seeds: int) -> Row:
    """What depyf makes of one code."""
    from depyf.decompiler.proof.symbolic.prove import UNSEEN
    from depyf.decompiler.recompile import recompile
    from depyf.errors import DepyfError

    row: Row = {"proven": False, "form": "refused", "reasons": [], "held": 0, "assumptions": [], "same": None,
                "statements": None}  # fmt: skip
    try:
        result = recorded_dynamo.analyze(case.code)
        parts = list(result.walk())
        row["reasons"] = [reason for part in parts if not part.verdict.proven for reason in part.verdict.reasons]
        row["held"] = sum(len(getattr(part.verdict, "held", ())) for part in parts)
        row["assumptions"] = sorted({words for part in parts for words in part.verdict.assumptions} - {UNSEEN})
        row["proven"] = result.proven
        if not row["proven"]:
            return row
        forms = {part.form for part in parts}
        row["form"] = max(forms, key=lambda form: LADDER.index(form) if form in LADDER else len(LADDER))
        code = recompile(result.source, case.code, "<decompiled>")
    except DepyfError as error:
        return {**row, "reasons": [f"{type(error).__name__}: {error}"], "proven": False}
    except Exception as error:  # no other exception may leave depyf: counted, not hidden
        return {**row, "reasons": [f"CRASH {type(error).__name__}: {error}"], "proven": False}
    row["statements"] = dynamo_statements.statements(result.source)
    row["same"] = all(standins.run(case.code, seed) == standins.run(code, seed) for seed in range(seeds))
    return row


def measure_peer(case: recorded_dynamo.Case, seeds: int) -> Row:
    """What the depyf that this interpreter has installed makes of one code."""
    from depyf.decompiler import Decompiler  # type: ignore[import-not-found,unused-ignore]

    row: Row = {"text": False, "compiles": False, "substituted": False, "same": False, "statements": None}
    try:
        text = Decompiler(case.code).decompile()
        row["text"] = True
        try:
            compile(text, "<decompiled>", "exec", dont_inherit=True)
            row["compiles"] = True
        except (SyntaxError, ValueError):
            pass
        code = Decompiler.decompile_and_compile_like(code_to_decompile=case.code, reference_code=case.code)
        row["substituted"] = True
        row["same"] = all(standins.run(case.code, seed) == standins.run(code, seed) for seed in range(seeds))
        row["statements"] = dynamo_statements.statements(text)
    except BaseException as error:
        row["error"] = f"{type(error).__name__}: {error}"[:200]
    return row


def part(options: argparse.Namespace, measured: Callable[[recorded_dynamo.Case, int], Row]) -> List[Row]:
    """The rows of the running Python: one for each function that was recorded, ``first`` the first with its code."""
    sample = recorded_dynamo.cases(sample=options.sample)
    chosen = {id(case.code): case for case in sample}
    rows: List[Row] = []
    done: Dict[int, Row] = {}
    for path in recorded_dynamo.recordings():
        for case in recorded_dynamo.all_rows(path):
            if id(case.code) not in chosen:
                continue
            first = id(case.code) not in done
            if first:
                start = time.perf_counter()
                done[id(case.code)] = measured(case, options.seeds)
                done[id(case.code)]["seconds"] = time.perf_counter() - start
            place = {key: getattr(case, key) for key in ("label", "program", "torch", "kind", "function", "line")}
            rows.append({**place, "python": recorded_dynamo.HERE, "first": first, **done[id(case.code)]})
    return rows


def in_process(python: str, options: argparse.Namespace, kind: str) -> List[Row]:
    """The rows of another interpreter; none, and a line of words, if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.json")
        command = [python, str(Path(__file__).resolve()), kind, "--json", path, "--seeds", str(options.seeds)]
        if options.sample is not None:
            command += ["--sample", str(options.sample)]
        status = subprocess.call(command, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        if status or not os.path.exists(path):
            print(f"{python}: failed with status {status}")
            return []
        rows: List[Row] = json.loads(Path(path).read_text(encoding="utf-8"))
        return rows


def share(count: int, of: int) -> str:
    return f"{count} ({100 * count / of:.1f} %)" if of else "0"


def table(head: List[str], lines: List[List[str]]) -> str:
    widths = [max(len(line[column]) for line in [head, *lines]) for column in range(len(head))]
    rows = [head, ["-" * width for width in widths], *lines]
    return "\n".join("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in rows)


def groups(rows: List[Row]) -> Dict[str, List[Row]]:
    """Distinct codes by torch and Python, and all of them."""
    found: Dict[str, List[Row]] = collections.defaultdict(list)
    for row in rows:
        if row["first"]:
            python = row["python"].replace("py3", "3.")
            found[f"torch {row['torch']} / {python}"].append(row)
    by_numbers = sorted(found.items(), key=lambda item: [int(part) for part in re.findall(r"\d+", item[0])])
    return {**dict(by_numbers), "all": [row for row in rows if row["first"]]}


def corpus_table(rows: List[Row]) -> str:
    lines = []
    for name, codes in groups(rows).items():
        forms = collections.Counter(row["form"] for row in codes if row["proven"])
        order = sorted(forms, key=lambda form: LADDER.index(form) if form in LADDER else len(LADDER))
        proven = [row for row in codes if row["proven"]]
        lines.append([
            name, str(len(codes)), str(sum(row["kind"] == "resume" for row in codes)), share(len(proven), len(codes)),
            ", ".join(f"{form} {forms[form]}" for form in order),
            share(len(proven) - forms[LAST], len(codes)), str(len(codes) - len(proven)),
            str(sum(not row["same"] for row in proven)), share(sum(row["same"] for row in proven), len(proven)),
            str(sum(bool(row["held"]) for row in proven)), str(sum(bool(row["assumptions"]) for row in proven)),
            f"{1000 * sum(row['seconds'] for row in codes) / max(1, len(codes)):.0f}",
        ])  # fmt: skip
    head = ["corpus", "codes", "resume", "proven", "form", f"without {LAST}", "refused", "wrong", "stand-ins agree",
            "held longer", "assuming", "ms a code"]  # fmt: skip
    return table(head, lines)


def reasons(rows: List[Row], most: int) -> str:
    """Why codes are refused, each reason without what is the code's own, the most frequent first."""
    counted: Dict[str, List[Row]] = collections.defaultdict(list)
    for row in rows:
        if row["first"] and not row["proven"]:
            text = (row["reasons"] or ["no reason"])[0].splitlines()[0]
            counted[re.sub(r"`[^`]*`|'[^']*'|<[^>]*>|\d+|\S*\.?<locals>\S*|\S*resume_in\S*", "..", text)[:110]].append(
                row
            )
    order = sorted(counted.items(), key=lambda item: -len(item[1]))
    lines = [f"  {len(found):5} {reason} (such as {found[0]['label']} {found[0]['python']})" for reason, found in order]
    more = [f"  and {len(lines) - most} more reasons"] if len(lines) > most else []
    return "\n".join([f"refused for {len(lines)} reasons:", *lines[:most], *more]) if lines else "none refused"


def assumed(rows: List[Row]) -> str:
    counted = collections.Counter(words for row in rows if row["first"] for words in row["assumptions"])
    return "assumed: " + (", ".join(f"{words} ({count})" for words, count in counted.most_common()) or "nothing")


def peer_table(rows: List[Row]) -> str:
    lines = []
    for name, codes in groups(rows).items():
        counts = [
            share(sum(row[what] for row in codes), len(codes)) for what in ("text", "compiles", "substituted", "same")
        ]
        lines.append([name, str(len(codes)), *counts])
    return table(
        ["corpus (earlier depyf)", "codes", "text", "compiles alone", "substitute made", "right on stand-ins"], lines
    )


def parse_arguments(arguments: Optional[List[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--all", action="store_true", help="on every CPython that is found")
    parser.add_argument("--only", nargs="+", metavar="VERSION", help="of these, such as 3.8")
    parser.add_argument("--sample", type=int, help="so many codes of each torch (default: all)")
    parser.add_argument("--seeds", type=int, default=8, help="runs on stand-ins (default %(default)s)")
    parser.add_argument("--peer", nargs="+", metavar="PYTHON", default=[], help="interpreters with an earlier depyf")
    parser.add_argument("--show", type=int, default=12, help="reasons shown (default %(default)s)")
    parser.add_argument("--wrong", action="store_true", help="list the labels of what is wrong, refused or held longer")
    parser.add_argument("--json", metavar="FILE", help="write the rows there")
    parser.add_argument("--rows", nargs="+", metavar="FILE", help="measure nothing: such rows, of several runs")
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the tables into such a page: results/dynamo.md")
    parser.add_argument("--part", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--peer-part", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def measured_rows(options: argparse.Namespace) -> List[Row]:
    if not options.all and not options.only:
        return part(options, measure)
    from depyf.decompiler.bytecode.interpreters import find_interpreter
    from depyf.decompiler.bytecode.versions import HOSTS

    rows: List[Row] = []
    for major, minor in HOSTS:
        python = find_interpreter((major, minor)) if recorded_dynamo.recordings(f"py{major}{minor}") else None
        if python is not None and (not options.only or f"{major}.{minor}" in options.only):
            rows += in_process(python, options, "--part")
    return rows


def labels(rows: List[Row]) -> str:
    """All codes that are not as they should be."""
    first = [row for row in rows if row["first"]]
    kinds = {
        "wrong": [row for row in first if row["proven"] and not row["same"]],
        "refused": [row for row in first if not row["proven"]],
        "held longer": [row for row in first if row["proven"] and row["held"]],
    }
    lines = []
    for what, found in kinds.items():
        lines += [f"{what}:", *[f"  {row['python']} {row['label']}: {'; '.join(row['reasons'])}" for row in found]]
    return "\n".join(lines)


def main(arguments: Optional[List[str]] = None) -> int:
    options = parse_arguments(arguments)
    if options.part or options.peer_part:
        rows = part(options, measure_peer if options.peer_part else measure)
        Path(options.json).write_text(json.dumps(rows), encoding="utf-8")
        return 0
    if options.rows:
        saved = [json.loads(Path(path).read_text(encoding="utf-8")) for path in options.rows]
        rows = [row for one in saved for row in one["rows"]]
        peers = [row for one in saved for row in one["peers"]]
    else:
        rows = measured_rows(options)
        peers = [row for python in options.peer for row in in_process(python, options, "--peer-part")]
    if options.json:
        Path(options.json).write_text(json.dumps({"rows": rows, "peers": peers}), encoding="utf-8")
    short = f"```\n{dynamo_statements.report(rows)}\n```"
    texts = [corpus_table(rows), reasons(rows, options.show), assumed(rows), short]
    if peers:
        texts += ["An earlier depyf:", peer_table(peers), f"```\n{dynamo_statements.report(peers)}\n```"]
    if options.wrong:
        texts.append(labels(rows))
    print("\n\n".join(texts))
    if options.write:
        put(options.write, "corpus", "\n\n".join(texts))
    wrong = [row for row in rows if row["first"] and row["proven"] and not row["same"]]
    crashed = [row for row in rows if any(reason.startswith("CRASH") for reason in row["reasons"])]
    print(f"\n{len(wrong)} wrong, {len(crashed)} crashed")
    return 1 if wrong or crashed else 0


if __name__ == "__main__":
    sys.exit(main())
