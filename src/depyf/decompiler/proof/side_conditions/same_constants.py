"""Whether it matters which of a code object's loaded constants are the same object.

Compilers merge equal constants, so the text's code has one object where the original does. Exceptions: an original
that no compiler made, with several equal constants whose identities it compares; and nans: each expression makes a
separate object, no two are equal, and containers compare by identity first.
"""

from __future__ import annotations

from typing import Any

from ...bytecode import Instruction, RawCode, known_instructions
from ..constants import constant_key

_SINGLE = (type(None), bool, type(Ellipsis), RawCode)
"""Types of constants with one object for each value, or that are compared by behaviour."""
_WITHOUT_NANS = frozenset((*_SINGLE, int, str, bytes))
NANS = "nans that are one object in other places than those of the text"


def other_nans(original: RawCode, recompiled: RawCode) -> bool:
    """Whether the nans among the constants of both, loaded or not, are shared differently."""
    return _pattern(original.consts) != _pattern(recompiled.consts)


def other_nans_loaded(original: RawCode, recompiled: RawCode) -> bool:
    """The same for the loaded constants, in the order of the instructions."""
    if not _pattern(original.consts):
        return False
    left, right = (tuple(i.arg for i in known_instructions(raw) if i.op == "CONST") for raw in (original, recompiled))
    return _pattern(left) != _pattern(right)


def unclear_identity(raw: RawCode) -> str:
    """Why the identity of constants of ``raw`` may be observed and differs from its text's; '' if it does not matter.

    Raises DecompilationError if the code can't be read.
    """
    instructions = known_instructions(raw)
    loaded = [i.arg for i in instructions if i.op == "CONST" and not isinstance(i.arg, _SINGLE)]
    objects = {id(one): one for one in loaded if not _pattern((one,))}
    if len({constant_key(one) for one in objects.values()}) < len(objects) and _compares_identities(instructions):
        return "equal constants that are several objects, where identities are compared"
    return ""


def _compares_identities(instructions: list[Instruction]) -> bool:
    """Whether the code compares the identity of two objects that may both be constants with several objects."""
    compared = [index for index, instruction in enumerate(instructions) if instruction.op == "IS_OP" and index]
    if not compared:
        return False
    targets = {instruction.target for instruction in instructions}
    before = [instructions[index - 1] for index in compared if index not in targets]
    return len(before) < len(compared) or any(i.op != "CONST" or not isinstance(i.arg, _SINGLE) for i in before)


def _pattern(constants: tuple[Any, ...]) -> list[int]:
    """For each nan in these the number of its object, in order of first occurrence."""
    parts = [one for one in constants if type(one) not in _WITHOUT_NANS]
    if not [one for one in parts if type(one) is not tuple or not _WITHOUT_NANS.issuperset(map(type, one))]:
        return []
    objects: dict[int, int] = {}
    found: list[int] = []
    todo: list[Any] = parts
    seen: set[int] = set()
    while todo:
        part = todo.pop()
        if type(part) in _WITHOUT_NANS:
            continue
        if isinstance(part, (tuple, frozenset)):
            # A constant may have shared parts, whose nans are counted once.
            if id(part) not in seen and not _WITHOUT_NANS.issuperset(map(type, part)):
                seen.add(id(part))
                todo.extend(part)
        elif isinstance(part, (float, complex)) and part != part:
            found.append(objects.setdefault(id(part), len(objects)))
    return found
