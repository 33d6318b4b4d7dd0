"""What a recording costs: torch.compile of a transformer with and without depyf, side by side.

    python benchmarks/torch_compile/compile_time.py                            eager and inductor, three pairs of each
    python benchmarks/torch_compile/compile_time.py --backend eager --pairs 9
    python benchmarks/torch_compile/compile_time.py --control                  a third run, without: the noise
    python benchmarks/torch_compile/compile_time.py --upstream PYTHON          a third run: another interpreter's depyf
    python benchmarks/torch_compile/compile_time.py --backend eager --pairs 40 --one-process

Every run is a process of its own with empty caches: forward and backward of a transformer encoder, compiled once.
Before it something tiny is compiled and, with depyf, recorded: what a process does once is not counted. Counted are
the processor's seconds of the process and of what it starts (the C++ compiler), because they depend less than the
clock's on what else runs; the clock's are printed too. "in the block" is the time until the compiled results are there,
"at the end" that of leaving ``prepare_debug``, where pages and index are written; "a call" is one call of the compiled
model after that. Ratios are medians over the pairs and, below them, of the least of all runs of each kind, on which a
machine that is not quiet has less influence. Exit status 1 if a median is above --most or --most-call.

``--one-process``: all runs in one process, which has compiled and recorded the model before. What two processes differ
in, on a busy machine more than 10 %, is no part of the ratio then, nor is what is slower when it happens first. Not for
a backend that keeps on disk what it has compiled.

"in depyf" is counted within the runs with it: the seconds of beginning the recording and of all that torch's calls of
our hooks take, as a share of the rest of the same block. It varies far less than a ratio of two runs does, and says
nothing of what we make torch do more slowly: the two figures belong together.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import unittest.mock
from pathlib import Path
from typing import Any, Dict, Iterator, List

ROOT = Path(__file__).resolve().parents[2]
MOST = {"inductor": 1.03, "eager": 1.10}
WITHOUT, WITH, CONTROL, UPSTREAM = "without", "with", "control", "upstream"
Run = Dict[str, float]


def seconds() -> float:
    """Of the processor, for this process and those that it has waited for."""
    return sum(os.times()[:4])


def prepare(backend: str, kind: str) -> None:
    """What a process does once is done."""
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(0)
    torch._dynamo.config.suppress_errors = False
    with recording(kind):
        torch.compile(lambda x: (x * 2).sum(), backend=backend)(torch.ones(3, requires_grad=True)).backward()


def one(backend: str, kind: str, layers: int, calls: int) -> Run:
    """One run, in this process."""
    import torch

    torch._dynamo.reset()
    gc.collect()
    layer = torch.nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)
    model = torch.nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
    compiled = torch.compile(model, backend=backend)
    x = torch.randn(2, 8, 64)
    block, ours = recording(kind), [0.0]
    clock, start = time.perf_counter(), seconds()
    with counted(kind, ours):
        block.__enter__()
        ours[0] += seconds() - start
        compiled(x).sum().backward()
    made, made_clock = seconds(), time.perf_counter()
    block.__exit__(None, None, None)
    end, end_clock = seconds(), time.perf_counter()
    times = []
    for _ in range(calls):
        start_of_call = time.process_time()
        compiled(x)
        times.append(time.process_time() - start_of_call)
    return {
        "block": made - start, "block clock": made_clock - clock,
        "end": end - made, "end clock": end_clock - made_clock, "call": min(times), "ours": ours[0],
    }  # fmt: skip


@contextlib.contextmanager
def counted(kind: str, ours: List[float]) -> Iterator[None]:
    """Adds what our hooks take to ``ours``. Every call of a hook of ours goes through one function."""
    if kind != WITH:
        yield
        return
    from depyf.explain import containment

    tell, inside = containment._tell, [False]

    def timed(recorder: Any, event: str, args: Any) -> Any:
        if inside[0]:  # torch called by us, which calls us
            return tell(recorder, event, args)
        inside[0], start = True, time.process_time()
        try:
            return tell(recorder, event, args)
        finally:
            ours[0] += time.process_time() - start
            inside[0] = False

    with unittest.mock.patch.object(containment, "_tell", timed):
        yield


@contextlib.contextmanager
def recording(kind: str) -> Iterator[None]:
    """A recording of what is compiled in the block; none of the kinds "without" and "control"."""
    if kind in (WITHOUT, CONTROL):
        yield
        return
    import depyf

    with tempfile.TemporaryDirectory() as folder, depyf.prepare_debug(folder):
        yield


def run(python: str, backend: str, kind: str, options: argparse.Namespace) -> Run:
    """One run, in a process with empty caches."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": cache}
        if kind != UPSTREAM:
            environment["PYTHONPATH"] = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
        command = [python, "-W", "ignore", __file__, "--one", kind, "--backend", backend]
        command += ["--layers", str(options.layers), "--calls", str(options.calls)]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    found: Run = json.loads(done.stdout.decode().splitlines()[-1])
    return found


def ratio(runs: Dict[str, List[Run]], kind: str, parts: List[str]) -> float:
    """Median over the pairs of what ``kind`` takes over what it takes without."""
    pairs = zip(runs[kind], runs[WITHOUT])
    return statistics.median(total(a, parts) / total(b, parts) for a, b in pairs)


def least_ratio(runs: Dict[str, List[Run]], kind: str, parts: List[str]) -> float:
    """The least that ``kind`` took over the least that it took without: what else a machine does only adds."""
    return min(total(one, parts) for one in runs[kind]) / min(total(one, parts) for one in runs[WITHOUT])


def total(one: Run, parts: List[str]) -> float:
    return sum(one[part] for part in parts)


def in_one_process(backend: str, kinds: List[str], options: argparse.Namespace) -> Dict[str, List[Run]]:
    """All runs, by turns, in this process."""
    sys.path.insert(0, str(ROOT / "src"))
    prepare(backend, WITH)
    runs: Dict[str, List[Run]] = {kind: [] for kind in kinds}
    for number in range(-1, options.pairs):
        for kind in kinds if number % 2 else kinds[::-1]:
            found = one(backend, kind, options.layers, options.calls)
            if number >= 0:  # the first is for warming up
                runs[kind].append(found)
    return runs


def in_processes(backend: str, kinds: List[str], options: argparse.Namespace) -> Dict[str, List[Run]]:
    """All runs, by turns, each in a process of its own."""
    runs: Dict[str, List[Run]] = {kind: [] for kind in kinds}
    for number in range(options.pairs):
        for kind in kinds if number % 2 else kinds[::-1]:
            python = options.upstream if kind == UPSTREAM else sys.executable
            runs[kind].append(run(python, backend, kind, options))
    return runs


def measure(backend: str, options: argparse.Namespace) -> bool:
    """Prints the table of one backend; whether it is good."""
    kinds = [WITHOUT, WITH] + ([CONTROL] if options.control else []) + ([UPSTREAM] if options.upstream else [])
    runs = (in_one_process if options.one_process else in_processes)(backend, kinds, options)
    place = "in one process" if options.one_process else "each run in a process of its own"
    print(f"{backend}: {options.layers} layers, forward and backward, {options.pairs} pairs, {place}")
    for kind in kinds:
        middle = {part: statistics.median(one[part] for one in runs[kind]) for part in runs[kind][0]}
        print(
            f"  {kind:8} in the block {middle['block']:6.2f} s ({middle['block clock']:.2f} by the clock), "
            f"at the end {middle['end']:.2f} s, a call {1000 * middle['call']:.3f} ms"
        )
    good = True
    for kind in kinds[1:]:
        block, whole = ratio(runs, kind, ["block"]), ratio(runs, kind, ["block", "end"])
        call = ratio(runs, kind, ["call"])
        print(f"  {kind:8} compiling {block:.3f} times, with the end {whole:.3f} times; a call {call:.3f} times")
        least = [least_ratio(runs, kind, parts) for parts in (["block"], ["block", "end"], ["call"])]
        print("           the least: {:.3f} times, with the end {:.3f} times; a call {:.3f} times".format(*least))
        if kind == WITH:
            shares = [one["ours"] / (one["block"] - one["ours"]) for one in runs[kind]]
            middle_share = statistics.median(shares)
            print(f"           in depyf {middle_share:.2%} of the rest ({min(shares):.2%} to {max(shares):.2%})")
            most = options.most if options.most is not None else MOST.get(backend, 1.10)
            good = block <= most and call <= options.most_call
    sys.stdout.flush()
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--backend", nargs="+", default=["eager", "inductor"])
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--control", action="store_true", help="a run more in each round, without: what is noise")
    parser.add_argument("--one-process", action="store_true", help="all runs in one process; not for inductor")
    parser.add_argument("--upstream", metavar="PYTHON", help="an interpreter with torch and another depyf")
    parser.add_argument("--most", type=float, help="ratio in the block (default 1.03 for inductor, 1.10 else)")
    parser.add_argument("--most-call", type=float, default=1.02, help="ratio of a call afterwards (default 1.02)")
    parser.add_argument("--one", choices=(WITHOUT, WITH, CONTROL, UPSTREAM), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one_process and (options.upstream or "inductor" in options.backend):
        parser.error("--one-process needs --backend eager, and can't be combined with --upstream")
    if options.one:
        prepare(options.backend[0], options.one)
        print(json.dumps(one(options.backend[0], options.one, options.layers, options.calls)))
        return 0
    good = [measure(backend, options) for backend in options.backend]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
