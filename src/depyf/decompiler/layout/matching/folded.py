"""Which constants were folded from expressions: from 3.14 on ``co_consts`` shows it.

The compiler first adds the literals, as it comes to them, and then what it folds. Literals that nothing loads are
removed, except for the first constant: if that is an operand of a folded expression, it stays.
"""

from __future__ import annotations

from typing import NamedTuple, Union

from ...bytecode import Instruction, RawCode
from ...proof.constants import constant_key

Scalar = Union[int, float, complex, str, bytes]

_SCALARS = (int, float, complex, str, bytes)
_FIRST_PLACE = (0, 0)


class Folding(NamedTuple):
    """Whether a constant was folded, None if unknown; ``first``: the literal that its expression begins with."""

    is_folded: bool | None
    first: Scalar | None = None


def origins(raw: RawCode, instructions: list[Instruction]) -> dict[int, Folding]:
    """Return what is known of the numbers and strings that are loaded, by the offset of the instruction."""
    if not raw.table.behavior.folded_constants_are_last:
        return {}
    loads = [one for one in instructions if one.op == "CONST" and type(one.arg) is not RawCode]
    indices = {constant_key(one): index for index, one in enumerate(raw.consts) if type(one) is not RawCode}
    places = _first_places(loads, indices)
    names = {indices.get(constant_key(one.arg[1])) for one in instructions if one.op == "CALL" and one.arg[1]}
    after_literals, first_folded = _bounds(raw, places, names)
    found = {}
    for load in loads:
        index = indices.get(constant_key(load.arg))
        if _is_scalar(load.arg) and index is not None and not after_literals <= index < first_folded:
            found[load.offset] = Folding(index >= first_folded)
    first = _begins_with_first(raw, loads)
    if first is not None:
        is_unused = not any(constant_key(load.arg) == constant_key(raw.consts[0]) for load in loads)
        known = found.get(first.offset, Folding(None)).is_folded
        found[first.offset] = Folding(True if is_unused else known, raw.consts[0])
    return found


def _first_places(loads: list[Instruction], indices: dict[object, int]) -> dict[int, tuple[int, int]]:
    """Return the first line and column of the numbers and strings, by their index."""
    places: dict[int, tuple[int, int]] = {}
    for load in loads:
        index = indices.get(constant_key(load.arg))
        if index is not None and _is_scalar(load.arg) and _has_columns(load):
            places[index] = min(places.get(index, _place(load)), _place(load))
    return places


def _bounds(
    raw: RawCode, places: dict[int, tuple[int, int]], names: set[int | None]
) -> tuple[int, int]:
    """Return the index after the last constant known to be a literal, and that of the first known to be folded.

    The compiler comes to literals in the order of the source, with few exceptions: a constant that begins before an
    earlier one is folded. ``names``: the indices of the names of keyword arguments.
    """
    may_be_folded = (*_SCALARS, tuple, frozenset)
    lower = max((n + 1 for n, one in enumerate(raw.consts) if type(one) not in may_be_folded or n in names), default=0)
    furthest = max((place for index, place in places.items() if index < lower), default=_FIRST_PLACE)
    for index in range(lower, len(raw.consts)):
        if _must_be_folded(raw.consts[index]) or places.get(index, furthest) < furthest:
            return lower, index
        furthest = max(furthest, places.get(index, furthest))
    return lower, len(raw.consts)


def _must_be_folded(constant: object) -> bool:
    if isinstance(constant, tuple):
        return not _may_be_names(constant)
    return isinstance(constant, frozenset) or isinstance(constant, (int, float)) and constant < 0


def _begins_with_first(raw: RawCode, loads: list[Instruction]) -> Instruction | None:
    """Return the load of the constant whose expression begins with the first constant; None if no load shows it."""
    if not raw.consts or not _is_scalar(raw.consts[0]) or raw.docstring is not None:
        return None
    load = min(filter(_has_columns, loads), key=_place, default=None)
    if load is None or not _is_scalar(load.arg) or constant_key(load.arg) == constant_key(raw.consts[0]):
        return None
    return load


def _may_be_names(constant: object) -> bool:
    """Whether these may be the names of a call's arguments."""
    return isinstance(constant, tuple) and all(type(one) is str for one in constant)


def _is_scalar(constant: object) -> bool:
    return type(constant) in _SCALARS


def _has_columns(load: Instruction) -> bool:
    return load.position is not None and None not in load.position


def _place(load: Instruction) -> tuple[int, int]:
    line, _, column, _ = load.position or (0, 0, 0, 0)
    return line or 0, column or 0
