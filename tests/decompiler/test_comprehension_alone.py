"""Comprehensions that Dynamo makes functions of (torch 2.11 on, Python 3.12 on): their iterator is a parameter."""

from __future__ import annotations

import dis
import types
from typing import List

import pytest

from depyf.decompiler.pipeline import analyze
from depyf.decompiler.proof.symbolic.matching import GIVEN_ITERATOR

NULL, NOP = dis.opmap.get("PUSH_NULL", 0), dis.opmap["NOP"]


def one(x, it):
    found = [x(i) for i in it if i]
    return found


def two(x, it):
    found = {k.upper(): x for k, v in it if v}
    return found


def returned(x, it):
    return x([(i, i) for i in it])


def without_the_beginning(code: types.CodeType) -> types.CodeType:
    """The code as Dynamo makes it: no `iter()`, no handler, and NULL in place of what the variables were before."""
    instructions = [ins for ins in dis.get_instructions(code) if ins.opname != "CACHE"]
    names = [ins.opname for ins in instructions]
    at = next((n for n in range(len(names)) if names[n : n + 2] == ["GET_ITER", "LOAD_FAST_AND_CLEAR"]), 0)
    if not at:
        pytest.skip("here a comprehension is a function, or takes its iterator later")
    end = names.index("SWAP", at)
    saved = instructions[at + 1 : end]
    found: List[int] = [NULL, 0] * len(saved) + list(code.co_code[instructions[at - 1].offset :][:2]) + [NOP, 0] * 2
    start = instructions[at - 1].offset
    done = code.co_code[:start] + bytes(found) + code.co_code[start + len(found) :]
    assert len(done) == len(code.co_code)
    return code.replace(co_code=done, co_exceptiontable=b"")


@pytest.mark.parametrize("function", [one, two, returned])
def test_it_is_proven(function):
    result = analyze(without_the_beginning(function.__code__))
    assert result.proven, result.verdict.describe()
    assert GIVEN_ITERATOR in result.verdict.assumptions
    assert " in it" in result.source and "NotImplementedError" not in result.source
