"""Many compiled files -> a folder of sources: folders, wheels, zip and tar files. One bad file costs itself alone."""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from typing import Any, Iterator, NamedTuple, Sequence

from .decompiler.bytecode import read_pyc_bytes
from .decompiler.driver.settings import DEFAULT, Settings
from .decompiler.limits.deep_stack import with_room
from .decompiler.pipeline import analyze, standalone
from .decompiler.syntax.string_text import printable
from .errors import DepyfError
from .files.archives import open_tree
from .files.trees import Problem, Tree, Unreadable

__all__ = ["Outcome", "decompile_all", "is_batch", "run_batch"]


class Outcome(NamedTuple):
    """What became of one file: the file that was written, if one was; how many code objects of it are not proven; why
    there is no text. ``was_there``: an earlier run has written it."""

    path: str
    written: str = ""
    unproven: int = 0
    total: int = 0
    error: str = ""
    was_there: bool = False

    @property
    def proven(self) -> bool:
        """Whether all of it is."""
        return not self.error and not self.unproven

    def __str__(self) -> str:
        if self.error:
            return printable(f"{self.path}: {self.error}")
        return printable(f"{self.path}: {self.unproven} of {self.total} code objects not proven")


def is_batch(targets: Sequence[str]) -> bool:
    """Whether these are many files: several targets, a folder (with a slash: else it is a module), or an archive."""
    if len(targets) > 1:
        return True
    if os.path.isdir(targets[0]):
        return "/" in targets[0] or os.sep in targets[0] or not targets[0].strip(".")
    if not os.path.isfile(targets[0]) or targets[0].endswith((".py", ".pyw", ".pyc")):
        return False
    return open_tree(targets[0]).kind != "folder"


def decompile_all(
    targets: Sequence[str], directory: str, *, settings: Settings = DEFAULT, budget: int | None = None,
    again: bool = False,
) -> Iterator[Outcome]:  # fmt: skip
    """Decompile all compiled files in ``targets`` into ``directory``, which keeps the folders that they are in.

    Existing files are kept, so that an interrupted run can be started again; ``again`` overwrites them.
    Raises DepyfError for a target that is not there or can't be read.
    """
    for target, folder in zip(targets, _folders(targets)):
        tree = open_tree(target)
        below = os.path.join(directory, folder)
        for name in tree.compiled():
            if isinstance(name, Unreadable):
                yield Outcome(tree.shown(name.name), error=name.reason)
            else:
                output = os.path.join(below, *_output(name).split("/"))
                yield _one(tree, name, output, directory, settings, budget, again)


def _folders(targets: Sequence[str]) -> Iterator[str]:
    """For each target a folder of its own, called as it is; none if it is the only one."""
    names: Counter[str] = Counter()
    for target in targets:
        name = os.path.basename(os.path.abspath(target)) or "root"
        names[name] += 1
        yield "" if len(targets) == 1 else name if names[name] == 1 else f"{name}-{names[name]}"


def _output(name: str) -> str:
    stem = name[:-4] if name.endswith((".pyc", ".pyo")) else name
    return stem + ".py"


def _one(
    tree: Tree, name: str, output: str, directory: str, settings: Settings, budget: int | None, again: bool
) -> Outcome:
    path = tree.shown(name)
    if not again and os.path.isfile(output):
        return Outcome(path, output, was_there=True)
    try:
        raw = read_pyc_bytes(tree.read(name), "it")
        result = with_room(lambda: analyze(raw, settings=settings, budget=budget))
        text = standalone(result)
        _write(output, text, directory)
    except (DepyfError, Problem) as error:
        return Outcome(path, error=str(error))
    except OSError as error:
        return Outcome(path, error=f"can't write {output}: {error.strerror}")
    except (RecursionError, MemoryError) as error:
        return Outcome(path, error=f"too deep or too large: {type(error).__name__}")
    units = list(result.walk())
    return Outcome(path, output, sum(not unit.verdict.proven for unit in units), len(units))


def _write(path: str, text: str, directory: str) -> None:
    """Write the file whole or not at all, and nowhere but in ``directory``, whatever links are in it."""
    folder = os.path.dirname(path)
    os.makedirs(folder, exist_ok=True)
    root = os.path.realpath(directory)
    if os.path.commonpath([root, os.path.realpath(folder)]) != root:
        raise DepyfError(f"{path} leads out of {directory}")
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=".depyf-")
    try:
        with open(handle, "w", encoding="utf-8", errors="surrogatepass", newline="\n") as file:
            file.write(text if text.endswith("\n") else text + "\n")
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def run_batch(targets: Sequence[str], directory: str, **options: Any) -> int:
    """``depyf decompile`` of many files: a line for each that is not proven, then a summary; its exit status."""
    written, proven, there, failed, total = 0, 0, 0, 0, 0
    watched = sys.stderr.isatty()
    not_proven = 0
    for outcome in decompile_all(targets, directory, **options):
        total += 1
        written += bool(outcome.written) and not outcome.was_there
        there += outcome.was_there
        proven += outcome.proven and not outcome.was_there
        failed += bool(outcome.error)
        if watched:
            print(f"\r\x1b[K{total} files", end="", file=sys.stderr, flush=True)
        if not outcome.proven:
            not_proven += 1
            print(("\r\x1b[K" if watched else "") + str(outcome), file=sys.stderr)
    files = "1 compiled file" if total == 1 else f"{total} compiled files"
    words = [f"{files}: {written} written to {directory}, {proven} of them proven as a whole"]
    words += [f"{there} were there"] if there else []
    words += [f"{failed} not decompiled"] if failed else []
    print(("\r\x1b[K" if watched else "") + printable(", ".join(words)), file=sys.stderr)
    return 1 if not_proven or not total else 0
