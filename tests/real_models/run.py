"""One run of one model, in this process: `python run.py JOB.json`, started by benchmarks/torch_compile/torch_models.py.

A job says which model, on which backend, and which kind of run: ``named`` (without depyf; torch's own records are
kept), ``without`` (timed) or ``with`` (timed, recorded by depyf). What was seen goes into the job's report. Before a
timed run something tiny is compiled and, with depyf, recorded: what a process does once is not counted.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Dict

TESTS = Path(__file__).resolve().parent.parent


def seconds() -> float:
    """Of the processor, for this process and those that it has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def recording(folder: str) -> Any:
    """`prepare_debug`, or nothing where there is no folder; depyf is imported only then."""
    if not folder:
        return contextlib.nullcontext()
    import depyf

    return depyf.prepare_debug(folder)


def warm_up(backend: str, with_depyf: bool) -> None:
    """What a process does once is done."""
    import torch

    with tempfile.TemporaryDirectory() as folder, recording(folder if with_depyf else ""):
        torch.compile(lambda x: (x * 2).sum(), backend=backend)(torch.ones(3, requires_grad=True)).backward()
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()


def run(job: Dict[str, Any]) -> Dict[str, Any]:
    """Runs it. Exceptions of the model pass on."""
    import torch
    from torch_programs.observe import plain

    from real_models import load
    from real_models.torch_says import SkipLog, counters, records_of

    torch.set_num_threads(1)
    if job["device"] == "cuda":
        torch.set_default_tensor_type(torch.cuda.FloatTensor)
    skips = SkipLog()
    if job["kind"] == "named":
        skips.listen()
    elif job["timed"]:
        warm_up(job["backend"], bool(job["dump"]))
    torch.manual_seed(0)
    calls = load()[job["model"]].make(lambda *args, **kwargs: torch.compile(*args, backend=job["backend"], **kwargs))
    gc.collect()
    start = seconds()
    with recording(job["dump"]) as session:
        result = calls()
        called = seconds()
    ended = seconds()
    found = {"cpu": ended - start, "end": ended - called, "result": plain(result), "counters": counters()}
    if job["kind"] == "named":
        records = [*records_of(job["trace"]), *skips.records]
        found.update(records=[one._asdict() for one in records], skip_reasons=skips.reasons)
    if job["dump"]:
        found["dump"] = examine(session)
    return found


def examine(session: Any) -> Dict[str, Any]:
    """What the dump of this process is like."""
    import depyf
    from depyf.explain.report.linked.compilations import compilations
    from real_models.index_says import head_counts, page_lines, recording_of

    folder = session.directory
    recorded = recording_of(folder, session)
    entries = [entry for frame in session.frames for entry in frame.entries]
    wrong = ["{} failed: {}".format(one.what, one.reason) for one in session.failures]
    wrong += ["{} is missing: {}".format(one.path, one.reason) for one in session.artifacts
              if one.status != "written" and one.kind != "repro"]  # fmt: skip
    files = [path for path in Path(folder).rglob("*") if path.is_file()]
    linked = list(compilations(session))
    for path in files:
        if path.suffix == ".py":
            try:
                compile(path.read_text(encoding="utf-8"), str(path), "exec", dont_inherit=True)
            except SyntaxError as error:
                wrong.append("{} is no Python: {}".format(path.name, error))
    return {
        "depyf": depyf.__file__, "wrong": wrong, "recorded": recorded._asdict(), "head": head_counts(recorded.index),
        "compilations": len(entries), "proven": sum(entry.transformed.proven for entry in entries),
        "page_lines": page_lines(folder), "bytes": sum(path.stat().st_size for path in files),
        "files": len(files), "folder": folder,
        "linked": sum(one.linked for one in linked), "computing": sum(one.computing for one in linked),
    }  # fmt: skip


def main() -> int:
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    sys.path.insert(0, str(TESTS))
    found = run(job)
    Path(job["report"]).write_text(json.dumps(found), encoding="utf-8")
    if "RANK" in os.environ:
        import torch.distributed as dist

        dist.destroy_process_group()
    return 0


if __name__ == "__main__":
    sys.exit(main())
