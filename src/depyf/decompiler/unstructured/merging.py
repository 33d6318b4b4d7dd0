"""Merges the states of the paths that meet at a block, and completes the paths with the assignments that this needs."""

from __future__ import annotations

from typing import NamedTuple, Sequence

from ..stack_machine.machine import Machine
from ..stack_machine.state import Const, MachineState, Null, Opaque, Pure, Raised, Unbound, Value
from ..syntax import nodes as n


class Path(NamedTuple):
    """The state at the end of a path, and the list that ends with its statements."""

    state: MachineState
    out: list[n.Statement]


def merge_states(machine: Machine, paths: Sequence[Path], long_running_follows: bool) -> MachineState:
    """Return the state where the paths join; stack slots that differ are assigned to one variable on all of them.

    ``long_running_follows``: a long-running operation may follow.
    """
    if len({len(path.state.stack) for path in paths}) > 1:
        raise machine.error("the arms of a branch leave stacks of different depth")
    merge = _Merge(machine, paths)
    merge.stack()
    merge.parked_variables()
    for path in paths:
        with machine.within(*path):
            machine.flush()
    merge.variables()
    if long_running_follows:
        merge.release()
    merge.names()
    return merge.result


class _Merge:
    """The merge of paths into one state, ``result``."""

    def __init__(self, machine: Machine, paths: Sequence[Path]) -> None:
        self.machine = machine
        self.paths = paths
        self.states = [path.state for path in paths]
        self.result = MachineState()
        self.joined: dict[tuple[Value, ...], Value] = {}

    def stack(self) -> None:
        for values in zip(*[state.stack[:] for state in self.states]):
            self.result.stack.append(self.slot(values))

    def parked_variables(self) -> None:
        machine = self.machine
        for name in sorted(machine.parked.intersection(*[state.locals for state in self.states])):
            values = tuple(state.locals[name] for state in self.states)
            if name in machine.live:
                self.result.locals[name] = self.slot(values)
            elif _are_one(values):
                self.result.locals[name] = values[0]  # the original still holds it

    def variables(self) -> None:
        machine, result = self.machine, self.result
        for name in sorted({name for state in self.states for name in state.locals} - machine.parked):
            if not all(name in state.locals for state in self.states):
                result.locals[name] = Unbound()
                continue
            values = tuple(state.locals[name] for state in self.states)
            if _are_one(values) or _are_one_constant(values):
                result.locals[name] = values[0]
                continue
            if values not in self.joined:
                self.joined[values] = Opaque(name)
            result.locals[name] = self.joined[values]
            result.names.setdefault(self.joined[values], []).append(machine.spelling.variable(name))

    def slot(self, values: tuple[Value, ...]) -> Value:
        """Return the merged value of a stack slot, given its values at the ends of the paths."""
        machine, first = self.machine, values[0]
        common = self.common_names(values)
        if _are_one(values) and (common or isinstance(first, (Const, Null, Raised)) or self.same_private(first)):
            return first
        if all(isinstance(value, Null) for value in values) or _are_one_constant(values):
            return first
        if values not in self.joined:
            hint = next((value.hint for value in values if not isinstance(value, Const)), first.hint)
            name = machine.temporary(hint)
            if not common:
                for path, value in zip(self.paths, values):
                    with machine.within(*path):
                        machine.store(name, value)
                common = [name]
            self.joined[values] = Opaque(name)
            self.result.names[self.joined[values]] = common
        return self.joined[values]

    def common_names(self, values: tuple[Value, ...]) -> list[str]:
        """Return the variables that hold the values, each at the end of its path."""
        first, *others = [state.names.get(value, ()) for state, value in zip(self.states, values)]
        return [name for name in first if all(name in names for names in others)]

    def same_private(self, value: Value) -> bool:
        """Whether ``value`` is a private container (or a term over such) that all paths left unchanged."""
        count = len(self.states)
        if isinstance(value, Pure):
            return all(isinstance(part, (Const, Null)) or self.common_names((part,) * count) for part in value.operands)
        all_items = [state.private(value) for state in self.states]
        items = all_items[0]
        if items is None or any(others != items for others in all_items[1:]):
            return False
        for item in items:
            if not (self.common_names((item,) * count) or isinstance(item, Const) or self.same_private(item)):
                return False
        self.result.heap[value] = items[:]
        return True

    def release(self) -> None:
        """Delete our variables whose values are stale at the end of one path, and unknown on another."""
        machine = self.machine
        for path in self.paths:
            with machine.within(*path):
                known = {
                    name
                    for value in path.state.names
                    if all(value in state.names for state in self.states)
                    for state in self.states
                    if state is not path.state
                    for name in state.names[value]
                }
                machine.to_delete |= machine.stale([]) - known
                machine.release([n.Name(name) for name in known])

    def names(self) -> None:
        """Keep the variables that hold the same value on all paths."""
        for value in self.states[0].names:
            held = self.result.names.setdefault(value, [])
            held.extend(name for name in self.common_names((value,) * len(self.states)) if name not in held)
            if not held:
                del self.result.names[value]


def _are_one(values: tuple[Value, ...]) -> bool:
    return all(value is values[0] for value in values)


def _are_one_constant(values: tuple[Value, ...]) -> bool:
    """Whether all are the same constant."""
    first = values[0]
    return isinstance(first, Const) and all(
        isinstance(value, Const) and n.same_constant(first.value, value.value) for value in values
    )
