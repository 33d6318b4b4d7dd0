"""Removes copies from our variables to those of the original, where one variable suffices.

    t = f(); ...; x = t     ->  x = f(); ...          if nothing mentions x before
    y = t                   ->  nothing               if nothing reads y
"""

from __future__ import annotations

from typing import Collection

from ..syntax import nodes as n
from ..syntax.traverse import bodies, walk

_FUNCTIONS = (n.FunctionDef, n.AsyncFunctionDef, n.ClassDef, n.Lambda)


def drop_copies(body: list[n.Statement], ours: Collection[str], kept: Collection[str]) -> None:
    """Remove copies from ``body``; ``kept`` are the variables that are visible outside or bound before.

    Does nothing if there are loops: every statement must be executed at most once.
    """
    if any(isinstance(node, (n.While, n.For, n.AsyncFor)) for node in walk(body)):
        return
    copies = _Copies(body, ours)
    removed: set[int] = set()
    for block in bodies(body, _FUNCTIONS):
        for statement in block:
            names = _copy(statement, ours, kept)
            if names is not None and copies.drop(*names):
                removed.add(id(statement))
    for block in bodies(body, _FUNCTIONS):
        if any(id(statement) in removed for statement in block):
            block[:] = [statement for statement in block if id(statement) not in removed] or [n.Pass()]


class _Copies:
    """The occurrences of the variables of a body, in order, and which of them are stores."""

    def __init__(self, body: list[n.Statement], ours: Collection[str]) -> None:
        self.ours = ours
        self.mentions: dict[str, list[n.Name]] = {}
        self.stored: set[int] = set()
        for node in walk(body):
            if isinstance(node, n.Name):
                self.mentions.setdefault(node.id, []).append(node)
            elif isinstance(node, n.Assign):
                self.stored.update(id(part) for target in node.targets for part in _parts(target))

    def drop(self, target: n.Name, source: n.Name) -> bool:
        """Make ``target = source`` redundant. Return whether that is possible."""
        mentions = self.mentions
        uses = mentions[target.id]
        if all(id(use) in self.stored for use in uses):
            mentions[target.id] = [use for use in uses if use is not target]
            mentions[source.id] = [use for use in mentions[source.id] if use is not source]
            return True
        once = sum(id(use) in self.stored for use in uses) == 1
        if uses[0] is not target or not once or source.id not in self.ours:
            return False
        merged = [use for use in [*mentions.pop(source.id), *uses] if use is not target and use is not source]
        for use in merged:
            use.id = target.id
        mentions[target.id] = merged
        return True


def _copy(
    statement: n.Statement, ours: Collection[str], kept: Collection[str]
) -> tuple[n.Name, n.Name] | None:
    if not isinstance(statement, n.Assign) or len(statement.targets) != 1:
        return None
    [target], source = statement.targets, statement.value
    if not isinstance(target, n.Name) or not isinstance(source, n.Name) or target.id in kept or target.id in ours:
        return None
    return (target, source) if source.id in ours else None


def _parts(target: n.Expression) -> list[n.Expression]:
    if isinstance(target, (n.Tuple, n.List)):
        return [part for element in target.elts for part in _parts(element)]
    return [target.value if isinstance(target, n.Starred) else target]
