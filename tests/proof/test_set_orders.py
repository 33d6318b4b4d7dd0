"""Sets of numbers have the order in which they were filled: by the compiler, or by marshal when a file was read."""

from __future__ import annotations

import itertools
import marshal
import random

import pytest

import depyf
from depyf.decompiler.bytecode import load
from depyf.decompiler.proof import compile_module, prove_all
from depyf.decompiler.proof.constants import constant_key

LOOP = "for x in {{{}}}: print(x)\n"


def loaded(text):
    """The code of ``text`` as it comes from a file."""
    return marshal.loads(marshal.dumps(compile(text, "m.py", "exec")))


def orders(code):
    """The set constants, as a loop sees them."""
    return [list(value) for value in code.co_consts if isinstance(value, frozenset)]


def numbers(seed):
    chosen = random.Random(seed)
    found = chosen.sample(range(chosen.choice((100, 600, 10**6))), chosen.randrange(2, 30))
    return sorted(found) if seed % 2 else found


@pytest.mark.parametrize("seed", range(60))
def test_sets_of_a_file_come_back(seed):
    items = ", ".join(map(str, numbers(seed)))
    code = loaded(f"s = {{{items}}}\n" + LOOP.format(items))
    result = depyf.analyze(code)
    assert result.proven
    assert orders(code) in [orders(compile(result.source, "m.py", "exec")), orders(loaded(result.source))]


def test_an_order_that_neither_the_compiler_nor_a_file_gives_is_not_proven():
    items = [8, 0, 16, 24]  # they share a slot: which comes first depends on who was first
    text = LOOP.format(", ".join(map(str, items)))
    code = compile(text, "m.py", "exec")
    fine = {tuple(next(value for value in one.co_consts if isinstance(value, frozenset)))
            for one in (code, loaded(text))}  # fmt: skip
    others = {tuple(frozenset(order)) for order in itertools.permutations(items)} - fine
    assert others
    for order in others:
        consts = tuple(frozenset(order) if isinstance(value, frozenset) else value for value in code.co_consts)
        original = load(code.replace(co_consts=consts))
        verdict, *_ = prove_all(original, compile_module(text, original))[original]
        assert not verdict.proven


def key(*values):
    return constant_key(frozenset(values))


def test_the_hash_of_a_nan_may_be_its_place_in_memory():
    nans = [float("nan") for _ in range(30)]
    assert len({key(nan, 8, 16, 24) for nan in nans}) == 1
    assert key(*nans[:2], 8) != key(nans[0], 8)
    assert key(nans[0], 8) != key(nans[0], 16)
    text = "print({1e309 - 1e309, 8, 16, 24})\nfor x in {1e309 - 1e309, 8, 16, 24, 1j * (1e309 - 1e309)}: print(x)\n"
    codes = [marshal.loads(marshal.dumps(compile(text, "m.py", "exec"))) for _ in range(2)]
    original = load(codes[0])
    assert all(verdict.proven for verdict, _ in prove_all(original, load(codes[1])).values())
