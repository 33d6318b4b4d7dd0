"""Mutations of the other fields of a code object: constants, names, variables, flags, numbers of arguments, lines."""

from __future__ import annotations

import random
import types
from typing import Any, Dict, List, Tuple

from mutations import code_objects

from attack.raw.bytecode_mutations import Change, Mutation

ODD_NAMES = (
    "if", "None", "True", "lambda", "async", "match", "type", "_", "__debug__", "__private", "__class__", "super",
    "locals", "print", "", " ", "a b", "a.b", ".0", "1", "a\n", "#", "a=1", "'", "*", "\ud800", "\0",
    "\ufb01x", "\xb5", "\u00aa",
)  # fmt: skip
"""Keywords, what no source can spell, and what a source spells but the parser changes (its names are in NFKC)."""
FLAGS = {
    "optimized": 0x1, "newlocals": 0x2, "varargs": 0x4, "varkeywords": 0x8, "nested": 0x10, "generator": 0x20,
    "nofree": 0x40, "coroutine": 0x80, "iterable coroutine": 0x100, "asynchronous generator": 0x200,
    "future annotations": 0x1000000, "future generator_stop": 0x800000, "docstring": 0x4000000, "method": 0x8000000,
}  # fmt: skip


def exchange_constants(code: types.CodeType, dice: random.Random) -> Change:
    consts = list(code.co_consts)
    if len(consts) < 2:
        return None
    one, other = dice.sample(range(len(consts)), 2)
    consts[one], consts[other] = consts[other], consts[one]
    return {"co_consts": tuple(consts)}, f"constants {one} and {other} exchanged"


def another_constant(code: types.CodeType, dice: random.Random) -> Change:
    """A value that is easily taken for the old one, or a wholly different one."""
    if not code.co_consts:
        return None
    place = dice.randrange(len(code.co_consts))
    twins: List[Any] = code_objects._twins(code.co_consts[place])
    others: List[Any] = [None, 0, "", (), ..., frozenset(), True, "\ud800", 1 << 70, float("nan"), -0.0, -1, ((),)]
    value = dice.choice(twins) if twins and dice.random() < 0.7 else dice.choice(others)
    consts = (*code.co_consts[:place], value, *code.co_consts[place + 1 :])
    return {"co_consts": consts}, f"constant {place} became {value!r}"


def _renamed(names: Tuple[str, ...], dice: random.Random) -> Tuple[Tuple[str, ...], str]:
    place = dice.randrange(len(names))
    way = dice.random()
    changed = list(names)
    if way < 0.25 and len(names) > 1:
        other = dice.randrange(len(names))
        changed[place], changed[other] = changed[other], changed[place]
        return tuple(changed), f"{names[place]!r} and {names[other]!r} exchanged"
    changed[place] = dice.choice(names) if way < 0.5 else dice.choice(ODD_NAMES)
    return tuple(changed), f"{names[place]!r} became {changed[place]!r}"


def names(code: types.CodeType, dice: random.Random) -> Change:
    if not code.co_names:
        return None
    found, words = _renamed(code.co_names, dice)
    return {"co_names": found}, f"names: {words}"


def variables(code: types.CodeType, dice: random.Random) -> Change:
    field = dice.choice(
        [f for f in ("co_varnames", "co_varnames", "co_cellvars", "co_freevars") if getattr(code, f)] or [""]
    )
    if not field:
        return None
    found, words = _renamed(getattr(code, field), dice)
    return {field: found}, f"{field}: {words}"


def own_name(code: types.CodeType, dice: random.Random) -> Change:
    field = dice.choice(("co_name", "co_qualname")) if hasattr(code, "co_qualname") else "co_name"
    value = dice.choice((*ODD_NAMES, "<lambda>", "<module>", "<listcomp>", "<genexpr>", "other"))
    return {field: value}, f"{field} became {value!r}"


def flags(code: types.CodeType, dice: random.Random) -> Change:
    name = dice.choice(sorted(FLAGS))
    return {"co_flags": code.co_flags ^ FLAGS[name]}, f"flag {name} turned over"


def arguments(code: types.CodeType, dice: random.Random) -> Change:
    field = dice.choice(("co_argcount", "co_posonlyargcount", "co_kwonlyargcount"))
    changes: Dict[str, Any] = {field: getattr(code, field) + dice.choice((-1, 1))}
    if dice.random() < 0.5:
        other = "co_kwonlyargcount" if field == "co_argcount" else "co_argcount"
        changes[other] = getattr(code, other) + getattr(code, field) - changes[field]
    return changes, str(changes)


def lines(code: types.CodeType, dice: random.Random) -> Change:
    """Lines decide nothing: damaged ones must not lead to other statements."""
    field = "co_linetable" if hasattr(code, "co_linetable") else "co_lnotab"
    table = bytearray(getattr(code, field))
    if not table:
        return None
    for _ in range(dice.choice((1, 1, 3, 8))):
        table[dice.randrange(len(table))] ^= 1 << dice.randrange(7)
    if dice.random() < 0.2:
        table.clear()
    return {field: bytes(table)}, f"{field} damaged"


def stack_size(code: types.CodeType, dice: random.Random) -> Change:
    return {"co_stacksize": code.co_stacksize + dice.choice((1, 7))}, "larger co_stacksize"


MUTATIONS: Dict[str, Mutation] = {
    "constants exchanged": exchange_constants, "another constant": another_constant, "names": names,
    "variables": variables, "own name": own_name, "flags": flags, "numbers of arguments": arguments,
    "line table": lines, "stack size": stack_size,
}  # fmt: skip
