"""Whether it matters which of the constants that a code object loads are one object.

Compilers make one object of equal constants, so the text's code has one where the original does. Not so if the
original, which no compiler made, has several that are equal and compares identities; nor with a nan, which no literal
gives and of which each expression makes a new one: containers, too, look for the same object first.
"""

from __future__ import annotations

from typing import Any

from ..bytecode import RawCode, known_instructions
from .constants import constant_key

_SINGLE = (type(None), bool, type(Ellipsis), RawCode)
"""Types of constants of which there is one object for each value, or that are compared by what they do."""
NANS = "several nans, which may be one object or not"


def several_nans(raw: RawCode) -> bool:
    """Whether the constants of ``raw`` have them, loaded or not."""
    return _nans(raw.consts) > 1


def unclear_identity(raw: RawCode) -> str:
    """In words, why the identity of constants of ``raw`` may be seen and is not that of its text's; '' if it is not.

    Raises DecompilationError if the code can't be read.
    """
    instructions = known_instructions(raw)
    loaded = [i.arg for i in instructions if i.op == "CONST" and not isinstance(i.arg, _SINGLE)]
    if _nans(tuple(loaded)) > 1:
        return NANS
    objects = {id(one): one for one in loaded}
    if len(objects) > 1 and any(i.op == "IS_OP" for i in instructions):
        if len({constant_key(one) for one in objects.values()}) < len(objects):
            return "equal constants that are several objects, where identities are compared"
    return ""


def _nans(constant: Any) -> int:
    """How many nans are in a constant; disassemble.py refuses constants without end."""
    if isinstance(constant, (tuple, frozenset)):
        return sum(map(_nans, constant))
    return int(isinstance(constant, (float, complex)) and constant != constant)
