"""Unchecked loads of variables that may be unbound, in code of 3.12 that no compiler makes."""

from __future__ import annotations

import pytest

from depyf.decompiler.bytecode import load
from depyf.decompiler.proof.lockstep.normalize import NotComparable, normalize
from depyf.decompiler.proof.prove import prove
from depyf.decompiler.proof.side_conditions.unchecked import unchecked_load, unchecked_only_in_original

RESUME, LOAD_FAST, LOAD_FAST_CHECK, STORE_FAST, DELETE_FAST, RETURN_VALUE = 151, 124, 127, 125, 126, 83
LOAD_FAST_AND_CLEAR, POP_TOP, SWAP, PUSH_NULL, CALL = 143, 1, 99, 2, 171
A, B = 0, 1


def code(*steps):
    """A function of a parameter ``a`` with a variable ``b``."""

    def f(a):
        b = a
        return b

    raw = load(f.__code__)
    raw.version = (3, 12)
    raw.bytecode = bytes([RESUME, 0, *[number for step in steps for number in step], RETURN_VALUE, 0])
    raw.exception_table = b""
    raw.stacksize = 8
    return raw


@pytest.mark.parametrize(
    "steps, found",
    [
        ([(LOAD_FAST, B)], "an unchecked load of b, which may be unbound, at offset 2"),
        ([(LOAD_FAST_CHECK, B)], ""),
        ([(LOAD_FAST, A)], ""),
        ([(LOAD_FAST, A), (STORE_FAST, B), (LOAD_FAST, B)], ""),
        ([(DELETE_FAST, A), (LOAD_FAST, A)], "an unchecked load of a, which may be unbound, at offset 4"),
        ([(LOAD_FAST_CHECK, B), (STORE_FAST, A), (LOAD_FAST, B)], ""),
        (
            [(LOAD_FAST_AND_CLEAR, A), (LOAD_FAST, A)],
            "an unchecked load of a, which may be unbound, at offset 4",
        ),
        ([(LOAD_FAST_AND_CLEAR, A), (STORE_FAST, A), (LOAD_FAST, A)], ""),
        (
            [(LOAD_FAST_AND_CLEAR, B), (STORE_FAST, B), (LOAD_FAST, B)],
            "an unchecked load of b, which may be unbound, at offset 6",
        ),
        (
            [(LOAD_FAST, A), (LOAD_FAST_AND_CLEAR, B), (SWAP, 2), (STORE_FAST, B), (LOAD_FAST, B), (SWAP, 2),
             (STORE_FAST, B)],
            "",
        ),
        (
            [(LOAD_FAST_AND_CLEAR, B), (POP_TOP, 0), (LOAD_FAST, A)],
            "POP takes a saved variable, which may be unbound, at offset 4",
        ),
        ([(LOAD_FAST, A), (LOAD_FAST_AND_CLEAR, B), (STORE_FAST, B)], ""),
    ],
)
def test_unchecked_loads(steps, found):
    assert unchecked_load(code(*steps)) == found


def test_nothing_is_proven_of_an_unchecked_load():
    checked, unchecked = code((LOAD_FAST_CHECK, B)), code((LOAD_FAST, B))
    assert prove(checked, code((LOAD_FAST_CHECK, B))).exact
    assert not prove(unchecked, checked).proven
    assert unchecked_only_in_original(unchecked, checked)
    assert not unchecked_only_in_original(checked, checked)


def test_it_is_looked_for_before_any_proof():
    """The normal form has no words for values exchanged around an empty slot, and gives up on them."""
    steps = [(LOAD_FAST, A), (PUSH_NULL, 0), (LOAD_FAST, A), (SWAP, 3), (SWAP, 2), (SWAP, 3), (SWAP, 2)]
    steps += [(LOAD_FAST, B), (CALL, 2), *[(0, 0)] * 3]
    with pytest.raises(NotComparable):
        normalize(code(*steps))
    assert prove(code(*steps), code((LOAD_FAST_CHECK, B))).reasons == (unchecked_load(code(*steps)),)
