"""Compares the Python files of two trees by what they compile to: of a wheel and an sdist, a checkout, another wheel.

Both texts are compiled by the running Python, or by another one on this machine that takes both. Equal code with other
lines is *same but for comments and layout*; so are annotations of local variables, which compile to nothing.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import re
from collections import Counter
from dataclasses import replace
from functools import partial
from typing import Callable, Iterator, NamedTuple, Sequence

from ..decompiler.bytecode import RawCode
from ..decompiler.bytecode.code.formats import FORMATS
from ..decompiler.bytecode.interpreters import HOST_VERSION
from ..decompiler.bytecode.reading.pyc import read_code_and_end
from ..errors import DecompilationError, PycError
from ..files.trees import Problem, Tree, Unreadable, is_matched
from .comparison import CodeDifference, differences
from .compiling import NotCompiled, compiled
from .report import ONLY_IN_SOURCE, Change, FileReport, NotLookedAt, Status
from .sources import Sources, python_files

__all__ = ["Compared", "compare_archives", "compared_with_sources"]

_VERSION_OF = re.compile(r"([^/-]+)-[^/]*(\.(?:dist-info|data)/)")
_RECORDS = re.compile(r"[^/]+\.dist-info/(RECORD(\.jws|\.p7s)?)")
_PYTHON = "Python file"
_HASHES = ("sha256", "sha384", "sha512")


def compared_with_sources(
    tree: Tree, sources: Sources, beside: list[NotLookedAt], only: Sequence[str]
) -> Iterator[Callable[[], FileReport]]:
    """A call for each Python file of a wheel or an sdist, and for RECORD; those that only the sources have, by the
    packages of the tree, are added to the list."""
    assert sources.tree is not None
    mine = [name for name in python_files(tree) if is_matched(tree, name, only)]
    top = _top(mine) if tree.description != "a wheel" else ""
    plain = {name[len(top) :]: name for name in mine}
    roots = sources.roots_of(tree, plain)
    taken = {roots.get(name.partition("/")[0], "") + name: name for name in plain}
    known = set(sources.names)
    for other, name in taken.items():
        if other in known:
            yield _call(tree, plain[name], sources.tree, other)
        else:
            yield partial(_alone, tree.shown(plain[name]), f"{sources.given} has no such file")
    below = {f"{root}{package}/" for package, root in roots.items() if f"{package}/__init__.py" in plain}
    beside += [
        NotLookedAt(sources.tree.shown(name), ONLY_IN_SOURCE, f"{tree.path} has no such file")
        for name in sorted(known - set(taken))
        if any(name.startswith(folder) for folder in below) and is_matched(sources.tree, name, only)
    ]
    yield from _record_calls(tree)


class Compared(NamedTuple):
    """The reports of what both archives have, and the names of what one has; problems with their RECORDs."""

    reports: tuple[FileReport, ...]
    removed: tuple[str, ...]
    added: tuple[str, ...]
    records: tuple[FileReport, ...]


def compare_archives(before: Tree, after: Tree, only: Sequence[str] = ()) -> Compared:
    """Compare two archives: the Python files by what they compile to, others by their bytes."""
    trees = before, after
    names = []
    for tree in trees:
        unread = [f"{one.name}: {one.reason}" for one in tree.compiled() if isinstance(one, Unreadable)]
        if unread:
            raise Problem(f"{tree.path} is not compared: {unread[0]}")
        every = [one for one in tree.compiled() if isinstance(one, str)] + tree.others
        top = _top(every) if tree.kind == "unpacked" and tree.description != "a wheel" else ""
        names.append({_VERSION_OF.sub(r"\1\2", one[len(top) :]): one for one in every if is_matched(tree, one, only)})
    first, second = names
    both = [name for name in first if name in second and not _RECORDS.fullmatch(first[name])]
    reports = [_call(before, first[name], after, second[name])() for name in sorted(both)]
    records = [call() for tree in trees for call in _record_calls(tree)]
    return Compared(
        tuple(reports), tuple(sorted(first.keys() - second.keys())), tuple(sorted(second.keys() - first.keys())),
        tuple(one for one in records if not one.fine),
    )  # fmt: skip


def _top(names: Sequence[str]) -> str:
    """The folder that all of an sdist is in, with a slash."""
    tops = {name.partition("/")[0] for name in names}
    return f"{tops.pop()}/" if len(tops) == 1 and all("/" in name for name in names) else ""


def _call(tree: Tree, name: str, other: Tree, other_name: str) -> Callable[[], FileReport]:
    """The call that compares two files: only the reading is done now."""
    paths = tree.shown(name), other.shown(other_name)
    try:
        texts = tree.read(name), other.read(other_name)
    except Problem as error:
        report = FileReport(*paths, None, 0, Status.NOT_CHECKED, reasons=(str(error),), kind=_PYTHON)
        return partial(replace, report)
    return partial(compare_files, *paths, *texts)


def compare_files(path: str, source: str, ours: bytes, theirs: bytes) -> FileReport:
    """The report on one file: identical, the same but for comments and layout, proven, or with what differs."""
    kind = _PYTHON if path.endswith((".py", ".pyw")) else "other file"
    report = FileReport(path, source, None, 0, Status.IDENTICAL, kind=kind)
    if ours == theirs:
        return report
    if kind != _PYTHON:
        return replace(report, status=Status.DIFFERS, reasons=("other bytes",))
    reasons: list[str] = []
    for version in sorted(FORMATS, key=lambda one: (one == HOST_VERSION, one), reverse=True):
        try:
            mine, other = (
                read_code_and_end(compiled(text, "it", version, 0).data, version, 0)[0] for text in (ours, theirs)
            )
        except (NotCompiled, PycError) as error:
            reasons.append(str(error))
            continue
        found = differences(mine, other)
        if all(one.lines_alone for one in found):
            return replace(report, version=version, status=Status.OTHER_LINES)
        return _differing(replace(report, version=version), mine, other, found)
    return replace(report, status=Status.NOT_CHECKED, reasons=tuple(reasons[:1]))


def _differing(report: FileReport, ours: RawCode, theirs: RawCode, found: list[CodeDifference]) -> FileReport:
    from .proven import doubts
    from .statements import changes

    if not doubts(ours, theirs, found):
        return replace(report, status=Status.PROVEN, reasons=tuple(map(str, found)))
    try:
        shown = tuple(changes(ours, theirs, found))
    except (DecompilationError, RecursionError, MemoryError) as error:
        shown = (Change("", f"no statements can be shown: {error}"),)
    return replace(report, status=Status.DIFFERS, reasons=tuple(map(str, found)), changes=shown)


def _alone(path: str, reason: str) -> FileReport:
    return FileReport(path, None, None, 0, Status.NO_SOURCE, reasons=(reason,), kind=_PYTHON)


def _record_calls(tree: Tree) -> Iterator[Callable[[], FileReport]]:
    """One for the RECORD of a wheel, whose report says what it lists otherwise than the wheel has it."""
    if tree.description != "a wheel":
        return
    for name in [one for one in tree.others if _RECORDS.fullmatch(one) and one.endswith("/RECORD")]:
        try:
            problems = list(_record_problems(tree, tree.read(name).decode("utf-8")))
        except (Problem, UnicodeError, csv.Error) as error:
            problems = [f"can't be read: {error}"]
        status = Status.DIFFERS if problems else Status.IDENTICAL
        changes = tuple(Change("", problem) for problem in problems)
        yield partial(FileReport, tree.shown(name), None, None, 0, status, reasons=tuple(problems), changes=changes,
                      kind="RECORD")  # fmt: skip


def _record_problems(tree: Tree, text: str) -> Iterator[str]:
    names = {getattr(member, "orig_filename", name): name for name, member in vars(tree)["members"].items()}
    listed = Counter(row[0] for row in csv.reader(text.splitlines()) if row)
    yield from (f"{name} is listed {count} times" for name, count in listed.items() if count > 1)
    unlisted = sorted(names.keys() - listed.keys())
    yield from (f"{name} is not listed" for name in unlisted if not _RECORDS.fullmatch(name))
    for row in csv.reader(text.splitlines()):
        name, stated, size = (*row, "", "", "")[:3]
        if not row or _RECORDS.fullmatch(name):
            continue
        if name not in names:
            yield f"{name} is listed, and is not there"
            continue
        data = tree.read(names[name])
        kind, _, value = stated.partition("=")
        if kind not in _HASHES:
            yield f"{name} is listed with no hash that counts: {stated or 'none'}"
        elif base64.urlsafe_b64encode(hashlib.new(kind, data).digest()).rstrip(b"=").decode() != value.rstrip("="):
            yield f"{name} has another {kind} than it is listed with"
        elif size and size != str(len(data)):
            yield f"{name} has {len(data)} bytes, and is listed with {size}"
