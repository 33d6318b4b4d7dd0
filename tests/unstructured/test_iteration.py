"""Loops in code of other stack shapes: values lie below the iterator, as where Dynamo replays what a function did."""

from __future__ import annotations

from typing import Any, Callable

import pytest
from one_engine import again

from depyf.decompiler.bytecode import Instruction, disassemble, load
from depyf.decompiler.unstructured import decompile_unstructured


def sums(log, items):
    total = 0
    for item in items:
        total += item
        log(total)
    return total


def unpacked(log, items):
    last = None
    for place, item in enumerate(items):
        log(place, item, last)
        last = item
    return log(last)


def branches(log, items):
    for item in items:
        if item > 1:
            log("large", item)
        else:
            log("small", item)
    return log("end")


def left_early(log, items):
    for item in items:
        if item > 1:
            return log("found", item)
        log("not", item)
    return log("nothing")


def nested(log, items):
    for item in items:
        for other in items:
            log(item, other)
        log(item)
    return log(item)


def deleted(log, items):
    kept = log(0)
    for item in items:
        log(kept)
        kept = log(item)
        del item
    return log(kept)


def within_an_exception_range(log, items):
    try:
        for item in items:
            log(1 / item)
    finally:
        log("out")
    return log(items)


def exchanged(log, items):
    a, b = log("a"), log("b")
    for item in items:
        a, b = b, item
        log(a, b)
    return log(a, b)


EXAMPLES = [sums, unpacked, branches, left_early, nested, deleted, within_an_exception_range, exchanged]


def outcome(function: Callable[..., Any], items: list[int]) -> tuple[Any, list[Any]]:
    entries: list[Any] = []

    def log(*values: Any) -> Any:
        entries.append(values)
        return values[-1]

    try:
        return function(log, items), entries
    except Exception as error:
        return repr(error), entries


@pytest.mark.parametrize("function", EXAMPLES, ids=lambda function: function.__name__)
def test_shape(function: Callable[..., Any]):
    made = again(function)
    for items in ([], [1], [1, 2], [0, 3, 1]):
        assert outcome(function, items) == outcome(made, items)


def test_values_below_the_iterator():
    # log(0) and a list lie on the stack during the loop; both are returned.
    raw = load(sums.__code__)
    instructions = disassemble(raw)
    before = [
        Instruction("LOAD_FAST", "log"),
        Instruction("NULL"),
        Instruction("CONST", 0),
        Instruction("CALL", (1, ())),
        Instruction("LOAD_FAST", "items"),
        Instruction("BUILD_LIST", 1),
    ]
    for instruction in instructions:
        if instruction.target >= 0:
            instruction.target += len(before)
    instructions = [*before, *instructions[:-1], Instruction("BUILD_TUPLE", 3), Instruction("RETURN_VALUE")]
    assert instructions[-3].op == "LOAD_FAST"
    namespace: dict[str, Any] = {}
    exec(decompile_unstructured(raw, carries=True, instructions=instructions).text, namespace)
    result, entries = outcome(namespace["sums"], [1, 2])
    assert result == (0, [[1, 2]], 3)
    assert entries == [(0,), (1,), (3,)]
