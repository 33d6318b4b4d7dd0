"""Feed damaged .pyc files of the running Python to the whole decompiler: read, analysed, printed, compiled again.

    python benchmarks/attack/fuzz_decompiler.py --seconds 1800 [--seed N] [--first N]

The files have 300 to 12,000 bytes. A failure is: an exception that is not depyf's own; more than two seconds of
processor time and a millisecond for each instruction; more than 200 MB of memory over what the process had before; a
text that does not compile. Each one is saved with its reason, and the exit status is 1. Input number n of a seed is
always the same for one Python. The inputs run in a child process, which is started again where it ends or hangs.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from pathlib import Path
from typing import Any, Iterator

from depyf.decompiler.bytecode import RawCode, read_pyc_bytes
from depyf.decompiler.bytecode.interpreters import HOST_VERSION
from depyf.decompiler.pipeline import analyze, standalone
from depyf.errors import DecompilationError, PycError

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from fuzz_inputs import HEADER, damage, damage_code, hostile
from fuzz_pyc import COMPILE, MODULES, parser_of

SECONDS, SECONDS_PER_INSTRUCTION = 2.0, 0.001
BYTES = 200_000_000
SMALLEST, LARGEST = 300, 12_000
HANGS = 120
"""Seconds of the processor's time for one input, after which its process ends; of the clock ten times as many."""
MOST_SAVED = 5
"""Of inputs that fail for the same reason."""
ADDRESS_SPACE = 6 << 30


def make_seeds(folder: str) -> None:
    """Write small modules, functions and classes of the running Python's own library."""
    subprocess.run([sys.executable, "-c", COMPILE, folder, *MODULES], check=True)


def read_seeds(folder: str) -> list[bytes]:
    """Those of the right size, in an order that is always the same."""
    files = [path.read_bytes() for path in sorted(Path(folder).iterdir())]
    return [data for data in files if SMALLEST <= len(data) <= LARGEST]


def made(files: list[bytes], seed: int, number: int) -> bytes:
    """Input ``number``: it depends on ``seed`` and that alone."""
    dice = random.Random(f"{seed}:{number}")
    if dice.random() < 0.03:
        return dice.choice(files)[:HEADER] + hostile(dice, HOST_VERSION)
    if dice.random() < 0.6:  # what the reader takes comes further
        return damage_code(dice, dice.choice(files))
    return damage(dice, dice.choice(files), files)


def instructions_in(root: RawCode) -> int:
    """Code units that are no inline caches."""
    return sum(sum(map(bool, raw.bytecode[::2])) for raw in root.walk())


def outcome(data: bytes) -> tuple[str, str, int]:
    """What becomes of one input, why it is a failure ("" if it is none), and how many instructions it has."""
    try:
        root = read_pyc_bytes(data, "input")
    except PycError:
        return "refused by the reader", "", 0
    count = instructions_in(root)
    try:
        result = analyze(root)
        text = standalone(result)
    except DecompilationError:
        return "refused", "", count
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "text", "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        return "failure", f"the text does not compile: {error}", count
    levels = {part.verdict.level.value for part in result.walk()}
    if "refused" in levels:
        return ("refused" if len(levels) == 1 else "partly refused"), "", count
    return ("unproven" if "unproven" in levels else "proven"), "", count


def examine(data: bytes) -> dict[str, Any]:
    """One input, measured."""
    start, before = time.process_time(), peak(reset=True)
    try:
        word, reason, count = outcome(data)
    except Exception as error:
        places = traceback.extract_tb(error.__traceback__)
        place = f"{os.path.basename(places[-1].filename)}:{places[-1].lineno}"
        word, reason, count = "failure", f"{type(error).__name__} in {place}: {error}", 0
    took, grown = time.process_time() - start, peak() - before
    if not reason and took > SECONDS + SECONDS_PER_INSTRUCTION * count:
        word, reason = "failure", f"took too long: {took:.1f} s for {count} instructions"
    if not reason and grown > BYTES:
        word, reason = "failure", f"took too much memory: {grown / 1e6:.0f} MB"
    return {"word": word, "reason": reason[:300], "seconds": took, "bytes": grown, "count": count}


def peak(reset: bool = False) -> int:
    """The most memory that this process had at once; ``reset``: begin again, and give what it has now."""
    try:
        if reset:
            Path("/proc/self/clear_refs").write_text("5")
        text = Path("/proc/self/status").read_text()
        return int(text.partition("VmHWM:")[2].split()[0]) * 1024
    except (OSError, IndexError):  # no Linux
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def child(seed: int, first: int, folder: str) -> None:
    """Answer a line of JSON for each input from ``first`` on, without end."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, resource.getrlimit(resource.RLIMIT_AS)[1]))
    files = read_seeds(folder)
    outcome(files[0])  # what is imported and made once
    number = first
    most = resource.getrlimit(resource.RLIMIT_CPU)[1]
    while True:
        resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + HANGS, most))
        print(json.dumps(dict(examine(made(files, seed, number)), number=number)), flush=True)
        number += 1


def lines_said(process: subprocess.Popen[Any]) -> Iterator[Any]:
    """The lines that a child prints; one that prints none for long is killed."""
    assert process.stdout is not None
    while True:
        watch = threading.Timer(10 * HANGS, process.kill)
        watch.start()
        line = process.stdout.readline()
        watch.cancel()
        if not line:
            return
        yield line


def answers(options: argparse.Namespace, folder: str) -> Iterator[dict[str, Any]]:
    """What a child says, and the next one after it has ended."""
    first = options.first
    while True:
        command = [sys.executable, __file__, "--child", folder, "--seed", str(options.seed), "--first", str(first)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            for line in lines_said(process):
                answer = json.loads(line)
                first = answer["number"] + 1
                yield answer
        finally:
            process.kill()
            status = process.wait()
        reason = f"the process ended with {status}, or hung"
        yield {"word": "failure", "reason": reason, "seconds": 0.0, "bytes": 0, "count": 0, "number": first}
        first += 1


def fuzz(options: argparse.Namespace, folder: str) -> int:
    """Run until the time is over; the exit status."""
    make_seeds(folder)
    files, save = read_seeds(folder), Path(options.save)
    words: collections.Counter[str] = collections.Counter()
    failures: collections.Counter[str] = collections.Counter()
    slowest: tuple[float, int, int] = (0.0, 0, 0)
    hungriest = (0, 0)
    start = time.monotonic()
    version = "{}.{}".format(*HOST_VERSION)
    for answer in answers(options, folder):
        number, reason = answer["number"], answer["reason"]
        words[answer["word"]] += 1
        slowest = max(slowest, (answer["seconds"], answer["count"], number))
        hungriest = max(hungriest, (answer["bytes"], number))
        if reason:
            kind = reason.partition(":")[0]
            failures[kind] += 1
            if failures[kind] <= MOST_SAVED:
                save.mkdir(parents=True, exist_ok=True)
                path = save / f"{version}-{options.seed}-{number}.pyc"
                path.write_bytes(made(files, options.seed, number))
                print(f"FAILURE at input {number}: {reason}\n  saved as {path}", flush=True)
        if time.monotonic() - start > options.seconds or sum(words.values()) >= options.inputs:
            break
    print(f"CPython {version}, seed {options.seed}: {sum(words.values())} inputs in {time.monotonic() - start:.0f} s")
    for word, count in words.most_common():
        print(f"  {count:7d} {word}")
    for word, count in failures.most_common():
        print(f"  {count:7d} failures: {word}")
    print(f"  most time: {slowest[0]:.2f} s for {slowest[1]} instructions (input {slowest[2]})")
    print(f"  most memory: {hungriest[0] / 1e6:.0f} MB (input {hungriest[1]})")
    return 1 if failures else 0


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("files", nargs="*", help="examine these files instead")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    if options.child:
        child(options.seed, options.first, options.child)
    if options.files:
        found = [(path, examine(Path(path).read_bytes())) for path in options.files]
        for path, answer in found:
            print(f"{path}: {answer}")
        return int(any(answer["reason"] for _, answer in found))
    with tempfile.TemporaryDirectory() as folder:
        return fuzz(options, folder)


if __name__ == "__main__":
    sys.exit(main())
