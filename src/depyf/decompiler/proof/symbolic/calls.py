"""Calls: one event for all forms of passing the same arguments; and the few builtins that the text may name."""

from __future__ import annotations

import builtins
from typing import Any

from .containers import Containers
from .state import NULL, Heap, NotUnderstood, ProofEvent, Side, Term

BUILTINS: dict[str, Any] = {"slice": slice, "BaseException": BaseException, "iter": iter, "len": len}
if hasattr(builtins, "aiter"):
    BUILTINS["aiter"] = builtins.aiter
"""Builtins that decompiled text names where the original uses no name."""
_OPERATIONS = {"iter": "GET_ITER", "aiter": "GET_AITER", "len": "GET_LEN"}
"""Builtins that with one argument do the same as an operation, except for the error messages of aiter."""


class Calls(Containers):
    """The operations that call. ``builtins``: those of BUILTINS that are assumed not to be rebound."""

    builtins: frozenset[str]
    assumptions: dict[str, None]

    def builtin(self, name: str) -> Term | None:
        """The constant assumed for the global ``name``, if only the text mentions it."""
        if name not in self.builtins:
            return None
        self.assumptions[f"the global name {name} is the builtin"] = None
        return self.constants.term(BUILTINS[name])

    def do_CALL(self, side: Side, heap: Heap, arg: Any) -> ProofEvent | None:
        count, names = arg
        values = side.stack[len(side.stack) - count - 2 :]
        called = [value for value in values[:2] if value != NULL]
        return self.call(side, [*called, *values[2:]], names, count + 2)

    def do_CALL_FUNCTION(self, side: Side, heap: Heap, arg: Any) -> ProofEvent | None:
        count, names = arg
        values = side.stack[len(side.stack) - count - 1 :]
        return self.call(side, values, names, count + 1)

    def call(self, side: Side, operands: list[Term], names: tuple[str, ...], pops: int) -> ProofEvent | None:
        if not operands:
            raise NotUnderstood("a call of nothing")
        if operands[0] == self.constants.term(slice) and "slice" in self.builtins:
            if not names and 2 <= len(operands) <= 4:
                del side.stack[len(side.stack) - pops :]
                parts = operands[1:]
                side.stack.append(self.slice(parts if len(parts) > 1 else [self.constants.term(None), *parts]))
                return None
        for name, operation in _OPERATIONS.items():
            if name in self.builtins and operands[0] == self.constants.term(BUILTINS[name]):
                if len(operands) == 2 and not names:
                    return ProofEvent(operation, None, (operands[1],), 1)
        return ProofEvent("CALL", (len(operands) - 1, names), tuple(operands), 1)

    def do_CALL_EX(self, side: Side, heap: Heap, has_mapping: bool) -> ProofEvent | None:
        values = side.stack[-4 if has_mapping else -3 :]
        called = [value for value in values[:2] if value != NULL]
        if len(called) != 1:
            raise NotUnderstood("CALL_EX without the empty slot")
        has_mapping = has_mapping and values[3] != NULL
        return self.call_with_all(side, heap, [*called, *values[2:]], has_mapping, len(values))

    def do_CALL_FUNCTION_EX(self, side: Side, heap: Heap, has_mapping: bool) -> ProofEvent | None:
        values = side.stack[-3 if has_mapping else -2 :]
        return self.call_with_all(side, heap, values, has_mapping, len(values))

    def call_with_all(
        self, side: Side, heap: Heap, values: list[Term], has_mapping: bool, pops: int
    ) -> ProofEvent | None:
        called, iterable = values[0], values[1]
        named: tuple[str, ...] | None = ()
        keywords: list[Term] = []
        mapping: Term | None = None
        if has_mapping:
            mapping = values[2]
            named = self.keyword_names(heap, mapping)
            if named is not None:
                keywords = list(heap[mapping][1][1::2])
        items = self.items(heap, iterable)
        if items is not None and named is not None:
            return self.call(side, [called, *items, *keywords], named, pops)
        known = self.items(heap, iterable, stars=True)
        arguments: tuple[Term, ...] = (("one", iterable),) if known is None else known
        rest: tuple[Term, ...] = tuple(keywords)
        static: Any = (len(arguments), named)
        if mapping is not None and named is None:
            parts = heap[mapping][1] if mapping in heap else ()
            rest = (("copy", parts[0][1]),) if len(parts) == 1 and parts[0][0] == "star" else (mapping,)
        return ProofEvent("CALL_EX", static, (called, *arguments, *rest), 1)

    def keyword_names(self, heap: Heap, mapping: Term) -> tuple[str, ...] | None:
        """The keywords of a call with this private dictionary, None if unknown."""
        if mapping not in heap or heap[mapping][0] != "map" or not self.distinct(heap[mapping][1]):
            return None
        return tuple(self.constants.value[key] for key in heap[mapping][1][::2])
