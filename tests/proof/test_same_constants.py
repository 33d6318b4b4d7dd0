"""Which constants are one object, where a program can see it."""

from __future__ import annotations

import math
import warnings

import pytest

import depyf
from depyf.decompiler.bytecode import load
from depyf.decompiler.proof.same_constants import unclear_identity


def code(body, **constants):
    """The code of a function of ``a`` with this body, in which each of these words is another constant."""
    namespace = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "is" with a literal
        exec("def f(a):\n    " + body, namespace)
    found = namespace["f"].__code__
    changed = [constants.get(one, one) if type(one) is str else one for one in found.co_consts]
    return found.replace(co_consts=tuple(changed))


NAN = float("nan")
LARGE, AS_LARGE = int("123456789" * 9), int("123456789" * 9)


@pytest.mark.parametrize(
    "body, constants, known",
    [
        ("return a is 'x' and a is 'y'", {"x": LARGE, "y": AS_LARGE}, False),
        ("return a is 'x' and a is 'y'", {"x": LARGE, "y": LARGE + 1}, True),
        ("return a is 'x' and a is 'x'", {"x": LARGE}, True),
        ("return a('x', 'y')", {"x": LARGE, "y": AS_LARGE}, True),
        ("return a('x', 'x')", {"x": NAN}, False),
        ("return a('x', 'y')", {"x": NAN, "y": (1, NAN)}, False),
        ("return a('x')", {"x": (NAN, NAN)}, False),
        ("return a('x')", {"x": NAN}, True),
        ("return a('x', 'y')", {"x": math.inf, "y": 0j}, True),
    ],
)
def test_where_identities_are_clear(body, constants, known):
    original = code(body, **constants)
    assert (unclear_identity(load(original)) == "") == known
    assert depyf.analyze(original).verdict.proven == known
