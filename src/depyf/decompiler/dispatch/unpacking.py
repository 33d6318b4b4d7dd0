"""The operations of 3.8 that build a container of all items of several iterables at once."""

from __future__ import annotations

from typing import Any

from ..events.operations import Operations
from ..events.state import Container, Star, Value
from ..syntax import nodes as n


class Unpacking(Operations):
    """Executes BUILD_..._UNPACK."""

    def starred(self, count: int) -> list[Value]:
        """The items of the last ``count`` entries: those of private containers one by one, else with a star."""
        found: list[Value] = []
        for value in self.pop_many(count):
            items = self.state.private(value)
            is_sequence = isinstance(value, Container) and value.kind in ("list", "tuple")
            found += items if items is not None and is_sequence else [Star(value)]
        return found

    def unpacked(self, count: int, make: Any, hint: str) -> None:
        self.event(self.starred(count), lambda *texts: make(list(texts)), hint)

    def op_BUILD_LIST_UNPACK(self, count: int) -> None:
        self.unpacked(count, n.List, "items")

    def op_BUILD_TUPLE_UNPACK(self, count: int) -> None:
        self.unpacked(count, n.Tuple, "items")

    def op_BUILD_SET_UNPACK(self, count: int) -> None:
        self.unpacked(count, n.Set, "members")

    def op_BUILD_MAP_UNPACK(self, count: int) -> None:
        operands: list[Value] = []
        stars: list[bool] = []
        for mapping in self.pop_many(count):
            items = self.state.private(mapping)
            one_by_one = isinstance(mapping, Container) and mapping.kind == "map"
            if items is None or not one_by_one or any(isinstance(item, Star) for item in items):
                operands.append(mapping)
                stars.append(True)
            else:
                operands += items
                stars += [False] * (len(items) // 2)

        def build(*texts: n.Expression) -> n.Expression:
            rest = list(texts)
            keys: list[n.Expression | None] = []
            values: list[n.Expression] = []
            for star in stars:
                keys.append(None if star else rest.pop(0))
                values.append(rest.pop(0))
            return n.Dict(keys, values)

        self.event(operands, build, "mapping")
