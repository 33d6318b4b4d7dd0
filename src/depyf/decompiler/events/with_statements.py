"""BEFORE_WITH as a ``with`` statement, wherever its body begins and wherever control continues after it.

The body has three kinds of exits: its end, jumps out of it, and the suppression of an exception by the manager. If
these continue at different targets, variables record which exit was taken:

    completed = False
    with manager:
        ...
        completed = True
    if not completed:
        ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..bytecode import Handler
from ..limits.budget import STEP, spend
from ..stack_machine.shapes import with_handler
from ..stack_machine.state import Const, Exit, MachineState
from ..syntax import nodes as n
from .try_statements import state_of_handler

if TYPE_CHECKING:
    from .control import Control

_SILENT = ("NOP", "CONST", "SWAP", "COPY")


class RangeExit(NamedTuple):
    """An exit from an exception range: its target, the state there, and the list that ends with its statements."""

    pc: int
    state: MachineState
    out: list[n.Statement]


def with_statement(control: Control, pc: int, stops: frozenset[int]) -> int:
    """Write the ``with`` statement of the BEFORE_WITH at ``pc``. Return where to continue."""
    machine = control.machine
    instructions = control.instructions
    machine.line = instructions[pc].line or machine.line
    manager = machine.pop()
    handler = control.ranges.handler_of(instructions[pc + 1])
    depth = len(machine.state.stack) + 1
    around = control.handler if handler is None else control.ranges.outer(handler)
    if handler is None or around != control.handler or (handler.depth, handler.lasti) != (depth, True):
        raise machine.error("a context manager is entered without a handler of its own")
    suppressed_pc = _suppressed(control, handler)
    machine.name_stale_events([manager])
    [context] = machine.texts([manager])
    with machine.using([manager]):
        machine.flush()
        control.name_stack()
    machine.release([context])
    entry = machine.state.copy()
    statement = n.With([n.withitem(context)], [], line=machine.line)
    machine.push(Exit())
    if instructions[pc + 1].op == "POP":
        start = pc + 2
    else:
        name = machine.temporary("entered")
        machine.push(machine.held_by(name))
        statement.items[0].optional_vars = n.Name(name)
        start = pc + 1
    exits = _body(control, start, stops, handler, statement.body)
    suppressed = state_of_handler(control, entry, statement.body)
    return _write_with(control, statement, exits, RangeExit(suppressed_pc, suppressed, []), stops)


def _suppressed(control: Control, handler: Handler) -> int:
    """Check that the handler is that of a with statement. Return where it continues after suppressing an exception."""
    found = with_handler(control.instructions, handler.target, "following the order of events")
    if found is None or found.is_async:
        raise control.machine.error("a context manager with another handler than that of a with statement")
    return _skip_unused(control, found.suppressed)


def _body(
    control: Control, pc: int, stops: frozenset[int], handler: Handler, body: list[n.Statement]
) -> list[RangeExit]:
    """Execute the body into the list ``body``. Return its exits, past the call of the exit function."""
    machine = control.machine
    outer, out, range_exits = control.handler, machine.out, control.range_exits
    control.handler, machine.out, control.range_exits = handler, body, []
    end = control.run(pc, stops)
    if end >= 0:
        control.range_exits.append(RangeExit(end, machine.state, body))
    found, control.range_exits = control.range_exits, range_exits
    control.handler = outer
    result = []
    for range_exit in found:
        machine.state, machine.out = range_exit.state, []
        end_pc = _exit(control, range_exit.pc)
        if machine.out:
            raise machine.error("something happens between the body of a with statement and its end")
        machine.out = range_exit.out
        if control.instructions[end_pc].op == "RETURN_VALUE":
            machine.statement([machine.pop()], lambda value: n.Return(value))
            continue
        machine.flush()
        control.name_stack()
        machine.release([], all_stale=True)
        result.append(RangeExit(end_pc, machine.state, range_exit.out))
    machine.out = out
    return result


def _exit(control: Control, pc: int) -> int:
    """Execute the call of the exit function and the loads before it. Return where control continues."""
    machine = control.machine
    instructions, stack = control.instructions, machine.state.stack
    pc = control.paths.skip(pc)
    while instructions[pc].op in _SILENT:
        spend(STEP, "following the order of events")
        machine.execute(instructions[pc])
        pc = control.paths.skip(pc + 1)
    arguments = stack[-3:]
    called = instructions[pc].op == "CALL" and instructions[pc].arg == (2, ()) and len(stack) > 3
    if not called or not isinstance(stack[-4], Exit):
        raise machine.error("a with statement is left without a call of its exit function")
    if not all(isinstance(argument, Const) and argument.value is None for argument in arguments):
        raise machine.error("an exit function is called with other arguments than None")
    del stack[-4:]
    pc = control.paths.skip(pc + 1)
    if instructions[pc].op != "POP":
        raise machine.error("what an exit function gives is used")
    return _skip_unused(control, pc + 1)


def _skip_unused(control: Control, pc: int) -> int:
    """Return the first instruction at or after ``pc`` that is no NOP, jump, or constant that is popped at once."""
    pc = control.paths.skip(pc)
    while control.instructions[pc].op == "CONST":
        after = control.paths.skip(pc + 1)
        if control.instructions[after].op != "POP":
            break
        pc = control.paths.skip(after + 1)
    return pc


def _write_with(
    control: Control, statement: n.With, exits: list[RangeExit], suppressed: RangeExit, stops: frozenset[int]
) -> int:
    machine = control.machine
    flags: list[tuple[n.Expression, RangeExit]] = []
    for range_exit in exits:
        if range_exit.pc == suppressed.pc and _same_stack(range_exit.state, suppressed.state):
            continue
        flag = n.Name(machine.temporary("completed"))
        machine.emit(n.Assign([flag], n.Constant(False)))
        range_exit.out.append(n.Assign([flag], n.Constant(True), line=machine.line))
        flags.append((flag, range_exit))
    if not statement.body:
        statement.body.append(n.Pass())
    machine.emit(statement)
    return _choose(control, flags, suppressed, stops)


def _choose(
    control: Control, flags: list[tuple[n.Expression, RangeExit]], otherwise: RangeExit, stops: frozenset[int]
) -> int:
    """Write the choice of the exit whose flag is set, else ``otherwise``. Return where to continue."""
    machine = control.machine
    machine.state = otherwise.state
    if not flags:
        return otherwise.pc
    (flag, range_exit), *rest = flags
    if not rest:
        falls, jumps = (otherwise.pc, otherwise.state), (range_exit.pc, range_exit.state)
        return control.fork("POP_JUMP_IF_TRUE", flag, falls, jumps, stops)
    jumping = control.arm(lambda: control.run(range_exit.pc, stops), range_exit.state)
    falling = control.arm(lambda: _choose(control, rest, otherwise, stops), otherwise.state)
    return control.join("POP_JUMP_IF_TRUE", flag, falling, jumping, stops)


def _same_stack(a: MachineState, b: MachineState) -> bool:
    """Whether two states have the same stack, including the items of containers on it."""
    if len(a.stack) != len(b.stack) or any(first is not second for first, second in zip(a.stack, b.stack)):
        return False
    return all(a.heap.get(value) == b.heap.get(value) for value in a.held(a.stack))
