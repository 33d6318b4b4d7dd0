"""Small programs for all that torch.compile does, with and without depyf, on this torch or on many: one table a cell.

    python benchmarks/torch_compile/torch_matrix.py                                  the torch of this interpreter
    python benchmarks/torch_compile/torch_matrix.py --python A/bin/python --python B/bin/python     these cells
    python benchmarks/torch_compile/torch_matrix.py --only toy recompile             some programs, by prefix
    python benchmarks/torch_compile/torch_matrix.py --share 2/3                      the second of every three programs
    python benchmarks/torch_compile/torch_matrix.py --device cuda                    new tensors are on the GPU
    python benchmarks/torch_compile/torch_matrix.py --list                           the programs, a sentence each
    python benchmarks/torch_compile/torch_matrix.py --equal-dumps                    compare the dumps of two runs

Each program runs in a process of its own without depyf and in one under it. Compared are results bit by bit with
gradients, exceptions, the frames compiled in their order, Dynamo's counts, the same calls once more behind the
recording, and the exit status. Then the dump: every .py compiles, each full_code_for_*.py gives the same results on
the inputs, every transformed code is proven and runs, the index names no failure. A program for which this torch has
no feature is listed with the name that is missing; one that fails without depyf, with torch's exception; it is
compared all the same. Exit status 1 if anything differs.

With --equal-dumps each program runs twice under depyf, in two processes whose strings have other hashes and whose
objects lie elsewhere, and the two dumps must have the same files with the same bytes.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

import torch_summary

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ONE = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "TORCHINDUCTOR_COMPILE_THREADS")
GRAPH_CACHES = ("TORCHINDUCTOR_FX_GRAPH_CACHE", "TORCHINDUCTOR_AUTOGRAD_CACHE")

Row = Dict[str, Any]
Cell = Dict[str, Any]


def environment(python: str, folder: str, run: int = 0) -> Dict[str, str]:
    """One thread, our sources, C++ compiled once for both runs; headers where an interpreter was moved from its prefix.

    Inductor's caches of whole graphs are off: both runs are to go through all stages (one program turns them on).
    """
    found = {**os.environ, **dict.fromkeys(ONE, "1"), **dict.fromkeys(GRAPH_CACHES, "0"),
             "TORCHINDUCTOR_CACHE_DIR": os.path.join(folder, "inductor")}
    found["PYTHONPATH"] = str(ROOT / "src")
    found.pop("PYTHONBREAKPOINT", None)
    if run:  # no two runs are to have anything in common by chance
        found.update(PYTHONHASHSEED=str(run), PADDING="x" * 5000 * run)
    question = "import sys, sysconfig; print(sysconfig.get_path('include')); print(sys._base_executable)"
    said = subprocess.run([python, "-c", question], stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()
    include = Path(said[0])
    if not (include / "Python.h").exists():
        include = Path(os.path.realpath(said[1])).parent.parent / "include" / include.name
    found["CPATH"] = os.pathsep.join([str(include.parent), str(include)])  # the system's headers have two places
    return found


def run_cell(python: str, options: argparse.Namespace) -> Cell:
    """All programs on one interpreter. Raises RuntimeError when its torch can't be imported."""
    start = time.monotonic()
    cell = run_programs(python, options.only or [], options, share=options.share)
    differing = {row["program"]: row["differences"] for row in cell["rows"] if row["differences"]}
    if options.again and differing:
        again = run_programs(python, list(differing), options)
        found = {row["program"]: row for row in again["rows"]}
        cell["rows"] = [
            {**found[row["program"]], "before": differing[row["program"]]} if row["program"] in differing else row
            for row in cell["rows"]
        ]
    cell["seconds"] = round(time.monotonic() - start)
    return cell


def begin(python: str, only: List[str], folder: str, options: argparse.Namespace, **more: Any) -> Any:
    """Starts a cell, which prints a line for each run of a program."""
    order = {"only": only, "folder": folder, "jobs": options.jobs, "limit": options.limit,
             "device": options.device, **more}  # fmt: skip
    path = os.path.join(folder, "jobs.json")
    Path(path).write_text(json.dumps(order), encoding="utf-8")
    return subprocess.Popen(
        [python, "-W", "ignore", str(HERE / "torch_cell.py"), path],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(python, folder, more.get("run", 0)), cwd=folder,
    )  # fmt: skip


def run_programs(python: str, only: List[str], options: argparse.Namespace, **more: Any) -> Cell:
    """The programs whose names begin so, all if there are no such names, with a row for each."""
    folder = tempfile.mkdtemp(prefix="torch_matrix_")
    process = begin(python, only, folder, options, **more)
    assert process.stdout is not None and process.stderr is not None
    ends: Dict[str, Dict[str, Row]] = {}
    cell: Cell = {}
    for line in process.stdout:
        said = json.loads(line)
        if not cell:
            cell = {**said, "rows": [], "executable": python}
            continue
        ends.setdefault(said["program"], {})[said["kind"]] = read_report(said)
        if options.progress and len(ends[said["program"]]) == 2:
            row = judge(said["program"], cell["programs"][said["program"]], ends[said["program"]])
            print("{:<44} {}".format(row["program"], verdict_of(row)), file=sys.stderr, flush=True)
    errors = process.stderr.read().decode("utf-8", "replace")
    if process.wait() != 0 or not cell:
        raise RuntimeError("{}: {}".format(python, errors.strip()[-1500:]))
    for name in cell["programs"]:
        cell["rows"].append(judge(name, cell["programs"][name], ends.get(name, {})))
    if options.keep:
        target = os.path.join(options.keep, "torch-{torch}-python-{python}".format(**cell))
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(folder, target, ignore=shutil.ignore_patterns("inductor"))
    shutil.rmtree(folder, ignore_errors=True)
    return cell


def read_report(said: Row) -> Row:
    """The end of one run, with what it has noted and the last lines of its output."""
    try:
        with open(said["report"], encoding="utf-8") as file:
            said["found"] = json.load(file)
    except (OSError, ValueError):  # it was killed, or crashed
        said["found"] = {}
    with open(said["output"], encoding="utf-8", errors="replace") as file:
        said["tail"] = file.read()[-2000:]
    return said


# ---- two dumps


def equal_dumps(python: str, options: argparse.Namespace) -> int:
    """Runs the programs twice under depyf; prints how the dumps differ, and returns for how many programs they do."""
    folders = [tempfile.mkdtemp(prefix="torch_matrix_") for _ in range(2)]
    for run, folder in enumerate(folders, 1):
        process = begin(
            python, options.only or [], folder, options, kinds=["with"], run=run, share=options.share
        )
        said, errors = process.communicate()
        if process.returncode != 0:
            raise RuntimeError("{}: {}".format(python, errors.decode("utf-8", "replace").strip()[-1500:]))
        about = json.loads(said.splitlines()[0])
    compared, differing = 0, 0
    for name in about["programs"]:
        one, other = [files_below(os.path.join(folder, name, "dump")) for folder in folders]
        compared += bool(one)
        told = [difference_of_files(path, one.get(path), other.get(path)) for path in sorted({*one, *other})]
        differing += any(told)
        for line in filter(None, told):
            print("- {}: {}".format(name, line))
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    print("torch {torch} on Python {python}: ".format(**about), end="")
    print("{} of {} dumps are the same in two runs".format(compared - differing, compared), flush=True)
    return differing


def files_below(folder: str) -> Dict[str, bytes]:
    """The files of a dump by their path in it, that of the times left out."""
    files = [path for path in Path(folder).rglob("*") if path.is_file() and not path.name.startswith("compile_times.")]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def difference_of_files(name: str, one: Optional[bytes], other: Optional[bytes]) -> str:
    """How two files differ, '' when they do not: the first line that does, or that one of them is not there."""
    if one == other:
        return ""
    if one is None or other is None:
        return "{} is there in one run only".format(name)
    texts = [data.decode("utf-8", "replace").splitlines() for data in (one, other)]
    for number, lines in enumerate(zip(*texts), 1):
        if lines[0] != lines[1]:
            return "{}:{}: {!r} / {!r}".format(name, number, *(line[:300] for line in lines))
    return "{}: one is longer".format(name)


# ---- comparing


COMPARED = {
    "results": ("result", "exception", "again"),
    "compilations": ("compilations", "compilations afterwards", "counters"),
}


def judge(name: str, program: Row, ends: Dict[str, Row]) -> Row:
    """The row of one program: what is equal, what the dump is like, and every difference in words."""
    row: Row = {"program": name, "says": program["says"], "lacks": program["lacks"], "differences": [], "alone": ""}
    if program["lacks"] or len(ends) < 2:
        if not program["lacks"]:
            row["differences"].append("it was not run")
        return row
    without, under = ends["without"], ends["with"]
    row["seconds"] = {kind: {key: ends[kind][key] for key in ("cpu", "seconds")} for kind in ends}
    row["alone"] = fails_alone(program, without)
    differences: List[str] = row["differences"]
    for part, keys in COMPARED.items():
        told = [difference(key, without["found"], under["found"]) for key in keys]
        row[part] = not any(told)
        differences += [one for one in told if one]
    row["exit"] = without["exit"] == under["exit"]
    if not row["exit"]:
        differences.append("exit status {} without, {} with: {}".format(without["exit"], under["exit"], under["tail"]))
    dump = under["found"].get("dump")
    if dump is None and not program["exits"]:
        differences.append("the dump was not examined: {}".format(under["tail"][-500:]))
    row["dump"] = dump or {}
    differences += row["dump"].get("wrong", [])
    return row


def fails_alone(program: Row, without: Row) -> str:
    """Why torch fails on the program without depyf; '' when it does not, or when the program is meant to."""
    if without["late"]:
        return "no end within {} s".format(without["limit"])
    if without["exit"] < 0:
        return "killed by signal {}".format(-without["exit"])
    kind: str
    text: str
    kind, text = without["found"].get("same", {}).get("exception", ["", ""])
    if kind not in program["raises"].split("|"):
        said = " ".join(text.split())[:160]
        return "{}: {}".format(kind, said) if kind else "it raises no {}".format(program["raises"])
    if without["exit"] != program["exits"]:
        return "exit status {}: {}".format(without["exit"], " ".join(without["tail"].split())[-160:])
    return ""


def difference(key: str, without: Row, under: Row) -> str:
    """How one thing that is compared differs, '' when it does not."""
    one, other = without.get("same", {}).get(key), under.get("same", {}).get(key)
    if one == other:
        return ""
    shown = [json.dumps(value)[:300] for value in (one, other)]
    return "{}: {} without, {} with".format(key, *shown)


# ---- the table


HEADER = "| program | results | compilations | exit | files compile | pages: same on the inputs | proven | all well |"


def verdict_of(row: Row) -> str:
    """One word, and a reason where it is not 'same'."""
    if row["lacks"]:
        return "torch lacks {}".format(row["lacks"])
    if row["differences"]:
        return "DIFFERS: " + " / ".join(" ".join(one.split())[:300] for one in row["differences"])
    return "same; torch fails alone: " + row["alone"] if row["alone"] else "same"


def table(cell: Cell) -> List[str]:
    """The cell as a Markdown table and its totals."""
    lines = [HEADER, "|---" * (HEADER.count("|") - 1) + "|"]
    for row in cell["rows"]:
        if row["lacks"]:
            lines.append("| {} | torch lacks `{}` | | | | | | |".format(row["program"], row["lacks"]))
            continue
        dump = row.get("dump", {})
        counts = [
            str(dump.get("files", "")) or "",
            "{} of {}".format(dump["runs"], dump["pages"]) if dump.get("pages") else "",
            "{} of {}".format(dump["proven"], dump["codes"]) if dump.get("codes") else "",
        ]
        marks = ["same" if row.get(part) else "DIFFERENT" for part in ("results", "compilations", "exit")]
        if row["alone"]:
            marks[0] += " (torch fails alone)"
        well = "NO" if row["differences"] else "yes"
        lines.append("| {} | {} |".format(row["program"], " | ".join([*marks, *counts, well])))
    return lines


def totals(cell: Cell) -> str:
    """The cell in one line."""
    ran = [row for row in cell["rows"] if not row["lacks"]]
    dumps = [row.get("dump", {}) for row in ran]
    sums = {key: sum(dump.get(key, 0) for dump in dumps) for key in ("files", "pages", "runs", "codes", "proven")}
    return (
        "torch {torch} on Python {python}: {same} of {ran} programs are the same with depyf and all their artifacts "
        "well; {alone} fail without depyf too; {lacking} need what this torch lacks. {files} files compile, "
        "{runs} calls of {pages} pages, {proven} of {codes} compilations proven and run. {seconds} s."
    ).format(
        same=sum(not row["differences"] for row in ran), ran=len(ran), alone=sum(bool(row["alone"]) for row in ran),
        lacking=len(cell["rows"]) - len(ran), torch=cell["torch"], python=cell["python"], seconds=cell["seconds"],
        **sums,
    )  # fmt: skip


def reasons(cell: Cell) -> List[str]:
    """What differs, what torch can't do alone, a line each."""
    lines = []
    for row in cell["rows"]:
        lines += ["- {}: DIFFERS: {}".format(row["program"], " ".join(one.split())) for one in row["differences"]]
        lines += ["- {}: run again, as it differed: {}".format(row["program"], " ".join(one.split()))
                  for one in row.get("before", [])]
        if row["alone"]:
            lines.append("- {}: torch fails alone: {}".format(row["program"], row["alone"]))
    return lines


def text_of(cell: Cell) -> str:
    """All about one cell, as Markdown."""
    title = "## torch {torch} on Python {python}".format(**cell)
    parts = [title, totals(cell), "\n".join(table(cell)), "\n".join(reasons(cell))]
    return "\n\n".join(part for part in parts if part)


def share(text: str) -> Tuple[int, int]:
    """The two numbers of K/N. Raises ValueError unless 1 <= K <= N."""
    which, _, count = text.partition("/")
    if not 1 <= int(which) <= int(count):
        raise ValueError(text)
    return int(which), int(count)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--python", action="append", metavar="PATH", help="an interpreter with a torch; repeatable")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="programs whose names begin so")
    parser.add_argument("--share", type=share, default=(1, 1), metavar="K/N", help="every Nth of them, from the Kth on")
    parser.add_argument("--list", action="store_true", help="the programs, a sentence each")
    parser.add_argument("--equal-dumps", action="store_true", help="compare the dumps of two runs instead")
    parser.add_argument("-j", "--jobs", type=int, default=2, help="processes at a time (default 2)")
    parser.add_argument("--limit", type=int, default=300, help="seconds for one run (default 300)")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu", help="where new tensors are (default cpu)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="everything that was found")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put a summary into this page")
    parser.add_argument("--csv", type=Path, metavar="FILE", default=HERE.parent / "results" / "torch-matrix.csv",
                        help="with --write: a row for each program (default: that of the results)")  # fmt: skip
    parser.add_argument("--again", action="store_true", help="what differs is run once more; both is printed")
    parser.add_argument("--keep", metavar="FOLDER", help="keep dumps, reports and output there")
    parser.add_argument("--progress", action="store_true", help="a line per program as it ends, on standard error")
    return parser.parse_args()


def all_programs() -> Dict[str, Any]:
    """The suite; imports torch."""
    sys.path.insert(0, str(HERE))
    import torch_cell

    return torch_cell.load_programs()


def main() -> int:
    options = parse_arguments()
    if options.list:
        for name, program in all_programs().items():
            print("{:<44} {}".format(name, program.says))
        return 0
    cells = []
    broken = []
    pythons = [os.path.abspath(shutil.which(python) or python) for python in options.python or [sys.executable]]
    if options.equal_dumps:
        return 1 if sum(equal_dumps(python, options) for python in pythons) else 0
    for python in pythons:
        try:
            cell = run_cell(python, options)
        except (RuntimeError, OSError, subprocess.CalledProcessError) as error:
            broken.append("{} is no cell: {}".format(python, error))
            print(broken[-1], flush=True)
            continue
        cells.append(cell)
        print(text_of(cell) + "\n", flush=True)
    if options.json:
        options.json.write_text(json.dumps(cells, indent=1), encoding="utf-8")
    if options.write:
        rows = [row for cell in cells for row in torch_summary.rows_of(cell)]
        seconds = {torch_summary.cell_of(cell): cell["seconds"] for cell in cells}
        torch_summary.write(options.write, options.csv, rows, seconds)
    for cell in cells:
        print(totals(cell))
    return 1 if broken or any(row["differences"] for cell in cells for row in cell["rows"]) else 0


if __name__ == "__main__":
    sys.exit(main())
