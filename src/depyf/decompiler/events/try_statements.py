"""Exception ranges -> ``try`` statements with ``except`` or ``finally``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator, NamedTuple

from ..bytecode import Handler
from ..stack_machine.state import MachineState, Opaque, Raised
from ..syntax import nodes as n

if TYPE_CHECKING:
    from .control import Control


class OpenTry(NamedTuple):
    """A written ``try`` statement; the statements from index ``end`` of the same list may belong to it."""

    statement: n.Try
    end: int
    handler: list[n.Statement]
    """The statements of the handler, without the final reraise."""


def try_statement(
    control: Control, pc: int, handler: Handler | None, stops: frozenset[int], tries: list[OpenTry]
) -> int:
    """Write a ``try`` statement for the range of ``handler``, which begins at ``pc``. Return where to continue."""
    machine = control.machine
    if handler is None or control.ranges.outer(handler) != control.handler:
        raise machine.error("an exception range begins inside another one")
    machine.flush()
    machine.release([])
    control.name_stack()
    entry = machine.state.copy()
    outer, out, machine.out = control.handler, machine.out, []
    range_exits, control.range_exits = control.range_exits, None
    control.handler = handler
    end = control.run(pc, stops)
    control.range_exits = range_exits
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
    """Return the state that holds after each statement of ``body``, given the state ``entry`` before it."""
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
    """Yield the variables that the statements assign or delete."""
    for node in n.walk(body):
        targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
        for target in targets:
            if isinstance(target, n.Name):
                yield target.id


def finish_tries(out: list[n.Statement], tries: list[OpenTry]) -> None:
    """Make each a ``finally`` if the statements after the range in ``out`` equal its handler's, else an ``except``."""
    for statement, end, statements in reversed(tries):
        following = out[end : end + len(statements)]
        if len(following) == len(statements) and all(x == y for x, y in zip(following, statements)):
            del out[end : end + len(statements)]
            statement.finalbody = statements
        else:
            statement.handlers = [n.ExceptHandler(None, None, [*statements, n.Raise()])]
