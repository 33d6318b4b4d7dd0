"""Smaller programs that fail in the same way."""

from __future__ import annotations

from typing import Callable, Iterator, List, Union

from assembler.flow import Invalid, states
from assembler.notation import JUMPS, NO_FALL_THROUGH, Label, Op, Program

Items = List[Union[Op, Label]]


def shrunk(program: Program, fails: Callable[[Program], bool], most_tries: int = 600) -> Program:
    """``program`` with as much left out as possible while ``fails`` stays true of it."""
    tries, start, left_out = 0, 0, True
    while left_out:
        left_out = False
        size = len(program.items)
        for place in [*range(start, size), *range(start)]:
            for candidate in _without(program, place):
                tries += 1
                if tries > most_tries:
                    return program
                if fails(candidate):
                    program, start, left_out = candidate, min(place, len(candidate.items)), True
                    break
            if left_out:
                break
    return program


def _without(program: Program, place: int) -> Iterator[Program]:
    """Programs with something left out at one place: an edge, the rest of a block, operations that cancel out."""
    items = list(program.items)
    item = items[place]
    if not isinstance(item, Op):
        return
    for changed in (*_ends(items, place, item), *_cuts(program, items, place)):
        try:
            smaller = tidy(program._replace(items=tuple(changed)))
        except (Invalid, KeyError, IndexError):
            continue
        if len(smaller.items) < len(items) or item.op in JUMPS:
            yield smaller


def _ends(items: Items, place: int, item: Op) -> Iterator[Items]:
    before, behind = items[:place], items[place + 1 :]
    if item.op in JUMPS and item.op != "JUMP":
        yield [*before, Op("POP"), *behind]
        yield [*before, Op("JUMP", None, item.target), *behind]
        yield [*before, Op("POP"), Op("JUMP", None, item.target), *behind]
    if item.op == "JUMP" and behind and behind[0] == Label(item.target):
        yield before + behind
    if item.op not in NO_FALL_THROUGH or item.op == "JUMP":
        yield [*before, Op("CONST", None), Op("RETURN_VALUE"), *behind]
        yield [*before, Op("RAISE_VARARGS", 0), *behind]


def _cuts(program: Program, items: Items, place: int) -> Iterator[Items]:
    """Without operations from ``place`` on that leave the stack as they found it, many first."""
    before = states(program)
    number = sum(isinstance(item, Op) for item in items[:place])
    same = []
    for end in range(place + 1, len(items)):
        if isinstance(items[end], Label):
            break
        number += 1
        if before[number] == before[number - (end - place)]:
            same.append(end)
    for end in reversed(same):
        yield items[:place] + items[end:]
    yield items[:place] + items[place + 1 :]


def tidy(program: Program) -> Program:
    """Without what is never reached, and labels that nothing leads to. Raises Invalid."""
    reached = iter(states(program))
    items = [item for item in program.items if isinstance(item, Label) or next(reached) is not None]
    targets = {item.target for item in items if isinstance(item, Op)}
    kept = tuple(item for item in items if isinstance(item, Op) or item.name in targets)
    return program._replace(items=kept)
