"""proof/lockstep/repeated_iterators.py drops GET_ITER only where an iterator was made just before."""

from __future__ import annotations

import pytest

from depyf.decompiler.bytecode import Instruction, load
from depyf.decompiler.proof.lockstep.repeated_iterators import without_repeated_iterators

FUNCTION = load(compile("def f(a):\n    pass\n", "f", "exec").co_consts[0])
GENERATOR = load(compile("(x for x in a)\n", "f", "eval").co_consts[0])


def kept(text, raw=FUNCTION):
    """The operations that remain of ``text``, where ``NAME=ARG`` is one with an argument."""
    made = []
    for word in text.split():
        op, _, arg = word.partition("=")
        made.append(Instruction(op, int(arg) if arg.isdigit() else arg or None))
    return " ".join(i.op for i in without_repeated_iterators(raw, made))


@pytest.mark.parametrize(
    "text",
    [
        "LOAD_FAST=a GET_ITER GET_ITER",
        "LOAD_FAST=a GET_ITER LOAD_FAST_AND_CLEAR=x SWAP=2 BUILD_LIST=0 SWAP=2 GET_ITER",
        "LOAD_FAST=a GET_ITER LOAD_FAST_AND_CLEAR=x MAKE_CELL=x LOAD_FAST_AND_CLEAR=y SWAP=3 BUILD_MAP=0 SWAP=2 "
        "GET_ITER",
    ],
)
def test_the_second_is_dropped(text):
    assert kept(text).split().count("GET_ITER") == 1


@pytest.mark.parametrize(
    "text",
    [
        "LOAD_FAST=a GET_ITER LOAD_FAST=b GET_ITER",
        "LOAD_FAST=a GET_ITER BUILD_LIST=0 GET_ITER",
        "LOAD_FAST=a GET_ITER LOAD_FAST_AND_CLEAR=x SWAP=2 BUILD_LIST=0 SWAP=3 GET_ITER",
        "LOAD_FAST=a GET_ITER BUILD_LIST=1 GET_ITER",
        "LOAD_FAST=a GET_ITER STORE_FAST=b LOAD_FAST=b GET_ITER",
    ],
)
def test_the_iterator_of_another_value_is_kept(text):
    assert kept(text).split().count("GET_ITER") == 2


def test_the_argument_of_a_comprehension_is_an_iterator():
    assert kept("LOAD_FAST=.0 GET_ITER FOR_ITER", GENERATOR) == "LOAD_FAST FOR_ITER"
    assert kept("LOAD_FAST=.0 GET_ITER FOR_ITER") == "LOAD_FAST GET_ITER FOR_ITER"
    assert kept("LOAD_FAST=a GET_ITER FOR_ITER", GENERATOR) == "LOAD_FAST GET_ITER FOR_ITER"


def test_what_a_jump_leads_to_is_kept():
    first, second = Instruction("GET_ITER"), Instruction("GET_ITER")
    jump = Instruction("JUMP")
    jump.target = 2
    assert len(without_repeated_iterators(FUNCTION, [jump, first, second])) == 3
