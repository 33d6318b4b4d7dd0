"""Sort keys for the layout of blocks, which is the order of the source.

A block of the code object has the index of its first instruction. A block put around it, or cut from it, has a key
derived from that, so that its key is the same in every form of the graph that keeps the block:

    (7, 0) < (8, -2, 1, 0) < (8, -1, 0) < (8, 0) < (8, 1, 0) < (8, 2, 0) < (8, 3, 0) < (9, 0)

Here a try statement begins with block 8, a loop has been put around that block, and its end has been cut off.
"""

from __future__ import annotations

from typing import Tuple

OrderKey = Tuple[int, ...]
"""The block's index, the steps from there, and 0 for the end of the steps."""

_STATEMENT, _LOOP, _ITSELF, _ONE_TRIP_LOOP, _REST, _END = range(-2, 4)
ITSELF = (_ITSELF,)
"""What follows the index in the key of a block of the code object."""


def at(index: int) -> OrderKey:
    """The key of the block whose first instruction has this index."""
    return (index, _ITSELF)


def statement_before(key: OrderKey, depth: int) -> OrderKey:
    """The key of a try or with statement that begins at ``key``; ``depth`` counts it and the statements around it."""
    return _extended(key, _STATEMENT, depth)


def loop_before(key: OrderKey) -> OrderKey:
    """The key of a loop that begins at ``key``."""
    return _extended(key, _LOOP)


def loop_inside(key: OrderKey) -> OrderKey:
    """The key of a loop between the statements of the block at ``key`` and its `rest`."""
    return _extended(key, _ONE_TRIP_LOOP)


def rest(key: OrderKey) -> OrderKey:
    """The key of the statements that begin a loop inside of the block at ``key``."""
    return _extended(key, _REST)


def end(key: OrderKey) -> OrderKey:
    """The key after everything cut from the block at ``key``: for its test, or for the end of the code."""
    return _extended(key, _END)


def _extended(key: OrderKey, *steps: int) -> OrderKey:
    return (*key[:-1], *steps, _ITSELF)
