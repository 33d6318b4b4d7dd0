"""Free variables that no code reads which is ever reached: the text mentions them, so that the function has them."""

from __future__ import annotations

from depyf.decompiler.bytecode import Instruction, load
from depyf.decompiler.definitions.bodies import mention_the_unused
from depyf.decompiler.printing.printer import print_tree
from depyf.decompiler.syntax import nodes


def outer():
    cell = other = 1

    def inner():
        return cell, other

    return inner


def test_read_in_dead_code_only():
    instructions = [
        Instruction("LOAD_DEREF", "other"),
        Instruction("JUMP", target=3),
        Instruction("LOAD_DEREF", "cell"),
        Instruction("RETURN_VALUE"),
    ]
    body: list[nodes.Statement] = []
    mention_the_unused(body, load(outer().__code__), instructions)
    assert print_tree(nodes.Module(body)).split() == ["if", "False:", "cell"]


def test_named_by_a_constant_only():
    instructions = [Instruction("CONST", "cell"), Instruction("LOAD_DEREF", "other"), Instruction("RETURN_VALUE")]
    body: list[nodes.Statement] = []
    mention_the_unused(body, load(outer().__code__), instructions)
    assert print_tree(nodes.Module(body)).split() == ["if", "False:", "cell"]
