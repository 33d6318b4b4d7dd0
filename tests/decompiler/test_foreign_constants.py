"""Constants that no compiler makes, in place of those that it makes: refused with a reason, never a bug of ours."""

from __future__ import annotations

import types

import pytest

from depyf import analyze


class Fails:
    """An object none of whose special methods work."""

    def _fail(self, *args: object) -> object:
        raise RuntimeError("not to be called")

    __eq__ = __repr__ = __bool__ = __len__ = __iter__ = _fail  # type: ignore[assignment]

    def __hash__(self) -> int:
        raise TypeError("no hash")


CONSTANTS = [[], [1, 2], {}, {"a": 1}, {1}, bytearray(b"a"), ..., ([],), Fails(), (Fails(),), 10**5000, "ab", -3]
SOURCES = [
    "def f(a, b=(1, 2), *, c='x'): return a",
    "def f(x): return {'a': x, 'b': x, 'c': x}",
    "def f(x): return x in (1, 2, 3)",
    "def f(x): return f'{x:>10}a{x!r}b'",
    "def f(x): return x(1, a=2, b=3)",
    "import a.b as c\nfrom d import e",
    "class A(B):\n    x: int = 1",
    "def f(x):\n    if x == 5:\n        return 'a'\n    return 'b'",
    "def f(x):\n    for i in (1, 2):\n        x[1:2] = 3",
]


def with_constant(code: types.CodeType, number: int, value: object) -> types.CodeType:
    """``code`` with ``value`` in place of each constant in turn, by ``number``; nested code stays where it is."""
    constants = list(code.co_consts)
    for at, one in enumerate(constants):
        if isinstance(one, types.CodeType):
            constants[at] = with_constant(one, number, value)
    others = [at for at, one in enumerate(constants) if not isinstance(one, types.CodeType)]
    if others:
        constants[others[number % len(others)]] = value
    return code.replace(co_consts=tuple(constants))


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("number", range(3))
def test_no_bug_of_ours(source, number):
    code = compile(source, "<text>", "exec")
    for value in CONSTANTS:
        for one in analyze(with_constant(code, number, value)).walk():
            assert not any("internal error" in reason for reason in one.verdict.reasons), (type(value), one.verdict)
