"""Canonical instructions in another shape that do the same: what the symbolic proof has to see through.

Jumps become the choice of a state and a loop that dispatches on it, one for each range of a handler and each depth of
the stack; results are parked in variables; values that nobody needs come and go.
"""

from __future__ import annotations

import random
from typing import Dict, List, Optional, Tuple

from depyf.decompiler.bytecode import CONDITIONAL_JUMPS, NO_FALL_THROUGH, Handler, Instruction, stack_use

STATE = "state_"
_PARKED = frozenset(
    {"CONST", "LOAD_FAST", "LOAD_GLOBAL", "LOAD_ATTR", "BINARY_OP", "COMPARE_OP", "CALL", "BUILD_LIST", "BUILD_TUPLE",
     "BINARY_SUBSCR", "UNARY_OP", "IS_OP", "CONTAINS_OP", "LOAD_DEREF", "GET_ITER", "BUILD_MAP"}
)  # fmt: skip
"""Operations that push one value, and no empty slot."""


def reshaped(instructions: List[Instruction], dice: random.Random) -> List[Instruction]:
    """The same program in another shape."""
    code = instructions
    if dice.random() < 0.7:
        code = parked(code, dice, dice.choice((0.1, 0.4)))
    if dice.random() < 0.8:
        code = dispatched(code, dice, dice.choice((0.3, 1.0)))
    return code


def parked(instructions: List[Instruction], dice: random.Random, part: float) -> List[Instruction]:
    """Some results go through variables, some through the stack once more."""
    after: Dict[int, List[Instruction]] = {}
    for index, ins in enumerate(instructions):
        if ins.op in _PARKED and dice.random() < part:
            name = f"parked_{dice.randrange(4)}"
            ways = (
                [("STORE_FAST", name), ("LOAD_FAST", name)],
                [("COPY", 1), ("STORE_FAST", name)],
                [("CONST", 7), ("SWAP", 2), ("SWAP", 2), ("POP", None)],
                [("COPY", 1), ("POP", None)],
            )
            after[index] = [like(ins, op, arg) for op, arg in dice.choice(ways)]
    return inserted(instructions, after)


def like(ins: Instruction, op: str, arg: object = None, target: int = -1) -> Instruction:
    """An instruction at the place of ``ins``."""
    return Instruction(op, arg, target, ins.handler, ins.offset, ins.line)


def inserted(instructions: List[Instruction], after: Dict[int, List[Instruction]]) -> List[Instruction]:
    """With more instructions after some; those must not jump."""
    new_index: List[int] = []
    count = 0
    for index in range(len(instructions)):
        new_index.append(count)
        count += 1 + len(after.get(index, ()))
    new_index.append(count)
    result: List[Instruction] = []
    for index, ins in enumerate(instructions):
        for one in (ins, *after.get(index, ())):
            target = new_index[one.target] if one.target >= 0 else -1
            handler = one.handler and one.handler._replace(target=new_index[one.handler.target])
            result.append(Instruction(one.op, one.arg, target, handler, one.offset, one.line))
    return result


def dispatched(instructions: List[Instruction], dice: random.Random, part: float) -> List[Instruction]:
    """Some targets of jumps are reached by a loop that dispatches on an integer."""
    depths = stack_depths(instructions)
    targets = sorted({ins.target for ins in instructions if ins.target >= 0 and depths[ins.target] is not None})
    chosen = [target for target in targets if dice.random() < part]
    groups: Dict[Tuple[Optional[Handler], Optional[int]], List[int]] = {}
    for target in chosen:
        groups.setdefault((instructions[target].handler, depths[target]), []).append(target)
    number = {target: n for n, target in enumerate(dice.sample(chosen, len(chosen)))}
    result = [Instruction(i.op, i.arg, i.target, i.handler, i.offset, i.line) for i in instructions]
    ways_in: Dict[int, int] = {}
    for (_, depth), members in groups.items():
        start = len(result)
        name = f"{STATE}{depth}"
        for target in members[:-1]:
            at = instructions[target]
            result += [like(at, "LOAD_FAST", name), like(at, "CONST", number[target])]
            result += [like(at, "COMPARE_OP", "=="), like(at, "POP_JUMP_IF_TRUE", None, target)]
        result.append(like(instructions[members[-1]], "JUMP", None, members[-1]))
        for target in members:
            at = instructions[target]
            ways_in[target] = len(result)
            result += [like(at, "CONST", number[target]), like(at, "STORE_FAST", name), like(at, "JUMP", None, start)]
    for ins in result[: len(instructions)]:
        ins.target = ways_in.get(ins.target, ins.target)
    return result


def stack_depths(instructions: List[Instruction]) -> List[Optional[int]]:
    """How much is on the stack before each instruction; None where it is never reached."""
    depths: List[Optional[int]] = [None] * len(instructions)
    todo = [(0, 0)]
    while todo:
        index, depth = todo.pop()
        if index >= len(instructions) or depths[index] is not None:
            continue
        depths[index] = depth
        ins = instructions[index]
        if ins.handler is not None:
            todo.append((ins.handler.target, ins.handler.depth + 1 + ins.handler.lasti))
        if ins.op == "JUMP" or ins.op in CONDITIONAL_JUMPS:
            pops, pushes = stack_use(ins, jump=True) if ins.op != "JUMP" else (0, 0)
            todo.append((ins.target, depth - pops + pushes))
        if ins.op not in NO_FALL_THROUGH:
            pops, pushes = stack_use(ins)
            todo.append((index + 1, depth - pops + pushes))
    return depths
