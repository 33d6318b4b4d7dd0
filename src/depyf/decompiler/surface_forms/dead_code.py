"""What left only names or constants. Compilers drop the instructions of dead code, but not the names that it mentions,
and 3.10 and 3.11 the test of an endless loop, but not its constant.

Which names dead code had shows in the code object, and their order shows where the dead code was: between the code that
mentions the names before and the code that mentions the names behind. It is written where nothing runs: behind a
statement that leaves, or below a test that is never true. Of its constants only the first one of the code is left.
No change is trusted: the whole text must compile to the original.
"""

from __future__ import annotations

from typing import Iterator, NamedTuple, Sequence

from ..bytecode import RawCode
from ..bytecode.code.flags import CO_ASYNC_GENERATOR, CO_GENERATOR
from ..bytecode.kinds import kind_of
from ..proof import prove
from ..proof.constants import constant_key
from ..syntax import nodes
from ..syntax.transforms.tail_positions import DEFINITIONS
from ..syntax.transforms.unreached import unreached_places
from .changes import FormChange
from .search import Texts, made

_MOST_NAMES = 200


class _Run(NamedTuple):
    """Names that only dead code mentions, next to each other; ``before``: how many names precede them."""

    before: int
    names: list[str]


def spell_dead_code(texts: Texts, recompiled: RawCode) -> list[FormChange]:
    """Return the changes after which the text compiles to the original itself; an empty list if there are none.

    ``recompiled`` is the code of the current text.
    """
    raw, body = texts.raw, texts.body
    if "dead:names" in texts.search.skipped:
        return []
    runs = [*_runs(raw.names, recompiled.names)]
    variables = _early(raw.varnames, recompiled.varnames)
    first = _first_constant(raw, recompiled)
    if not (runs or variables or first) or sum(len(run.names) for run in runs) > _MOST_NAMES:
        return []
    chosen: list[FormChange] = []
    for number, run in enumerate(runs or [_Run(0, [])]):
        statements = [*_statements(raw, run.names, [] if number else variables, [] if number else first)]
        is_last = number + 1 >= len(runs)
        end = run.before + len(run.names)
        with made(chosen):
            for suite, at in [*unreached_places(body, has_else=True)]:
                rest = suite[at:] if at is not None else []
                after = [*suite[:at], *statements, *_without_yield(rest, statements)] if at is not None else statements
                change = FormChange(suite, suite[:], after, "dead:names")
                other = texts.with_changes(change)
                if other is None:
                    continue
                if texts.is_identical(other) if is_last else other.names[:end] == raw.names[:end]:
                    break
            else:
                return []
        chosen.append(change)
    return chosen


def spell_order_of_variables(texts: Texts) -> list[FormChange]:
    """Return the change after which the variables have the original's order, in code that is exact otherwise.

    A test that is never true, first in the body, holds an assignment to all of them.
    """
    raw, body = texts.raw, texts.body
    names = [name for name in raw.varnames[len(raw.parameters) :] if name.isidentifier()]
    if "dead:order" in texts.search.skipped or not names:
        return []
    start = int(raw.docstring is not None)
    targets: list[nodes.Expression] = [nodes.Name(name) for name in names]
    never = nodes.If(nodes.Constant(0), [nodes.Assign(targets, nodes.Tuple([]))], [])
    change = FormChange(body, body[:], [*body[:start], never, *body[start:]], "dead:order")
    other = texts.with_changes(change)
    return [change] if other is not None and prove(raw, other, names=False).exact else []


def spell_loop_tests(texts: Texts) -> list[FormChange]:
    """Return the changes of ``while True`` to ``while 1`` after which the text compiles to the original itself.

    The compilers of 3.10 and 3.11 keep the constant of the test in the code, though nothing loads it.
    """
    has_one = any(type(constant) is int and constant == 1 for constant in texts.raw.consts)
    if not has_one or "loop:true-as-1" in texts.search.skipped:
        return []
    inner = nodes.statements_in_order(texts.body, DEFINITIONS)
    loops = [one for one in inner if isinstance(one, nodes.While) and one.test == nodes.Constant(True)]
    some = [loops, *([loop] for loop in loops), *(loops[:end] for end in range(2, len(loops)))]
    changed = (list(_with_tests_of_1(texts.body, {id(loop) for loop in one})) for one in some if one)
    return next((chosen for chosen in changed if texts.is_identical(texts.with_changes(*chosen))), [])


def _with_tests_of_1(body: list[nodes.Statement], loops: set[int]) -> Iterator[FormChange]:
    """Yield the changes, one for each list of statements, that give ``loops`` the test ``1``."""
    for suite in nodes.bodies(body):
        changed = [one for one in suite if id(one) in loops and isinstance(one, nodes.While)]
        if changed:
            tests = {id(one): nodes.While(nodes.Constant(1), one.body, one.orelse, line=one.line) for one in changed}
            after = [tests.get(id(one), one) for one in suite]
            yield FormChange(suite, suite[:], after, "loop:true-as-1", changed[0].line, changed[0])


def _runs(names: Sequence[str], ours: Sequence[str]) -> Iterator[_Run]:
    """Yield the runs of ``names`` that are not in ``ours``, or come later there; none if the others differ."""
    early = {*_early(names, ours)}
    if [one for one in names if one not in early] != [one for one in ours if one not in early]:
        return
    run: list[str] = []
    for number, name in enumerate((*names, "")):
        if name in early:
            run.append(name)
        elif run:
            yield _Run(number - len(run), run)
            run = []


def _early(names: Sequence[str], ours: Sequence[str]) -> list[str]:
    """Return the names that are not in ``ours``, or come later there."""
    places = {name: place for place, name in enumerate(ours)}
    found: list[str] = []
    least = len(ours)
    for name in reversed(names):
        place = places.get(name, len(ours))
        if place >= least and name.isidentifier():
            found.insert(0, name)
        least = min(least, place)
    return found


def _first_constant(raw: RawCode, recompiled: RawCode) -> list[nodes.Expression]:
    """Return the first constant if only dead code had it."""
    if not raw.consts or raw.docstring is not None or not raw.table.behavior.folded_constants_are_last:
        return []
    first = raw.consts[0]
    if not isinstance(first, (str, bytes, int, float)):
        return []
    key = constant_key(first)
    return [nodes.Constant(first)] if all(constant_key(one) != key for one in recompiled.consts) else []


def _without_yield(rest: list[nodes.Statement], statements: list[nodes.Statement]) -> list[nodes.Statement]:
    """Return ``rest`` without the yield that another one of ``statements`` replaces."""
    is_yield = isinstance(statements[0], nodes.Expr) and isinstance(statements[0].value, nodes.Yield)
    return rest[1:] if is_yield and rest[:1] == [nodes.Expr(nodes.Yield())] else rest


def _statements(
    raw: RawCode, names: list[str], variables: list[str], first: list[nodes.Expression]
) -> Iterator[nodes.Statement]:
    """Yield statements that mention these: calls of methods, and assignments."""
    kind = kind_of(raw)
    if first and not names and not variables:
        if raw.flags & (CO_GENERATOR | CO_ASYNC_GENERATOR):
            yield nodes.Expr(nodes.Yield(first[0]))
        elif kind == "function":
            yield nodes.Return(first[0])
        else:
            yield nodes.Expr(nodes.List(first))
    for name in names:
        given = first
        first = []
        value: nodes.Expression = nodes.Name(name)
        if kind == "function":
            # The name may be a variable of a function around this one.
            value = nodes.Attribute(nodes.Name(raw.parameters[0]) if raw.parameters else nodes.Tuple([]), name)
        yield nodes.Expr(nodes.Call(value, given, []) if given else value)
    if variables:
        values: nodes.Expression = first[0] if first else nodes.Tuple([])
        yield nodes.Assign([nodes.Name(name) for name in variables], values)
