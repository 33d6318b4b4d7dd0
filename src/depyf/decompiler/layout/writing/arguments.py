"""Keyword arguments before an unpacked iterable: ``f(key=value, *rest)``, whose instructions are in the other order."""

from __future__ import annotations

from ..matching.anchors import Extent, Location
from ..matching.text import Span
from ..matching.tokens import CLOSING, OPENING
from .item import Item


def in_order_of_columns(items: list[Item], extents: dict[Span, Extent]) -> None:
    """Move unpacked iterables after the keyword arguments that come before them in the source."""
    if not any(one.symbol == "*" for one in items):
        return
    opened: list[int] = []
    for number in range(len(items)):
        symbol = items[number].symbol
        if symbol in OPENING:
            opened.append(number)
        elif symbol in CLOSING and opened:
            start = opened.pop()
            if symbol == ")" and any(one.symbol == "*" for one in items[start + 1 : number]):
                _sort(items, start + 1, number, extents)


def _sort(items: list[Item], start: int, end: int, extents: dict[Span, Extent]) -> None:
    """Sort the arguments between ``start`` and ``end``; each comma stays where it is among them."""
    arguments: list[list[Item]] = [[]]
    commas: list[Item] = []
    depth = 0
    for item in items[start:end]:
        depth += (item.symbol in OPENING) - (item.symbol in CLOSING)
        if item.symbol == "," and not depth:
            commas.append(item)
            arguments.append([])
        else:
            arguments[-1].append(item)
    if not all(arguments):
        return  # a comma after the last one
    spaces = [argument[0].space for argument in arguments]
    places = {id(argument): _place(argument, extents) for argument in arguments}
    changed = False
    for last in range(len(arguments) - 1, 0, -1):
        moved = False
        for number in range(last):
            first, second = arguments[number : number + 2]
            if first[0].symbol == "*" and _is_keyword(second) and (0, 0) < places[id(second)] < places[id(first)]:
                arguments[number : number + 2] = [second, first]
                changed = moved = True
        if not moved:
            break
    if changed:
        for argument, space in zip(arguments, spaces):
            argument[0].space = space
            for one in argument:
                at = _location(one, extents)
                if one.line is None and at is not None:
                    one.line, one.column = at
        joined = list(arguments[0])
        for comma, argument in zip(commas, arguments[1:]):
            joined += [comma, *argument]
        items[start:end] = joined


def _is_keyword(argument: list[Item]) -> bool:
    return len(argument) > 2 and argument[1].symbol == "="


def _place(argument: list[Item], extents: dict[Span, Extent]) -> Location:
    """Return the first location in the argument; zeros if none is known."""
    return next(filter(None, (_location(one, extents) for one in argument)), (0, 0))


def _location(item: Item, extents: dict[Span, Extent]) -> Location | None:
    extent = extents.get((item.token, item.token)) if item.token is not None else None
    return extent[:2] if extent is not None else None
