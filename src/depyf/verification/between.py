"""Compares two compiled files: functions added, removed and changed, as statements."""

from __future__ import annotations

import marshal
from collections import Counter
from typing import NamedTuple

from ..decompiler.bytecode import RawCode
from ..decompiler.bytecode.interpreters import HOST_VERSION
from ..decompiler.bytecode.reading.pyc import read_code_and_end
from ..decompiler.definition import Definition
from ..targets import find_code, find_definition
from .comparison import CodeDifference, differences
from .report import Change
from .statements import changed_statements, changes, unproven

_INNER = ("<lambda>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


class Between(NamedTuple):
    """The differences between two compiled files.

    ``removed`` and ``added`` are the qualified names of functions and classes that only the first or the second has.
    In a `Change`, ``lines`` are statements of the first file, ``source_lines`` those of the second. ``lines_alone``:
    whether only line numbers differ. ``note`` says if the comparison was partial.
    """

    removed: tuple[str, ...]
    added: tuple[str, ...]
    changes: tuple[Change, ...]
    lines_alone: bool = False
    note: str = ""

    def __bool__(self) -> bool:
        return bool(self.removed or self.added or self.changes)


def between(before: str, after: str) -> Between:
    """The differences between the files ``before`` and ``after``, targets of the command line: compiled files, members
    of archives, sources, which the running Python compiles, or parts of them.

    If they are of two versions of CPython, only their decompiled statements are compared. Raises DepyfError.
    """
    ours, theirs = _code(before), _code(after)
    names = Counter(_names(ours)), Counter(_names(theirs))
    removed, added = (tuple((one - other).elements()) for one, other in (names, names[::-1]))
    if ours.version != theirs.version:
        unclear = [
            Change(where, f"{where}: not proven for {path}: what differs in it may not show")
            for path, raw in ((before, ours), (after, theirs))
            for where in unproven(raw)
        ]
        versions = " and ".join("{}.{}".format(*raw.version) for raw in (ours, theirs))
        shown = [*changed_statements(ours, theirs), *unclear]
        return Between(removed, added, tuple(shown), note=f"statements alone were compared: CPython {versions}")
    found: list[CodeDifference] = differences(ours, theirs)
    shown = changes(ours, theirs, found) if not all(one.lines_alone for one in found) else []
    return Between(removed, added, tuple(shown), bool(found) and not shown)


def _code(target: str) -> RawCode:
    found = find_definition(target)
    if isinstance(found, Definition):
        location, _, name = target.rpartition(":")
        found = find_code(_code(location), name, location).code
    if isinstance(found, RawCode):
        return found
    return read_code_and_end(marshal.dumps(found), HOST_VERSION, 0)[0]  # of a source, just compiled


def _names(raw: RawCode) -> list[str]:
    return [one.qualname for one in raw.walk() if one is not raw and one.name not in _INNER]
