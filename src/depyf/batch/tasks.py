"""Targets of the command line -> the files to process, with their content and output path."""

from __future__ import annotations

import os
import re
from collections import Counter
from typing import Iterator, NamedTuple, Sequence

from ..files.names import is_compiled
from ..files.opening import open_tree
from ..files.trees import Problem, Tree, Unreadable
from ..targets import STDIN, find_module, is_file, read_input, split_target
from .outcome import Outcome
from .work import Task


class InputFile(NamedTuple):
    """One file of a tree, or a separate target; ``reason`` says why it can't be read."""

    path: str
    output: str = ""
    tree: Tree | None = None
    name: str = ""
    reason: str = ""


def is_batch(targets: Sequence[str], output: str | None = None) -> bool:
    """Whether these are many files: several targets, a folder or an archive; or ``output`` is a folder."""
    if len(targets) > 1 or (output is not None and os.path.isdir(output)):
        return True
    return _is_tree(targets[0])


def _is_tree(target: str) -> bool:
    """Whether the target is an archive, or a folder that is not imported by this name."""
    if os.path.isdir(target):
        return is_file(target) or not _is_module(target)
    if not os.path.isfile(target) or target.endswith((".py", ".pyw")) or is_compiled(target):
        return False
    return open_tree(target).kind != "folder"


def _is_module(name: str) -> bool:
    spec = find_module(name)
    return spec is not None and spec.origin is not None


def items(targets: Sequence[str], directory: str | None) -> Iterator[InputFile]:
    """All files of the targets, in order; ``directory`` is the output directory.

    A folder or an archive that is not the only target gets a folder of its name there. Raises DepyfError for an
    archive that can't be read.
    """
    taken: Counter[str] = Counter()
    for target in targets:
        if not _is_tree(target):
            yield _lone(target, directory, taken)
            continue
        tree = open_tree(target)
        folder = os.path.basename(os.path.abspath(target)) or "root"
        folder = "" if len(targets) == 1 else _free(folder, taken)
        for name in tree.compiled():
            if isinstance(name, Unreadable):
                yield InputFile(tree.shown(name.name), reason=name.reason)
            else:
                output = _free(f"{folder}/{_stem(name)}" if folder else _stem(name), taken)
                yield InputFile(tree.shown(name), _path(directory, output), tree, name)


def _lone(target: str, directory: str | None, taken: Counter[str]) -> InputFile:
    """A file, a module, one object of either, or standard input."""
    location, name = (target, "") if os.path.isfile(target) else split_target(target)
    base = "stdin" if location == STDIN else os.path.basename(location) if is_file(location) else location
    parts = [_stem(base), *filter(None, [re.sub(r"[^\w.@]", "", name)])]
    return InputFile(target, _path(directory, _free(".".join(parts), taken)))


def _free(name: str, taken: Counter[str]) -> str:
    """The name; numbered if something before has it."""
    free = name
    while taken[free]:
        taken[name] += 1
        free = f"{name}-{taken[name]}"
    taken[free] = 1
    return free


def _path(directory: str | None, name: str) -> str:
    return "" if directory is None else os.path.join(directory, *f"{name}.py".split("/"))


def _stem(name: str) -> str:
    return re.sub(r"\.(pyc|pyo|pyw|py)\Z", "", name)


def task_of(item: InputFile) -> Task | Outcome:
    """The task with the content of its file; the outcome if that can't be read."""
    if item.reason:
        return Outcome(item.path, error=item.reason)
    if item.tree is None:
        # Pool processes have another standard input.
        is_input = split_target(item.path)[0] == STDIN
        return Task(item.path, read_input() if is_input else None, item.path, item.output)
    try:
        return Task(item.path, item.tree.read(item.name), "", item.output)
    except Problem as error:
        return Outcome(item.path, error=str(error))
