"""Twelve questions about five compiled programs, put to depyf and to what else there is: where is each answer?

The programs are in `tests/torch_programs/scripts`. Each is run once for each tool: `depyf run` and `depyf report`,
`tlparse` on the log of `TORCH_TRACE`, `TORCH_LOGS`, `TORCH_COMPILE_DEBUG`, `torch._dynamo.explain`. All facts of an
answer (the line, the reason, the value) are searched for in the tool's whole output. Steps of the reader, once that is
there:

    1   the facts stand together, within twelve lines, in the text that comes first
    +1  they stand in another file, which must be found and opened
    +1  they are not together, but on one page of sixty lines, to be put together
    -   there is no such place. The tool may answer in words that are not searched for: a dash is no proof
    n/a the question has no answer in this program: nothing broke, or was compiled again

Exits with 1 if one of depyf's answers takes more than one step, or is missing.

    python benchmarks/torch_compile/questions.py [--tlparse PATH] [--python PYTHON] [--write PAGE] [PROGRAM ...]

The program `gpt2` needs transformers; `--python` names the interpreter of an environment that has it.
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
from typing import Callable, Dict, List, Optional, Sequence, Tuple

PROGRAMS = Path(__file__).resolve().parents[2] / "tests" / "torch_programs" / "scripts"
TOGETHER = 12  # lines: a line of the report with all its remarks
PAGE = 60
SUFFIXES = ("", ".txt", ".py", ".log", ".html", ".json", ".md", ".raw", ".cpp")
LOGS = "+dynamo,graph_breaks,recompiles,guards,graph_code,output_code"

QUESTIONS = [
    "which function was compiled",
    "where did its graph break",
    "why",
    "what to do about the break",
    "which line was compiled again",
    "what had changed",
    "what to do about it",
    "what runs uncompiled, and why",
    "which operations came of a line",
    "which kernel came of a line",
    "which guards a line asked for",
    "how long compiling the function took",
]
SECONDS = r"\d+(\.\d+)? ?(s\b|ms\b|seconds)"
COND = r"torch\.cond|torch\.where"
MARK = r"mark_dynamic\(x, 0\)|dynamic=True"

Facts = Optional[List[str]]  # regular expressions, all of which must be there; None where the question has no answer
Output = List[Tuple[str, List[str]]]
Tool = Callable[[str, Path], Output]
options = argparse.Namespace(python=sys.executable, tlparse="")


def place(name: str, text: str, before: int = 0) -> str:
    """The line with this text, or one of those before it, as torch and depyf write places.

    Args:
        name: of a program, or of a module that the interpreter can import.
        text: what is on the line.
        before: how many lines before it are meant as well, such as a decorator.
    """
    path = PROGRAMS / (name + ".py")
    if not path.exists():
        code = "import importlib.util as u; print(u.find_spec({!r}).origin)".format(name)
        path = Path(subprocess.check_output([options.python, "-c", code], encoding="utf-8").strip())
    line = next(at for at, one in enumerate(path.read_text().splitlines(), 1) if text in one)
    lines = "|".join(str(line - back) for back in range(before + 1))
    return r"({0}[\":]*,?\s*(?:line )?({1})\b|^\s+({1})  )".format(re.escape(path.name), lines)


def backward() -> List[Facts]:
    """Of the toy with a branch."""
    here = "backward"
    line, branch = place(here, "x = a /"), place(here, "if b.sum()")
    function = [r"\btoy_example\b", place(here, "def toy_example", 1)]
    return [
        function, [branch, "break"], [branch, "branch|data-dependent|control flow|jump"], [branch, COND],
        None, None, None, None,
        [line, r"\babs\b", r"\badd\b", r"\b(true)?div\b"],
        [line, r"fused_abs_add_div\w*", r"fused_abs_add_div\w*sgn\w*|backward"],
        [line, r"\ba\b.{0,40}(shape|size)", r"\[10\]"],
        [*function[1:], SECONDS],
    ]  # fmt: skip


def recompiling() -> List[Facts]:
    """Of the function that is compiled five times."""
    here = "recompiling"
    line, power = place(here, "y = x.sin()"), place(here, "y = y**power")
    function = [r"\bscale\b", place(here, "def scale", 1)]
    return [
        function, None, None, None,
        [r"recompil", line + "|" + function[1]],
        [r"recompil", r"\bx\b.{0,8}(shape|size)", r"\b4\b", r"\b5\b"],
        [r"\bx\b", MARK],
        None,
        [power, r"\bpow\b"],
        [line, r"fused\w*_sin\w*"],
        [power, r"\bpower\b['\"\]]* == 2"],
        [*function[1:], SECONDS],
    ]  # fmt: skip


def gpt2() -> List[Facts]:
    """Of GPT-2 that generates: the prompt, its first token, all others."""
    line = place("transformers.pytorch_utils", "x = torch.addmm(self.bias")
    gelu = place("transformers.activations", "return 0.5 * input * (1.0 + torch.tanh(math.sqrt")
    asks = place("transformers.cache_utils", "if not self.is_initialized or self.keys.numel()")
    function = [r"\bGPT2LMHeadModel\b", r"compil|convert|tracing"]
    return [
        function, None, None, None,
        [r"recompil", asks],
        [r"recompil", r"input_ids.{0,12}(shape|size)", r"\b5\b", r"\b1\b"],
        [r"past_key_values.{0,20}\bkeys\b", r"mark_dynamic|dynamic=True"],
        None,
        [line, r"\baddmm\b", "graph|call_function|="],
        [gelu, r"fused\w*_tanh\w*"],
        [asks, r"layers\[0\]\.is_initialized|is_initialized", "False"],
        [r"GPT2LMHeadModel|forward|wrapper", r"compil", SECONDS],
    ]  # fmt: skip


def optimizer() -> List[Facts]:
    """Of the training step."""
    here = "optimizer"
    loss, item = place(here, "loss = torch.nn"), place(here, "history.append")
    function = [r"\bloss_of\b", place(here, "def loss_of", 1)]
    return [
        function, [item, "break"], [item, r"item\(\)", r"[Uu]nsupported|capture_scalar_outputs"],
        [item, r"capture_scalar_outputs|CAPTURE_SCALAR_OUTPUTS"],
        [r"recompil", item],
        [r"recompil", r"history", r"\b0\b|not L", r"\b1\b"],
        [r"length", r"pad|keep"],
        [r"\bbatches\b", place(here, "def batches", 1), r"generator"],
        [loss, r"\brelu\b", r"\blinear\b", r"\bmse_loss\b"],
        [loss, r"fused\w*_?mse_loss\w*"],
        [item, r"history", r"empty|not L|len\("],
        [*function[1:], SECONDS],
    ]  # fmt: skip


def ranks() -> List[Facts]:
    """Of two ranks."""
    here = "ranks"
    line, branch = place(here, "h = (x.sin()"), place(here, "if h.sum()")
    function = [r"\bstep\b", place(here, "def step", 1)]
    return [
        function, [branch, "break"], [branch, "branch|data-dependent|control flow|jump"], [branch, COND],
        [r"recompil|goes its own way", r"rank.?1", line],
        [r"recompil|goes its own way", r"\bx\b.{0,8}(shape|size)", r"\b4\b", r"\b5\b"],
        [r"\bx\b", MARK],
        None,
        [place(here, "dist.all_reduce"), r"\ball_reduce\b", r"\bwait_tensor\b"],
        [line, r"fused\w*_sin\w*"],
        [line, r"\bscale\b['\"\]]* == 0\.5"],
        [*function[1:], SECONDS],
    ]  # fmt: skip


ANSWERS: Dict[str, Callable[[], List[Facts]]] = {
    "backward": backward, "recompiling": recompiling, "gpt2": gpt2, "optimizer": optimizer, "ranks": ranks,
}  # fmt: skip


def stands_at(lines: Sequence[str], facts: Sequence[str], within: int) -> int:
    """The first line from which on all of the facts stand within so many lines; 0 for none."""
    found = [[at for at, line in enumerate(lines) if re.search(fact, line)] for fact in facts]
    if not all(found):
        return 0
    starts = sorted({at for ats in found for at in ats})
    for start in starts:
        if all(any(start <= at < start + within for at in ats) for ats in found):
            return start + 1
    return 0


def best_answer(output: Output, facts: Sequence[str]) -> Tuple[int, str]:
    """The steps to the answer that takes the fewest, and where it is; (0, "-") if there is none."""
    found = []
    for number, (name, lines) in enumerate(output):
        for within in (TOGETHER, PAGE):
            line = stands_at(lines, facts, within)
            if line:
                found.append((1 + (number > 0) + (within == PAGE), number, f"{name}, line {line}"))
                break
    steps, _, where = min(found, default=(0, 0, "-"))
    return steps, where


# ---- the tools


def run(name: str, folder: Path, *words: str, asks: bool = False, **variables: str) -> str:
    """Runs a program, which lies in `folder` then; gives what it printed.

    Args:
        name: of the program.
        folder: where.
        words: what stands before it: ``-m``, ``depyf``, ``run``.
        asks: whether the line that asks `torch._dynamo.explain` is one of the program.
        variables: of the environment.
    """
    text = (PROGRAMS / (name + ".py")).read_text()
    (folder / (name + ".py")).write_text(text.replace("# explain: ", "") if asks else text)
    environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(folder / "inductor"), **variables}
    many = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2") * (name == "ranks")
    done = subprocess.run([options.python, *many, *words, name + ".py"], cwd=str(folder), env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", timeout=900)  # fmt: skip
    return done.stdout


def texts_in(folder: Path) -> Output:
    """What lies in a folder as a list of names, then every text in it, without the tags of HTML."""
    found: Output = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in SUFFIXES:
            text = path.read_text(encoding="utf-8", errors="replace")
            if path.suffix == ".html":
                text = re.sub(r"<(script|style)\b.*?</\1>", "", text, flags=re.DOTALL)
                text = re.sub(r"<[^>]+>", " ", text)
            found.append((str(path.relative_to(folder)), text.splitlines()))
    first = [one for one in found if one[0] == "index.html"]
    return first + [one for one in found if one not in first] if first else [("", [name for name, _ in found]), *found]


def depyf(name: str, folder: Path) -> Output:
    """`depyf run`, then `depyf report`."""
    run(name, folder, "-m", "depyf", "run", "-q", "-o", "out")
    text = subprocess.run([options.python, "-m", "depyf", "report", "out"], cwd=str(folder), encoding="utf-8",
                          stdout=subprocess.PIPE, timeout=60, check=True).stdout  # fmt: skip
    return [("depyf report", text.splitlines())]


def tlparse(name: str, folder: Path) -> Output:
    """On the log of `TORCH_TRACE`; of two ranks each log by itself."""
    run(name, folder, TORCH_TRACE=str(folder / "trace"))
    logs = sorted((folder / "trace").iterdir())
    for log in logs:
        out = folder / "out" / (log.stem if len(logs) > 1 else "")
        subprocess.run([os.path.abspath(options.tlparse), str(log), "-o", str(out), "--overwrite", "--no-browser"],
                       check=True, timeout=300, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    return texts_in(folder / "out")


def torch_logs(name: str, folder: Path) -> Output:
    """Everything that may have an answer."""
    return [("standard error", run(name, folder, TORCH_LOGS=LOGS).splitlines())]


def compile_debug(name: str, folder: Path) -> Output:
    """The folder that `TORCH_COMPILE_DEBUG` makes."""
    run(name, folder, TORCH_COMPILE_DEBUG="1")
    return texts_in(folder / "torch_compile_debug")


def explain(name: str, folder: Path) -> Output:
    """Of the function, at the end of the program."""
    return [("standard output", run(name, folder, asks=True).splitlines())]


TOOLS: Dict[str, Tool] = {
    "depyf": depyf, "tlparse": tlparse, "TORCH_LOGS": torch_logs, "TORCH_COMPILE_DEBUG": compile_debug,
    "explain": explain,
}  # fmt: skip


# ---- the table


def asked(name: str, tools: Dict[str, Tool]) -> Tuple[List[str], int]:
    """The lines of a program's table, and how many of depyf's answers are not one step away."""
    answers = ANSWERS[name]()
    columns: Dict[str, List[str]] = {}
    wrong = 0
    for tool, output_of in tools.items():
        with tempfile.TemporaryDirectory() as folder:
            start = time.perf_counter()
            output = output_of(name, Path(folder))
            seconds = time.perf_counter() - start
        if options.show == tool:
            for file, lines in output:
                print("\n".join(["==== " + file, *lines]))
        files = "{} file{}, ".format(len(output), "s" * (len(output) != 1))
        columns[tool] = [files + "{} lines".format(sum(len(lines) for _, lines in output))]
        for question, facts in zip(QUESTIONS, answers):
            steps, where = best_answer(output, facts) if facts else (1, "n/a")
            columns[tool].append(where if where in ("-", "n/a") else str(steps))
            print("{} {:20} {:40} {} {}".format(name, tool, question, steps or "-", where), file=sys.stderr)
            wrong += tool == "depyf" and steps != 1
        print("{} {}: {:.0f} s".format(name, tool, seconds), file=sys.stderr, flush=True)
    rows = ["its output", *QUESTIONS]
    lines = ["| {} | {} |".format(name, " | ".join(columns)), "|---|{}".format("---|" * len(columns))]
    lines += ["| {} | {} |".format(row, " | ".join(one[at] for one in columns.values())) for at, row in enumerate(rows)]
    return lines, wrong


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=", ".join(ANSWERS))
    parser.add_argument("--tool", action="append", choices=TOOLS, help="only this one; may be repeated")
    parser.add_argument("--show", default="", help="print the whole output of this tool")
    parser.add_argument("--tlparse", default=shutil.which("tlparse") or "", help="where tlparse is")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that runs the programs")
    parser.add_argument("--write", metavar="PAGE", help="a page, whose tables are replaced")
    parser.parse_args(namespace=options)
    wanted = options.tool or [tool for tool in TOOLS if tool != "tlparse" or options.tlparse]
    tables, wrong = [], 0
    for name in options.programs or ANSWERS:
        lines, missed = asked(name, {tool: TOOLS[tool] for tool in wanted})
        tables.append("\n".join(lines))
        wrong += missed
    text = "\n\n".join(tables)
    print(text)
    if options.write:
        page = Path(options.write)
        head, _, rest = page.read_text(encoding="utf-8").partition("<!-- questions -->\n")
        page.write_text(head + "<!-- questions -->\n" + text + "\n<!-- /questions -->\n"
                        + rest.partition("<!-- /questions -->\n")[2], encoding="utf-8")  # fmt: skip
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
