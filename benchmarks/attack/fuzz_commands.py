"""Give hostile .pyc files of a Python to the real commands, run by that same Python, with a debug allocator.

    python benchmarks/attack/fuzz_commands.py --seconds 1200 --seed N [--python 3.13] [--save DIR]
    python benchmarks/attack/fuzz_commands.py [--python 3.13] FILE ...     the same for these files

Each input goes through ``decompile``, ``decompile --steps``, ``disasm``, ``disasm --cfg`` and ``verify`` in a child
process with PYTHONMALLOC=debug and faulthandler. A failure is: a signal; a traceback, or an exit status that is not
documented; more time or memory than the size accounts for. A child has BATCH inputs; when it dies, the last ones are
tried again alone, to name the culprit. Failures are saved with what the child said, and the exit status is 1. Input
number n of a seed is always the same for one Python. The last lines are a row for benchmarks/results/fuzzing.md.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import io
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any, Generator, Iterator, NamedTuple

import depyf
from depyf.cli import main as run_command
from depyf.decompiler.bytecode import read_pyc_bytes
from depyf.decompiler.bytecode.interpreters import HOST_VERSION, find_interpreter
from depyf.errors import PycError

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from fuzz_decompiler import ADDRESS_SPACE, HANGS, instructions_in, lines_said, peak, read_seeds
from fuzz_inputs import HEADER, damage, damage_code, damage_stored, hostile
from fuzz_pyc import COMPILE, MODULES, parser_of

ANOTHER_SOURCE = str(Path(__file__).parents[1] / "lib" / "tally.py")
COMMANDS = (
    ("decompile",), ("decompile", "--steps"), ("disasm",), ("disasm", "--cfg"), ("verify", "--source", ANOTHER_SOURCE),
)  # fmt: skip
SECONDS, SECONDS_PER_INSTRUCTION = 4.0, 0.002
"""Processor time of one command; the debug allocator takes about half of it."""
BYTES = 400_000_000
BATCH = 250
SUSPECTS = 12
"""Inputs of a dead child that are tried alone: the allocator finds damage only when it frees the memory."""
MOST_SAVED = 5
STATUS = {0: "proven", 1: "in part", 2: "not read", 3: "refused"}


class Failure(NamedTuple):
    kind: str  # "signal", "traceback" or "bound"
    reason: str


def made(files: list[bytes], seed: int, number: int) -> bytes:
    """Input ``number``: it depends on ``seed`` and that alone."""
    dice = random.Random(f"{seed}:{number}")
    file, way = dice.choice(files), dice.random()
    if way < 0.05:
        return file[:HEADER] + hostile(dice, HOST_VERSION)
    if way < 0.6:
        return damage_stored(dice, file)
    return damage_code(dice, file) if way < 0.85 else damage(dice, file, files)


def one_command(words: tuple[str, ...], path: str, count: int) -> dict[str, Any]:
    """Run it in this process; its status, its cost, and why it is a failure."""
    start, before = time.process_time(), peak(reset=True)
    status, failure = -1, None
    out, errors = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            status = run_command([*words, path])
    except BaseException as error:
        places = traceback.extract_tb(error.__traceback__)
        place = f"{os.path.basename(places[-1].filename)}:{places[-1].lineno}"
        failure = Failure("traceback", f"{type(error).__name__} in {place}: {str(error)[:200]}")
    took, grown = time.process_time() - start, peak() - before
    if failure is None and (status not in STATUS or "Traceback (most recent" in errors.getvalue()):
        failure = Failure("traceback", f"status {status}: {errors.getvalue()[:200]}")
    if failure is None and took > SECONDS + SECONDS_PER_INSTRUCTION * count:
        failure = Failure("bound", f"{took:.1f} s for {count} instructions")
    if failure is None and grown > BYTES:
        failure = Failure("bound", f"{grown / 1e6:.0f} MB for {count} instructions")
    return {"status": status, "seconds": took, "bytes": grown, "failure": failure}


def examine(path: str) -> dict[str, Any]:
    """All commands on one file."""
    try:
        count = instructions_in(read_pyc_bytes(Path(path).read_bytes()))
    except PycError:
        count = 0
    ran = {" ".join(words): one_command(words, path, count) for words in COMMANDS}
    failed = [(words, *one["failure"]) for words, one in ran.items() if one["failure"] is not None]
    return {
        "word": STATUS.get(ran["decompile"]["status"], "failed"),
        "seconds": max(one["seconds"] for one in ran.values()),
        "bytes": max(one["bytes"] for one in ran.values()),
        "kind": failed[0][1] if failed else "",
        "reason": f"{failed[0][0]}: {failed[0][2]}" if failed else "",
    }


def child(folder: str, seed: int, numbers: range) -> None:
    """Examine inputs and print a line of JSON for each; before that, the input is in the folder, by its number."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, resource.getrlimit(resource.RLIMIT_AS)[1]))
    files = read_seeds(os.path.join(folder, "seeds"))
    most = resource.getrlimit(resource.RLIMIT_CPU)[1]
    for number in numbers:
        path = Path(folder, f"{number}.pyc")
        path.write_bytes(made(files, seed, number))
        resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + HANGS, most))
        print(json.dumps(dict(examine(str(path)), number=number)), flush=True)


def run_child(options: argparse.Namespace, folder: str, *words: str) -> Iterator[dict[str, Any]]:
    """What a child says; at last ``number`` -1 with its signal, if it was not done."""
    # DEPYF_TRACEBACK: what no code of depyf expects is an exception here, not a line.
    environment = {
        **os.environ, "DEPYF_TRACEBACK": "1", "PYTHONMALLOC": "debug",
        "PYTHONPATH": str(Path(depyf.__file__).parents[1]),
    }  # fmt: skip
    command = [options.interpreter, "-X", "faulthandler", __file__, *words]
    with open(os.path.join(folder, "said"), "w+b") as said:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, env=environment)
        try:
            for line in lines_said(process):
                yield json.loads(line)
        finally:
            if sys.exc_info()[0] is not None:  # nobody listens any more
                process.kill()
            status = process.wait()
        if status:
            said.seek(0)
            text = said.read().decode("utf-8", "replace")
            kind = "signal" if status < 0 else "traceback"
            yield {"number": -1, "kind": kind, "reason": f"the process ended with {status}", "said": text}


def alone(options: argparse.Namespace, folder: str, path: str) -> dict[str, Any]:
    """The same for one file, in a process of its own."""
    return list(run_child(options, folder, "--child", folder, path))[-1]


def batch(options: argparse.Namespace, folder: str, first: int) -> Generator[dict[str, Any], None, None]:
    """The answers for BATCH inputs from ``first`` on; a child's end is laid to the input that ends one alone too."""
    numbers = first, first + BATCH
    for answer in run_child(options, folder, "--child", folder, "--seed", str(options.seed), *map(str, numbers)):
        if answer["number"] >= 0:
            first = answer["number"] + 1
            yield answer
            continue
        last = max(numbers[0], first - SUSPECTS), min(first + 1, numbers[1])
        repeated = ((n, alone(options, folder, os.path.join(folder, f"{n}.pyc"))) for n in reversed(range(*last)))
        number = next((n for n, again in repeated if again["number"] < 0), -1)
        if number < 0:
            answer["reason"] += f", with the inputs from {last[0]} on"
        yield dict(answer, word="", seconds=0.0, bytes=0, number=max(number, last[0]))
        if first < numbers[1]:  # it has had no answer
            yield {"word": "failed", "seconds": 0.0, "bytes": 0, "kind": "", "reason": "", "number": first}


class Record:
    """What was seen, and the failures, saved."""

    def __init__(self, options: argparse.Namespace, folder: str) -> None:
        self.options, self.folder = options, folder
        self.words: collections.Counter[str] = collections.Counter()
        self.kinds: collections.Counter[str] = collections.Counter()
        self.alike: collections.Counter[str] = collections.Counter()
        self.most_seconds, self.most_bytes = 0.0, 0

    def add(self, answer: dict[str, Any]) -> None:
        self.words.update(filter(None, [answer["word"]]))
        self.most_seconds = max(self.most_seconds, answer["seconds"])
        self.most_bytes = max(self.most_bytes, answer["bytes"])
        path = Path(self.folder, f"{answer['number']}.pyc")
        if answer["kind"]:
            self.kinds[answer["kind"]] += 1
            self.save(answer, path)
        if answer["number"] >= SUSPECTS:
            with contextlib.suppress(OSError):
                Path(self.folder, f"{answer['number'] - SUSPECTS}.pyc").unlink()

    def save(self, answer: dict[str, Any], path: Path) -> None:
        self.alike[answer["reason"][:60]] += 1
        if self.alike[answer["reason"][:60]] > MOST_SAVED or not path.exists():
            return
        save = Path(self.options.save)
        save.mkdir(parents=True, exist_ok=True)
        kept = save / f"{self.options.version}-{self.options.seed}-{answer['number']}.pyc"
        kept.write_bytes(path.read_bytes())
        kept.with_suffix(".txt").write_text("{}\n{}".format(answer["reason"], answer.get("said", "")))
        print(f"FAILURE at input {answer['number']}: {answer['reason']}\n  saved as {kept}", flush=True)

    def row(self, seconds: float) -> str:
        names = ("not read", "refused", "in part", "proven")
        kinds = ("signal", "traceback", "bound")
        cells = [self.options.version, self.options.seed, f"{seconds:.0f} s", f"{sum(self.words.values()):,}"]
        cells += [f"{self.words[name]:,}" for name in names] + [self.kinds[kind] for kind in kinds]
        cells += [f"{self.most_seconds:.1f} s", f"{self.most_bytes / 1e6:.0f} MB"]
        head = [
            "CPython",
            "seed",
            "time",
            "inputs",
            *names,
            "signals",
            "tracebacks",
            "bounds",
            "most time",
            "most memory",
        ]
        lines = (head, ["---"] * len(head), cells)
        return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def fuzz(options: argparse.Namespace, folder: str) -> int:
    """Run until the time is over; the exit status."""
    seeds = os.path.join(folder, "seeds")
    os.mkdir(seeds)
    subprocess.run([options.interpreter, "-c", COMPILE, seeds, *MODULES], check=True)
    record, first, start = Record(options, folder), options.first, time.monotonic()
    over = False
    while not over:
        with contextlib.closing(batch(options, folder, first)) as answers:
            for answer in answers:
                record.add(answer)
                first = max(first, answer["number"] + 1)
                over = time.monotonic() - start > options.seconds or sum(record.words.values()) >= options.inputs
                if over:
                    break
    print(record.row(time.monotonic() - start))
    return 1 if record.kinds else 0


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("--python", help="version or path of the Python that runs the commands (default: this one)")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("files", nargs="*", help="examine these files instead")
    options = parser.parse_args(arguments)
    given = options.python or "{}.{}".format(*HOST_VERSION)
    is_version = given.replace(".", "").isdigit()
    options.version = given if is_version else os.path.basename(given)
    options.interpreter = given
    if is_version:
        major, minor = map(int, given.split("."))
        wanted = major, minor
        options.interpreter = sys.executable if wanted == HOST_VERSION else find_interpreter(wanted)
    if options.interpreter is None:
        parser.error(f"no CPython {given} found")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    if options.child and options.files[0].isdigit():
        child(options.child, options.seed, range(*map(int, options.files)))
        return 0
    if options.child:
        print(json.dumps(dict(examine(options.files[0]), number=0)))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        if not options.files:
            return fuzz(options, folder)
        answers = [(path, alone(options, folder, path)) for path in options.files]
    for path, answer in answers:
        print(f"{path}: {json.dumps(answer)}")
    return int(any(answer["kind"] for _, answer in answers))


if __name__ == "__main__":
    sys.exit(main())
