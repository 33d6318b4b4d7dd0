"""Statements that do nothing, of which the compiler keeps a NOP for their line: ``pass``, a constant, ``if __debug__``.

The column of the NOP tells which body the statement is in. The test of an ``if`` that is never evaluated is further to
the right than the body by the keyword, and what follows it there is its body.
"""

from __future__ import annotations

from typing import Collection, Iterator, NamedTuple

from ..bytecode import Instruction
from ..syntax import nodes
from .else_clauses import column_of_body
from .rules import Rules

_ENDS_STATEMENT = ("POP", "STORE_", "DELETE_", "JUMP", "RETURN_VALUE", "RAISE", "RERAISE", "NOP", "END_FOR")
"""How operations begin after which a statement may begin."""
_JUMPS: dict[int, type[nodes.Statement]] = {
    len("break"): nodes.Break, len("return"): nodes.Return, len("continue"): nodes.Continue,
}  # fmt: skip
"""By their widths, statements that leave a NOP where the jump itself has another position."""
_NARROWEST = len("...")
_TRUE = {len(text): text for text in ("__debug__", "True", "1")}
_FALSE = {len(text): text for text in ("not __debug__", "False", "0")}


class _Idle(NamedTuple):
    """The NOP in ``line`` from ``start`` to ``end``, whose statement belongs before ``body[at]``, in ``column``."""

    line: int
    start: int
    end: int
    has_one_line: bool
    body: list[nodes.Statement]
    at: int
    column: int

    def beside(self) -> list[nodes.Statement]:
        """The statements before and after."""
        return self.body[max(0, self.at - 1) : self.at + 1]

    def is_jump(self) -> bool:
        """Whether it is what is left of a jump that is there."""
        jump = _JUMPS.get(self.end - self.start) if self.has_one_line and self.start == self.column else None
        return jump is not None and any(isinstance(one, jump) for one in self.beside())

    def inside(self) -> list[nodes.Statement]:
        """The statements that follow and are indented deeper than the body."""
        found: list[nodes.Statement] = []
        for statement in self.body[self.at :]:
            if statement.column is None or statement.column <= self.column:
                break
            found.append(statement)
        return found


class _Written(NamedTuple):
    """A statement in the place of so many that follow."""

    statement: nodes.Statement
    replaces: int = 0


def write_idle_statements(
    body: list[nodes.Statement], instructions: list[Instruction], skipped: Collection[str] = ()
) -> bool:
    """Insert the statements of which only NOPs with columns are left; whether there was any."""
    found = list(_alone(instructions))
    if not found:
        return False
    lines = {one.line for one in nodes.statements_in_order(body)}
    changed = False
    for nop in sorted(found, key=_order):
        for idle in _bodies_around(body, nop) if nop.line not in lines else ():
            if idle.is_jump():
                break
            written = RULES.decide(idle, skipped)
            if written is not None:
                written.statement.column = idle.column
                idle.body[idle.at : idle.at + written.replaces] = [written.statement]
                changed = True
                break
    return changed


def _order(nop: Instruction) -> tuple[int, int]:
    """Outer statements first, and of those the last first: what follows a test is whole then."""
    assert nop.position is not None
    return nop.position[2], -nop.position[0]


def _alone(instructions: list[Instruction]) -> Iterator[Instruction]:
    """The NOPs between statements that have a line to themselves, and columns."""
    shared: set[int | None] = {i.line for i in instructions if i.op != "NOP"}
    seen: set[int | None] = set()
    for before, nop in zip([None, *instructions], instructions):
        if nop.op != "NOP" or nop.position is None or None in nop.position or nop.line in shared or nop.line in seen:
            continue
        if before is None or before.target >= 0 or before.op.startswith(_ENDS_STATEMENT):
            seen.add(nop.line)
            yield nop


def _bodies_around(body: list[nodes.Statement], nop: Instruction) -> list[_Idle]:
    """Where the statement of ``nop`` may belong, inner bodies first: in those that begin no further to the right."""
    assert nop.position is not None
    line, end_line, start, end = nop.position
    found: list[_Idle] = []
    inner: list[nodes.Statement] | None = body
    around: nodes.Statement | None = None
    while inner is not None:
        column = None if _is_elif(around, inner) else _column(inner)
        at = sum(statement.line is not None and statement.line < line for statement in inner)
        if column is not None and column <= start:
            found.insert(0, _Idle(line, start, end, line == end_line, inner, at, column))
        around = inner[at - 1] if at else None
        parts = list(filter(None, nodes.statement_bodies(around))) if around is not None and around.holds_bodies else []
        if any(part[0].line is None for part in parts):
            return []  # it may be there
        inner = next((part for part in reversed(parts) if (part[0].line or 0) < line), None)
    return found


def _column(body: list[nodes.Statement]) -> int | None:
    """The column of ``body``, without what the compiler writes at the beginning of a class, in the column of that."""
    return column_of_body([statement for statement in body if not _is_prologue(statement)])


def _is_prologue(statement: nodes.Statement) -> bool:
    target = statement.targets[0] if isinstance(statement, nodes.Assign) else None
    return isinstance(target, nodes.Name) and target.id in ("__module__", "__qualname__")


def _is_elif(around: nodes.Statement | None, inner: list[nodes.Statement]) -> bool:
    is_clause = isinstance(around, nodes.If) and inner is around.orelse and len(inner) == 1
    return is_clause and isinstance(inner[0], nodes.If) and inner[0].written is None


def _constant_test(idle: _Idle) -> _Written | None:
    """``if`` or ``while`` with a constant: the NOP is that of the test, behind the keyword and as wide as it."""
    before = idle.start - idle.column
    inside = idle.inside()
    if not idle.has_one_line or before not in (len("if "), len("while "), len("if not ")):
        return None
    width = idle.end - idle.start + (before - len("if ") if before == len("if not ") else 0)
    text = (_TRUE if inside else _FALSE).get(width)
    if text is None or inside and before != len("if "):
        return None
    test = _test(text)
    if before == len("while "):
        return _Written(nodes.While(test, [nodes.Pass(line=idle.line)], line=idle.line))
    return _Written(nodes.If(test, inside or [nodes.Pass(line=idle.line)], line=idle.line), len(inside))


def _test(text: str) -> nodes.Expression:
    if text.endswith("__debug__"):
        name = nodes.Name("__debug__")
        return name if text == "__debug__" else nodes.UnaryOp("not", name)
    return nodes.Constant({"True": True, "False": False, "1": 1, "0": 0}[text])


def _whole_if(idle: _Idle) -> _Written | None:
    """``if`` with a constant where the NOP is that of the whole statement (3.11): its body is inside."""
    inside = idle.inside()
    if idle.has_one_line or idle.start != idle.column or not inside:
        return None
    return _Written(nodes.If(_test("__debug__"), inside, line=idle.line), len(inside))


def _pass(idle: _Idle) -> _Written | None:
    """``pass``, or a constant, of which nothing else is left: the NOP begins where the statements of the body do."""
    if idle.start != idle.column or idle.has_one_line and idle.end - idle.start < _NARROWEST:
        return None  # `case _` leaves one too
    if not idle.has_one_line and any(isinstance(one, (nodes.Try, nodes.TryStar)) for one in idle.beside()):
        return None  # whose NOP it is
    statement = nodes.Pass(line=idle.line)
    statement.written = "..." if idle.has_one_line and idle.end - idle.start == len("...") else None
    return _Written(statement)


RULES: Rules[_Idle, _Written] = Rules("idle", _constant_test, _whole_if, _pass)
