"""Long lines: broken as a formatter would, and never with another meaning."""

from __future__ import annotations

import ast
import textwrap

import pytest
from syntax_from_ast import comparable, from_ast

from depyf.decompiler.printing.printer import print_tree

# Source, and the same at 40 columns.
CASES = [
    (
        "function(first_argument, second, third_1)",
        """\
        function(
            first_argument, second, third_1
        )
        """,
    ),
    (
        "function(first_argument, second=2, *third, **fourth)",
        """\
        function(
            first_argument,
            *third,
            second=2,
            **fourth,
        )
        """,
    ),
    (
        "value = some_condition and another_condition or third",
        """\
        value = (
            some_condition
            and another_condition
            or third
        )
        """,
    ),
    (
        "if some_condition and not another_condition: pass",
        """\
        if (
            some_condition
            and not another_condition
        ):
            pass
        """,
    ),
    (
        "return_value = [element for element in elements if element]",
        """\
        return_value = [
            element
            for element in elements
            if element
        ]
        """,
    ),
    (
        "result = sum(element for element in elements)",
        """\
        result = sum(
            element for element in elements
        )
        """,
    ),
    (
        "def function(first_parameter, *rest, keyword=1) -> int: pass",
        """\
        def function(
            first_parameter, *rest, keyword=1
        ) -> int:
            pass
        """,
    ),
    (
        "from package.module import first_name, second_name",
        """\
        from package.module import (
            first_name, second_name
        )
        """,
    ),
    (
        "x = outer(inner(aaaaaaaaaaaaaaa, bbbbbbbbbbbbbb), ccccccccccc)[0]",
        """\
        x = outer(
            inner(
                aaaaaaaaaaaaaaa, bbbbbbbbbbbbbb
            ),
            ccccccccccc,
        )[0]
        """,
    ),
    (
        "x[aaaaaaaaaaaaaaaaaaaaaaa:bbbbbbbb, cccccccccccc:ddddddd]",
        """\
        x[
            aaaaaaaaaaaaaaaaaaaaaaa:bbbbbbbb,
            cccccccccccc:ddddddd
        ]
        """,
    ),
    (
        "x = {'first': 1111111111, 'second': 22222222222, 'third': 3}",
        """\
        x = {
            'first': 1111111111,
            'second': 22222222222,
            'third': 3,
        }
        """,
    ),
    (
        "x = aaaaaaaaaaaa if bbbbbbbbbbbbbbbbbb else cccccccccccc",
        """\
        x = (
            aaaaaaaaaaaa
            if bbbbbbbbbbbbbbbbbb
            else cccccccccccc
        )
        """,
    ),
    (
        "first, second = one_value_of_two, another_value",
        """\
        first, second = (
            one_value_of_two, another_value
        )
        """,
    ),
    ("a_name_that_is_too_long_for_its_line = 1", "a_name_that_is_too_long_for_its_line = 1\n"),
]


@pytest.mark.parametrize(("source", "text"), CASES)
def test_long_line(source: str, text: str) -> None:
    printed = print_tree(from_ast(ast.parse(source)), width=40)
    assert printed == textwrap.dedent(text)
    assert comparable(printed) == comparable(source)


def test_long_strings_are_split_at_blanks() -> None:
    words = "some words and " * 12
    source = f"raise ValueError({words!r})\nf({words!r}, 1)\nx = {words!r}\nreturned = {words!r} % 1"
    printed = print_tree(from_ast(ast.parse(source)))
    assert all(len(line) <= 100 for line in printed.splitlines())
    assert comparable(printed) == comparable(source)


@pytest.mark.parametrize("width", [1, 20, 60])
def test_no_width_changes_the_meaning(width: int) -> None:
    source = textwrap.dedent('''
        def f(a, b=(1, 2), *c, d: int = 3, **e) -> "g":
            """Doc."""
            x = lambda a, b=[1, 2]: (a, b, [i for i in range(10) if i])
            x, y = {**a, 'k': b if c else d}, {i: j for i, j in e}
            for x, y in a, b:
                del x[1:2, ::3], y.z
            with open(a, b) as c, (d, e):
                return not a < b <= c, -(a + b) * c ** -d, (yield a, b), f"{a!r:>{b}} {c['k']}"
            assert a and b or c, 'a message that is long enough to be split in two ' * 2 + "and more of it"
            while (x := f(1)[2](3).y(4, 5, k=6)(*a, **b)) | 1 & 2 ^ 3 << 4:
                raise A(b) from c[(d,)]
            import a, b
            from a import b as c, d
        class C(A, B, metaclass=M(1, 2)): x: Dict[str, int] = f(i for i in j)
        ''')
    assert comparable(print_tree(from_ast(ast.parse(source)), width=width)) == comparable(source)
