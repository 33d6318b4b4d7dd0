"""Which constants were folded from expressions: from 3.14 on ``co_consts`` shows it.

The compiler first adds the literals, as it comes to them, and then what it folds. Literals that nothing loads are
removed, except for the first constant: if that is an operand of a folded expression, it stays. In our text, where each
number and string is a literal, they are in the order in which the compiler comes to them.
"""

from __future__ import annotations

import bisect
from typing import Iterable, Iterator, Mapping, NamedTuple, Union

from ...bytecode import Instruction, RawCode
from ...proof.constants import constant_key

Scalar = Union[int, float, complex, str, bytes]

_LARGEST_SMALL = 255
_SCALARS = (int, float, complex, str, bytes)


class Order(NamedTuple):
    """The indices of the constants of a code object by their keys, that of the first one certainly folded, and the
    numbers among them, without their signs."""

    indices: Mapping[object, int]
    first_folded: int
    numbers: tuple[Scalar, ...]


class Folding(NamedTuple):
    """Whether a constant was folded, None if unknown; ``first``: the literal that its expression begins with.

    ``operands``: constants that the compiler comes to earlier than our text shows: likely operands of folded ones.
    ``order``: that of all constants, and ``place``, the index of this one, if it may tell what this one is folded from.
    """

    is_folded: bool | None
    first: Scalar | None = None
    operands: tuple[Scalar, ...] = ()
    order: Order | None = None
    place: int = -1

    def allows(self, literals: Iterable[object], results: Iterable[object]) -> bool:
        """Whether the constant may be folded from an expression of these literals, with these intermediate results.

        The compiler comes to a literal before it folds anything, and to a result not after what it is in.
        """
        if self.order is None:
            return True
        indices, first_folded, _ = self.order
        return all(indices.get(constant_key(one), -1) < first_folded for one in literals) and all(
            indices.get(constant_key(one), -1) <= self.place for one in results
        )


def may_be_folded(raw: RawCode) -> bool:
    """Whether a constant of ``raw`` may be known to be folded if our text has the same constants in the same order."""
    return raw.table.behavior.folded_constants_are_last and any(map(_must_be_folded, raw.consts))


def origins(raw: RawCode, ours: RawCode, instructions: list[Instruction]) -> dict[int, Folding]:
    """Return what is known of the numbers and strings that are loaded, by the offset of the instruction.

    ``ours``: what our text compiles to.
    """
    if not raw.table.behavior.folded_constants_are_last:
        return {}
    loads = _loads(instructions)
    if not loads:
        return {}
    keys = list(_keys(raw))
    indices = {key: index for index, key in reversed([*enumerate(keys)])}
    names = set(_names(raw, indices, instructions))
    own_keys = list(_keys(ours))
    after_literals, first_folded, certain = _bounds(raw, keys, own_keys, names)
    operands = tuple(_early(raw, keys[:first_folded], own_keys)) if keys != own_keys else ()
    first = _begins_with_first(raw, ours, loads)
    is_unused = _is_small(raw.consts[:1]) or not any(constant_key(load.arg) in keys[:1] for load in loads)
    if first is not None and is_unused and indices.get(constant_key(first.arg), -1) >= after_literals:
        first_folded = min(first_folded, indices[constant_key(first.arg)])
    order = Order(indices, certain, tuple(abs(one) for one in raw.consts if type(one) in (int, float)))
    found = {}
    for load in loads:
        index = indices.get(constant_key(load.arg))
        if index is None:
            continue
        if _must_be_folded(load.arg):
            found[load.offset] = Folding(None, None, (), order, index)
        elif _is_scalar(load.arg) and not after_literals <= index < first_folded:
            is_folded = index >= first_folded
            found[load.offset] = Folding(is_folded, None, operands, order if is_folded else None, index)
    if first is not None:
        known = found.get(first.offset, Folding(None))
        is_first_folded = True if is_unused else known.is_folded
        found[first.offset] = known._replace(is_folded=is_first_folded, first=raw.consts[0], operands=operands)
    return found


def _names(raw: RawCode, indices: Mapping[object, int], instructions: list[Instruction]) -> Iterator[int | None]:
    """Yield the indices of tuples of names: those of keyword arguments, and those of attributes that a class lists."""
    yield from (indices.get(constant_key(one.arg[1])) for one in instructions if one.op == "CALL" and one.arg[1])
    listed = [one.arg for one in instructions if one.op == "STORE_STATIC_ATTRIBUTES"]
    yield from (number for number, one in enumerate(raw.consts) if _may_be_names(one) and tuple(sorted(one)) in listed)


def _loads(instructions: list[Instruction]) -> list[Instruction]:
    """Return the loads of constants other than code; none if all are of None and booleans, which tell nothing."""
    loads = [one for one in instructions if one.op == "CONST" and type(one.arg) is not RawCode]
    return [] if all(one.arg is None or type(one.arg) is bool for one in loads) else loads


def _keys(raw: RawCode) -> Iterator[object]:
    """Yield the keys of the constants; that of a code object is its number."""
    nested = 0
    for one in raw.consts:
        yield (constant_key(one), nested) if type(one) is RawCode else constant_key(one)
        nested += type(one) is RawCode


def _bounds(raw: RawCode, keys: list[object], ours: list[object], names: set[int | None]) -> tuple[int, int, int]:
    """Return the index after the last constant known to be a literal, that of the first that is likely folded, and that
    of the first that certainly is.

    Literals and folded constants are each in the order of the source, but for a constant that is also an operand or
    was a literal before. Take the splits with the fewest exceptions. ``names``: the indices of the names of keyword
    arguments.
    """
    may_be_folded = (*_SCALARS, tuple, frozenset)
    lower = max((n + 1 for n, one in enumerate(raw.consts) if type(one) not in may_be_folded or n in names), default=0)
    upper = next((n for n in range(lower, len(keys)) if _must_be_folded(raw.consts[n])), len(keys))
    if keys == ours:
        return lower, upper, upper
    order = {key: place for place, key in reversed([*enumerate(ours)])}
    places = [
        order.get(key) if type(one) not in (tuple, frozenset) and not _must_be_folded(one) or index in names else None
        for index, (key, one) in enumerate(zip(keys, raw.consts))
    ]
    before = _in_order(places)
    after = _in_order([-place if place is not None else None for place in reversed(places)])[::-1]
    sizes = [before[index] + after[index] for index in range(lower, upper + 1)]
    most = max(sizes)
    best = [lower + number for number, size in enumerate(sizes) if size == most]
    return best[0], best[-1], upper


def _is_small(first: tuple[object, ...]) -> bool:
    """Whether the first constant is a small integer: instructions that load such have it themselves."""
    return any(type(one) is int and 0 <= one <= _LARGEST_SMALL for one in first)


def _early(raw: RawCode, keys: list[object], ours: list[object]) -> Iterator[Scalar]:
    """Yield the literals that come earlier in the original than in our text, ``ours``; ``keys``: the literals.

    The others are in order: they are the longest sequence that is.
    """
    order = {key: place for place, key in reversed([*enumerate(ours)])}
    known = [(order[key], one) for key, one in zip(keys, raw.consts) if key in order]
    tails: list[int] = []
    sizes = []
    for place, _ in known:
        sizes.append(bisect.bisect_left(tails, place) + 1)
        tails[sizes[-1] - 1 : sizes[-1]] = [place]
    least, rest = len(ours), len(tails)
    for (place, one), size in zip(reversed(known), reversed(sizes)):
        if place < least and size == rest:
            least, rest = place, rest - 1
        elif place > least and type(one) in _SCALARS:
            yield one


def _in_order(places: list[int | None]) -> list[int]:
    """Return, for each number of places from the start, the length of the longest increasing subsequence of these."""
    tails: list[int] = []
    sizes = [0]
    for place in places:
        if place is not None:
            at = bisect.bisect_left(tails, place)
            tails[at : at + 1] = [place]
        sizes.append(len(tails))
    return sizes


def _must_be_folded(constant: object) -> bool:
    if isinstance(constant, tuple):
        return not _may_be_names(constant)
    return isinstance(constant, frozenset) or isinstance(constant, (int, float)) and constant < 0


def _begins_with_first(raw: RawCode, ours: RawCode, loads: list[Instruction]) -> Instruction | None:
    """Return the load of the constant whose expression begins with the first constant; None if no load shows it."""
    if not (raw.consts and ours.consts and _is_scalar(raw.consts[0])) or raw.docstring is not None:
        return None
    key = constant_key(ours.consts[0])
    if not _is_scalar(ours.consts[0]) or key == constant_key(raw.consts[0]):
        return None
    found = (load for load in loads if constant_key(_first_of(load.arg)) == key and _has_columns(load))
    return min(found, key=_place, default=None)


def _first_of(constant: object) -> object:
    """Return the literal that our text of the constant begins with: of a tuple, that of its first element."""
    while isinstance(constant, tuple) and constant:
        constant = constant[0]
    return -constant if isinstance(constant, (int, float)) and constant < 0 else constant


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
