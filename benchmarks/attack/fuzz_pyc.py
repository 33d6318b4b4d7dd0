"""Feed damaged and hostile .pyc files of every CPython on this machine to the readers.

    python benchmarks/attack/fuzz_pyc.py --seconds 600 [--seed N]

Every input goes through ``read_pyc_bytes``, then every code object in it through ``positions`` and ``disassemble``.
The only exceptions allowed are depyf's own. Anything else, and any input that takes longer or more memory than its
size accounts for, is a failure: the input is saved, the exit status is 1. Input number n of a seed is always the same.
"""

from __future__ import annotations

import argparse
import collections
import faulthandler
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path
from typing import Any, Callable, Iterator

from depyf.decompiler.bytecode import disassemble, read_pyc_bytes
from depyf.decompiler.bytecode.code.formats import FORMATS
from depyf.decompiler.bytecode.edit import MOST_SLOTS
from depyf.decompiler.bytecode.interpreters import find_interpreter
from depyf.decompiler.bytecode.reading.pyc import HEADER, pyc_version
from depyf.errors import DecompilationError, PycError

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from fuzz_inputs import damage, hostile

SECONDS, SECONDS_PER_KB = 2.0, 0.02
"""Processor time that an input may take: so much, and so much more for each 1024 bytes."""

BYTES, BYTES_PER_BYTE = 10_000_000 + 8 * MOST_SLOTS, 1500
"""Memory that an input may take at its peak: so much (passes that simulate the stack may hold that many slots before
they give up), and so much more for each byte."""

MEASURE_MEMORY_EVERY = 20
"""Tracing allocations makes an input some times slower: only every so many inputs."""

MOST_SAVED = 3
"""Of inputs that fail for the same reason."""

ADDRESS_SPACE = 4 << 30
MODULES = ("abc", "contextlib", "copy", "dataclasses", "asyncio/locks", "asyncio/queues", "shlex")
COMPILE = """
import importlib.util, marshal, os, sys
todo = []
for name in sys.argv[2:]:
    path = os.path.join(os.path.dirname(os.__file__), name + ".py")
    with open(path, encoding="utf-8") as file:
        todo.append(compile(file.read(), name, "exec", dont_inherit=True))
for number, code in enumerate(todo):
    todo.extend(constant for constant in code.co_consts if hasattr(constant, "co_code"))
    data = marshal.dumps(code)
    if len(data) < 8000:
        with open(os.path.join(sys.argv[1], "%04d.pyc" % number), "wb") as file:
            file.write(importlib.util.MAGIC_NUMBER + bytes(12) + data)
"""


class TooSlow(BaseException):
    """Raised inside the reader by the timer; nothing in the reader may catch it."""


def seeds() -> dict[tuple[int, int], list[bytes]]:
    """Files to start from: small modules, functions and classes of every interpreter's own standard library."""
    found = {}
    for version in FORMATS:
        interpreter = find_interpreter(version)
        if interpreter is None:
            continue
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([interpreter, "-c", COMPILE, folder, *MODULES], check=True)
            found[version] = [path.read_bytes() for path in sorted(Path(folder).iterdir())]
    return found


def inputs(files: dict[tuple[int, int], list[bytes]], seed: int) -> Iterator[bytes]:
    """Endless: number n depends on ``seed`` and n alone."""
    versions = sorted(files)
    number = 0
    while True:
        dice = random.Random(f"{seed}:{number}")
        version = versions[number % len(versions)]
        if dice.random() < 0.1:
            yield dice.choice(files[version])[:HEADER] + hostile(dice, version)
        else:
            yield damage(dice, dice.choice(files[version]), files[dice.choice(versions)])
        number += 1


def outcome(data: bytes) -> str:
    """What becomes of one input, in words; exceptions that are not depyf's pass through."""
    try:
        root = read_pyc_bytes(data, "input")
    except PycError:
        return "refused by the reader"
    refused = codes = notes = 0
    for raw in root.walk():
        codes += 1
        raw.positions()
        notes += bool(raw.notes)
        try:
            disassemble(raw)
        except DecompilationError:
            refused += 1
    if refused:
        return "read, some code refused" if refused < codes else "read, all code refused"
    return "read, without some lines" if notes else "read"


class Fuzzer:
    """Runs inputs and counts; ``failures`` by their reasons."""

    def __init__(self, examine: Callable[[bytes], str], save: Path) -> None:
        self.examine = examine
        self.save = save
        self.outcomes: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
        self.slowest = (0.0, 0)
        self.hungriest = (0, 0)
        self.runs = 0
        self.failures: collections.Counter[str] = collections.Counter()

    def run(self, number: int, data: bytes) -> None:
        self.runs += 1
        trace = number % MEASURE_MEMORY_EVERY == 0
        limit = (SECONDS + SECONDS_PER_KB * len(data) / 1024) * (5 if trace else 1)
        if trace:
            tracemalloc.start()
        signal.setitimer(signal.ITIMER_VIRTUAL, limit)
        faulthandler.dump_traceback_later(10 * limit + 60, exit=True, file=2)  # for what never comes back
        start = time.process_time()
        try:
            word = self.examine(data)
        except TooSlow:
            word = self.fail(number, data, f"took more than {limit:.1f} seconds")
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            word = self.fail(number, data, f"{type(error).__name__}: {error}")
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            faulthandler.cancel_dump_traceback_later()
        took = time.process_time() - start
        if trace:
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            self.hungriest = max(self.hungriest, (peak, len(data)))
            if peak > BYTES + BYTES_PER_BYTE * len(data):
                word = self.fail(number, data, f"took {peak} bytes of memory, at a size of {len(data)}")
        else:
            self.slowest = max(self.slowest, (took, len(data)))
        self.outcomes[_version(data)][word] += 1

    def fail(self, number: int, data: bytes, reason: str) -> str:
        self.failures[reason[:60]] += 1
        if self.failures[reason[:60]] <= MOST_SAVED:
            self.save.mkdir(parents=True, exist_ok=True)
            path = self.save / f"{number}.pyc"
            path.write_bytes(data)
            print(f"FAILURE at input {number}: {reason[:300]}\n  saved as {path}", flush=True)
        return "failure"

    def report(self, seconds: float) -> str:
        words = ["read", "read, without some lines", "read, some code refused", "read, all code refused"]
        words += ["refused by the reader", "failure"]
        lines = ["| version | " + " | ".join(words) + " |", "|---" * (len(words) + 1) + "|"]
        for version in sorted(self.outcomes, key=lambda text: (len(text), text)):
            counts = self.outcomes[version]
            lines.append(f"| {version} | " + " | ".join(str(counts[word]) for word in words) + " |")
        lines.append(f"\n{self.runs} inputs in {seconds:.0f} seconds, {sum(self.failures.values())} failures")
        lines.append(f"most time: {self.slowest[0]:.2f} s for {self.slowest[1]} bytes")
        lines.append(f"most memory: {self.hungriest[0] / 1e6:.1f} MB for {self.hungriest[1]} bytes")
        return "\n".join(lines)


def _version(data: bytes) -> str:
    try:
        return ".".join(map(str, pyc_version(data)))
    except PycError:
        return "none"


def _too_slow(*_: Any) -> None:
    raise TooSlow


def fuzz(examine: Callable[[bytes], str], options: argparse.Namespace) -> int:
    """Run until the time is over, or ``options.inputs`` are done; the exit status."""
    signal.signal(signal.SIGVTALRM, _too_slow)
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, resource.getrlimit(resource.RLIMIT_AS)[1]))
    files = seeds()
    names = ", ".join(".".join(map(str, version)) for version in files)
    print(f"seed {options.seed}; {sum(map(len, files.values()))} files of {names}", flush=True)
    fuzzer = Fuzzer(examine, Path(options.save))
    start = time.monotonic()
    for number, data in enumerate(inputs(files, options.seed)):
        if number >= options.first:
            fuzzer.run(number, data)
        if time.monotonic() - start > options.seconds or fuzzer.runs >= options.inputs:
            break
    print(fuzzer.report(time.monotonic() - start))
    return 1 if fuzzer.failures else 0


def parser_of(description: str | None) -> argparse.ArgumentParser:
    """The options that every fuzzer here has."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--inputs", type=int, default=sys.maxsize, help="stop after so many inputs")
    parser.add_argument("--first", type=int, default=0, help="begin with this input")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", default="fuzz-failures", help="folder for inputs that fail")
    return parser


if __name__ == "__main__":
    sys.exit(fuzz(outcome, parser_of(__doc__).parse_args()))
