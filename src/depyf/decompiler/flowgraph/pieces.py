"""Canonical instructions of a module or class body -> consecutive pieces of one or more statements.

A cut is an instruction on every path through the code, with an empty stack and no handler, and without an edge from it
or later code back to earlier code. A piece reaches from one cut to the next, and includes the handlers of its try
statements, wherever these are. Unreachable code is in no piece.
"""

from __future__ import annotations

from typing import Callable, Iterator, NamedTuple, Sequence

from ..bytecode import NO_FALL_THROUGH, Handler, Instruction, stack_use
from .dominators import immediate_dominators, reverse_postorder


class Piece(NamedTuple):
    """Indices of instructions: ``members`` are those of the piece, ascending; ``start`` is executed first, ``end``
    right after the piece (None if control leaves the code).
    """

    start: int
    end: int | None
    members: list[int]


def pieces_of(instructions: list[Instruction], *, may_return: bool = False) -> list[Piece]:
    """Return the pieces in execution order; at most one if there are no cuts.

    ``may_return``: a piece may have returns, so that not all paths go through the following ones.
    """
    if not instructions:
        return []
    runs = _Runs(instructions)
    depths = _depths(instructions, [index for start in runs.order for index in runs.members(start)])
    cuts: list[int] = []
    owner: dict[int, int] = {}
    spine = set(runs.spine(may_return=may_return))
    for start in runs.order:
        owner[start] = owner[runs.parent[start]] if start else 0
        for index in runs.members(start):
            if index == 0 or start in spine and depths.get(index) == 0 and runs.may_cut(start, index):
                owner[start] = len(cuts)
                cuts.append(index)
    members: list[list[int]] = [[] for _ in cuts]
    piece_of_cut = {cut: number for number, cut in enumerate(cuts)}
    for start in sorted(runs.order):
        number = owner[runs.parent[start]] if start else 0
        for index in runs.members(start):
            number = piece_of_cut.get(index, number)
            members[number].append(index)
    return [Piece(cut, following, inside) for cut, following, inside in zip(cuts, [*cuts[1:], None], members)]


def joined(instructions: list[Instruction], pieces: Sequence[Piece], end: Sequence[Instruction]) -> list[Instruction]:
    """Return new instructions for ``pieces`` in sequence, followed by ``end``.

    ``end`` has no jumps, and leaves the code.
    """
    follows: dict[int, int] = {}
    for piece, following in zip(pieces, pieces[1:]):
        assert piece.end is not None
        follows[piece.end] = following.start
    last = pieces[-1].end
    members = sorted(index for piece in pieces for index in piece.members)
    if last is not None:
        members = sorted([*members, last])
    new_index: dict[int, int] = {}
    result: list[Instruction] = []
    for index, next_member in zip(members, [*members[1:], None]):
        new_index[index] = len(result)
        if index == last:
            result += [Instruction(i.op, i.arg, -1, None, i.offset, i.line, i.position) for i in end]
            continue
        old = instructions[index]
        result.append(Instruction(old.op, old.arg, old.target, old.handler, old.offset, old.line, old.position))
        following_index = follows.get(index + 1, index + 1)
        if old.op not in NO_FALL_THROUGH and following_index != next_member:
            result.append(Instruction("JUMP", None, following_index, old.handler, old.offset, old.line))
    for instruction in result:
        if instruction.target >= 0:
            instruction.target = new_index[follows.get(instruction.target, instruction.target)]
        if instruction.handler is not None:
            handler = instruction.handler
            instruction.handler = Handler(new_index[handler.target], handler.depth, handler.lasti)
    return result


_NONE = Handler(-1, 0, False)


class _Runs:
    """The graph of the runs: consecutive instructions with the same handler. A run is named by the index of its first
    instruction.

    ``order`` is the reverse postorder of the reachable runs, ``parent`` maps each to its immediate dominator.
    """

    def __init__(self, instructions: list[Instruction]) -> None:
        self.instructions = instructions
        starts = {0}
        for index, instruction in enumerate(instructions):
            if instruction.target >= 0:
                starts.update((instruction.target, index + 1))
            if instruction.op in NO_FALL_THROUGH:
                starts.add(index + 1)
            if instruction.handler is not None:
                starts.add(instruction.handler.target)
            if index and instruction.handler != instructions[index - 1].handler:
                starts.add(index)
        ordered = sorted(start for start in starts if start < len(instructions))
        self.ends = dict(zip(ordered, [*ordered[1:], len(instructions)]))
        self.order = reverse_postorder(0, self.successors)
        self.rank = {start: number for number, start in enumerate(self.order)}
        self.parent = immediate_dominators(self.order, self._predecessors())
        self._intervals()
        self._crossing()

    def members(self, start: int) -> range:
        """Return the indices of the instructions of the run."""
        return range(start, self.ends[start])

    def successors(self, start: int) -> Iterator[int]:
        """Return the successors of the run, including its handler."""
        last = self.ends[start] - 1
        instruction = self.instructions[last]
        if instruction.op not in NO_FALL_THROUGH and last + 1 < len(self.instructions):
            yield last + 1
        if instruction.target >= 0:
            yield instruction.target
        if instruction.handler is not None:
            yield instruction.handler.target

    def may_cut(self, start: int, index: int) -> bool:
        """Whether no edge leads from this instruction of the run, or from code after it, to code before it."""
        if self.crossing[start] or self.instructions[index].handler is not None:
            return False
        return index == start or start not in self.repeated

    def spine(self, *, may_return: bool) -> list[int]:
        """Return the runs that dominate all returns, or all exits if there is no return.

        ``may_return``: those that dominate one of them, which gives the most cuts.
        """
        ends = [start for start in self.order if self.instructions[self.ends[start] - 1].op in NO_FALL_THROUGH]
        returns = [start for start in ends if self.instructions[self.ends[start] - 1].op == "RETURN_VALUE"]
        exits = returns or [end for end in ends if self.instructions[self.ends[end] - 1].op != "JUMP"]
        if may_return and exits:
            chains = map(self._dominators, exits)
            return max(chains, key=lambda chain: sum(self.may_cut(start, start) for start in chain))
        common = -1
        for end in exits:
            common = end if common < 0 else self._intersect(common, end)
        return self._dominators(max(common, 0))

    def _dominators(self, start: int) -> list[int]:
        chain = [start]
        while chain[-1]:
            chain.append(self.parent[chain[-1]])
        return chain

    def _predecessors(self) -> dict[int, list[int]]:
        """Return the predecessors of each run."""
        before: dict[int, list[int]] = {start: [] for start in self.order}
        for start in self.order:
            for target in self.successors(start):
                before[target].append(start)
        handlers = {start: self.instructions[start].handler for start in self.order}
        for target in {handler.target for handler in handlers.values() if handler is not None}:
            # Runs entered only from runs with this handler add nothing to dominance, and may be many.
            covered = {start for start in before[target] if (handlers[start] or _NONE).target == target}
            before[target] = [
                start
                for start in before[target]
                if start not in covered or start == 0 or not covered.issuperset(before[start])
            ]
        return before

    def _intersect(self, left: int, right: int) -> int:
        while left != right:
            if self.rank[left] > self.rank[right]:
                left = self.parent[left]
            else:
                right = self.parent[right]
        return left

    def _intervals(self) -> None:
        """Number the dominator tree so that the interval of each run contains those of all runs it dominates."""
        sizes = dict.fromkeys(self.order, 1)
        for start in reversed(self.order[1:]):
            sizes[self.parent[start]] += sizes[start]
        self.first, free = {0: 0}, {0: 1}
        for start in self.order[1:]:
            above = self.parent[start]
            self.first[start] = free[above]
            free[above] += sizes[start]
            free[start] = self.first[start] + 1
        self.last = {start: self.first[start] + sizes[start] for start in self.order}

    def _crossing(self) -> None:
        """Count the edges that leave each run's dominated subtree, and find the runs that are targets of back edges."""
        self.crossing = dict.fromkeys(self.order, 0)
        self.repeated: set[int] = set()
        for start in self.order:
            for target in self.successors(start):
                # The edge leaves the subtree of each dominator of `start` that does not dominate `target` too.
                back = self.first[target] <= self.first[start] < self.last[target]
                if back:
                    self.repeated.add(target)
                self.crossing[start] += 1
                self.crossing[target if back else self.parent[target]] -= 1
        for start in reversed(self.order[1:]):
            self.crossing[self.parent[start]] += self.crossing[start]


def _depths(instructions: list[Instruction], order: list[int]) -> dict[int, int]:
    """Return the stack depth before each instruction; -1 where paths disagree."""
    depths = {0: 0}
    use: Callable[..., tuple[int, int]] = stack_use
    for index in order:
        depth, instruction = depths.get(index, -1), instructions[index]
        edges: list[tuple[int, int]] = []
        if instruction.op not in NO_FALL_THROUGH and index + 1 < len(instructions):
            pops, pushes = use(instruction)
            edges.append((index + 1, depth - pops + pushes))
        if instruction.target >= 0:
            pops, pushes = use(instruction, jump=True)
            edges.append((instruction.target, depth - pops + pushes))
        if instruction.handler is not None:
            edges.append((instruction.handler.target, instruction.handler.depth + instruction.handler.lasti + 1))
        for target, after in edges:
            after = after if depth >= 0 else -1
            if depths.setdefault(target, after) != after:
                depths[target] = -1
    return depths
