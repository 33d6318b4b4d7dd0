"""Targets of the command line -> the files to process, with their content and output path."""

from __future__ import annotations

import os
import re
from collections import Counter
from typing import Any, Iterable, Iterator, NamedTuple, Sequence

from ..errors import DepyfError
from ..files.members import find_member
from ..files.names import is_compiled
from ..files.opening import open_inner, open_tree
from ..files.trees import Tree, Unreadable, compiled_in
from ..targets import STDIN, find_module, is_file, read_file, read_input, split_target
from .outcome import Outcome
from .urls import is_url
from .work import Task


class InputFile(NamedTuple):
    """One file of a tree, or a separate target; ``reason`` says why it can't be read."""

    path: str
    output: str = ""
    tree: Tree | None = None
    name: str = ""
    reason: str = ""
    data: bytes | None = None


def is_batch(targets: Sequence[str], output: str | None = None) -> bool:
    """Whether these are many files: several targets, a folder or an archive; or ``output`` is a folder."""
    if len(targets) > 1 or (output is not None and (os.path.isdir(output) or is_url(output))):
        return True
    return is_url(targets[0]) or is_tree(targets[0])


def is_tree(target: str) -> bool:
    """Whether it has many files."""
    return _tree(target) is not None


def _tree(target: str) -> Tree | None:
    """The target if it is an archive, also one in another, or a folder that is not imported by this name."""
    if os.path.isdir(target):
        return open_tree(target) if is_file(target) or not _is_module(target) else None
    if not os.path.isfile(target):
        member = find_member(target)
        inner = open_inner(member.tree, member.name, 1) if member is not None and not member.rest else None
        return inner if isinstance(inner, Tree) else None
    if target.endswith((".py", ".pyw")) or is_compiled(target):
        return None
    tree = open_tree(target)
    return tree if tree.kind != "folder" else None


def _is_module(name: str) -> bool:
    spec = find_module(name)
    return spec is not None and spec.origin is not None


def items(
    targets: Iterable[Any], directory: str | None, only: Sequence[str] = (), is_alone: bool = False
) -> Iterator[InputFile]:
    """All files of the targets, in order; ``directory`` is the output directory.

    A folder or an archive gets a folder of its name there, unless it ``is_alone``. A pair is a name and its content.
    Raises DepyfError for an archive that can't be read.
    """
    taken: Counter[str] = Counter()
    for target in targets:
        if isinstance(target, tuple):
            yield InputFile(target[0], _path(directory, _free(_stem(target[0]), taken)), data=target[1])
            continue
        target = os.fspath(target)
        tree = _tree(target)
        if tree is None:
            yield _lone(target, directory, taken)
            continue
        folder = os.path.basename(os.path.abspath(target)) or "root"
        folder = "" if is_alone else _free(folder, taken)
        for name in compiled_in(tree, only):
            if isinstance(name, Unreadable):
                yield InputFile(tree.shown(name.name), reason=name.reason)
            else:
                output = _free(f"{folder}/{_stem(name)}" if folder else _stem(name), taken)
                yield InputFile(tree.shown(name), _path(directory, output), tree, name)


def _lone(target: str, directory: str | None, taken: Counter[str]) -> InputFile:
    """A file, a module, one object of either, or standard input."""
    location, name = (target, "") if os.path.isfile(target) else split_target(target)
    member = find_member(target) if not os.path.isfile(target) else None
    if member is not None:
        location, name = member.name, member.rest
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


def task_of(item: InputFile, *, elsewhere: bool = False) -> Task | Outcome:
    """The task with the content of its file; the outcome if that can't be read.

    ``elsewhere``: the task will run where the file may not be, so it has the content of every file.
    """
    if item.reason:
        return Outcome(item.path, error=item.reason)
    try:
        if item.tree is not None:
            return Task(item.path, item.tree.read(item.name), "", item.output)
        if item.data is not None:
            return Task(item.path, item.data, item.path, item.output)
        location, name = (item.path, "") if os.path.isfile(item.path) else split_target(item.path)
        if location == STDIN:  # pool processes have another one
            return Task(item.path, read_input(), item.path, item.output)
        member = find_member(item.path) if elsewhere and not os.path.isfile(item.path) else None
        if member is not None:
            base, name = member.name.rpartition("/")[2], member.rest
            return Task(item.path, member.read(), base + f":{name}" * bool(name), item.output)
        if elsewhere and is_file(location):
            return Task(item.path, read_file(location), item.path, item.output)
        return Task(item.path, None, item.path, item.output)
    except DepyfError as error:
        return Outcome(item.path, error=str(error))
