"""Context managers in code whose with statements are entered, left or suppressed where no compiler has it."""

from __future__ import annotations

from typing import Any, Callable

import pytest
from one_engine import again

from depyf.decompiler.bytecode import Instruction, disassemble, load
from depyf.decompiler.unstructured import decompile_unstructured


class Manager:
    """Logs its use; ``suppresses`` decides about exceptions."""

    def __init__(self, log: list[Any], name: str, suppresses: bool) -> None:
        self.log, self.name, self.suppresses = log, name, suppresses

    def __enter__(self) -> str:
        self.log.append(("enter", self.name))
        return self.name

    def __exit__(self, kind: Any, *rest: Any) -> bool:
        self.log.append(("exit", self.name, kind))
        return self.suppresses


def plain(outer, inner, log, x):
    with outer:
        log(1 / x)
    return log(2)


def bound(outer, inner, log, x):
    with outer as name:
        log(name, 1 / x)
    return log(2)


def returned(outer, inner, log, x):
    with outer:
        return log(1 / x)


def nested(outer, inner, log, x):
    with outer:
        with inner as name:
            y = log(1 / x)
        log(name)
    return log(y)


def assigned(outer, inner, log, x):
    y = log(1)
    with outer:
        y = log(y, 2)
        log(1 / x)
    return log(y)


def branch_within(outer, inner, log, x):
    with outer:
        if x > 1:
            log(3)
        log(1 / x)
    return log(4)


def branch_returns(outer, inner, log, x):
    with outer:
        if x > 1:
            return log(3)
        log(1 / x)
    return log(4)


def always_raises(outer, inner, log, x):
    with outer:
        raise ZeroDivisionError(log(x))
    return log(5)


def two_results(outer, inner, log, x):
    with outer:
        y = log(1 / x)
    if y:
        return log(6)
    return log(7)


EXAMPLES = [
    plain, bound, returned, nested, assigned, branch_within, branch_returns, always_raises, two_results,
]  # fmt: skip


def outcome(function: Callable[..., Any], x: int, suppresses: int) -> tuple[Any, list[Any]]:
    entries: list[Any] = []

    def log(*values: Any) -> Any:
        entries.append(values)
        return values[0]

    outer, inner = Manager(entries, "outer", suppresses > 0), Manager(entries, "inner", suppresses > 1)
    try:
        return function(outer, inner, log, x), entries
    except Exception as error:
        return repr(error), entries


@pytest.mark.parametrize("function", EXAMPLES, ids=lambda function: function.__name__)
def test_shape(function: Callable[..., Any]):
    made = again(function)
    for x in (0, 1, 2):
        for suppresses in (0, 1, 2):
            assert outcome(function, x, suppresses) == outcome(made, x, suppresses)


def test_suppression_goes_on_at_another_place_than_the_body():
    # As in Dynamo's resume functions, whose bodies begin behind a jump into another with statement.
    raw = load(plain.__code__)
    instructions = disassemble(raw)
    jump = next(i for i in instructions if i.op == "POP_JUMP_IF_TRUE")
    clean_up = instructions[jump.target : jump.target + 4]
    assert [i.op for i in clean_up] == ["POP", "POP_EXCEPT", "POP", "POP"]
    jump.target = len(instructions)
    instructions += [Instruction(i.op, i.arg, handler=i.handler) for i in clean_up]
    instructions += [Instruction("CONST", "suppressed"), Instruction("RETURN_VALUE")]
    namespace: dict[str, Any] = {}
    exec(decompile_unstructured(raw, carries=True, instructions=instructions).text, namespace)
    again = namespace["plain"]
    assert outcome(again, 1, 1) == outcome(plain, 1, 1)
    assert outcome(again, 0, 0) == outcome(plain, 0, 0)
    assert outcome(again, 0, 1) == ("suppressed", outcome(plain, 0, 1)[1][:-1])
