"""What `depyf.compare` costs: compiling with the first training step, later steps, and memory.

    python benchmarks/torch_compile/comparing_cost.py                  GPT-2 small and a convolutional network
    python benchmarks/torch_compile/comparing_cost.py --pairs 5        five pairs of runs

Each run is a process of its own with empty caches: one step that compiles, three more. A pair is a run without depyf
and one that compares; ratios are medians over the pairs. Memory is the highest proportional set size of the
process and of those that it forks, sampled twenty times a second: a backward's peak is short.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Dict, Tuple

SRC = Path(__file__).resolve().parents[2] / "src"
MARK = "DEPYF_COMPARING_COST"


def gpt2() -> Tuple[Any, Any]:
    """GPT-2 small: 124 million parameters."""
    import torch

    transformers = importlib.import_module("transformers")
    rates = dict.fromkeys(("resid_pdrop", "embd_pdrop", "attn_pdrop"), 0.0)
    tokens = torch.randint(0, 50257, (2, 128))
    model = transformers.GPT2LMHeadModel(transformers.GPT2Config(use_cache=False, **rates))
    return model, lambda compiled: compiled(input_ids=tokens, labels=tokens).loss


def convolutions() -> Tuple[Any, Any]:
    """Eight layers of convolutions with batch norms."""
    import torch
    from torch import nn

    layers = [one for at in range(8) for one in (nn.Conv2d(3 if not at else 32, 32, 3, padding=1), nn.BatchNorm2d(32),
                                                 nn.ReLU())]  # fmt: skip
    images = torch.randn(8, 3, 32, 32)
    return nn.Sequential(*layers), lambda compiled: compiled(images).square().mean()


PROGRAMS: Dict[str, Callable[[], Tuple[Any, Any]]] = {"gpt2": gpt2, "convolutions": convolutions}


def work(program: str, is_compared: bool) -> None:
    """One run; prints the seconds of the first step and the median of the later ones."""
    import torch

    torch.manual_seed(0)
    model, loss_of = PROGRAMS[program]()
    compiled = torch.compile(model)
    seconds = []
    with contextlib.ExitStack() as stack:
        if is_compared:
            import depyf

            report = stack.enter_context(depyf.compare(tempfile.mkdtemp()))
        for _ in range(4):
            start = time.perf_counter()
            loss_of(compiled).backward()
            seconds.append(time.perf_counter() - start)
            model.zero_grad()
    found: Dict[str, Any] = {"first": seconds[0], "later": statistics.median(seconds[1:])}
    if is_compared:
        found["verdicts"] = [one.words for one in report.verdicts] + report.notes
    print(json.dumps(found))


def memory_of_all(mark: str) -> int:
    """Bytes of the processes that have the mark in their environment."""
    total = 0
    for one in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if one.name.isdigit() and mark.encode() in (one / "environ").read_bytes():
                [line] = [line for line in (one / "smaps_rollup").read_text().splitlines() if line.startswith("Pss:")]
                total += int(line.split()[1]) * 1024
    return total


def run(program: str, is_compared: bool) -> Dict[str, Any]:
    """One run in a process of its own."""
    mark = f"{os.getpid()}.{time.time()}"
    with tempfile.TemporaryDirectory() as caches:
        environment = {**os.environ, MARK: mark, "PYTHONPATH": str(SRC), "TORCHINDUCTOR_CACHE_DIR": caches}
        process = subprocess.Popen([sys.executable, __file__, "--work", program, *["--compared"] * is_compared],
                                   env=environment, stdout=subprocess.PIPE, text=True)  # fmt: skip
        peak = 0
        while process.poll() is None:
            peak = max(peak, memory_of_all(f"{MARK}={mark}"))
            time.sleep(0.05)
        assert process.stdout is not None and process.returncode == 0
        return {**json.loads(process.stdout.read().splitlines()[-1]), "peak": peak}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--only", nargs="*", choices=list(PROGRAMS), default=list(PROGRAMS))
    parser.add_argument("--work", choices=list(PROGRAMS), help=argparse.SUPPRESS)
    parser.add_argument("--compared", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(options.work, options.compared)
        return
    print("| program | first step, s | compared, s | ratio | later steps, ratio | peak, MB | compared, MB | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    for program in options.only:
        pairs = [(run(program, False), run(program, True)) for _ in range(options.pairs)]
        figures = {what: [(one[what], other[what]) for one, other in pairs] for what in ("first", "later", "peak")}
        ratio = {what: statistics.median(b / a for a, b in both) for what, both in figures.items()}
        first, peak = (figures[what][0] for what in ("first", "peak"))
        print(f"| {program} | {first[0]:.1f} | {first[1]:.1f} | {ratio['first']:.2f} | {ratio['later']:.2f} "
              f"| {peak[0] / 1e6:.0f} | {peak[1] / 1e6:.0f} | {ratio['peak']:.2f} |", flush=True)  # fmt: skip
        for words in pairs[0][1]["verdicts"]:
            print(f"    {words}", file=sys.stderr)


if __name__ == "__main__":
    main()
