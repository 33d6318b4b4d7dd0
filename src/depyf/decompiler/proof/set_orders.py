"""The order of set constants: that of the compiler, or that of marshal after reading a file."""

from __future__ import annotations

import marshal
from typing import Any, Iterator

from ...errors import PycError
from ..bytecode import RawCode
from ..bytecode.interpreters import HOST_VERSION
from ..bytecode.reading.marshal import read_marshal
from .constants import constant_key, members_key


def read_like(code: RawCode, original: RawCode) -> None:
    """Give set constants of ``code``, just compiled, the order they get from a file if ``original`` has that order.

    An imported module has its code from a file except the first time, so both orders come from the source. Code of
    other versions goes through marshal in any case.
    """
    if original.version != HOST_VERSION:
        return
    orders: dict[Any, set[Any]] = {}
    for part in original.walk():
        for value in _sets(part.consts):
            orders.setdefault(members_key(value), set()).add(constant_key(value))
    if not orders:
        return
    for part in code.walk():
        if any(_sets(part.consts)):
            part.consts = tuple(_read_like(value, orders) for value in part.consts)


def _sets(values: tuple[Any, ...]) -> Iterator[frozenset[Any]]:
    for value in values:
        if type(value) is frozenset:
            yield value
        elif type(value) is tuple:
            yield from _sets(value)


def _read_like(value: Any, orders: dict[Any, set[Any]]) -> Any:
    if type(value) is tuple and any(_sets(value)):
        return tuple(_read_like(item, orders) for item in value)
    if type(value) is not frozenset:
        return value
    wanted = orders.get(members_key(value), ())
    if not wanted or constant_key(value) in wanted:
        return value
    try:
        read = read_marshal(marshal.dumps(value), HOST_VERSION)
    except (PycError, ValueError):  # a constant that can't be in a file
        return value
    return read if constant_key(read) in wanted else value
