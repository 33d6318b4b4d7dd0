"""A single form for stores after SWAPs.

From 3.12 on the compiler avoids SWAPs before stores to locals by reordering the stores, but only where all are on one
source line: ``a, b = b, a`` over two lines keeps them. Nothing in such a run raises or is observable, so only the
final value of each variable matters.
"""

from __future__ import annotations

from ...bytecode import Instruction

_MOVES = frozenset({"SWAP", "STORE_FAST", "POP", "NOP"})


def settle_swaps(instructions: list[Instruction]) -> list[Instruction]:
    """Return ``instructions`` with every run of SWAPs, stores to locals and POPs without SWAPs, if possible."""
    targets = {i.target for i in instructions} | {i.handler.target for i in instructions if i.handler is not None}
    result = list(instructions)
    start = 0
    while start < len(result):
        end = start
        while end < len(result) and result[end].op in _MOVES and (end == start or end not in targets):
            end += 1
        run = result[start:end]
        if any(i.op == "SWAP" for i in run):
            result[start:end] = _settled(run)
        start = max(end, start + 1)
    return result


def _settled(run: list[Instruction]) -> list[Instruction]:
    """``run`` as one store or POP for each value that it pops, from the top down; unchanged if impossible."""
    reach = len(run) + max(i.arg for i in run if i.op == "SWAP")
    stack = list(range(reach, 0, -1))  # values by their depth before the run; 1 is the top, the last of the list
    holders: dict[str, int] = {}
    taken: list[int] = []
    for instruction in run:
        if instruction.op == "SWAP":
            stack[-1], stack[-instruction.arg] = stack[-instruction.arg], stack[-1]
        elif instruction.op != "NOP":
            taken.append(stack.pop())
            if instruction.op == "STORE_FAST":
                holders[instruction.arg] = taken[-1]
    count = len(taken)
    if sorted(taken) != list(range(1, count + 1)) or stack != list(range(reach, count, -1)):
        return run
    stores = {depth: name for name, depth in holders.items()}
    first = run[0]
    settled = []
    for depth in range(1, count + 1):
        op = "STORE_FAST" if depth in stores else "POP"
        settled.append(Instruction(op, stores.get(depth), -1, first.handler, first.offset, first.line, first.position))
    return settled + [Instruction("NOP", handler=first.handler) for _ in range(len(run) - count)]
