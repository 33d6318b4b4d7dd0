"""Runs the code blocks of the documentation and compares what they show.

    python tests/documentation/pages.py                     all pages; prints what is wrong
    python tests/documentation/pages.py docs/tutorial.md    one
    python tests/documentation/pages.py --write             puts what comes out into the pages

Each page runs in a process of its own, forked from one that has imported torch, in an empty folder, with one namespace
for all its blocks. See `blocks.py` for what a page may contain.
"""

from __future__ import annotations

import bdb
import contextlib
import doctest
import faulthandler
import fnmatch
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import traceback
import types
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Tuple

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT / "src"), str(HERE)]

from blocks import LANGUAGES, Block, blocks_of, regions_of  # noqa: E402
from commands import wrong_with  # noqa: E402

__all__ = ["PAGES", "Page", "run_all"]

PAGES = [
    ROOT / "README.md",
    ROOT / "ARCHITECTURE.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "tests" / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "benchmarks" / "results").glob("*.md")),
    HERE / "sentences.md",
]
_PREFIX = "page-"  # of a page's folder
LIMIT = 500.0  # seconds for one page


class Page:
    """One page while its blocks run, in the folder `folder`.

    Attributes:
        errors: what is wrong, each with the place.
        text: the page; `write` puts the values of its shown blocks into it.
    """

    def __init__(self, path: Path, folder: Path) -> None:
        self.path, self.folder = path, folder
        self.text = path.read_text(encoding="utf-8")
        self.errors: List[str] = []
        self._new: Dict[int, str] = {}
        self._module = types.ModuleType("__main__")
        self._names: Dict[str, Any] = self._module.__dict__
        self._printed = ""

    def run(self) -> None:
        """Runs and compares every block. A block that fails does not keep the next ones from running."""
        sys.modules["__main__"] = self._module
        for name, _, _ in regions_of(self.text):
            self._check_region(name)
        for block in blocks_of(self.text):
            try:
                error = self._run(block)
            except Exception:
                error = traceback.format_exc()
            if error:
                self.errors.append("line {}: {}".format(block.line, error))

    def write(self) -> str:
        """The page with the values of its shown blocks in the place of what stands there."""
        lines = self.text.splitlines()
        for block in sorted(blocks_of(self.text), reverse=True):
            if block.line in self._new:
                end = block.line - 1 + block.text.count("\n")
                new = self._new[block.line].splitlines()
                lines[block.line - 1 : end] = [block.indent + line if line else "" for line in new]
        return "\n".join(lines) + "\n"

    def _run(self, block: Block) -> str:
        if block.shown:
            return self._compare(block, str(self._value(block.shown)))
        if block.language == "check":
            return "" if self._value(block.text) else "this is not true: " + block.text
        if block.language not in LANGUAGES:
            return "a block of code has a language ({}), or `shown` before it".format(", ".join(LANGUAGES))
        return str(getattr(self, "_run_" + block.language)(block))

    def _value(self, expression: str) -> Any:
        return eval(expression, {"printed": self._printed, "page": self.text, **_HELPERS, **self._names})

    def _run_python(self, block: Block) -> str:
        if block.text.startswith(">>>"):
            return self._run_pycon(block)
        path = self.folder / (block.title or "line_{}.py".format(block.line))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")
        self._names["__file__"] = str(path)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), _typing(block.typed, printed):
            exec(compile(block.text, str(path), "exec"), self._names)
        self._printed = printed.getvalue()
        return ""

    def _run_pycon(self, block: Block) -> str:
        test = doctest.DocTestParser().get_doctest(block.text, self._names, str(self.path), None, block.line - 1)
        if not test.examples:
            return "no line with >>>"
        runner = _Doctests(verbose=False)
        told: List[str] = []
        runner.run(test, out=told.append, clear_globs=False)
        self._names.update(test.globs)
        if runner.printed:
            lines = block.text.splitlines(keepends=True)
            for example, printed in reversed(runner.printed):
                begin = example.lineno + example.source.count("\n")
                lines[begin : begin + example.want.count("\n")] = [printed]
            self._new[block.line] = "".join(lines)
        return "".join(told)

    def _run_console(self, block: Block) -> str:
        commands = re.findall(r"^\$ (.*)$", block.text, re.MULTILINE)
        if not commands:
            return "no line with $"
        return self._compare(block, "".join("$ {}\n{}".format(one, shell(one)) for one in commands))

    def _run_sh(self, block: Block) -> str:
        lines = block.text.replace("\\\n", " ").splitlines()
        return "\n".join(filter(None, (wrong_with(line, self.folder) for line in lines if line.strip())))

    def _compare(self, block: Block, value: str) -> str:
        value = self._stable(value)
        if value == self._stable(block.text):
            return ""
        self._new[block.line] = value
        return "the page shows\n\n{}\nand this comes out:\n\n{}".format(block.text, value)

    def _stable(self, text: str) -> str:
        """`text` without the folder, the kind of PyTorch build and white space at the ends of lines and text."""
        text = _same_everywhere(text).replace(str(self.folder) + os.sep, "").replace(str(self.folder), ".")
        text = text.replace(str(ROOT) + os.sep, "")
        return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n") + "\n"

    def _check_region(self, name: str) -> None:
        marks = ('"{}"'.format(name), "<!-- {} -->".format(name))
        programs = [*(ROOT / "benchmarks").rglob("*.py"), *(ROOT / "tests").rglob("test_*.py")]
        texts = (one.read_text(encoding="utf-8") for one in programs if one.parent != HERE)
        if not any(mark in text for text in texts for mark in marks):
            self.errors.append("nothing in benchmarks/ or tests/ writes or checks the region {!r}".format(name))


def _same_everywhere(text: str) -> str:
    """`text` without the folder, which torch shows relative to some other, the kind of PyTorch build, the number of
    threads, and which release of Python 3.11 this is."""
    text = re.sub(r"[\w./-]*\b{}\w+/".format(_PREFIX), "", text)
    text = re.sub(r"\bPython 3\.11\.\d+", "Python 3.11.7", text)
    text = re.sub(r"\b\d+ threads?\b", "2 threads", text)
    text = re.sub(r"(?<=num_threads&quot;:)\d+", "2", text)
    return re.sub(r"\b(\d+\.\d+\.\d+)\+(cpu|cu\d+)\b", r"\1", text)


class _Doctests(doctest.DocTestRunner):
    """Keeps what examples print that print something else than the page shows."""

    def __init__(self, verbose: bool) -> None:
        super().__init__(verbose=verbose)
        self.printed: List[Tuple[doctest.Example, str]] = []

    def report_failure(self, out: Any, test: doctest.DocTest, example: doctest.Example, got: str) -> None:
        if got.startswith("Traceback"):  # as a person would write it: no frames
            got = "Traceback (most recent call last):\n    ...\n" + got.splitlines()[-1] + "\n"
        self.printed.append((example, got))
        super().report_failure(out, test, example, got)


class _Typed(io.StringIO):
    """Standard input which a debugger reads: each answer appears on the screen, as it does when a person types."""

    def __init__(self, answers: Tuple[str, ...], screen: io.StringIO) -> None:
        super().__init__("".join(answer + "\n" for answer in answers))
        self._screen = screen

    def readline(self, size: Optional[int] = -1) -> str:
        line = super().readline()
        self._screen.write(line)
        return line


@contextlib.contextmanager
def _typing(answers: Tuple[str, ...], screen: io.StringIO) -> Iterator[None]:
    """In the block, debuggers hear `answers`; `q` as the last of them ends the block and nothing else."""
    before = sys.stdin
    sys.stdin = _Typed(answers, screen)
    try:
        yield
    except bdb.BdbQuit:
        if not answers:
            raise
    finally:
        sys.stdin = before
        sys.settrace(None)


# ---- what expressions of shown blocks may use


def read(path: str) -> str:
    """The text of a file, relative to the page's folder."""
    return Path(path).read_text(encoding="utf-8")


def repository(path: str) -> str:
    """The text of a file of the repository."""
    return (ROOT / path).read_text(encoding="utf-8")


def part(text: str, start: str, end: Optional[str] = None) -> str:
    """The lines of `text` from the first that has `start` in it up to the next with `end`, which is left out."""
    lines = text.splitlines(keepends=True)
    first = next(number for number, line in enumerate(lines) if start in line)
    after = (number for number, line in enumerate(lines) if number > first and end is not None and end in line)
    return "".join(lines[first : next(after, len(lines))]).strip("\n") + "\n"


def listing(folder: str) -> str:
    """The names in a folder, one a line."""
    return "".join(name + "\n" for name in sorted(os.listdir(folder)))


def unexplained(folder: str, page: str) -> List[str]:
    """The files in a folder whose names fit no pattern that stands in the first column of a table of the page."""
    patterns = re.findall(r"`([^`]+)`", "".join(re.findall(r"^\|[^|]*`[^|]*\|", page, re.MULTILINE)))
    return [name for name in os.listdir(folder) if not any(fnmatch.fnmatch(name, one) for one in patterns)]


def kept(path: str, text: str) -> bool:
    """Whether a file of the repository has this text, style sheets aside; with ``--write`` it gets it."""
    file, text = ROOT / path, _same_everywhere(text)
    if "--write" in sys.argv:
        file.write_text(text, encoding="utf-8")
    there = file.read_text(encoding="utf-8") if file.exists() else ""
    style = re.compile("<style>.*?</style>", re.DOTALL)
    return style.sub("", there) == style.sub("", text)


def shell(command: str) -> str:
    """What a command prints, standard error included."""
    environment = {**os.environ, "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]}
    environment.update(PYTHONPATH=str(ROOT / "src"), COLUMNS="100")
    done = subprocess.run(
        command,
        shell=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        env=environment,
        timeout=LIMIT,
    )
    return done.stdout


def assembled(name: str) -> types.CodeType:
    """A program of `tests/assembler/test_examples.py` as a code object."""
    sys.path[:0] = [str(ROOT / "tests")]
    from assembler.assemble import assemble
    from assembler.notation import program
    from assembler.test_examples import EXAMPLES

    return assemble(program(EXAMPLES[name]))


def rooms(half: str) -> str:
    """The drawing of the rooms of one half of the package."""
    sys.path[:0] = [str(ROOT / "tests")]
    from rooms import drawing

    return drawing(half)


def sentences(which: str) -> str:
    """A part of the list of sentences: see `sentences.py`."""
    sys.path[:0] = [str(ROOT / "tests" / "documentation")]
    import sentences as lists

    return str(getattr(lists, which)())


_FUNCTIONS = (assembled, kept, listing, part, read, repository, rooms, sentences, shell, unexplained)
_HELPERS: Dict[str, Any] = {"ROOT": ROOT, **{function.__name__: function for function in _FUNCTIONS}}


# ---- all pages


def _run_here(path: Path, answer: int) -> None:
    """Runs a page in a fresh folder and writes what it found to the file descriptor `answer`, as JSON."""
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as folder:
        os.chdir(folder)
        sys.path.insert(0, folder)
        page = Page(path, Path(folder).resolve())
        begun = time.monotonic()
        page.run()
        found = {"errors": page.errors, "text": page.write(), "seconds": time.monotonic() - begun}
        os.chdir(str(ROOT))
    with os.fdopen(answer, "w", encoding="utf-8") as file:
        json.dump(found, file)


def run_all(paths: List[Path]) -> Dict[str, Dict[str, Any]]:
    """For each page its errors, its text with the values in it, and the seconds it took. Forks."""
    # No page is worth a pool of processes, and what one compiles must not be missing on the next.
    for name, value in [("COMPILE_THREADS", "1"), ("FX_GRAPH_CACHE", "0"), ("AUTOGRAD_CACHE", "0")]:
        os.environ["TORCHINDUCTOR_" + name] = value
    # Nearly every page would import this. Nothing of depyf is here: a page must import what it uses.
    import torch._dynamo.convert_frame  # noqa: F401

    loaded = [name for name in sys.modules if name.split(".")[0] == "depyf"]
    assert not loaded, "the pages would find these imported: {}".format(loaded)

    found: Dict[str, Dict[str, Any]] = {}
    for path in paths:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            faulthandler.dump_traceback_later(LIMIT, exit=True)
            code = 1
            try:
                _run_here(path, writing)
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(code)
        os.close(writing)
        with os.fdopen(reading, encoding="utf-8") as file:
            answer = file.read()
        os.waitpid(child, 0)
        name = path.relative_to(ROOT).as_posix()
        lost = {"errors": ["its process died"], "text": path.read_text(encoding="utf-8"), "seconds": 0.0}
        found[name] = json.loads(answer) if answer else lost
    return found


def main(arguments: List[str]) -> int:
    """The command line; `--json` is for the tests."""
    names = [Path(one).resolve() for one in arguments if not one.startswith("--")]
    found = run_all(names or PAGES)
    if "--json" in arguments:
        print(json.dumps(found))
        return 0
    for name, result in found.items():
        print("{:6.1f} s  {:3} wrong  {}".format(result["seconds"], len(result["errors"]), name))
        if "--write" in arguments:
            (ROOT / name).write_text(result["text"], encoding="utf-8")
        for error in result["errors"]:
            print("{}, {}".format(name, error))
    return int(any(result["errors"] for result in found.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
