"""Mention the names that only dead code used: the compiler removes the code, but ``co_names`` keeps its names.

On entry, the text is exact. On exit, dead statements mention the names in the order of the original, or nothing has
changed.
"""

from __future__ import annotations

import copy
from typing import Iterator

from ..bytecode import RawCode
from ..proof.identical import differing_fields
from ..syntax import nodes
from ..syntax.transforms.tail_positions import DEFINITIONS
from .changes import FormChange
from .exact import Compile, Text, compiled_with, made

_MOST_PLACES = 12
_MOST_RUNS = 3
_JUMPS = (nodes.Return, nodes.Raise, nodes.Break, nodes.Continue)
_TRIES = (nodes.Try, nodes.TryStar)


def spell_dead_names(
    body: list[nodes.Statement], raw: RawCode, recompiled: RawCode, printed: Text, compiled: Compile
) -> list[FormChange]:
    """Return the changes after which the text of ``body`` compiles to ``raw`` itself; an empty list if none are found.

    ``recompiled`` is the code of the current text.
    """
    runs = _missing(raw.names, recompiled.names)
    if not 0 < len(runs) <= _MOST_RUNS:
        return []
    chosen: list[FormChange] = []
    for start, names in runs:
        with made(chosen):
            change = _placed(body, raw, start + len(names), names, printed, compiled)
        if change is None:
            return []
        chosen.append(change)
    with made(chosen[:-1]):
        other = compiled_with(chosen[-1], raw, printed, compiled)
    return chosen if other is not None and not any(differing_fields(raw, other)) else []


def _missing(names: tuple[str, ...], ours: tuple[str, ...]) -> list[tuple[int, list[str]]]:
    """Return the names that ``ours`` lacks, consecutive ones together, with the index of the first; nothing if it has
    others, or another order.
    """
    runs: list[tuple[int, list[str]]] = []
    at = 0
    for number, name in enumerate(names):
        if at < len(ours) and ours[at] == name:
            at += 1
        elif runs and runs[-1][0] + len(runs[-1][1]) == number:
            runs[-1][1].append(name)
        else:
            runs.append((number, [name]))
    return runs if at == len(ours) else []


def _placed(
    body: list[nodes.Statement], raw: RawCode, end: int, names: list[str], printed: Text, compiled: Compile
) -> FormChange | None:
    """Return the first change that mentions ``names`` so that the names of ``raw`` come back up to ``end``."""
    written: list[nodes.Expression] = [nodes.Name(name) for name in names]
    mention = nodes.Expr(written[0] if len(written) == 1 else nodes.Tuple(written))
    for number, change in enumerate(_places(body, mention)):
        other = compiled_with(change, raw, printed, compiled) if number < _MOST_PLACES else None
        if other is not None and other.names[:end] == raw.names[:end]:
            return change
    return None


def _places(body: list[nodes.Statement], mention: nodes.Statement) -> Iterator[FormChange]:
    """Yield changes that write ``mention`` where it is never executed: in an ``if`` that is never true, in the ``else``
    of a ``try`` whose body leaves, or behind a jump, likeliest first.
    """
    found: list[tuple[int, FormChange]] = []
    suites = [body]
    for suite in suites:  # grows along
        for index, statement in enumerate(suite):
            changed = copy.copy(statement)
            if isinstance(changed, nodes.If) and _is_false(changed.test) and isinstance(changed.body[0], nodes.Pass):
                changed.body = [mention]
                found.append((0, _instead(suite, index, [changed])))
            elif isinstance(changed, _TRIES) and not changed.orelse and isinstance(changed.body[-1], _JUMPS):
                changed.orelse = [mention]
                found.append((1, _instead(suite, index, [changed])))
            if not isinstance(statement, DEFINITIONS) and statement.holds_bodies:
                suites += filter(None, nodes.statement_bodies(statement))
        if isinstance(suite[-1], (*_JUMPS, *_TRIES)):
            found.append((2, _instead(suite, len(suite) - 1, [suite[-1], mention])))
    yield from (change for _, change in sorted(found, key=lambda one: one[0]))


def _is_false(test: nodes.Expression) -> bool:
    return isinstance(test, nodes.Constant) and not test.value


def _instead(suite: list[nodes.Statement], index: int, after: list[nodes.Statement]) -> FormChange:
    return FormChange(suite, suite[:], [*suite[:index], *after, *suite[index + 1 :]], suite[index].line)
