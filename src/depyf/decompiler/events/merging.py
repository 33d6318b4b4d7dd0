"""Merges the states of the two arms of a branch, and completes the arms with the assignments that this needs."""

from __future__ import annotations

from typing import NamedTuple

from ..stack_machine.machine import Machine
from ..stack_machine.state import Const, MachineState, Null, Opaque, Pure, Raised, Unbound, Value
from ..syntax import nodes as n


class Arm(NamedTuple):
    """The state at the end of an arm, its statements, and its continuation (-1: none)."""

    state: MachineState
    out: list[n.Statement]
    end: int


def merge_states(machine: Machine, a: Arm, b: Arm, long_running_follows: bool) -> MachineState:
    """Return the state where two arms join; stack slots that differ are assigned to a variable in both.

    ``long_running_follows``: a long-running operation may follow.
    """
    if len(a.state.stack) != len(b.state.stack):
        raise machine.error("the arms of a branch leave stacks of different depth")
    merge = _Merge(machine, a, b)
    merge.stack()
    merge.parked_variables()
    for arm in (a, b):
        with machine.within(arm.state, arm.out):
            machine.flush()
    merge.variables()
    if long_running_follows:
        merge.release()
    merge.names()
    return merge.result


class _Merge:
    """The merge of two arms into one state, ``result``."""

    def __init__(self, machine: Machine, a: Arm, b: Arm) -> None:
        self.machine = machine
        self.a = a
        self.b = b
        self.result = MachineState()
        self.joined: dict[tuple[Value, Value], Value] = {}

    def stack(self) -> None:
        for first, second in zip(self.a.state.stack[:], self.b.state.stack[:]):
            self.result.stack.append(self.slot(first, second))

    def parked_variables(self) -> None:
        machine, a, b = self.machine, self.a.state, self.b.state
        for name in sorted(machine.parked & set(a.locals) & set(b.locals)):
            first, second = a.locals[name], b.locals[name]
            if name in machine.live:
                self.result.locals[name] = self.slot(first, second)
            elif first is second:
                self.result.locals[name] = first  # the original still holds it

    def variables(self) -> None:
        machine, result, a, b = self.machine, self.result, self.a.state, self.b.state
        for name in sorted((set(a.locals) | set(b.locals)) - machine.parked):
            first, second = a.locals.get(name), b.locals.get(name)
            if first is None or second is None:
                result.locals[name] = Unbound()
            elif first is second or same_constant(first, second):
                result.locals[name] = first
            else:
                key = (first, second)
                if key not in self.joined:
                    self.joined[key] = Opaque(name)
                result.locals[name] = self.joined[key]
                result.names.setdefault(self.joined[key], []).append(machine.spelling.variable(name))

    def slot(self, first: Value, second: Value) -> Value:
        """Return the merged value of a stack slot, given its values at the ends of the arms."""
        machine, a, b = self.machine, self.a, self.b
        if first is second and (isinstance(first, (Const, Null, Raised)) or self.same_private(first)):
            return first
        if first is second and self.common_names(first, second):
            return first
        if isinstance(first, Null) and isinstance(second, Null) or same_constant(first, second):
            return first
        key = (first, second)
        if key not in self.joined:
            name = machine.temporary(first.hint if not isinstance(first, Const) else second.hint)
            common = self.common_names(first, second)
            if not common:
                with machine.within(a.state, a.out):
                    machine.store(name, first)
                with machine.within(b.state, b.out):
                    machine.store(name, second)
                common = [name]
            self.joined[key] = Opaque(name)
            self.result.names[self.joined[key]] = common
        return self.joined[key]

    def common_names(self, first: Value, second: Value) -> list[str]:
        """Return the variables that hold ``first`` at the end of one arm, and ``second`` at the end of the other."""
        others = self.b.state.names.get(second, ())
        return [name for name in self.a.state.names.get(first, ()) if name in others]

    def same_private(self, value: Value) -> bool:
        """Whether ``value`` is a private container (or a term over such) that both arms left unchanged."""
        if isinstance(value, Pure):
            return all(isinstance(part, (Const, Null)) or self.common_names(part, part) for part in value.operands)
        items, others = self.a.state.private(value), self.b.state.private(value)
        if items is None or others is None or len(items) != len(others):
            return False
        for item, other in zip(items, others):
            if item is not other:
                return False
            if not (self.common_names(item, other) or isinstance(item, Const) or self.same_private(item)):
                return False
        self.result.heap[value] = items[:]
        return True

    def release(self) -> None:
        """Delete our variables whose values are stale at the end of one arm, and unknown in the other."""
        machine = self.machine
        for arm, other in ((self.a, self.b), (self.b, self.a)):
            with machine.within(arm.state, arm.out):
                both = [names for value, names in other.state.names.items() if value in arm.state.names]
                known = {name for names in both for name in names}
                machine.to_delete |= machine.stale([]) - known
                machine.release([n.Name(name) for name in known])

    def names(self) -> None:
        """Keep the variables that hold the same value in both arms."""
        for value, names in self.a.state.names.items():
            common = [name for name in names if name in self.b.state.names.get(value, ())]
            if common:
                held = self.result.names.setdefault(value, [])
                held.extend(name for name in common if name not in held)


def same_constant(a: Value, b: Value) -> bool:
    """Whether both are the same constant."""
    return isinstance(a, Const) and isinstance(b, Const) and n.same_constant(a.value, b.value)
