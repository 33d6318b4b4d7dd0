"""Statements that do nothing, for whose line the compiler keeps a NOP: ``pass``, a constant, ``if __debug__``.

The column of the NOP shows which body the statement is in. The test of an ``if`` that is never evaluated is further to
the right than the body by the keyword, and what follows it there is its body.
"""

from __future__ import annotations

import sys
from typing import Collection, Iterator, NamedTuple, Sequence

from ...bytecode import Instruction
from ...bytecode.instruction import Position
from ...lift.columns import DEBUG_AND, INDENT
from ...lift.values import CaseElse, case_of
from ...syntax import nodes
from ...syntax.transforms.redundant_return import returns_none
from ..context import TRIES
from ..rules import Rules
from .else_clauses import column_of_body

ENDS_STATEMENT = ("POP", "STORE_", "DELETE_", "JUMP", "RETURN_VALUE", "RAISE", "RERAISE", "NOP", "END_FOR")
"""How operations begin after which a statement may begin."""
OF_IMPLICIT_RETURN = {"CONST": 1, "RETURN_VALUE": 2}
"""The operations of ``return None``, and where they are in a copy of it: after a NOP."""
_PLACES = frozenset({"NOP", "POP_EXCEPT"})
"""Operations that may have no other position than that of a statement without instructions."""
_JUMPS = frozenset({len("break"), len("return"), len("continue")})
"""Widths of statements that leave a NOP where the jump itself has another position, or is gone."""
_NARROWEST = len("...")
_LAST_OF_CLASS = ("__annotate_func__", "__annotate__")
_LAST = (nodes.Return, nodes.Continue)
_TRUE = {len(text): text for text in ("__debug__", "True", "1")}
_FALSE = {len(text): text for text in ("not __debug__", "False", "0")}
_WIDTHS_OF_TRUE = (len("True"), len("1"))
_KEYWORDS = (len("if "), len("while "))
_LEAVES = (nodes.Return, nodes.Raise)


class _Idle(NamedTuple):
    """The NOP in ``line`` from ``start`` to ``end``, whose statement belongs before ``body[at]``, in ``column``.

    ``is_next``: ``body`` begins with it.
    """

    line: int
    end_line: int
    start: int
    end: int
    body: list[nodes.Statement]
    at: int
    column: int
    is_next: bool

    @property
    def has_one_line(self) -> bool:
        """Whether the NOP is on a single line."""
        return self.line == self.end_line

    @property
    def width(self) -> int:
        """The columns of the NOP, if it is on a single line."""
        return self.end - self.start

    def beside(self) -> list[nodes.Statement]:
        """Return the statements before and after."""
        return self.body[max(0, self.at - 1) : self.at + 1]

    def inside(self) -> list[nodes.Statement]:
        """Return the statements that follow and are indented deeper than the body."""
        found: list[nodes.Statement] = []
        for statement in self.body[self.at :]:
            if statement.column is None or statement.column <= self.column:
                break
            found.append(statement)
        return found


class _Written(NamedTuple):
    """A statement that replaces the next ``replaces`` ones."""

    statement: nodes.Statement
    replaces: int = 0


def write_idle_statements(
    body: list[nodes.Statement],
    instructions: list[Instruction],
    skipped: Collection[str] = (),
    constants: Sequence[object] = (),
) -> bool:
    """Insert the statements of which only NOPs with columns remain, or the position of the implicit return; return
    whether there were any. ``constants``: those of the code, unless they are unknown.
    """
    changed = _write_test_at_end(body, instructions, constants)
    changed |= _is_first(True, constants) and _write_test_of_whole(body)
    changed |= _write_tests_of_debug(body)
    found = list(_candidates(instructions))
    if not found:
        return changed
    lines = {one.line for one in nodes.statements_in_order(body)}
    handlers = next((one.offset for one in instructions if one.op == "PUSH_EXC_INFO"), sys.maxsize)
    for nop in sorted(found, key=_order):
        is_handling = nop.offset > handlers  # all handlers are at the end
        for idle in _bodies_around(body, nop, is_handling) if nop.line not in lines else ():
            written = RULES.decide(idle, skipped)
            if written is not None:
                written.statement.column = idle.column
                idle.body[idle.at : idle.at + written.replaces] = [written.statement]
                changed = True
                break
    return changed


def _write_test_at_end(
    body: list[nodes.Statement], instructions: list[Instruction], constants: Sequence[object]
) -> bool:
    """Write the constant test that ends the code: the implicit return has its position, there is no NOP."""
    last = body[-1] if body else None
    if last is None or not returns_none(last):
        return False
    ends = _wide_returns(instructions)
    if not ends:
        return False
    above = max((one.line or 0 for one in nodes.statements_in_order(body[:-1])), default=0)
    position = next((one for one in ends if above < one[0] == one[1] and last.line in (None, one[0])), None)
    if position is None:
        return False
    line = position[0]
    start, width = position[2], position[3] - position[2]
    columns = [column_of_body(body[:-1])] if len(body) > 1 else [*range(INDENT, start, INDENT)]
    for text in (text for width_of, text in (*_FALSE.items(), *_TRUE.items()) if width_of == width):
        test = _test(text)
        if isinstance(test, nodes.Constant) and (len(body) == 1 or text == "True"):
            if len(body) > 1 or not _is_first(test.value, constants):
                continue  # `return None` has the columns of `assert True`
        for keyword, written in _TESTS_AT_END[text]:
            if start - len(keyword) in columns:
                body[-1] = written(test, line)
                body[-1].column = start - len(keyword)
                return True
    return False


def _wide_returns(instructions: list[Instruction]) -> list[Position]:
    """The positions of the returns, if one is as wide as a constant test."""
    ends = [i.position for i in instructions if i.op == "RETURN_VALUE" and i.position and None not in i.position]
    return ends if not {*_FALSE, *_TRUE}.isdisjoint([one[3] - one[2] for one in ends]) else []


def _write_test_of_whole(body: list[nodes.Statement]) -> bool:
    """Write ``if True:`` where the only statement is as far to the right of the place for it."""
    if len(body) != 1 or body[0].column is None or body[0].column % INDENT != len("if True: ") % INDENT:
        return False
    column = body[0].column - len("if True: ")
    body[:] = [nodes.If(_test("True"), body[:], line=body[0].line)]
    body[0].column = column
    return True


def _write_tests_of_debug(body: list[nodes.Statement]) -> bool:
    """Write ``__debug__ and`` where a test is as far to the right of its statement, or of where its body is indented
    from.
    """
    changed = False
    for inner in nodes.bodies(body):
        for before, statement in zip([None, *inner], inner):
            if statement.__class__ is not nodes.If or statement.column is None:
                continue
            if case_of(statement.test) is not None or isinstance(before, CaseElse):
                continue  # the test may be a guard
            column = statement.column - len(DEBUG_AND)
            first = statement.body[0]
            is_indented = first.column == column + INDENT and (first.line or 0) > (statement.line or 0)
            if column >= 0 and (is_indented or column == column_of_body(inner)):
                test = statement.test
                values = test.values if isinstance(test, nodes.BoolOp) and test.op == "and" else [test]
                statement.test = nodes.BoolOp("and", [_test("__debug__"), *values])
                statement.column, changed = column, True
    return changed


def _is_first(value: object, constants: Sequence[object]) -> bool:
    """Whether ``value`` is the first of the constants."""
    return bool(constants) and type(constants[0]) is type(value) and constants[0] == value


def _if(test: nodes.Expression, line: int) -> nodes.Statement:
    return nodes.If(test, [nodes.Pass(line=line)], line=line)


def _while(test: nodes.Expression, line: int) -> nodes.Statement:
    return nodes.While(test, [nodes.Pass(line=line)], line=line)


def _if_not(test: nodes.Expression, line: int) -> nodes.Statement:
    return _if(nodes.UnaryOp("not", test), line)


def _assert(test: nodes.Expression, line: int) -> nodes.Statement:
    return nodes.Assert(test, line=line)


_OF_FALSE = (("if ", _if), ("while ", _while))
_TESTS_AT_END = {
    "0": _OF_FALSE, "False": _OF_FALSE, "not __debug__": _OF_FALSE[:1],
    "1": (("assert ", _assert),), "True": (("assert ", _assert),), "__debug__": (("if not ", _if_not),),
}  # fmt: skip
"""What a constant test at the end may be, by what precedes the constant: nothing runs, and nothing fails."""


def _order(nop: Instruction) -> tuple[int, int]:
    """Sort key: outer statements first, later ones first among them, so that what follows a test is complete."""
    assert nop.position is not None
    return nop.position[2], -nop.position[0]


def _candidates(instructions: list[Instruction]) -> Iterator[Instruction]:
    """Yield the NOPs between statements that have columns and are alone on their line, and the ends of handlers that
    have the position of a removed one.
    """
    found = [
        (before, nop)
        for before, nop in zip([None, *instructions], instructions)
        if nop.op in _PLACES and nop.position is not None and None not in nop.position
    ]
    lines = {nop.line for _, nop in found}
    shared: set[int | None] = lines and {
        instruction.line
        for at, (before, instruction) in enumerate(zip([None, *instructions], instructions))
        if instruction.line in lines and instruction.op not in _PLACES and not _is_end_of_handler(before, instruction)
        if not is_copied(instructions, at)
    }
    seen: set[int | None] = set()
    for before, nop in found:
        if nop.line in shared or nop.line in seen:
            continue
        if before is None or before.target >= 0 or before.op.startswith(ENDS_STATEMENT):
            seen.add(nop.line)
            yield nop


def is_copied(instructions: Sequence[Instruction], number: int) -> bool:
    """Whether this is part of a copy of the implicit return, which has the line of the NOP before it."""
    one = instructions[number]
    if one.op not in OF_IMPLICIT_RETURN:
        return False
    start = number - OF_IMPLICIT_RETURN[one.op]
    if start < 0 or [each.op for each in instructions[start : start + 3]] != ["NOP", "CONST", "RETURN_VALUE"]:
        return False
    nop = instructions[start]
    return instructions[start + 1].arg is None and (nop.line, nop.position) == (one.line, one.position)


def _is_end_of_handler(before: Instruction | None, jump: Instruction) -> bool:
    """Whether ``jump`` has the position of the end of a handler before it (3.11)."""
    is_jump = jump.op == "JUMP" and before is not None and before.op == "POP_EXCEPT"
    return is_jump and before is not None and before.position == jump.position


def _bodies_around(body: list[nodes.Statement], nop: Instruction, is_handling: bool) -> list[_Idle]:
    """Where the statement of ``nop`` may belong, inner bodies first: in those that begin no further to the right.

    ``is_handling``: whether it may be in the body of an ``except`` clause. Below these, it is an ``else`` clause.
    """
    found: list[_Idle] = []
    inner: list[nodes.Statement] | None = body
    around: nodes.Statement | None = None
    while inner is not None:
        at = _place(inner, nop.line or 0)
        _add(found, nop, around, inner, at, is_next=False)
        around = inner[at - 1] if at else None
        parts = list(filter(None, nodes.statement_bodies(around))) if around is not None and around.holds_bodies else []
        if any(part[0].line is None for part in parts):
            return []  # it may be there
        begun = sum((part[0].line or 0) < (nop.line or 0) for part in parts)
        if begun < len(parts):
            _add(found, nop, around, parts[begun], 0, is_next=True)
        inner = parts[begun - 1] if begun else None
        if not is_handling and isinstance(around, TRIES) and around.handlers and inner is around.handlers[-1].body:
            _add_clause(found, nop, around)
            break
    return found


def _place(body: list[nodes.Statement], line: int) -> int:
    """Return how many statements of ``body`` are above ``line``; not the store of a function of annotations that ends
    a class, on its first line, and not a jump to the top of a loop, whose line it may have.
    """
    end = len(body)
    while end and (isinstance(body[end - 1], _LAST) or _name_stored(body[end - 1]) in _LAST_OF_CLASS):
        end -= 1
    return sum(statement.line is not None and statement.line < line for statement in body[: end or len(body)])


def _add_clause(found: list[_Idle], nop: Instruction, around: nodes.Try | nodes.TryStar) -> None:
    """Add the ``else`` clause of ``around``, if it has none, in front of ``found``."""
    assert nop.position is not None
    line, end_line, start, end = nop.position
    if not around.orelse and around.column is not None and around.column < start:
        found.insert(0, _Idle(line, end_line, start, end, around.orelse, 0, start, False))


def _add(
    found: list[_Idle],
    nop: Instruction,
    around: nodes.Statement | None,
    body: list[nodes.Statement],
    at: int,
    *,
    is_next: bool,
) -> None:
    """Add ``body``, which is in ``around``, in front of ``found`` if its column is not to the right of ``nop``; also
    as what is below a constant test, if ``nop`` is where that would be in the column to the left.
    """
    assert nop.position is not None
    line, end_line, start, end = nop.position
    column = None if _is_elif(around, body) else _column(body)
    if column is None:
        return
    outer = column - INDENT
    is_certain = not is_next or end - start > len("1")  # that may be an `assert 1`
    if not at and is_certain and start - outer in _KEYWORDS and end - start in _TRUE:
        found.insert(0, _Idle(line, end_line, start, end, body, at, outer, is_next))
    if column <= start:
        found.insert(0, _Idle(line, end_line, start, end, body, at, column, is_next))
    elif line < end_line and not at:
        found.insert(0, _Idle(line, end_line, start, end, body, at, start, is_next))


def _column(body: list[nodes.Statement]) -> int | None:
    """Return the column of ``body``, from statements whose column is certain: not a return that may be implicit."""
    certain = [statement for statement in body if not _is_elsewhere(statement)]
    last = certain[-1] if len(certain) > 1 else None
    is_class = _name_stored(body[0]) == "__module__"
    is_implicit = False
    if isinstance(last, nodes.Return):
        is_implicit = is_class or last.value in (None, nodes.Constant(None)) and last.written != "pass"
    return column_of_body(certain[:-1] if is_implicit else certain)


def _is_elsewhere(statement: nodes.Statement) -> bool:
    """Whether ``statement`` is a case, or what the compiler adds to a class, in the column of the class."""
    if isinstance(statement, nodes.If):
        return case_of(statement.test) is not None
    return _name_stored(statement) in ("__module__", "__qualname__", "__doc__", *_LAST_OF_CLASS)


def _name_stored(statement: nodes.Statement) -> str | None:
    target = statement.targets[0] if isinstance(statement, nodes.Assign) else None
    return target.id if isinstance(target, nodes.Name) else None


def _is_elif(around: nodes.Statement | None, inner: list[nodes.Statement]) -> bool:
    is_clause = isinstance(around, nodes.If) and inner is around.orelse and len(inner) == 1
    return is_clause and isinstance(inner[0], nodes.If) and inner[0].written is None


def _constant_test(idle: _Idle) -> _Written | None:
    """``if`` or ``while`` with a constant: the NOP is that of the test, after the keyword and as wide as it (3.12)."""
    before, width, inside = idle.start - idle.column, idle.width, idle.inside()
    if not idle.has_one_line or idle.is_next and width == len("1"):
        return None  # it may be that of an `assert 1` before
    if before == len("while ") and width == len("False") and not inside:
        return _Written(nodes.While(_test("False"), [nodes.Pass(line=idle.line)], line=idle.line))
    is_true = bool(inside) and width in _TRUE and (width not in _FALSE or inside[0].line == idle.line + 1)
    text = (_TRUE if is_true else _FALSE).get(width)
    if text is None or before != len("if "):
        return None
    nothing: list[nodes.Statement] = [nodes.Pass(line=idle.line)]
    body, orelse = (inside, []) if is_true else (nothing, inside)
    return _Written(nodes.If(_test(text), body, orelse, line=idle.line), len(inside))


def _test_of_block(idle: _Idle) -> _Written | None:
    """``if True`` or ``if __debug__``: up to 3.11, the NOP is that of the whole statement, whose body is below."""
    inside = idle.inside()
    if idle.start != idle.column or idle.has_one_line or not inside:
        return None
    lines = [statement.line or 0 for statement in inside]
    if not idle.line < min(lines) or max(lines) > idle.end_line or _ends_later(idle, inside):
        return None
    return _Written(nodes.If(_test("True"), inside, line=idle.line), len(inside))


def _ends_later(idle: _Idle, inside: list[nodes.Statement]) -> bool:
    """Whether the NOP is that of more than an ``if`` with these statements."""
    after = idle.body[idle.at + len(inside) :][:1]
    line = after[0].line if after else None
    return isinstance(inside[0], TRIES) or line is not None and line <= idle.end_line


def _negated_test(idle: _Idle) -> _Written | None:
    """``if not __debug__``: since 3.14, the NOP is that of the operand. What is below is the ``else`` clause."""
    inside = idle.inside()
    if idle.start - idle.column != len("if not ") or not idle.has_one_line or idle.width != len("__debug__"):
        return None
    test = nodes.UnaryOp("not", _test("__debug__"))
    return _Written(nodes.If(test, [nodes.Pass(line=idle.line)], inside, line=idle.line), len(inside))


def _loop_of_one_trip(idle: _Idle) -> _Written | None:
    """``while True`` whose body leaves in any case: the NOP is that of the test, and the body is below."""
    inside = idle.inside()
    is_test = idle.start - idle.column == len("while ") and idle.has_one_line and idle.width in _WIDTHS_OF_TRUE
    if not is_test or not inside or inside[0].line != idle.line + 1 or not isinstance(inside[-1], _LEAVES):
        return None
    return _Written(nodes.While(_test(_TRUE[idle.width]), inside, line=idle.line), len(inside))


def _test(text: str) -> nodes.Expression:
    if text.endswith("__debug__"):
        name = nodes.Name("__debug__")
        return name if text == "__debug__" else nodes.UnaryOp("not", name)
    return nodes.Constant({"True": True, "False": False, "1": 1, "0": 0}[text])


def _pass(idle: _Idle) -> _Written | None:
    """``pass``, or a constant, of which nothing else is left: the NOP begins where the statements of the body do."""
    if idle.start != idle.column or idle.has_one_line and (idle.width < _NARROWEST or idle.width in _JUMPS):
        return None  # `case _` leaves one too
    if not idle.has_one_line and any(isinstance(one, TRIES) for one in idle.beside()):
        return None  # whose NOP it is
    if any(statement.line is not None and idle.line < statement.line <= idle.end_line for statement in idle.body):
        return None  # an `if` with these in its body (3.11)
    statement = nodes.Pass(line=idle.line)
    statement.written = "..." if idle.has_one_line and idle.width == len("...") else None
    return _Written(statement)


RULES: Rules[_Idle, _Written] = Rules("idle", _constant_test, _test_of_block, _negated_test, _loop_of_one_trip, _pass)
