"""Which constants are one object, where a program can see it."""

from __future__ import annotations

import math
import warnings

import pytest

import depyf


def code(body, **constants):
    """The code of a function of ``a`` with this body, in which each of these words is another constant."""
    namespace = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "is" with a literal
        exec("def f(a):\n    " + body, namespace)
    found = namespace["f"].__code__
    changed = [constants.get(one, one) if type(one) is str else one for one in found.co_consts]
    return found.replace(co_consts=tuple(changed))


NAN, OTHER_NAN = float("nan"), float("nan")
LARGE, AS_LARGE = int("123456789" * 9), int("123456789" * 9)


@pytest.mark.parametrize(
    "body, constants, known",
    [
        ("return a is 'x' and a is 'y'", {"x": LARGE, "y": AS_LARGE}, False),
        ("return a is 'x' and a is 'y'", {"x": LARGE, "y": LARGE + 1}, True),
        ("return a is 'x' and a is 'x'", {"x": LARGE}, True),
        ("return a('x', 'y')", {"x": LARGE, "y": AS_LARGE}, True),
        ("b = a is None\n    return a('x', 'y'), b", {"x": LARGE, "y": AS_LARGE}, True),
        ("return a('x', 'x')", {"x": NAN}, False),
        ("return a('x', 'y')", {"x": NAN, "y": (1, NAN)}, False),
        ("return a('x')", {"x": (NAN, NAN)}, False),
        ("return a('x')", {"x": NAN}, True),
        ("return a('x', 'y')", {"x": NAN, "y": OTHER_NAN}, True),
        ("return a('x', 'y') is a", {"x": NAN, "y": (1, OTHER_NAN)}, True),
        ("return a('x', 'y')", {"x": math.inf, "y": 0j}, True),
    ],
)
def test_where_identities_are_clear(body, constants, known):
    assert depyf.analyze(code(body, **constants)).verdict.proven == known


def test_a_nan_in_a_finally_body_that_is_copied():
    """Both copies load one object, those of the text too."""
    text = "def f(a):\n try: a()\n finally: a(1e400 - 1e400)"
    assert depyf.analyze(compile(text, "text", "exec")).proven
