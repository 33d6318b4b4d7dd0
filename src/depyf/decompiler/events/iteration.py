"""FOR_ITER as a ``for`` statement, whatever is on the stack below the iterator.

The body is executed once, knowing only what holds at the start of every iteration: variables that it assigns are
unknown, and it must not touch stack entries below the iterator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..stack_machine.state import Const, Container, MachineState, Null, Opaque, Pure, Raised, Unbound
from ..syntax import nodes as n

if TYPE_CHECKING:
    from .control import Control


class BelowIterator(Raised):
    """A stack entry below the iterator, which the body of the loop must not touch."""

    __slots__ = ()


def for_statement(control: Control, pc: int) -> int:
    """Write the ``for`` statement of the FOR_ITER at ``pc``. Return the target of its exhaustion."""
    machine = control.machine
    instructions = control.instructions
    machine.line = instructions[pc].line or machine.line
    iterator = machine.pop()
    [iterable] = machine.texts([iterator])
    if isinstance(iterable, n.Call) and any(iterable is made for made in machine.iterators):
        iterable = iterable.args[0]
    inside = [instructions[index] for index in control.paths.loop(pc)]
    changed = {ins.arg for ins in inside if ins.op in ("STORE_FAST", "DELETE_FAST")}
    deleted = {ins.arg for ins in inside if ins.op == "DELETE_FAST"}
    with machine.using([iterator]):
        machine.flush()
        _keep(control, {machine.spelling.variable(name) for name in changed}, pc)
    machine.release([iterable])
    start = _start(control, changed, deleted)
    machine.state = start.copy()
    below = machine.state.stack
    machine.state.stack = [*(BelowIterator() for _ in below), Raised("iterator")]
    range_exits, control.range_exits = control.range_exits, None
    before, machine.set_before_loop = machine.set_before_loop, set(machine.temporaries)
    statement = n.For(n.Name("item"), iterable, [], [], line=machine.line)
    out, machine.out = machine.out, statement.body
    height = len(below) + 1
    with machine.using([*below, *(value for name, value in start.locals.items() if name not in changed)]):
        first, statement.target = _target(control, pc + 1)
        end = control.run(first, frozenset({pc}))
        if end == pc:
            machine.flush()
    if end >= 0 and end != pc or end == pc and len(machine.state.stack) != height:
        raise machine.error("an iteration does not come back to its head")
    machine.out, control.range_exits, machine.set_before_loop = out, range_exits, before
    if not statement.body:
        statement.body.append(n.Pass())
    machine.state = start
    machine.emit(statement)
    return instructions[pc].target


def _keep(control: Control, changed: set[str], head: int) -> None:
    """Store the values that are needed during or after the loop to variables that it does not change."""
    machine = control.machine
    state = machine.state
    parked = [state.locals[name] for name in sorted(control.live_before[head]) if name in state.locals]
    for value in state.held([*state.stack, *parked]):
        if isinstance(value, (Null, Raised, Const, Pure, Unbound)):
            continue
        names = state.names.get(value, [])
        if isinstance(value, Container) and not names and value not in state.held(parked):
            continue
        if not names:
            machine.name(value)
        elif changed.issuperset(names):
            name = machine.temporary(value.hint)
            machine.emit(n.Assign([n.Name(name)], n.Name(names[0]), line=machine.line))
            state.names[value].append(name)
    machine.escape(parked)


def _start(control: Control, changed: set[str], deleted: set[str]) -> MachineState:
    """Return the state at the start of every iteration."""
    machine = control.machine
    state = machine.state.copy()
    for name in changed:
        text = machine.spelling.variable(name)
        for value, names in list(state.names.items()):
            if text in names:
                names.remove(text)
                if not names:
                    del state.names[value]
        held = state.locals.get(name)
        if held is None:
            continue
        if isinstance(held, Unbound) or name in deleted:
            state.locals[name] = Unbound()
        else:
            state.locals[name] = new = Opaque(text)
            state.names[new] = [text]
    return state


def _target(control: Control, pc: int) -> tuple[int, n.Expression]:
    """Return the index where the body begins, and the target of the loop."""
    machine = control.machine
    instructions = control.instructions
    count = instructions[pc].arg if instructions[pc].op == "UNPACK_SEQUENCE" else 0
    first = pc + 1 if count else pc
    stores = instructions[first : first + (count or 1)]
    plain = all(ins.op == "STORE_FAST" and ins.arg not in machine.parked for ins in stores)
    if plain and len({ins.arg for ins in stores}) == len(stores):
        targets: list[n.Expression] = [n.Name(machine.spelling.variable(ins.arg)) for ins in stores]
        for ins in stores:
            _bind(control, ins.arg)
        return first + len(stores), n.Tuple(targets) if count else targets[0]
    name = machine.temporary("item")
    machine.push(machine.held_by(name))
    return pc, n.Name(name)


def _bind(control: Control, name: str) -> None:
    """Bind the local variable ``name`` to an unknown value."""
    machine = control.machine
    text = machine.spelling.variable(name)
    machine.free(text)
    machine.state.locals[name] = machine.held_by(text)
