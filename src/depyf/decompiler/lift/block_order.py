"""The order of blocks as keys that sort: code is in the order of its source.

A block of the code object has the index of its first instruction. What is put around such a block, or cut from it, has
a key beside the block's, so that a place has the same key in every form of the graph that keeps the block:

    (7, 0) < (8, -2, 1, 0) < (8, -1, 0) < (8, 0) < (8, 1, 0) < (8, 2, 0) < (8, 3, 0) < (9, 0)

Here a try statement begins with block 8, a loop has been put around that block, and its end has been cut off.
"""

from __future__ import annotations

from typing import Tuple

OrderKey = Tuple[int, ...]
"""The block's index, the steps from there, and 0 for the end of the steps."""

_STATEMENT, _LOOP, _ITSELF, _ONE_TRIP_LOOP, _REST, _END = range(-2, 4)


def at(index: int) -> OrderKey:
    """The place of the block whose first instruction has this index."""
    return (index, _ITSELF)


def statement_before(place: OrderKey, depth: int) -> OrderKey:
    """The place of a try or with statement that begins at ``place`` and has ``depth`` statements around and with it."""
    return _beside(place, _STATEMENT, depth)


def loop_before(place: OrderKey) -> OrderKey:
    """The place of a loop that begins at ``place``."""
    return _beside(place, _LOOP)


def loop_inside(place: OrderKey) -> OrderKey:
    """The place of a loop between the statements of the block at ``place`` and its `rest`."""
    return _beside(place, _ONE_TRIP_LOOP)


def rest(place: OrderKey) -> OrderKey:
    """The place of the statements that a loop in the block at ``place`` begins with."""
    return _beside(place, _REST)


def end(place: OrderKey) -> OrderKey:
    """The place after all that is cut from the block at ``place``: for its test, or for the end of the code."""
    return _beside(place, _END)


def _beside(place: OrderKey, *steps: int) -> OrderKey:
    return (*place[:-1], *steps, _ITSELF)
