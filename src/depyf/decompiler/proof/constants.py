"""Keys for comparing constants: equal if and only if no program can distinguish the constants.

In Python ``1 == True == 1.0``, ``0.0 == -0.0``, and ``nan != nan``; the keys differ in that.
"""

from __future__ import annotations

import struct
from collections import Counter
from typing import Any

from ..bytecode import RawCode

CODE = ("code",)
"""The key of every nested code object: opaque here, proven as a separate pair."""


def constant_key(value: Any) -> Any:
    """The key of one constant. Objects without a literal are keyed by identity."""
    kind = type(value)
    if kind is str or value is None:
        return value
    if kind is int or kind is bool or kind is bytes:
        return (kind, value)
    if kind is float:
        return (kind, struct.pack("<d", value))
    if kind is complex:
        return (kind, struct.pack("<dd", value.real, value.imag))
    if kind is RawCode:
        return CODE
    if kind is tuple:
        # Code in a tuple would not be compared anywhere.
        return ("tuple", *[("code", id(item)) if type(item) is RawCode else constant_key(item) for item in value])
    if kind is frozenset:
        keys = [constant_key(item) for item in value]
        # A loop sees the insertion order, unless the order depends on hashes that differ in every run.
        return ("frozenset", frozenset(Counter(keys).items()) if _hash_is_random(value) else tuple(keys))
    if kind is slice:
        return ("slice", constant_key(value.start), constant_key(value.stop), constant_key(value.step))
    if value is Ellipsis:
        return ("...",)
    return ("object", kind, id(value))


def members_key(value: frozenset[Any]) -> Any:
    """The key of a frozenset used only for membership tests: its order does not matter."""
    return ("frozenset", frozenset([constant_key(item) for item in value]))


_NANS = float("nan"), float("nan")
_NAN_IS_RANDOM = hash(_NANS[0]) != hash(_NANS[1])
"""Whether the hash of a nan is that of its address, from 3.10 on (bpo-43475)."""


def _hash_is_random(value: Any) -> bool:
    if type(value) is tuple or type(value) is frozenset:
        return any(map(_hash_is_random, value))
    if type(value) is float or type(value) is complex:
        return _NAN_IS_RANDOM and value != value
    return type(value) is str or type(value) is bytes
