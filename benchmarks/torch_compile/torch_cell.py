"""One cell of the matrix of torch and Python versions: every program with and without depyf, in this interpreter.

    python benchmarks/torch_compile/torch_cell.py JOBS.json      started by torch_matrix.py

This process imports torch once and forks for each run; a program that needs an interpreter of its own gets one. A
line of JSON is printed for each run as it ends. Where importing torch starts threads, as some builds do, every run gets
an interpreter of its own.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any, Dict, List, Optional, TextIO, Tuple

ROOT = Path(__file__).resolve().parents[2]
for folder in (ROOT / "tests", ROOT / "src"):
    sys.path.insert(0, str(folder))

Job = Dict[str, Any]

IMPORTED_ON_FIRST_USE = (
    "torch._dynamo",
    "torch._functorch.compilers",
    "torch._inductor.compile_fx",
    "torch.export._trace",
)
"""What compiling makes torch import: a second that each program would spend."""


def load_programs() -> Dict[str, Any]:
    """The suite; torch with what most programs make it import comes with it."""
    import torch
    import torch_programs  # type: ignore[import-not-found]

    torch.set_num_threads(1)
    for name in IMPORTED_ON_FIRST_USE:
        with contextlib.suppress(ImportError):  # this torch has no such module
            importlib.import_module(name)
    programs: Dict[str, Any] = torch_programs.load()
    return programs


def run_job(job: Job) -> None:
    """One program in this process, which ends as the program does. What was seen goes into the job's file."""
    from torch_programs.observe import observe  # type: ignore[import-not-found]

    if job.get("device") == "cuda":
        import torch

        torch.set_default_tensor_type(torch.cuda.FloatTensor)  # a default device would be a mode, which graphs have too
    found: Dict[str, Any] = {}
    try:
        observe(load_programs()[job["program"]], job["dump"], found)
    finally:
        with open(job["report"], "w", encoding="utf-8") as file:
            json.dump(found, file)


class Children:
    """Runs that are going on: at most `jobs` of them, none longer than its limit."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._running: Dict[int, Job] = {}

    def wait(self, fewer_than: int = 1) -> None:
        """Waits until fewer are running, reporting those which end."""
        while len(self._running) >= fewer_than:
            for pid, job in list(self._running.items()):
                late = time.monotonic() > job["started"] + job["limit"]
                if late:
                    os.killpg(pid, signal.SIGKILL)
                ended, status, used = os.wait4(pid, 0 if late else os.WNOHANG)
                if ended:
                    del self._running[pid]
                    self._report(job, status, late, used.ru_utime + used.ru_stime)
            time.sleep(0.01)

    def fork(self, job: Job) -> bool:
        """True in the child."""
        self.wait(self._jobs)
        job["started"] = time.monotonic()
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            os.setpgid(0, 0)
            return True
        try:
            os.setpgid(pid, pid)
        except OSError:  # the child was faster, and has ended or runs another program
            pass
        self._running[pid] = job
        return False

    def _report(self, job: Job, status: int, late: bool, cpu: float) -> None:
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
        seconds = round(time.monotonic() - job["started"], 2)
        line = {**job, "exit": code, "late": late, "seconds": seconds, "cpu": round(cpu, 2)}
        print(json.dumps(line), flush=True)


def redirect(path: str) -> None:
    """Output of a run, ours and torch's, goes to a file beside its report."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    sys.stdout.flush()
    sys.stderr.flush()
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    os.close(descriptor)


def about(programs: Dict[str, Any], only: List[str], share: Tuple[int, int]) -> Dict[str, Any]:
    """What this cell is, and what its torch lacks for which program: the first line which is printed.

    ``share`` (2, 3) takes the second of every three programs whose names begin as one of ``only`` does.
    """
    import platform

    import torch
    from torch_programs.suite import lacking  # type: ignore[import-not-found]

    first, step = share
    wanted = [name for name in programs if not only or name.startswith(tuple(only))][first - 1 :: step]
    return {
        "torch": torch.__version__.split("+")[0],
        "python": platform.python_version(),
        "threads": threads(),
        "programs": {
            name: {"says": one.says, "backend": one.backend, "watch": one.watch, "lacks": lacking(one),
                   "raises": one.raises, "exits": one.exits}
            for name, one in ((name, programs[name]) for name in wanted)
        },
    }  # fmt: skip


def threads() -> int:
    """Threads of this process, those that Python knows nothing of included (1 where the system does not say)."""
    folder = Path("/proc/self/task")
    return len(list(folder.iterdir())) if folder.is_dir() else 1


def serve(jobs: List[Job], parallel: int, out: TextIO) -> Optional[Job]:
    """Runs the jobs. Returns None at the end, and, in each forked child, the job it is there for."""
    children = Children(parallel)
    for job in jobs:
        if children.fork(job):
            redirect(job["output"])
            if job["new_process"]:
                os.execv(sys.executable, [sys.executable, "-W", "ignore", __file__, "--one", json.dumps(job)])
            return job
    children.wait()
    return None


def main() -> int:
    if sys.argv[1] == "--one":
        run_job(json.loads(sys.argv[2]))
        return 0
    with open(sys.argv[1], encoding="utf-8") as file:
        order = json.load(file)
    programs = load_programs()
    description = about(programs, order["only"], order.get("share", (1, 1)))
    print(json.dumps(description), flush=True)
    alone = description["threads"] != 1  # a fork of this process would not be safe, unless it runs another program
    wanted = [name for name in description["programs"] if not description["programs"][name]["lacks"]]
    jobs = [
        {
            "program": name,
            "kind": kind,
            "dump": os.path.join(order["folder"], name, "dump") if kind == "with" else "",
            "report": os.path.join(order["folder"], name, kind + ".json"),
            "output": os.path.join(order["folder"], name, kind + ".txt"),
            "limit": order["limit"],
            "device": order.get("device", ""),
            "new_process": alone or programs[name].new_process,
        }
        for name in wanted
        for kind in order.get("kinds", ("without", "with"))
    ]
    for job in jobs:
        os.makedirs(os.path.dirname(job["report"]), exist_ok=True)
    gc.collect()
    gc.freeze()  # a collection in a child would copy all of torch, and look at it
    mine = serve(jobs, order["jobs"], sys.stdout)
    if mine is not None:
        run_job(mine)
    return 0


if __name__ == "__main__":
    sys.exit(main())
