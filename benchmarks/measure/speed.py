"""What a decompile with proof costs: calls for each instruction, and CPU time over that of `compile()`.

    python benchmarks/measure/speed.py                  24 files of the running Python's library, five rounds
    python benchmarks/measure/speed.py --calls          calls only: they don't depend on the machine
    python benchmarks/measure/speed.py --top 40         also the functions that are called most, and their own time
    python benchmarks/measure/speed.py --every-python   on every CPython that is found
    ... --ratchet benchmarks/measure/calls.json         fail if there are 3 % more calls than this file promises

Each round measures, one after the other, `compile()`, the decompile in the compact layout and two floors, `ast.parse`
and `ast.unparse(ast.parse())`, on the same files; printed is the median of the rounds' ratios. A call is what
`cProfile` counts, those of C functions included.
"""

from __future__ import annotations

import argparse
import ast
import cProfile
import dis
import gc
import json
import os
import platform
import pstats
import statistics
import sys
import time
import types
from pathlib import Path
from typing import Callable, Dict, List, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from chosen import library_files, on_every_python
from depyf.decompiler.pipeline import analyze
from depyf.without_source.modules import walk

MOST = 1.03


def cpu_seconds(run: Callable[[], object]) -> float:
    gc.collect()
    start = time.process_time()
    run()
    return time.process_time() - start


def decompile_all(codes: List[types.CodeType]) -> None:
    for code in codes:
        analyze(code).text.printed  # noqa: B018


def profiled(codes: List[types.CodeType]) -> pstats.Stats:
    profile = cProfile.Profile()
    profile.runcall(decompile_all, codes)
    return pstats.Stats(profile)


def print_top(stats: pstats.Stats, count: int, instructions: int) -> None:
    rows = [(calls, own, place) for place, (_, calls, own, _, _) in stats.stats.items()]  # type: ignore[attr-defined]
    print(f"{'calls':>8}  {'own ms':>8}  for each 1,000 instructions")
    for calls, own, (file, line, name) in sorted(rows, reverse=True)[:count]:
        place = f"{os.path.basename(file)}:{line}({name})" if line else name
        print(f"{calls * 1000 / instructions:8.0f}  {own * 1e6 / instructions:8.2f}  {place}")


def ratios(sources: List[Tuple[str, str]], codes: List[types.CodeType], rounds: int) -> None:
    found: Dict[str, List[float]] = {}
    for _ in range(rounds):
        base = cpu_seconds(lambda: [compile(text, path, "exec", dont_inherit=True) for path, text in sources])
        for name, run in (
            ("decompile", lambda: decompile_all(codes)),
            ("ast.parse", lambda: [ast.parse(text) for _, text in sources]),
            ("ast.unparse", lambda: [ast.unparse(ast.parse(text)) for _, text in sources] if has_unparse else None),
        ):
            found.setdefault(name, []).append(cpu_seconds(run) / base)
    told = ", ".join(f"{name} {statistics.median(times):.1f}" for name, times in found.items() if any(times))
    print(f"times compile(): {told}")


has_unparse = hasattr(ast, "unparse")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=24, help="files")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", action="store_true", help="count calls only")
    parser.add_argument("--top", type=int, default=0, metavar="N", help="the N functions that are called most")
    parser.add_argument("--ratchet", type=Path, metavar="FILE")
    parser.add_argument("--every-python", action="store_true")
    options = parser.parse_args()
    if options.every_python:
        return int(on_every_python(__file__, [one for one in sys.argv[1:] if one != "--every-python"]))
    paths = library_files(options.sample, options.seed, 40_000)
    sources = [(str(path), path.read_text(encoding="utf-8")) for path in paths]
    codes = [compile(text, path, "exec", dont_inherit=True) for path, text in sources]
    instructions = sum(1 for module in codes for code in walk(module) for _ in dis.get_instructions(code))
    decompile_all(codes[:1])  # imports, and tables that are made once
    stats = profiled(codes)
    calls = stats.total_calls / instructions  # type: ignore[attr-defined]
    print(f"CPython {platform.python_version()}: {instructions} instructions, {calls:.1f} calls for each", flush=True)
    if options.top:
        print_top(stats, options.top, instructions)
    if options.ratchet:
        promised = json.loads(options.ratchet.read_text())["{}.{}".format(*sys.version_info)]
        if calls > promised * MOST:
            print(f"more than {MOST} times the {promised} of {options.ratchet}")
            return 1
    if not options.calls:
        ratios(sources, codes, options.rounds)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
