"""Where the source of a compiled file is: beside it, in what the user names, or in the interpreter's own library."""

from __future__ import annotations

import functools
import os
import subprocess
import threading
from collections import Counter
from typing import Iterable, NamedTuple, Tuple

from ..decompiler.bytecode.interpreters import find_interpreter
from ..files.names import PycName, parse
from ..files.opening import open_tree
from ..files.trees import Entry, Folder, Limits, Tree, VerificationError

__all__ = ["Found", "Sources", "python_files", "roots"]

Version = Tuple[int, int]

_PYTHON = (".py", ".pyw")
_COPIES = ("build", "dist-packages", "node_modules", "site-packages")
"""Folders of a checkout that may hold copies of its packages, as those that begin with a dot do."""
_QUESTION = "import os, platform; print(platform.python_version(), os.path.dirname(os.__file__))"
_SECONDS = 20


class Found(NamedTuple):
    """A source: its tree and name, what is known of it (None if it does not exist), and a remark."""

    tree: Tree
    name: str
    entry: Entry | None
    note: str = ""


class Sources:
    """The sources that the user names: a folder, an archive, one file, or None for those beside the compiled files.

    Raises VerificationError.
    """

    def __init__(self, given: str | None, limits: Limits, of_file: bool = False) -> None:
        self.given, self.limits, self._of_file = given, limits, of_file
        self.tree: Tree | None = None
        self.names: list[str] = []
        self._roots: dict[int, dict[str, str]] = {}
        self._lock = threading.Lock()
        if given is not None and not of_file:
            self.tree = open_tree(given, limits) if os.path.exists(given) else None
            if self.tree is None or (self.tree.kind == "folder" and not os.path.isdir(given)):
                raise VerificationError(f"there is no folder and no archive {given}")

    def of(self, tree: Tree, name: str, parsed: PycName, version: Version | None) -> Found:
        """The source of a compiled file. Raises Problem."""
        if self._of_file and self.given is not None:
            folder, base = os.path.split(self.given)
            return _found(Folder(folder, self.limits), base)
        if self.tree is None:
            beside = _found(tree, parsed.source)
            return beside if beside.entry is not None else self._in_library(tree, name, version) or beside
        wanted = parse(tree.import_name(name)).source
        direct = _found(self.tree, wanted)
        if direct.entry is not None or tree.kind == "folder":
            return direct
        top = wanted.partition("/")[0]
        return _found(self.tree, self.roots_of(tree).get(top, "") + wanted)

    def roots_of(self, tree: Tree, names: Iterable[str] = ()) -> dict[str, str]:
        """Where the packages of a tree, which has these names too, are in the sources: see `roots`."""
        assert self.tree is not None
        with self._lock:
            self.names = self.names or python_files(self.tree)
            if names or id(tree) not in self._roots:
                mine = [parse(tree.import_name(name)).source for name in tree.compiled() if isinstance(name, str)]
                self._roots[id(tree)] = roots([*mine, *names, *python_files(tree)], self.names)
            return self._roots[id(tree)]

    def _in_library(self, tree: Tree, name: str, version: Version | None) -> Found | None:
        """That of a module of the standard library, which programs bring along without sources."""
        if tree.kind not in ("frozen", "zip") or version is None:
            return None
        release, folder = library(version)
        found = _found(Folder(folder, self.limits), parse(tree.import_name(name)).source) if folder else None
        if found is None or found.entry is None:
            return None
        return found._replace(note=f"compared with the library of CPython {release}; another release may differ")


def _found(tree: Tree, name: str) -> Found:
    return Found(tree, name, tree.entry(name))


@functools.lru_cache(None)
def library(version: Version) -> tuple[str, str]:
    """The release and the folder of the standard library of the CPython of this version; '' if there is none."""
    path = find_interpreter(version)
    if path is None:
        return "", ""
    try:
        done = subprocess.run(
            [path, "-I", "-S", "-c", _QUESTION], cwd=os.path.dirname(path), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=_SECONDS,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return "", ""
    release, _, folder = os.fsdecode(done.stdout).strip().partition(" ")
    return release, folder if os.path.isdir(folder) else ""


def python_files(tree: Tree) -> list[str]:
    """The names of all files of a tree that are Python's source."""
    for _ in tree.compiled():  # `others` is complete then
        pass
    return [name for name in tree.others if name.endswith(_PYTHON)]


def roots(names: Iterable[str], others: Iterable[str]) -> dict[str, str]:
    """For each first part of ``names`` (a package or module) the folder of ``others``, with a slash, that has most of
    its files: ``{"pkg": "name-1.0/src/"}``. The names of ``others`` may be in a checkout that has copies of it."""
    by_base: dict[str, list[str]] = {}
    for other in others:
        by_base.setdefault(other.rpartition("/")[2], []).append(other)
    votes: dict[str, Counter[str]] = {}
    for name in set(names):
        for other in by_base.get(name.rpartition("/")[2], ()):
            if other == name or other.endswith("/" + name):
                votes.setdefault(name.partition("/")[0], Counter())[other[: len(other) - len(name)]] += 1

    def rank(root: str, count: int) -> tuple[bool, int, int]:
        parts = root.split("/")[:-1]
        is_copy = any(part.startswith(".") or part in _COPIES for part in parts)
        return is_copy, -count, len(parts)

    return {top: min(found, key=lambda root: rank(root, found[root])) for top, found in votes.items()}
