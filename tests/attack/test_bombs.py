"""What a file costs grows as the file does: programs of one size and of four times that, in processes of their own.

Processor time is compared with processor time, in one process, and memory has a limit, so that neither the speed of
the machine nor its load matters. `verify` and `disasm` take the same files.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import depyf

from .bombs import BOMBS

CHILD = '''
import json, resource, sys, time
from tests.attack.bombs import BOMBS
from depyf.decompiler.pipeline import analyze
from depyf.cli.disassembly import listing, raw_code

def seconds(call, code):
    start = time.process_time()
    call(code)
    return time.process_time() - start

def measure(name):
    size, make = BOMBS[name]
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, resource.RLIM_INFINITY))
    code, larger = (compile(make(n), "bomb", "exec") for n in (size, 4 * size))
    found = {}
    for what, call in (("decompile", lambda code: analyze(code, layout="author")),
                       ("disasm", lambda code: listing(raw_code(code)))):
        call(code)  # what is kept for the next time is made
        found[what] = min(seconds(call, code) for _ in range(3)), seconds(call, larger)
    return found

print(json.dumps(measure(sys.argv[1])))
'''

MOST_TIMES = 9
"""Linear is 4, and n log n is below 5; what is quadratic is 16. Small amounts are noise."""
NOISE = 0.2


@pytest.mark.parametrize("name", BOMBS)
def test_four_times_as_much_takes_no_more_than_its_share(name):
    folders = [str(Path(depyf.__file__).parents[1]), str(Path(__file__).parents[2])]
    done = subprocess.run([sys.executable, "-c", CHILD, name], capture_output=True, encoding="utf-8",
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)}, timeout=600)  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    for what, (before, after) in json.loads(done.stdout).items():
        assert after < MOST_TIMES * before + NOISE, what
