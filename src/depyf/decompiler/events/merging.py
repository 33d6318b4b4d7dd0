"""What is known where the two arms of a branch meet, and what each arm still has to do for it."""

from __future__ import annotations

import contextlib
from typing import Iterator

from ..bytecode import Instruction
from ..syntax import nodes as n
from .operations import Operations
from .paths import Paths
from .state import Const, Null, Opaque, Pure, Raised, State, Unbound, Value

_LONG = frozenset({"CALL", "CALL_EX", "CALL_FUNCTION", "CALL_FUNCTION_EX", "BINARY_OP", "COMPARE_OP", "YIELD_VALUE"})


class Merging(Operations):
    """Merges the states of two arms."""

    instructions: list[Instruction]
    paths: Paths

    def merge_states(self, a: State, a_out: list[n.Statement], b: State, b_out: list[n.Statement], join: int) -> State:
        """The state where two arms meet; unequal stack slots are assigned to variables in both."""
        if len(a.stack) != len(b.stack):
            raise self.error("the arms of a branch leave stacks of different depth")
        merged = State()
        joined: dict[tuple[Value, Value], Value] = {}
        for first, second in zip(a.stack[:], b.stack[:]):
            merged.stack.append(self.merge_slot(first, second, a, a_out, b, b_out, merged, joined))
        for name in sorted(self.parked & set(a.locals) & set(b.locals)):
            first, second = a.locals[name], b.locals[name]
            if name in self.live:
                merged.locals[name] = self.merge_slot(first, second, a, a_out, b, b_out, merged, joined)
            elif first is second:
                merged.locals[name] = first  # the original still holds it
        for state, out in ((a, a_out), (b, b_out)):
            with self.within(state, out):
                self.flush()
        for name in sorted((set(a.locals) | set(b.locals)) - self.parked):
            first_, second_ = a.locals.get(name), b.locals.get(name)
            if first_ is None or second_ is None:
                merged.locals[name] = Unbound()
            elif first_ is second_:
                merged.locals[name] = first_
            elif same_constant(first_, second_):
                merged.locals[name] = first_
            else:
                key = (first_, second_)
                if key not in joined:
                    joined[key] = Opaque(name)
                merged.locals[name] = joined[key]
                merged.names.setdefault(joined[key], []).append(self.spelling.variable(name))
        for state, out, other in ((a, a_out, b), (b, b_out, a)):
            if self.takes_long_after(join):
                with self.within(state, out):
                    self.release_but(other)
        for value, names in a.names.items():
            common = [name for name in names if name in b.names.get(value, ())]
            if common:
                merged.names.setdefault(value, []).extend(c for c in common if c not in merged.names.get(value, ()))
        return merged

    def merge_slot(
        self,
        first: Value,
        second: Value,
        a: State,
        a_out: list[n.Statement],
        b: State,
        b_out: list[n.Statement],
        merged: State,
        joined: dict[tuple[Value, Value], Value],
    ) -> Value:
        """What a stack slot holds where two arms meet, given what it holds at the end of each."""
        if first is second and (isinstance(first, (Const, Null, Raised)) or self.same_private(first, a, b, merged)):
            return first
        if first is second and set(a.names.get(first, ())) & set(b.names.get(second, ())):
            return first
        if isinstance(first, Null) and isinstance(second, Null) or same_constant(first, second):
            return first
        key = (first, second)
        if key not in joined:
            name = self.temporary(first.hint if not isinstance(first, Const) else second.hint)
            common = [name for name in a.names.get(first, ()) if name in b.names.get(second, ())]
            if not common:
                with self.within(a, a_out):
                    self.store(name, first)
                with self.within(b, b_out):
                    self.store(name, second)
                common = [name]
            joined[key] = Opaque(name)
            merged.names[joined[key]] = common
        return joined[key]

    def same_private(self, value: Value, a: State, b: State, merged: State) -> bool:
        """Whether ``value`` is a private container (or a term of such) that both arms left as it is."""
        if isinstance(value, Pure):
            return all(
                isinstance(part, (Const, Null)) or set(a.names.get(part, ())) & set(b.names.get(part, ()))
                for part in value.operands
            )
        items, others = a.private(value), b.private(value)
        if items is None or others is None or len(items) != len(others):
            return False
        for item, other in zip(items, others):
            named = set(a.names.get(item, ())) & set(b.names.get(other, ()))
            if item is not other or not (named or isinstance(item, Const) or self.same_private(item, a, b, merged)):
                return False
        merged.heap[value] = items[:]
        return True

    def takes_long_after(self, index: int) -> bool:
        """Whether something that may take long can come at or after an instruction."""
        return any(self.instructions[after].op in _LONG for after in self.paths.reach(index))

    def release_but(self, other: State) -> None:
        """At the end of an arm: delete our variables of values that are stale here, and unknown in the other arm."""
        known = {name for value, names in other.names.items() if value in self.state.names for name in names}
        self.doomed |= self.stale([]) - known
        self.release([n.Name(name) for name in known])

    @contextlib.contextmanager
    def within(self, state: State, out: list[n.Statement]) -> Iterator[None]:
        """At the end of an arm that was left."""
        kept = self.state, self.out
        self.state, self.out = state, out
        yield
        self.state, self.out = kept


def same_constant(a: Value, b: Value) -> bool:
    return isinstance(a, Const) and isinstance(b, Const) and n.same_constant(a.value, b.value)
