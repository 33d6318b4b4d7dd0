"""How large a report is, and how long it takes to build: depyf's page beside tlparse's folder.

    python benchmarks/torch_compile/report_size.py --tlparse PATH [--python PYTHON] [PROGRAM.py ...]

Each program (default: those of QUESTIONS, in `tests/torch_programs/scripts`) is run twice: under TORCH_TRACE, of
which both tools build a report, one after the other, `--rounds` times; and under `depyf run --html`, for the size of
the page of a recording. Prints a table; exit status 1 if a tool fails, or a page of depyf is larger than 2 MB.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import List, Tuple

PROGRAMS = Path(__file__).resolve().parents[2] / "tests" / "torch_programs" / "scripts"
QUESTIONS = ("backward", "gpt2", "optimizer", "recompiling")
"""Those that questions.py asks about, without the one for two ranks."""
LARGEST = 2 * 1000 * 1000
"""Of a page, in bytes: what a browser opens from disk at once."""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("programs", nargs="*", type=Path, metavar="PROGRAM.py")
    parser.add_argument("--tlparse", default=shutil.which("tlparse") or "", help="where tlparse is")
    parser.add_argument("--python", default=sys.executable, help="that has depyf, PyTorch and what the programs import")
    parser.add_argument("--rounds", type=int, default=3, help="how often each report is built (default 3)")
    options = parser.parse_args()
    if not options.tlparse:
        parser.error("tlparse is not on PATH: say where it is with --tlparse")
    programs = options.programs or [PROGRAMS / (name + ".py") for name in QUESTIONS]
    print("| program | page of a recording | page of a log, built in | tlparse, built in |")
    print("|---|---|---|---|")
    largest = 0
    for program in programs:
        with tempfile.TemporaryDirectory() as folder:
            sizes, row = measured(program.resolve(), Path(folder), options)
        largest = max(largest, *sizes)
        print("| " + " | ".join([program.stem, *row]) + " |", flush=True)
    return int(largest > LARGEST)


def measured(program: Path, folder: Path, options: argparse.Namespace) -> Tuple[List[int], List[str]]:
    """The sizes of depyf's pages, in bytes, and what the table says of one program."""
    environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(folder / "inductor")}
    traced = {**environment, "TORCH_TRACE": str(folder / "trace")}
    subprocess.run([options.python, str(program)], check=True, env=traced, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)  # fmt: skip
    recording = [options.python, "-m", "depyf", "run", "-q", "--html", "-o", str(folder / "out"), str(program)]
    subprocess.run(recording, check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    (log,) = (folder / "trace").iterdir()
    page, other = folder / "page.html", folder / "tlparse"
    own, theirs = [], []
    for _ in range(options.rounds):
        start = time.perf_counter()
        with open(page, "wb") as file:
            subprocess.run([options.python, "-m", "depyf", "report", str(log), "--format", "html"], check=True,
                           stdout=file)  # fmt: skip
        own.append(time.perf_counter() - start)
        start = time.perf_counter()
        subprocess.run([os.path.abspath(options.tlparse), str(log), "-o", str(other), "--overwrite", "--no-browser"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        theirs.append(time.perf_counter() - start)
    files = [path for path in other.rglob("*") if path.is_file()]
    recorded, of_log = (folder / "out" / "report.html").stat().st_size, page.stat().st_size
    whole = sum(path.stat().st_size for path in files)
    return [recorded, of_log], [
        megabytes(recorded),
        f"{megabytes(of_log)}, {min(own):.2f} s",
        f"{megabytes(whole)} in {len(files)} files, {min(theirs):.2f} s",
    ]


def megabytes(size: int) -> str:
    return f"{size / 1e6:.2f} MB"


if __name__ == "__main__":
    sys.exit(main())
