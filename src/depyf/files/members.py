"""``ARCHIVE:MEMBER`` -> one file of an archive."""

from __future__ import annotations

import os
from typing import NamedTuple

from .names import is_compiled
from .opening import open_inner, open_tree
from .trees import Problem, Tree, Unreadable, VerificationError

__all__ = ["ArchiveMember", "find_member"]


class ArchiveMember(NamedTuple):
    """A file of an archive: its tree, its name there, and what follows the name (of a function, or '')."""

    tree: Tree
    name: str
    rest: str

    @property
    def shown(self) -> str:
        """The name with that of the archive."""
        return self.tree.shown(self.name)

    def read(self) -> bytes:
        """The content. Raises VerificationError."""
        try:
            return self.tree.read(self.name)
        except Problem as error:
            raise VerificationError(f"{self.shown} {error}") from error


def find_member(text: str) -> ArchiveMember | None:
    """What ``ARCHIVE:MEMBER``, ``ARCHIVE:MEMBER:REST`` or ``ARCHIVE:ARCHIVE:MEMBER`` names; None if it begins with
    no archive. Nothing is unpacked. Raises VerificationError."""
    at = text.find(":")
    while at >= 0 and not os.path.isfile(text[:at]):
        at = text.find(":", at + 1)
    path = text[:at]
    if at < 0 or path.endswith((".py", ".pyw")) or is_compiled(path):
        return None
    tree = open_tree(path)
    return _below(tree, text[at + 1 :], 1) if tree.kind != "folder" else None


def _below(tree: Tree, text: str, level: int) -> ArchiveMember:
    """The longest name that a file of the tree has."""
    known = {name for name in tree.compiled() if isinstance(name, str)} | set(tree.others)
    name = text
    while name not in known and ":" in name:
        name = name.rpartition(":")[0]
    rest = text[len(name) + 1 :]
    if name not in known:
        unread = {one.name: one.reason for one in tree.compiled() if isinstance(one, Unreadable)}
        reason = f": it {unread[name]}" if name in unread else "; `depyf decompile --list` lists its compiled files"
        raise VerificationError(f"{tree.path} has no member {text}{reason}")
    inner = open_inner(tree, name, level) if rest else None
    if isinstance(inner, Unreadable):
        raise VerificationError(f"{inner.name} {inner.reason}")
    return ArchiveMember(tree, name, rest) if inner is None else _below(inner, rest, level + 1)
