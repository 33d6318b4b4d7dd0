"""Exception ranges as ``try`` statements, with ``except`` or ``finally``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator, NamedTuple

from ..bytecode import Handler
from ..stack_machine.state import MachineState, Opaque, Raised
from ..syntax import nodes as n

if TYPE_CHECKING:
    from .control import Control


class OpenTry(NamedTuple):
    """A statement that was written; what follows it, at ``place`` of the same list, may belong to it."""

    statement: n.Try
    place: int
    handler: list[n.Statement]
    """What the handler does before it raises the exception again."""


def try_statement(
    control: Control, pc: int, handler: Handler | None, stops: frozenset[int], tries: list[OpenTry]
) -> int:
    """The range of ``handler`` begins: writes a ``try`` statement; where to continue after it."""
    machine = control.machine
    if handler is None or control.ranges.outer(handler) != control.handler:
        raise machine.error("an exception range begins inside another one")
    machine.flush()
    machine.release([])
    control.name_stack()
    entry = machine.state.copy()
    outer, out, machine.out = control.handler, machine.out, []
    leaving, control.leaving = control.leaving, None
    control.handler = handler
    end = control.run(pc, stops)
    control.leaving = leaving
    if end >= 0:
        machine.flush()
        for value in machine.state.stack:
            if control.parts_pending(value):
                machine.name(value)
        machine.release([], all_stale=True)
    control.handler = outer
    body, machine.out = machine.out, out
    after = machine.state
    statements = _handler_statements(control, handler, entry, body)
    machine.state = after
    if not statements:
        machine.out.extend(body)
        return end
    statement = n.Try(body, [], [], [])
    machine.emit(statement)
    tries.append(OpenTry(statement, len(machine.out), statements))
    return end


def _handler_statements(
    control: Control, handler: Handler, entry: MachineState, body: list[n.Statement]
) -> list[n.Statement]:
    machine = control.machine
    state = state_of_handler(control, entry, body)
    state.stack = state.stack[: handler.depth]
    if handler.lasti:
        state.stack.append(Raised("lasti"))
    state.stack.append(Raised("exception"))
    before, machine.handling = machine.handling, True
    _, statements, end = control.arm(lambda: control.run(handler.target, frozenset()), state)
    machine.handling = before
    if end >= 0 or not statements or not isinstance(statements[-1], n.Raise) or statements[-1].exc is not None:
        raise machine.error("an exception handler goes on after it")
    return statements[:-1]


def state_of_handler(control: Control, entry: MachineState, body: list[n.Statement]) -> MachineState:
    """What is known after any statement of ``body``, before which ``entry`` was known."""
    state = entry.copy()
    assigned = set(_assigned(body))
    for name in entry.locals:
        text = control.machine.spelling.variable(name)
        if text in assigned:
            held = Opaque(text)
            state.locals[name] = held
            state.names[held] = [text]
    for value, names in list(state.names.items()):
        is_new = isinstance(value, Opaque) and value not in entry.names
        kept = [name for name in names if name not in assigned or is_new]
        if kept:
            state.names[value] = kept
        else:
            del state.names[value]
    return state


def _assigned(body: list[n.Statement]) -> Iterator[str]:
    """Variables that the statements assign or delete."""
    for node in n.walk(body):
        targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
        for target in targets:
            if isinstance(target, n.Name):
                yield target.id


def finish_tries(out: list[n.Statement], tries: list[OpenTry]) -> None:
    """Choose between ``finally``, if what follows the range in ``out`` is what its handler does, and ``except``."""
    for statement, place, statements in reversed(tries):
        following = out[place : place + len(statements)]
        if len(following) == len(statements) and all(x == y for x, y in zip(following, statements)):
            del out[place : place + len(statements)]
            statement.finalbody = statements
        else:
            statement.handlers = [n.ExceptHandler(None, None, [*statements, n.Raise()])]
