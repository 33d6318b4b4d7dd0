"""Constants: the text compiles to the same constant."""

from __future__ import annotations

import ast
import itertools
import math
import types
from typing import Iterator

import pytest

from depyf.decompiler.printing.printer import print_tree
from depyf.decompiler.syntax import nodes as n

PARTS = [0.0, -0.0, 1.0, -2.5, 1e16, float("inf"), float("-inf"), float("nan")]


def constants(code: types.CodeType) -> Iterator[object]:
    yield from code.co_consts
    # Not every version lists these among the constants.
    yield from (None, True, False, ...)


@pytest.mark.parametrize(
    "value",
    [
        *PARTS,
        *(complex(*parts) for parts in itertools.product(PARTS, repeat=2)),
        *(1, -1, 2**64, 10**5000, -(10**5000)),
        *(None, True, False, ...),
        *("", "it's", 'say "a"', "'\"", "a\ud800", "\x00\x01\x07\x1b\x7f", "\\", "\\N{DASH}", "ünï", "\u200b", "\r\n"),
        *("word " * 50, "x" * 300, 'it\'s "q" ' * 30, "line\n" * 30, '"""\n' * 30 + '"', "\\\n" * 60, "\t\r\n" * 60),
        *(r"\d", r"\\", "a\\", r"\'", "\\'\"", "\\ " * 60, r"a\ b " * 40 + "\\", r"\w " * 60, "a\\b\n" * 30, "\\\xa0"),
        *(b"", b"it's", b"\x00\xff\"'", rb"\d\x00", b"\\", rb"\\", b"\\\xff"),
        *((), (1,), (1, (2, -0.0)), ("a" * 90, "b " * 60), (None, ..., True)),
    ],
    ids=lambda value: repr(value)[:30] if not isinstance(value, int) else "int",
)
def test_text_folds_back_to_the_constant(value: object) -> None:
    text = print_tree(n.Expr(n.Call(n.Name("f"), [n.Constant(value)])))
    code = compile(text.strip(), "", "eval")
    # 3.15 has an instruction for -1, and no constant.
    found = eval(code, {"f": lambda found: found}) if value == -1 else None
    assert any(n.same_constant(value, constant) for constant in (*constants(code), found)), text


@pytest.mark.parametrize("sign", [1, -1])
def test_a_nan_keeps_its_sign(sign: int) -> None:
    for value in (math.copysign(math.nan, sign), complex(math.copysign(math.nan, sign), 1)):
        found = eval(print_tree(n.Expr(n.Constant(value))))
        assert type(found) is type(value) and found != found
        assert math.copysign(1, found.real) == sign


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (r"\d+'", r'''r"\d+'"'''),
        (r"\d", r"r'\d'"),
        (r"C:\temp", r"r'C:\temp'"),
        (r"\n", r"'\\n'"),  # as most write it
        ("\\", r"'\\'"),
        ("a\\", r"'a\\'"),  # a raw literal can't end so
        ("\\d\n", r"'\\d\n'"),
        (r"""\d'\"'""", r"""'\\d\'\\"\''"""),
        (rb"\d", r"rb'\d'"),
        (b"\\d\xff", r"b'\\d\xff'"),
    ],
)
def test_a_text_whose_only_escapes_are_backslashes_is_raw(value: object, text: str) -> None:
    assert print_tree(n.Constant(value)) == text


def test_a_long_pattern_is_raw_in_all_its_pieces() -> None:
    text = print_tree(n.Assign([n.Name("x")], n.Constant(r"\w " * 60)))
    lines = [line.strip() for line in text.splitlines()[1:-1]]
    assert len(lines) > 1
    assert all(line.startswith("r'") for line in lines)


def test_sets_are_printed_in_the_same_order_in_every_run() -> None:
    assert print_tree(n.Constant(frozenset("cab"))) == "{'a', 'b', 'c'}"
    assert [print_tree(n.Constant(frozenset(items))) for items in ((8, 0), (0, 8))] == ["{8, 0}", "{0, 8}"]
    assert print_tree(n.Constant(frozenset(["a", 2, None]))) == "{None, 2, 'a'}"


@pytest.mark.parametrize(
    "value",
    [
        "",
        "One line.",
        "Two\nlines.\n",
        'Ends with "quotes"',
        '"',
        '""""',
        "\\",
        'a"""b',
        "tab\t\r\x00",
        "\ud800",
        '\\"',
    ],
)
def test_docstrings_are_kept_exactly(value: str) -> None:
    source = print_tree(n.FunctionDef("f", n.arguments(), [n.Expr(n.Constant(value)), n.Return(n.Constant(1))]))
    assert '"""' in source
    # Not the compiled docstring: from 3.13 on the compiler removes its indentation.
    statement = ast.parse(source).body[0].body[0]  # type: ignore[attr-defined]
    assert ast.literal_eval(statement.value) == value


def test_a_set_whose_elements_share_slots_keeps_the_order_of_the_compiled_one():
    def compiled(display: str) -> frozenset:
        constants = compile(f"x in {display}", "", "eval").co_consts
        return next(constant for constant in constants if isinstance(constant, frozenset))

    value = compiled("{" + ", ".join(map(str, (*range(1, 9), *range(0x1FFFE, 0x10FFFF, 0x8000)))) + "}")
    text = print_tree(n.Constant(value))
    assert list(compiled(text)) == list(value)
    assert [int(item) for item in text.strip("{}").replace("\n", "").split(",") if item.strip()] != list(value)
