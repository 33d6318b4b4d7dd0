"""What raw opcodes do to the stack (versions/stack_effects.py), against each interpreter's own account."""

from __future__ import annotations

import sys

import pytest
from recorded_stack_effects import ARGUMENTS, asked, recorded

from depyf.decompiler.bytecode.reading.load import HOST_VERSION
from depyf.decompiler.bytecode.versions import TABLES
from depyf.decompiler.bytecode.versions.stack_effects import EFFECTS, ENDS_OF_LOOPS, JUMPS, NOT_AS_DIS

ON_THE_BLOCK_STACK = {
    # What they do depends on what is on the block stack: block_stack/ runs them with both stacks.
    "SETUP_LOOP", "SETUP_EXCEPT", "SETUP_FINALLY", "SETUP_WITH", "SETUP_ASYNC_WITH", "BEFORE_ASYNC_WITH", "BREAK_LOOP",
    "CONTINUE_LOOP", "POP_BLOCK", "POP_EXCEPT", "BEGIN_FINALLY", "CALL_FINALLY", "POP_FINALLY", "END_FINALLY",
    "WITH_CLEANUP_START", "WITH_CLEANUP_FINISH", "WITH_EXCEPT_START", "RERAISE", "END_ASYNC_FOR",
}  # fmt: skip
every_version = pytest.mark.parametrize("version", TABLES, ids=lambda v: ".".join(map(str, v)))


def ours(version, name, argument, jump):
    effect = (JUMPS[version].get(name) if jump else None) or EFFECTS[version][name]
    pops, pushes = effect(argument) if callable(effect) else effect
    assert pops >= 0 and pushes >= 0
    return pushes - pops


def known(version):
    """The names of opcodes that code objects hold and that leave the block stack alone, if the version has one."""
    names = {row.name for row in TABLES[version].rows.values() if row.rule != "internal"}
    return names - ON_THE_BLOCK_STACK if version < (3, 11) else names


def test_what_was_recorded_is_what_this_interpreter_says():
    assert recorded(HOST_VERSION) == asked(sys.executable)


@every_version
def test_as_the_interpreter_says(version):
    said = {name: lists for name, lists in recorded(version).items() if name in known(version)}
    assert set(said) | {"EXTENDED_ARG", "CACHE", "NOP"} >= known(version)
    different = set()
    for name, lists in said.items():
        for jump in (False, True):
            for argument, effect in zip(ARGUMENTS, lists[-jump]):
                mine = ours(version, name, argument, jump)
                if version == (3, 7):  # it tells the larger of both ways
                    mine = max(mine, ours(version, name, argument, not jump))
                if effect is not None and mine != effect:
                    different.add(name)
    assert different == {name for name, (first, last, _) in NOT_AS_DIS.items() if first <= version <= last}


@every_version
def test_every_opcode_has_an_effect(version):
    assert known(version) - set(EFFECTS[version]) == set()


def test_a_call_of_3_11_takes_what_the_compiler_says_of_its_two_instructions():
    said = recorded((3, 11))
    for place, argument in enumerate(ARGUMENTS):
        assert ours((3, 11), "CALL", argument, False) == said["PRECALL"][0][place] + said["CALL"][0][place]


@pytest.mark.parametrize("version", ENDS_OF_LOOPS, ids=lambda v: ".".join(map(str, v)))
def test_the_end_of_a_loop_is_part_of_its_jump(version):
    """FOR_ITER and what it jumps past come to what the interpreter says of them together."""
    said = recorded(version)
    steps = ("FOR_ITER", *ENDS_OF_LOOPS[version])
    assert ours(version, "FOR_ITER", 1, True) == sum(said[name][-1][1] for name in steps)
