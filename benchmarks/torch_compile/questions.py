"""Twelve questions about a compiled program, put to depyf and to what else there is: where is each answer?

One program is run once for each tool: `depyf run` and `depyf report`, `TORCH_LOGS`, `TORCH_COMPILE_DEBUG`,
`torch._dynamo.explain`, and `tlparse` where it is installed. An answer counts as there if all of its words stand within
a few lines; what is printed is how much a reader has before the eyes then: the number of files and of lines of the
tool's whole output, and the line of the first answer. A tool can answer in words that this program does not know, so a
dash is no proof.

    python benchmarks/torch_compile/questions.py [--show TOOL] [--tlparse PATH]
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable, Dict, List, Sequence, Tuple

PROGRAM = '''\
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)

    def forward(self, x):
        return torch.relu(self.linear(x)) + x


net = Net()


@torch.compile
def step(x, scale):
    h = net(x) * scale
    if h.abs().max() > 1e6:
        h = h / 2
    return h.log_softmax(-1).mean()


@torch.compile
def numbers(n):
    for number in range(n):
        yield number


optimizer = torch.optim.Adam(net.parameters())


@torch.compile
def update():
    optimizer.step()


for size in (4, 5):
    step(torch.randn(size, 8), 0.5).backward()
    update()
list(numbers(2))
'''
EXPLAIN = PROGRAM.replace("step(torch.randn(size, 8), 0.5).backward()", '''\
print(torch._dynamo.explain(step.__wrapped__ if hasattr(step, "__wrapped__") else step)(torch.randn(size, 8), 0.5))
    step(torch.randn(size, 8), 0.5).backward()''')  # fmt: skip

LINE = {text: at for at, text in enumerate(PROGRAM.splitlines(), 1)}
FORWARD = LINE["        return torch.relu(self.linear(x)) + x"]
CALL = LINE["    h = net(x) * scale"]
BRANCH = LINE["    if h.abs().max() > 1e6:"]
LAST = LINE["    return h.log_softmax(-1).mean()"]
STEP = LINE["def step(x, scale):"]
NUMBERS = LINE["def numbers(n):"]


def place(line: int, before: int = 0) -> str:
    """The line, or one of those before it, as torch and depyf write places."""
    lines = "|".join(str(line - back) for back in range(before + 1))
    return r"(train\.py[\":]*,?\s*(?:line )?({0})\b|^\s+({0})  )".format(lines)


QUESTIONS: List[Tuple[str, List[str]]] = [
    ("which function was compiled", [r"\bstep\b", place(STEP, 1)]),
    ("where did its graph break", [place(BRANCH), r"break"]),
    ("why", [place(BRANCH), r"branch|data-dependent|control flow|jump"]),
    ("what to do about the break", [place(BRANCH), r"torch\.cond|torch\.where"]),
    ("which line was compiled again", [r"recompil", place(CALL) + "|" + place(STEP, 1)]),
    ("what had changed", [r"recompil", r"\bx\b.{0,6}(shape|size)", r"\b4\b", r"\b5\b"]),
    ("what to do about it", [r"mark_dynamic\(x, 0\)|dynamic=True"]),
    ("what runs uncompiled, and why", [r"numbers", place(NUMBERS, 1), r"generator"]),
    ("which operations came of a line", [place(FORWARD), r"relu", r"linear"]),
    ("which kernel came of a line", [place(LAST), r"fused\S*log_softmax\w*"]),
    ("which guards a line asked for", [place(CALL), r"\bscale\b", r"0\.5"]),
    ("how long compiling the function took", [r"\bstep\b|" + place(STEP, 1), r"\d+(\.\d+)? ?(s\b|ms\b|seconds)"]),
]
WITHIN = 4  # lines


def found_at(lines: Sequence[str], words: Sequence[str]) -> int:
    """The first line from which on all of the words stand within `WITHIN` lines; 0 for none."""
    matches = [[bool(re.search(word, line)) for line in lines] for word in words]
    for at in range(len(lines)):
        if any(row[at] for row in matches) and all(any(row[at : at + WITHIN]) for row in matches):
            return at + 1
    return 0


def texts_in(folder: Path) -> List[Tuple[str, List[str]]]:
    """Every text below a folder, without the tags of HTML."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in ("", ".txt", ".py", ".log", ".html", ".json", ".md", ".raw", ".cpp"):
            text = path.read_text(encoding="utf-8", errors="replace")
            if path.suffix == ".html":
                text = re.sub(r"<(script|style)\b.*?</\1>", "", text, flags=re.DOTALL)
                text = re.sub(r"<[^>]+>", " ", text)
            found.append((str(path.relative_to(folder)), text.splitlines()))
    return found


Output = List[Tuple[str, List[str]]]


def run(folder: Path, *words: str, program: str = PROGRAM, **variables: str) -> str:
    """Runs the program, which is ``train.py`` there; gives what it printed."""
    (folder / "train.py").write_text(program)
    environment = {**os.environ, **variables}
    environment["TORCHINDUCTOR_CACHE_DIR"] = str(folder / "inductor")
    done = subprocess.run([sys.executable, *words], cwd=str(folder), env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, encoding="utf-8", timeout=900)  # fmt: skip
    return done.stdout


def depyf(folder: Path) -> Output:
    """`depyf run`, then `depyf report`."""
    run(folder, "-m", "depyf", "run", "-q", "-o", "out", "train.py")
    text = subprocess.run([sys.executable, "-m", "depyf", "report", "out"], cwd=str(folder), encoding="utf-8",
                          stdout=subprocess.PIPE, timeout=60, check=True).stdout  # fmt: skip
    return [("the answer of depyf report", text.splitlines())]


def torch_logs(folder: Path) -> Output:
    """Everything that may have an answer."""
    logs = "+dynamo,graph_breaks,recompiles,guards,graph_code,output_code"
    return [("standard error", run(folder, "train.py", TORCH_LOGS=logs).splitlines())]


def compile_debug(folder: Path) -> Output:
    """The folder that `TORCH_COMPILE_DEBUG` makes."""
    run(folder, "train.py", TORCH_COMPILE_DEBUG="1")
    return texts_in(folder / "torch_compile_debug")


def explain(folder: Path) -> Output:
    """Of the function, in the program."""
    return [("standard output", run(folder, "train.py", program=EXPLAIN).splitlines())]


def tlparse(path: str) -> Callable[[Path], Output]:
    """On the log of `TORCH_TRACE`."""

    def made(folder: Path) -> Output:
        run(folder, "train.py", TORCH_TRACE=str(folder / "trace"))
        (log,) = (folder / "trace").iterdir()
        subprocess.run([path, str(log), "-o", str(folder / "out"), "--no-browser"], check=True, timeout=300,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        return texts_in(folder / "out")

    return made


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--show", default="", help="print the whole output of this tool")
    parser.add_argument("--tlparse", default=shutil.which("tlparse") or "", help="where tlparse is")
    options = parser.parse_args()
    tools: Dict[str, Callable[[Path], Output]] = {
        "depyf": depyf, "TORCH_LOGS": torch_logs, "TORCH_COMPILE_DEBUG": compile_debug, "explain": explain,
    }  # fmt: skip
    if options.tlparse:
        tools["tlparse"] = tlparse(os.path.abspath(options.tlparse))
    columns: Dict[str, List[str]] = {}
    missing = 0
    for name, tool in tools.items():
        if options.show and name != options.show:
            continue
        with tempfile.TemporaryDirectory() as folder:
            start = time.perf_counter()
            output = tool(Path(folder))
            seconds = time.perf_counter() - start
        if options.show:
            for file, lines in output:
                print("\n".join(["==== " + file, *lines]))
        size = "{} file{}, {} lines".format(len(output), "s" * (len(output) != 1), sum(len(one) for _, one in output))
        columns[name] = [size, "{:.0f} s".format(seconds)]
        for _, words in QUESTIONS:
            places = ((at, found_at(lines, words)) for at, (_, lines) in enumerate(output, 1))
            where = next((place for place in places if place[1]), None)
            many = "file {}, ".format(where[0]) if where is not None and len(output) > 1 else ""
            columns[name].append("-" if where is None else "{}line {}".format(many, where[1]))
            missing += name == "depyf" and where is None
    rows = ["its output", "the run"] + [question for question, _ in QUESTIONS]
    print("| | {} |".format(" | ".join(columns)))
    print("|---|{}".format("---|" * len(columns)))
    for at, row in enumerate(rows):
        print("| {} | {} |".format(row, " | ".join(column[at] for column in columns.values())))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
