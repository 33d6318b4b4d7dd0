"""Free variables that no code reads which is ever reached: the text mentions them, so that the function has them."""

from __future__ import annotations

from depyf.decompiler.bytecode import Instruction, load
from depyf.decompiler.definitions.unused import mention_the_unused
from depyf.decompiler.printing.printer import print_tree
from depyf.decompiler.syntax import nodes

OUTSIDE = frozenset({"cell", "other"})
"""What enclosing functions bind."""


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
    assert mention_the_unused(body, load(outer().__code__), instructions, OUTSIDE) == ["cell"]
    assert body == []


def test_mentioned_where_a_test_is_never_true():
    body: list[nodes.Statement] = [nodes.If(nodes.Constant(0), [nodes.Pass()])]
    assert mention_the_unused(body, load(outer().__code__), [Instruction("LOAD_DEREF", "other")]) == []
    assert print_tree(nodes.Module(body)).split() == ["if", "0:", "cell"]


def test_named_by_a_constant_only():
    instructions = [Instruction("CONST", "cell"), Instruction("LOAD_DEREF", "other"), Instruction("RETURN_VALUE")]
    body: list[nodes.Statement] = []
    assert mention_the_unused(body, load(outer().__code__), instructions, OUTSIDE) == ["cell"]
    assert body == []


def test_not_declared_where_no_function_binds_it():
    body: list[nodes.Statement] = [nodes.Return(nodes.Name("other"))]
    assert mention_the_unused(body, load(outer().__code__), [Instruction("LOAD_DEREF", "other")]) == []
    assert print_tree(nodes.Module(body)).split() == ["return", "other", "if", "False:", "cell"]
