"""`depyf attach` to a program at moments that nobody chose: it ends as it does alone, and each report can be read.

    python benchmarks/torch_compile/attach_while_running.py --python VENV/bin/python [--times 20]

VENV has CPython 3.14 or later and a torch; depyf runs from its sources. The program compiles all the time, so most
requests come while Dynamo traces, a backend compiles or compiled code runs. It prints its results, Dynamo's counters
and what random generators give next.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """
import random, sys, threading, torch, torch._dynamo
before = sys.path[:]
from torch._dynamo.utils import counters

class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 4)
    def forward(self, x, kind):
        x = torch.nn.functional.dropout(self.inner(x))
        torch._dynamo.graph_break()
        return helper(x) + len(kind)

@torch._dynamo.disable
def helper(x):
    for _ in range(2000):  # Python code inside of a call that is compiled
        x = x + 0
    return x * random.random()

torch.manual_seed(1); random.seed(2)
model = Layer()
print("begins", flush=True)
for number in range(int(sys.argv[1])):
    compiled = torch.compile(model, backend="inductor" if number % 4 == 3 else "aot_eager")
    for kind in ("a", "bb"):
        compiled(torch.ones(2 + number % 3, 4), kind).sum().backward()
    print(number, [p.grad.sum().item() for p in model.parameters()], flush=True)
    if number % 5 == 4:
        torch._dynamo.reset()
kept = {name: dict(count) for name, count in sorted(counters.items()) if name not in ("inductor", "aot_autograd")}
print(kept, random.random(), torch.rand(1).item(), sys.path == before, threading.active_count())
"""


def stable(text: str) -> str:
    """Without addresses, and without times and numbers of processes in the log."""
    return re.sub(r"0x[0-9a-f]+|^W\d{4} [0-9:.]+ \d+", "", text, flags=re.MULTILINE)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable, metavar="FILE", help="CPython 3.14 or later, with torch")
    parser.add_argument("--times", type=int, default=20, help="how often to attach")
    parser.add_argument("--rounds", type=int, default=20, help="how much the program does")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    dice = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        own = {**os.environ, "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1"}
        environment = {**own, "PYTHONPATH": str(ROOT / "src")}
        program = Path(folder, "program.py")
        program.write_text(PROGRAM)
        command = [options.python, str(program), str(options.rounds)]

        def start() -> subprocess.Popen[str]:
            return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder,
                                    env=own)  # fmt: skip

        alone = start().communicate()
        running = start()
        assert running.stdout is not None
        running.stdout.readline()
        said: dict[str, int] = {}
        for number in range(options.times):
            time.sleep(dice.random())
            report = str(Path(folder, f"report{number}"))
            words = ["-m", "depyf", "attach", str(running.pid), "-o", report]
            done = subprocess.run([options.python, *words], env=environment, text=True, capture_output=True, cwd=folder)
            if running.poll() is not None:
                break
            if done.returncode == 0:
                json.loads(Path(report, "remarks.json").read_text())
                missing = Path(report, "README.md").read_text().partition("## Missing")[2]
                key = "a report" + (f", but: {missing[:300]}" if missing else "")
            else:
                key = done.stderr.strip().replace(str(running.pid), "PID")
            said[key] = said.get(key, 0) + 1
        after = running.communicate()
    for key, count in said.items():
        print(f"{count:4}  {key}")
    same = [stable(alone[0]).endswith(stable(after[0])), stable(alone[1]) == stable(after[1]), running.returncode == 0]
    ends = [one[-1500:] for one in (*alone, *after)]
    print("the program ends as it does alone" if all(same) else f"DIFFERENT: {ends}")
    return not all(same)


if __name__ == "__main__":
    sys.exit(main())
