"""Reachability between instructions, and the joins of branches; the only cycles are iterations."""

from __future__ import annotations

from functools import cached_property

from ...errors import DecompilationError
from ..bytecode import CONDITIONAL_JUMPS, NO_FALL_THROUGH, Instruction
from ..limits.budget import STEP, spend
from ..stack_machine.shapes import skip_jumps


class Paths:
    """The control flow between instructions, without exceptions.

    ``forward`` are the edges without the back edges of iterations. Raises DecompilationError for any other cycle.
    """

    def __init__(self, instructions: list[Instruction], where: str) -> None:
        self.instructions = instructions
        self.successors: list[tuple[int, ...]] = []
        for index, ins in enumerate(instructions):
            targets: list[int] = []
            if ins.op not in NO_FALL_THROUGH:
                targets.append(index + 1)
            if ins.target >= 0 and (ins.op == "JUMP" or ins.op in CONDITIONAL_JUMPS):
                targets.append(ins.target)
            self.successors.append(tuple(target for target in targets if target < len(instructions)))
        self.forward = [
            tuple(target for target in targets if not self._is_back_edge(index, target))
            for index, targets in enumerate(self.successors)
        ]
        self.order = self._topological(where)

    def _is_back_edge(self, index: int, target: int) -> bool:
        return target <= index and self.instructions[target].op == "FOR_ITER"

    def loop(self, head: int) -> set[int]:
        """Return the instructions of the loop whose FOR_ITER is at ``head``, including it."""
        inside = self.reach(head)
        found = {head}
        todo = [index for index in self.before.get(head, ()) if self._is_back_edge(index, head)]
        while todo:
            index = todo.pop()
            if index not in found and index in inside:
                found.add(index)
                todo.extend(self.before.get(index, ()))
        spend(STEP * (len(inside) + len(found)), "following the order of events")
        return found

    @cached_property
    def before(self) -> dict[int, list[int]]:
        """The predecessors of each instruction that has any."""
        before: dict[int, list[int]] = {}
        for index, targets in enumerate(self.successors):
            for target in targets:
                before.setdefault(target, []).append(index)
        return before

    def _topological(self, where: str) -> list[int]:
        """Return the position of each instruction in a topological order."""
        count = len(self.instructions)
        order, state = [0] * count, [0] * count
        position = count
        roots = [0, *[ins.handler.target for ins in self.instructions if ins.handler is not None]]
        for root in roots:
            if not count or state[root]:
                continue
            state[root] = 1
            work = [(root, iter(self.forward[root]))]
            while work:
                index, rest = work[-1]
                for target in rest:
                    if state[target] == 1:
                        reason = "a loop in code that no compiler made"
                        raise DecompilationError(reason, stage="events", where=where)
                    if not state[target]:
                        state[target] = 1
                        work.append((target, iter(self.forward[target])))
                        break
                else:
                    work.pop()
                    state[index] = 2
                    position -= 1
                    order[index] = position
        return order

    def reach(self, start: int, without: int = -1, successors: list[tuple[int, ...]] | None = None) -> set[int]:
        """Return the instructions reachable from ``start`` without passing ``without``."""
        successors = successors or self.successors
        found: set[int] = set()
        todo = [start]
        while todo:
            index = todo.pop()
            if index in found or index == without:
                continue
            found.add(index)
            todo.extend(successors[index])
        return found

    def skip(self, index: int) -> int:
        """Return the first instruction at or after ``index`` that is no NOP or jump, following jumps."""
        return skip_jumps(self.instructions, index, "following the order of events")

    def join(self, first: int, second: int, stops: frozenset[int]) -> int:
        """Return the first instruction on all paths of both arms that do not leave the code; -1 if there is none.

        No path may reach one of ``stops`` (the continuations of enclosing statements) before it.
        """
        edges = self.forward
        common = self.reach(first, successors=edges) & self.reach(second, successors=edges)
        for candidate in sorted(common, key=lambda index: self.order[index]):
            a, b = self.reach(first, candidate, edges), self.reach(second, candidate, edges)
            if not a & b and not (a | b) & stops:
                return candidate
        return -1
