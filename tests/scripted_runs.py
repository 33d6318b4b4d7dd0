"""Runs functions that ask ``t(n)`` for their decisions; a seeded script answers, and raises now and then.

The log of the questions, and how the function ended, is what is compared.
"""

from __future__ import annotations

import random
import types
from typing import Any, Iterator


class Scripted:
    """Answers of a seeded script, and the log of what was asked."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.log: list[Any] = []

    def t(self, number: int) -> bool:
        self.log.append(repr(number))
        if len(self.log) > 60:
            raise SystemExit("the script is over")
        answer = self.random.random()
        if answer < 0.12:
            raise ValueError(number)
        return answer < 0.6

    def items(self, number: int) -> Iterator[int]:
        while self.t(number):
            yield number

    def manager(self, number: int) -> Any:
        scripted = self

        class Manager:
            def __enter__(self) -> None:
                scripted.t(number)

            def __exit__(self, kind: Any, value: Any, traceback: Any) -> bool:
                scripted.log.append(kind and kind.__name__)
                return scripted.t(number + 1)

        return Manager()


def outcome(function: types.FunctionType, seed: int) -> tuple[list[Any], str]:
    scripted = Scripted(seed)
    names = {"t": scripted.t, "items": scripted.items, "manager": scripted.manager}
    bound = types.FunctionType(function.__code__, {**names, "__builtins__": __builtins__})
    try:
        end = repr(bound())
    except (Exception, SystemExit) as error:
        end = f"{error!r} during {error.__context__!r}"
    return scripted.log, end


def function_of(module: str | types.CodeType) -> types.FunctionType:
    """The function ``f`` of a module, given as text or code."""
    names: dict[str, Any] = {}
    exec(compile(module, "<case>", "exec") if isinstance(module, str) else module, names)
    return names["f"]
