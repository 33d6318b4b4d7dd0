"""Kinds of programs that were refused, each generated from its parts and compiled by every CPython that has the syntax."""

from __future__ import annotations

import functools
import itertools
import random
import textwrap
from typing import Callable, Iterator

import pytest

from depyf.decompiler.bytecode.interpreters import HOST_VERSION, find_interpreter
from depyf.decompiler.bytecode.versions import TABLES
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.proof.scaffold import compile_source
from depyf.errors import DecompilationError

VERSIONS = [one for one in sorted(TABLES) if one == HOST_VERSION or find_interpreter(one)]


def constants_in_arms() -> Iterator[str]:
    """A constant, alone or behind a test that decides nothing, as an arm of a conditional expression."""
    places = [
        "v = x if {} else y",
        "v = x if ({}) and d else y",
        "v = x if d or ({}) else y",
        "if {}: f()",
        "assert {}, m",
    ]
    places += ["v = [x for y in z if ({})]", "v = lambda: [x for y in z if ({})]", "f(x if {} else y)", "while {}: f()"]
    choices = ["(a if b else ({}))", "(({}) if b else a)", "(({}) if b or d else a)"]
    constants = ["True", "0", "c or True", "c and 0", "c and d and None"]
    for place, choice, constant in itertools.product(places, choices, constants):
        yield place.format(choice.format(constant))


OUTER = {
    "try: a()\nexcept E as x:\n{}", "try: a()\nexcept E:\n{}", "try: a()\nexcept* E as x:\n{}", "with a as x:\n{}",
    "try: a()\nfinally:\n{}", "try:\n{}\nexcept E: b()", "try:\n{}\nfinally: b()", "for x in y:\n{}", "while x:\n{}",
    "try: a()\nexcept E: b()\nelse:\n{}",
}  # fmt: skip
INNER = {
    "match x:\n  case 1: c()", "match x:\n  case 1: c()\n  case 2: d()", "match x:\n  case 1: pass", "type X = c",
    "match x:\n  case [1, y] if z: c()\n  case _: d()", "if x: c()", "if x: c()\nelif y: d()\nelse: e()",
    "for i in j: c()", "while i: c()", "while i:\n  if c: break\n  d()\nelse: e()", "while 1:\n  if c: break",
    "try: c()\nfinally: d()", "try: c()\nexcept F: d()", "try: c()\nexcept F as w: d()", "try: c()\nexcept* F: d()",
    "try: c()\nexcept F as w: d()\nelse: e()\nfinally: g()", "with c as d: e()", "with c, d: e()", "if c: raise d",
}  # fmt: skip
LAST = ["last()", "pass", "x = 1", "del z", "raise z"]
PLACES = ["{}", "def f():\n{}", "class C:\n{}"]


def blocks_before_a_last_statement(outer: str = "", inner: str = "") -> Iterator[str]:
    """Two statements that hold others inside one that does, and one more behind the last of them, or behind all. Only
    those statements that ``outer`` or ``inner`` is part of, if given.
    """

    def put(template: str, body: str) -> str:
        return template if "{}" not in template else template.format(textwrap.indent(body, "  " * (template != "{}")))

    outers = [one for one in sorted(OUTER) if outer in one]
    for around, first, second, last, place in itertools.product(outers, sorted(INNER), sorted(INNER), LAST, PLACES):
        if inner in first or inner in second:
            yield put(place, put(around, f"{first}\n{second}\n{last}"))
            yield put(place, put(around, f"{first}\n{second}") + f"\n{last}")


KINDS: dict[str, tuple[Callable[[], Iterator[str]], int]] = {
    "constants in arms": (constants_in_arms, 60),
    "blocks before a last statement": (blocks_before_a_last_statement, 60),
    "match in finally": (functools.partial(blocks_before_a_last_statement, "finally:\n{}", "match"), 60),
}
"""What generates a kind, and how many of its members are tried."""


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_sample_is_proven(kind: str):
    generate, count = KINDS[kind]
    texts = sorted(set(generate()))
    compiled = 0
    for text in random.Random(kind).sample(texts, min(count, len(texts))):
        for version in VERSIONS:
            try:
                raw = compile_source(text + "\n", version)
            except DecompilationError:
                continue
            compiled += 1
            result = analyze(raw)
            assert all(part.verdict.proven for part in result.walk()), (version, text, result.source)
    assert compiled
