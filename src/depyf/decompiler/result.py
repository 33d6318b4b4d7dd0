"""What decompiling one code object gives."""

from __future__ import annotations

import types
from typing import Any, Iterator, Mapping, NamedTuple

from .bytecode import RawCode
from .proof import Level, Verdict
from .proof.scaffold import Spelled


class Result(NamedTuple):
    """The source of one code object, and how sure it is.

    ``source`` is its text with the nested ones spliced in. ``verdict`` is for this code object alone: nested ones have
    their own results in ``nested``. ``line_map`` leads from lines of ``source`` to lines of the original.
    ``rung`` names the way it was found: 'structured', 'one-trip loop', 'tail duplication', 'loop rotation', 'events',
    'nested blocks', 'state variable', 'dispatch loop' (docs/ladder.md), 'rebuilt' (a live class) or 'refused';
    ``folded`` counts operations on the code's own lists that were folded away. ``tree`` is the syntax tree,
    ``spelled`` what the text writes in another way: ``spelled.constants`` are the objects that names in it stand for.
    """

    name: str
    qualname: str
    source: str
    verdict: Verdict
    raw: RawCode | None
    code: types.CodeType | None
    nested: tuple[Result, ...] = ()
    line_map: dict[int, int] = {}
    folded: int = 0
    rung: str = "structured"
    tree: Any = None
    spelled: Spelled = Spelled()

    @property
    def constants(self) -> Mapping[str, Any]:
        """Dotted names in the text -> the constants, which have no literal, that they stand for."""
        return self.spelled.constants

    def walk(self) -> Iterator[Result]:
        """This result and, depth first, all nested ones."""
        todo = [self]
        while todo:
            result = todo.pop()
            yield result
            todo.extend(reversed(result.nested))

    @property
    def proven(self) -> bool:
        """Whether this code object and everything nested in it is exact or equivalent."""
        return all(result.verdict.proven for result in self.walk())


def with_notice(text: str, line_map: dict[int, int], verdict: Verdict) -> tuple[str, dict[int, int]]:
    """``text`` with a comment at its top if it is not proven, and the line map that then holds."""
    if verdict.level is not Level.UNPROVEN:
        return text, line_map
    notice = [f"# Not proven: {reason}" for reason in "\n".join(verdict.reasons).splitlines()]
    moved = {line + len(notice): original for line, original in line_map.items()}
    return "".join(line + "\n" for line in notice) + text, moved
