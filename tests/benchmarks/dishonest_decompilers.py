"""Stand-ins for the decompiler, for tests of the benchmark. They run in worker processes, so they are importable."""

from __future__ import annotations

import ctypes
import time
import types
from typing import Any, Callable, Iterator

import roundtrip


class Level:
    def __init__(self, value: str) -> None:
        self.value = value


class Verdict:
    def __init__(self, level: str, method: str = "instructions", reasons: tuple[str, ...] = ()) -> None:
        self.level, self.method, self.reasons, self.differs = Level(level), method, reasons, ()


class Result:
    def __init__(self, code: types.CodeType, source: str, level: str = "exact") -> None:
        self.code, self.source, self.verdict = code, source, Verdict(level)
        self.raw = types.SimpleNamespace(kind="function")

    def walk(self) -> Iterator[Any]:
        yield self
        for code in list(roundtrip.all_codes(self.code))[1:]:
            yield Result(code, "pass", self.verdict.level.value)


def program(item: roundtrip.Item) -> str:
    """The author's own text, on other lines."""
    with open(item.path, encoding="utf-8") as file:
        return "\n\n" + file.read()


def measure(item: roundtrip.Item, analyze: Callable[[types.CodeType], Result]) -> roundtrip.Measured:
    return roundtrip.measure(item, analyze, standalone=lambda result: program(item))


def honest(item: roundtrip.Item) -> roundtrip.Measured:
    """Gives the author's own program back, and says 'exact'."""
    return measure(item, lambda code: Result(code, program(item)))


def liar(item: roundtrip.Item) -> roundtrip.Measured:
    """Says 'exact' of a program in which every 1 became 2."""
    return measure(item, lambda code: Result(code, program(item).replace("1", "2")))


def half_identical(item: roundtrip.Item) -> roundtrip.Measured:
    """Gives the author's own program back; says 'identical' of the module and of 'one', and 'exact' of the rest."""

    def analyze(code: types.CodeType) -> Result:
        result = Result(code, program(item))
        parts = list(result.walk())
        for part in parts:
            exact = part.code.co_name in ("good", "<lambda>")
            part.verdict = Verdict("exact" if exact else "identical")
            part.verdict.differs = ("stack size",) if exact else ()
        result.walk = lambda: iter(parts)  # type: ignore[method-assign]
        return result

    return measure(item, analyze)


def another_name(item: roundtrip.Item) -> roundtrip.Measured:
    """Says 'identical' of a program with one more name."""
    text = program(item).replace("    return x + 3", "    if 0: unused\n    return x + 3")
    return measure(item, lambda code: Result(code, text, "identical"))


def no_python(item: roundtrip.Item) -> roundtrip.Measured:
    """Says 'exact' of what is not Python."""
    return measure(item, lambda code: Result(code, "def f(:"))


def fragile(item: roundtrip.Item) -> roundtrip.Measured:
    """Fails in four ways, by the name of a code object; everything else is 'exact'."""

    def analyze(code: types.CodeType) -> Result:
        names = {inner.co_name for inner in roundtrip.all_codes(code)}
        if "hangs" in names:
            time.sleep(1000)
        if "dies" in names:
            ctypes.string_at(0)
        if "raises" in names:
            raise ZeroDivisionError("in the decompiler")
        if "eats" in names:
            bytearray(1 << 40)
        return Result(code, program(item))

    return measure(item, analyze)
