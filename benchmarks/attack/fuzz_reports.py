"""Send dumps and logs with hostile fields, payloads and bytes through ``depyf report``, in every form, and ``diff``.

    python benchmarks/attack/fuzz_reports.py --seconds 600 [--seed N]

A failure is any exception, any status but 0, 1 and 2, and what `hostile_reports.faults` lists: the text of a file
outside of the folder, raw controls, commands to a CI runner, markup and scripts that are not the page's own; and more
processor time than 10 seconds. Input number n of a seed is always the same; its folder is kept if it fails.
"""

from __future__ import annotations

import argparse
import collections
import faulthandler
import gzip
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from hostile_reports import DUMP, FORMATS, LOG, Received, command, faults, surroundings

SECONDS = 10.0
ADDRESS_SPACE = 4 << 30


class TooSlow(BaseException):
    """Raised by the timer."""


def make(folder: Path, seed: int, number: int) -> str:
    """Writes input `number` into a folder; what it is about: a dump, a log, or two dumps."""
    dice = random.Random(f"{seed}:{number}")
    names = surroundings(folder)
    found = Received()
    kind = dice.choice(("dump", "log", "log"))
    if kind == "dump" and dice.random() < 0.3:
        files = [
            place for place in found.places() if place.keys[-1] in ("file", "filename") or place.file == "sources.json"
        ]
        for place in dice.sample(files, 3):
            value: Any = dice.choice(names)
            if place.keys[-1] in ("file", ""):
                found.put(place, value)
    found.damage(dice, DUMP if kind == "dump" else (LOG,))
    found.write(folder)
    path = folder / ("dump" if kind == "dump" else "trace") / (dice.choice(DUMP) if kind == "dump" else LOG)
    if dice.random() < 0.15:  # bytes
        data = bytearray(path.read_bytes())
        for _ in range(dice.choice((1, 3, 20))):
            at = dice.randrange(len(data) + 1)
            data[at : at + dice.choice((0, 1, 1, 50))] = dice.choice(
                (b"", b"\n", b"\x00", b"\xff", b"[[[", b"\t", bytes(data[:99]))
            )
        path.write_bytes(data)
    if kind == "log" and dice.random() < 0.1:
        packed = gzip.compress(path.read_bytes())
        path.write_bytes(packed[: dice.choice((None, -9, len(packed) // 2))] + dice.choice((b"", b"\0\0", packed)))
    return kind


def examine(folder: Path, kind: str, number: int) -> str:
    """Runs the commands; "" if all is well, else what is not."""
    given = str(folder / ("dump" if kind == "dump" else "trace"))
    forms = FORMATS if number % 4 == 0 else (FORMATS[number % len(FORMATS)], "text")
    for form in forms:
        said = command("report", given, "--format", form)
        wrong = faults(form, said)
        if wrong:
            return f"{form}: {wrong[0]}"
        if said.status and form not in ("html",):
            return ""
    for words in (("diff", given, given), ("report", given, "train.py", "--all"), ("report", given, "--source", given)):
        wrong = faults("text", command(*words))
        if wrong:
            return f"{words[0]}: {wrong[0]}"
    return ""


def run(options: argparse.Namespace) -> int:
    """Runs until the time is over; the exit status."""
    signal.signal(signal.SIGVTALRM, _too_slow)
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, resource.getrlimit(resource.RLIMIT_AS)[1]))
    outcomes: collections.Counter[str] = collections.Counter()
    begin, slowest, number = time.monotonic(), (0.0, 0), options.first
    while time.monotonic() - begin < options.seconds and number < options.first + options.inputs:
        folder = Path(tempfile.mkdtemp(prefix="fuzz-reports-"))
        kind = make(folder, options.seed, number)
        start = time.process_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
        try:
            wrong = examine(folder, kind, number)
        except TooSlow:
            wrong = f"took more than {SECONDS} seconds"
        except Exception as error:
            wrong = f"{type(error).__name__}: {error}"
            if options.traceback:
                raise
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        slowest = max(slowest, (time.process_time() - start, number))
        outcomes[f"{kind}: failure" if wrong else kind] += 1
        if wrong:
            kept = Path(options.save) / str(number)
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(folder, kept, symlinks=True)
            print(f"FAILURE at input {number} ({kind}): {wrong[:300]}", flush=True)
        shutil.rmtree(folder)
        number += 1
    failures = sum(count for word, count in outcomes.items() if "failure" in word)
    version = "{}.{}".format(*sys.version_info)
    print("| CPython | dumps | logs | failures | most time |\n|---|---|---|---|---|")
    print(
        "| {} | {} | {} | {} | {:.1f} s (input {}) |".format(
            version, outcomes["dump"], outcomes["log"], failures, *slowest
        )
    )
    return 1 if failures else 0


def _too_slow(*_: Any) -> None:
    raise TooSlow


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--inputs", type=int, default=sys.maxsize, help="stop after so many inputs")
    parser.add_argument("--first", type=int, default=0, help="begin with this input")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", default="fuzz-failures", help="folder for inputs that fail")
    parser.add_argument("--traceback", action="store_true", help="stop at an exception, with its traceback")
    sys.exit(run(parser.parse_args()))
