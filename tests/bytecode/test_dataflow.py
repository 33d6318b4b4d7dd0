"""Forward data flow, with a problem whose answer is the set of all paths: which instructions may come before."""

from __future__ import annotations

import random

import pytest

from depyf.decompiler.bytecode import NO_FALL_THROUGH, Handler, Instruction
from depyf.decompiler.bytecode.dataflow import states_before

Seen = frozenset


def may_come_before(instructions: list[Instruction]) -> list[frozenset | None]:
    """For each instruction those that some path runs before it; a handler finds only what came before the raise."""
    return states_before(
        instructions,
        Seen(),
        after=lambda index, seen, jump: seen | {(index, jump)},
        raised=lambda instruction, seen: None if instruction.op == "NOP" else seen,
        meet=lambda index, known, other: known | other,
    )


def by_paths(instructions: list[Instruction]) -> list[frozenset | None]:
    """The same by following each path until it brings nothing new."""
    found: list[set | None] = [None] * len(instructions)
    todo = [(0, Seen())]
    while todo:
        index, seen = todo.pop()
        if index >= len(instructions) or (found[index] is not None and seen <= found[index]):
            continue
        found[index] = seen = (found[index] or Seen()) | seen
        instruction = instructions[index]
        if instruction.op not in NO_FALL_THROUGH:
            todo.append((index + 1, seen | {(index, False)}))
        if instruction.target >= 0:
            todo.append((instruction.target, seen | {(index, True)}))
        if instruction.handler is not None and instruction.op != "NOP":
            todo.append((instruction.handler.target, seen))
    return found


@pytest.mark.parametrize("seed", range(60))
def test_all_paths_count(seed: int):
    choice = random.Random(seed)
    count = choice.randrange(1, 14)
    instructions = []
    for _ in range(count):
        op = choice.choice(["NOP", "LOAD_FAST", "POP_JUMP_IF_TRUE", "JUMP", "RETURN_VALUE"])
        target = choice.randrange(count) if "JUMP" in op else -1
        handler = Handler(choice.randrange(count), 0, False) if choice.random() < 0.3 else None
        instructions.append(Instruction(op, None, target, handler))
    assert may_come_before(instructions) == by_paths(instructions)


def test_what_a_function_raises_ends_the_walk():
    def after(index: int, state: int, jump: bool) -> int:
        raise LookupError(index)

    with pytest.raises(LookupError):
        states_before([Instruction("NOP")], 0, after=after, raised=lambda *_: None, meet=lambda *_: 0)
