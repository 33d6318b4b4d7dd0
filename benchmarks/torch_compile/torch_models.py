"""Real models with and without depyf: equal results, nothing that torch names missing, and what it costs.

    python benchmarks/torch_compile/torch_models.py                                all whose packages are here, on eager
    python benchmarks/torch_compile/torch_models.py --models bert gpt2 --backend inductor     some
    python benchmarks/torch_compile/torch_models.py --python A/bin/python          another interpreter with a torch
    python benchmarks/torch_compile/torch_models.py --pairs 5                      five pairs of timed runs
    python benchmarks/torch_compile/torch_models.py --list                         the models, a sentence each

Models of transformers, timm, torchvision, diffusers and of torch alone, with random weights (tests/real_models). Every
run is a process of its own with empty caches of Inductor. The first is without depyf: torch's structured trace, its
log of skipped frames and its counters say which breaks, recompilations, failures and skips there are. Then come pairs
of timed runs, one without and one under ``prepare_debug``; with ``--pairs 0`` nothing is timed, and there is one run
under it. Compared are results, bit by bit, and Dynamo's counts, of all runs. Where results differ, there is a
second run without depyf: on a GPU, torch alone may vary. Everything that torch named has to be in the model of the
recording and in the index of the dump: by reason, compilation and place.

Skips of functions of torch's own files and of Python's library are no part of a dump, and are not counted. CPU is the
processor's seconds of the process and of what it starts, from the first call of the model to the end of the
recording, pages and index included; the ratio is the median over the pairs. "lines" are those of the longest page
before its helpers; "linked" are lines of the program with operations, in graphs that have kernels, of which torch
names a kernel. Exit status 1 if anything differs, is missing, unproven or not Python, or crashes. A model whose
packages are not installed is listed with what is missing.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Dict, Iterable, List

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
ONE = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "TORCHINDUCTOR_COMPILE_THREADS")
GRAPH_CACHES = ("TORCHINDUCTOR_FX_GRAPH_CACHE", "TORCHINDUCTOR_AUTOGRAD_CACHE")
NAMED, WITHOUT, WITH = "named", "without", "with"
RESULTS_DIFFER = "results differ"
_CHANGES = re.compile(
    r"^(\[rank\d\]:)?([A-Z]\d{4} \S+ \d+|\[[\d-]+ [\d:,]+\]) "
    r"|\b\d{4,}\b|0x[0-9a-f]+|\d+\.\d+(?=\s?(s|ms|it/s))|/[\w./-]*/"
)

Row = Dict[str, Any]
Run = Dict[str, Any]


def models_here(python: str) -> Dict[str, Any]:
    """Every model, with its sentence, its ranks and what it lacks; and which torch this is."""
    question = (
        "import sys, json, platform; sys.path.insert(0, sys.argv[1]); import torch, real_models; "
        "from real_models.suite import lacking; "
        "from real_models.torch_says import has_trace; "
        "models = {name: [one.says, one.ranks, lacking(one)] for name, one in real_models.load().items()}; "
        "print(json.dumps([torch.__version__, platform.python_version(), has_trace(), models]))"
    )
    done = subprocess.run([python, "-W", "ignore", "-c", question, str(TESTS)], stdout=subprocess.PIPE, check=True,
                          env=environment(""))  # fmt: skip
    torch, version, has_trace, models = json.loads(done.stdout.decode().splitlines()[-1])
    return {"torch": torch, "python": version, "has_trace": has_trace, "models": models}


def environment(folder: str) -> Dict[str, str]:
    """One thread, our sources, no network, caches in the run's folder."""
    found = {**os.environ, **dict.fromkeys(ONE, "1"), **dict.fromkeys(GRAPH_CACHES, "0")}
    found.update(PYTHONPATH=str(ROOT / "src"), TORCHINDUCTOR_CACHE_DIR=os.path.join(folder, "inductor"),
                 HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false")  # fmt: skip
    for name in ("TORCH_TRACE", "TORCH_LOGS", "RANK", "WORLD_SIZE", "PYTHONBREAKPOINT"):
        found.pop(name, None)
    return found


def run(python: str, model: str, ranks: int, kind: str, folder: str, options: argparse.Namespace) -> List[Run]:
    """One run: what each of its processes has seen, with its exit status and its standard error."""
    os.makedirs(folder)
    processes = []
    for rank in range(ranks):
        job = {"model": model, "kind": kind, "backend": options.backend, "device": options.device,
               "timed": options.pairs > 0, "dump": os.path.join(folder, "dump") if kind == WITH else "",
               "trace": os.path.join(folder, "trace_{}".format(rank)),
               "report": os.path.join(folder, "report_{}.json".format(rank))}  # fmt: skip
        path = os.path.join(folder, "job_{}.json".format(rank))
        Path(path).write_text(json.dumps(job), encoding="utf-8")
        env = environment(folder)
        if kind == NAMED:
            env["TORCH_TRACE"] = job["trace"]
        if ranks > 1:
            env.update(RANK=str(rank), WORLD_SIZE=str(ranks),
                       MODELS_STORE="file://{}".format(os.path.join(folder, "store")))  # fmt: skip
        with open(os.path.join(folder, "stderr_{}".format(rank)), "wb") as errors:
            one = subprocess.Popen([python, "-W", "ignore", str(TESTS / "real_models" / "run.py"), path],
                                   stdout=errors, stderr=errors, env=env, cwd=folder)  # fmt: skip
        processes.append(one)
    ends = time.monotonic() + options.limit
    return [_ended(one, rank, folder, ends) for rank, one in enumerate(processes)]


def _ended(process: Any, rank: int, folder: str, ends: float) -> Run:
    try:
        status = process.wait(max(1.0, ends - time.monotonic()))
    except subprocess.TimeoutExpired:
        process.kill()
        status = process.wait()
    errors = Path(folder, "stderr_{}".format(rank)).read_text(encoding="utf-8", errors="replace")
    try:
        found: Run = json.loads(Path(folder, "report_{}.json".format(rank)).read_text(encoding="utf-8"))
    except (OSError, ValueError):  # it crashed
        found = {}
    return {**found, "exit": status, "stderr": errors}


def measure(python: str, model: str, ranks: int, folder: str, options: argparse.Namespace) -> Row:
    """All runs of one model, judged."""
    named = run(python, model, ranks, NAMED, os.path.join(folder, NAMED), options)
    pairs = []
    for number in range(options.pairs):
        order = (WITHOUT, WITH) if number % 2 == 0 else (WITH, WITHOUT)
        pairs.append({kind: run(python, model, ranks, kind, os.path.join(folder, "{}_{}".format(kind, number)), options)
                      for kind in order})  # fmt: skip
    pairs = pairs or [{WITH: run(python, model, ranks, WITH, os.path.join(folder, WITH), options)}]
    row = judge(model, named, pairs)
    if row.get("equal") is False:
        again = run(python, model, ranks, NAMED, os.path.join(folder, NAMED + "_again"), options)
        forgive_torch(row, named, again)
    return row


# ---- judging


def judge(model: str, named: List[Run], pairs: List[Dict[str, List[Run]]]) -> Row:
    """The row of a model: counts, and under ``wrong`` a sentence for everything that is not as it should be."""
    row: Row = {"model": model, "wrong": [], "lacks": []}
    runs = [(NAMED, named)] + [(kind, both) for pair in pairs for kind, both in sorted(pair.items())]
    failed = {kind: one for kind, both in runs for one in both if one["exit"] != 0 or "result" not in one}
    if failed and all(kind in failed for kind, _ in runs) and len({one["exit"] for one in failed.values()}) == 1:
        row["alone"] = " ".join(named[0]["stderr"].split())[-300:]
        return row
    if failed:
        row["wrong"] = ["{} ended with {}: {}".format(kind, one["exit"], one["stderr"].strip()[-600:])
                        for kind, one in failed.items()]  # fmt: skip
        return row
    row["equal"] = all(both[rank]["result"] == one["result"] for _, both in runs for rank, one in enumerate(named))
    if not row["equal"]:
        row["wrong"].append(RESULTS_DIFFER)
    for kind, both in runs:
        if [one["counters"] for one in both] != [one["counters"] for one in named]:
            row["wrong"].append("Dynamo's counts differ {}: {} and {}".format(
                kind, [one["counters"] for one in named], [one["counters"] for one in both]))
            break
    _judge_dump(row, named, pairs[0][WITH], pairs[0].get(WITHOUT, named))
    if WITHOUT not in pairs[0]:
        return row
    cpu = [{kind: sum(one["cpu"] for one in both) for kind, both in pair.items()} for pair in pairs]
    row["cpu"] = {kind: round(statistics.median(pair[kind] for pair in cpu), 2) for kind in (WITHOUT, WITH)}
    row["end"] = round(statistics.median(sum(one["end"] for one in pair[WITH]) for pair in pairs), 2)
    row["ratio"] = round(statistics.median(pair[WITH] / pair[WITHOUT] for pair in cpu), 2)
    return row


def forgive_torch(row: Row, named: List[Run], again: List[Run]) -> None:
    """Results that differ without depyf too are not its fault, as where a GPU tunes kernels."""
    if [one.get("result") for one in named] != [one.get("result") for one in again]:
        row["varies"] = True
        row["wrong"].remove(RESULTS_DIFFER)


def _judge_dump(row: Row, named: List[Run], recorded: List[Run], without: List[Run]) -> None:
    from real_models.index_says import Recording, missing  # type: ignore[import-not-found]
    from real_models.torch_says import Record  # type: ignore[import-not-found]

    wrong: List[str] = row["wrong"]
    row["records"] = {"break": 0, "recompile": 0, "failure": 0, "skip": 0, "library": 0}
    row["missing"] = []
    for torch, ours, quiet in zip(named, recorded, without):
        records = [Record(**one) for one in torch["records"]]
        for one in records:
            row["records"][one.kind] += 1
        row["missing"] += missing(records, Recording(**ours["dump"]["recorded"]))
        wrong += ours["dump"]["wrong"]
        row["missing"] += _head_is_wrong(
            ours["dump"]["head"], records, torch["counters"])  # fmt: skip
        noise = _noise(quiet["stderr"], ours["stderr"])
        if not ours["dump"]["compilations"]:  # which is worth a line
            noise = [line for line in noise if not line.startswith("nothing was compiled while this was recorded")]
        row.setdefault("noise", []).extend(noise)
    dumps = [one["dump"] for one in recorded]
    for key, together in (("compilations", sum), ("proven", sum), ("page_lines", max), ("bytes", sum), ("linked", sum),
                          ("computing", sum)):  # fmt: skip
        row[key] = together(one[key] for one in dumps)
    if row["proven"] != row["compilations"]:
        wrong.append("{} of {} compilations are proven".format(row["proven"], row["compilations"]))
    wrong += row["missing"]
    wrong += ["only with depyf on standard error: " + line for line in row["noise"]]


def _head_is_wrong(head: Dict[str, int], records: List[Any], counters: Dict[str, Any]) -> List[str]:
    """Where the index's first lines disagree with torch: its counter of graphs, and the breaks in its trace.

    The counter of breaks has fewer: one in a function that was traced from another is not always among them. Torch 2.2
    has no such trace.
    """
    failed = {one.compile_id for one in records if one.kind == "failure"}
    breaks = sum(one.kind == "break" and one.compile_id not in failed for one in records)
    graphs = counters["stats"].get("unique_graphs", 0)
    expected = {"Graphs": graphs, "Graph breaks": breaks if counters["has_trace"] else counters["graph_break"]}
    return ["the index begins with {}: {}, torch has {}".format(what, head.get(what, 0), number)
            for what, number in expected.items() if head.get(what, 0) != number]  # fmt: skip


def _noise(without: str, under: str) -> List[str]:
    quiet, ours = ([_CHANGES.sub("", line) for line in text.splitlines()] for text in (without, under))
    return [line[2:] for line in difflib.ndiff(quiet, ours) if line.startswith("+ ") and line[2:].strip()]


# ---- the table


HEADER = ("model", "results", "breaks", "recompiles", "failures", "skips", "missing", "proven", "lines", "kB",
          "linked", "CPU without", "with", "at the end", "ratio", "all well")  # fmt: skip


def table(rows: Iterable[Row]) -> List[str]:
    """The rows as a Markdown table."""
    lines = ["| {} |".format(" | ".join(HEADER)), "|---" * len(HEADER) + "|"]
    for row in rows:
        if row.get("alone"):
            lines.append("| {} | fails without depyf too |".format(row["model"]) + " |" * 14)
            continue
        if row["lacks"]:
            lines.append("| {} | not installed: {} |".format(row["model"], ", ".join(row["lacks"])) + " |" * 14)
            continue
        if "records" not in row:
            lines.append("| {} | CRASHED |".format(row["model"]) + " |" * 13 + " NO |")
            continue
        records = row["records"]
        results = "equal" if row["equal"] else "vary without depyf too" if row.get("varies") else "DIFFERENT"
        cells = [row["model"], results, records["break"], records["recompile"],
                 records["failure"], records["skip"], len(row["missing"]),
                 "{} of {}".format(row["proven"], row["compilations"]), row["page_lines"], round(row["bytes"] / 1024),
                 "{} of {}".format(row["linked"], row["computing"]) if row["computing"] else "", *_times(row),
                 "NO" if row["wrong"] else "yes"]  # fmt: skip
        lines.append("| {} |".format(" | ".join(map(str, cells))))
    return lines


def _times(row: Row) -> List[str]:
    if "cpu" not in row:
        return [""] * 4
    return [str(row["cpu"][WITHOUT]), str(row["cpu"][WITH]), str(row["end"]), "{:.2f}".format(row["ratio"])]


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--python", default=sys.executable, metavar="PATH", help="an interpreter with a torch")
    parser.add_argument("--backend", default="eager", choices=["eager", "aot_eager", "inductor"])
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu", help="where new tensors are (default cpu)")
    parser.add_argument("--models", nargs="+", metavar="NAME", help="models whose names begin so")
    parser.add_argument("--pairs", type=int, default=1, help="pairs of timed runs (default 1; 0: one run, not timed)")
    parser.add_argument("--limit", type=int, default=600, help="seconds for one run (default 600)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="everything that was found")
    parser.add_argument("--keep", metavar="FOLDER", help="keep dumps, traces and output there")
    parser.add_argument("--list", action="store_true", help="the models, a sentence each")
    return parser.parse_args()


def main() -> int:
    options = parse_arguments()
    python = os.path.abspath(shutil.which(options.python) or options.python)
    sys.path.insert(0, str(TESTS))
    here = models_here(python)
    if options.list:
        for name, (says, _, lacks) in here["models"].items():
            print("{:<24} {}{}".format(name, says, "  (not installed: {})".format(", ".join(lacks)) if lacks else ""))
        return 0
    wanted = {name: about for name, about in here["models"].items()
              if not options.models or name.startswith(tuple(options.models))}  # fmt: skip
    unknown = [one for one in options.models or [] if not any(name.startswith(one) for name in here["models"])]
    if unknown:
        sys.exit("no model begins with {}: --list has their names".format(" or ".join(unknown)))
    folder = options.keep or tempfile.mkdtemp(prefix="torch_models_")
    rows: List[Row] = []
    for name, (_, ranks, lacks) in wanted.items():
        if lacks:
            rows.append({"model": name, "lacks": lacks, "wrong": []})
            continue
        place = os.path.join(folder, name)
        shutil.rmtree(place, ignore_errors=True)
        rows.append(measure(python, name, ranks, place, options))
        print("{:<24} {}".format(name, "; ".join(rows[-1]["wrong"])[:1500] or "all well"), file=sys.stderr, flush=True)
        if not options.keep:
            shutil.rmtree(place, ignore_errors=True)
    print("## {} on torch {}, Python {}\n".format(options.backend, here["torch"], here["python"]))
    print("\n".join(table(rows)) + "\n")
    for row in rows:
        for one in row["wrong"]:
            print("- {}: {}".format(row["model"], " ".join(one.split())[:600]))
    if options.json:
        options.json.write_text(json.dumps({**here, "backend": options.backend, "rows": rows}, indent=1),
                                encoding="utf-8")  # fmt: skip
    return 1 if any(row["wrong"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
