"""Live variables and join points, to compare states without dead variables."""

from __future__ import annotations

from ...bytecode import NO_FALL_THROUGH, Instruction

_READS = frozenset({"LOAD_FAST", "DELETE_FAST", "LOAD_DEREF", "DELETE_DEREF"})
_WRITES = frozenset({"STORE_FAST", "STORE_DEREF"})


class Liveness:
    """Liveness for one list of instructions. ``joins``: the indices of those with several predecessors."""

    def __init__(self, instructions: list[Instruction]) -> None:
        self.names: list[str] = []
        self.live_in, self.joins = self._solve(instructions)
        self._sets: dict[int, frozenset[str]] = {}

    def at(self, index: int) -> frozenset[str]:
        """The variables that may be read, or tested for being unbound, from this instruction on."""
        bits = self.live_in[index] if 0 <= index < len(self.live_in) else 0
        found = self._sets.get(bits)
        if found is None:
            names = frozenset(name for number, name in enumerate(self.names) if bits >> number & 1)
            found = self._sets[bits] = names
        return found

    def _solve(self, instructions: list[Instruction]) -> tuple[list[int], frozenset[int]]:
        """Backward data flow, sets of variables as bits."""
        count = len(instructions)
        bit: dict[str, int] = {}
        uses, kills = [0] * count, [0] * count
        predecessors: list[list[int]] = [[] for _ in range(count)]
        handled_by: list[list[int]] = [[] for _ in range(count)]
        incoming = [0] * (count + 1)
        if count:
            incoming[0] = 1
        for index, ins in enumerate(instructions):
            if ins.op in _READS or ins.op in _WRITES or ins.op == "LOAD_FAST_AND_CLEAR":
                mine = bit.setdefault(ins.arg, 1 << len(bit))
                if ins.op not in _WRITES:
                    uses[index] = mine
                else:
                    kills[index] = mine
            successors = [] if ins.op in NO_FALL_THROUGH else [index + 1]
            if ins.target >= 0:
                successors.append(ins.target)
            for target in successors:
                incoming[target] += 1
                if target < count:
                    predecessors[target].append(index)
            if ins.handler is not None:
                incoming[ins.handler.target] += 1
                handled_by[ins.handler.target].append(index)
        live_in, live_out, from_handler = [0] * count, [0] * count, [0] * count
        changed = True
        while changed:  # one round more than the nesting depth of loops
            changed = False
            for index in range(count - 1, -1, -1):
                # A handler sees the variable's value before a store: its live variables are not killed.
                new = live_out[index] & ~kills[index] | uses[index] | from_handler[index]
                if new == live_in[index]:
                    continue
                live_in[index] = new
                for before in predecessors[index]:
                    live_out[before] |= new
                    changed = changed or before >= index
                for before in handled_by[index]:
                    from_handler[before] |= new
                    changed = changed or before >= index
        self.names = list(bit)
        return live_in, frozenset(index for index in range(count) if incoming[index] > 1)
