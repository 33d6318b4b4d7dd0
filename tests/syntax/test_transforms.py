"""The transforms, each as source before and after."""

from __future__ import annotations

import ast
import textwrap
from typing import Collection

import pytest
from syntax_from_ast import from_ast

from depyf.decompiler.printing.printer import print_tree
from depyf.decompiler.syntax import nodes as n
from depyf.decompiler.syntax.transforms import TRANSFORMS, check_names

NAMES = [name for name, *_ in TRANSFORMS]


def apply_transforms(body: list[n.Statement], kind: str, disabled: Collection[str] = ()) -> None:
    """All transforms in their order, except those disabled; driver/passes.py does the same."""
    check_names(disabled)
    for name, transform, _ in TRANSFORMS:
        if name not in disabled:
            transform(body, kind)


def transformed(source: str, kind: str = "function", only: str | None = None, keep_lines: bool = False) -> str:
    body = from_ast(ast.parse(textwrap.dedent(source)).body)
    if not keep_lines:
        forget_lines(body)
    disabled = [name for name in NAMES if name != only] if only else []
    apply_transforms(body, kind, disabled)
    return print_tree(body)


def forget_lines(body: list[n.Statement]) -> None:
    """Give the statements that the compiler may have added the lines that those have."""
    for node in n.walk(body):
        if isinstance(node, (n.Return, n.Continue)):
            node.line = 1


CASES = [
    # A return at the end is what the compiler adds
    ("redundant-return", "a\nreturn None", "a"),
    ("redundant-return", "a\nreturn", "a"),
    ("redundant-return", "return None", "pass"),
    ("redundant-return", "return 0", "return 0"),
    ("redundant-return", "if a:\n    b\n    return None\nreturn None", "if a:\n    b"),
    ("redundant-return", "if a:\n    b\n    return\nelse:\n    c\n    return", "if a:\n    b\nelse:\n    c"),
    ("redundant-return", "if a:\n    b\nelse:\n    return", "if a:\n    b"),
    ("redundant-return", "if a:\n    return\nelif b:\n    c\n    return", "if a:\n    return\nelif b:\n    c"),
    ("redundant-return", "if a:\n    return\nb", "if a:\n    return\nb"),
    ("redundant-return", "for a in b:\n    return", "for a in b:\n    return"),
    ("redundant-return", "for a in b:\n    c\nelse:\n    return", "for a in b:\n    c"),
    ("redundant-return", "with a:\n    b\n    return", "with a:\n    b"),
    ("redundant-return", "try:\n    a\n    return\nexcept B:\n    c\n    return", "try:\n    a\nexcept B:\n    c"),
    (
        "redundant-return",
        "try:\n    a\n    return\nexcept B:\n    c\nelse:\n    d\n    return",
        "try:\n    a\n    return\nexcept B:\n    c\nelse:\n    d",
    ),
    ("redundant-return", "try:\n    a\n    return\nfinally:\n    b\n    return", None),
    ("redundant-return", "def f():\n    a\n    return", None),
    # A jump to the next turn at the end of a turn
    ("redundant-continue", "for a in b:\n    c\n    continue", "for a in b:\n    c"),
    ("redundant-continue", "for a in b:\n    continue", "for a in b:\n    pass"),
    (
        "redundant-continue",
        "while True:\n    if a:\n        b\n        continue\n    else:\n        continue",
        "while True:\n    if a:\n        b",
    ),
    ("redundant-continue", "for a in b:\n    if c:\n        continue\n    d", None),
    ("redundant-continue", "for a in b:\n    for c in d:\n        e\n    else:\n        f\n        continue",
     "for a in b:\n    for c in d:\n        e\n    else:\n        f"),
    ("redundant-continue", "for a in b:\n    for c in d:\n        e\n        continue\n    f",
     "for a in b:\n    for c in d:\n        e\n    f"),
    ("redundant-continue", "while a:\n    b\n    continue", None),
    ("redundant-continue-in-while", "while a:\n    b\n    continue", "while a:\n    b"),
    ("redundant-continue-in-while", "while True:\n    b\n    continue", None),
    # Spelling
    ("return-none", "if a:\n    return None\nb", "if a:\n    return\nb"),
    ("return-none", "if a:\n    return\nreturn 1", "if a:\n    return None\nreturn 1"),
    (
        "return-none",
        "def f():\n    return 1\nif a:\n    return None\nb",
        "def f():\n    return 1\nif a:\n    return\nb",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "before", "after"), CASES)
def test_transform(name: str, before: str, after: str | None) -> None:
    expected = print_tree(from_ast(ast.parse(before if after is None else after).body))
    assert transformed(before, only=name) == expected


@pytest.mark.parametrize(
    ("name", "source", "after"),
    [
        ("redundant-return", "a\nreturn", "a\nreturn"),
        ("redundant-return", "a; return", "a"),
        (
            "redundant-return",
            "if a:\n    b; return\nelse:\n    c\n    return",
            "if a:\n    b\nelse:\n    c\n    return",
        ),
        ("redundant-return", "'Doc.'\nreturn", "'Doc.'"),
        ("redundant-return", "return", "pass"),
        ("redundant-return", "def f():\n    a\n    return\nb; return", "def f():\n    a\n    return\nb"),
        ("redundant-continue", "for a in b:\n    c\n    continue", "for a in b:\n    c\n    continue"),
        ("redundant-continue", "for a in b:\n    c; continue", "for a in b:\n    c"),
    ],
)
def test_what_has_a_line_of_its_own_was_written_and_stays(name: str, source: str, after: str) -> None:
    assert transformed(source, only=name, keep_lines=True) == print_tree(from_ast(ast.parse(after).body))


@pytest.mark.parametrize("kind", ["module", "class"])
def test_no_return_is_left_at_the_end_of_a_module_or_a_class(kind: str) -> None:
    source = "if a:\n    return None\nelif b:\n    c\n    return None\nelse:\n    return None"
    assert transformed(source, kind) == "if a:\n    pass\nelif b:\n    c\n"


def test_a_commented_return_stays_in_a_function() -> None:
    last = n.Return()
    last.comments.append("why")
    body: list[n.Statement] = [n.Expr(n.Name("a")), last]
    apply_transforms(body, "function")
    assert body[-1] is last


def with_statement(name: str, line: int | None, body: list[n.Statement]) -> n.With:
    return n.With([n.withitem(n.Name(name))], body, line=line)


def test_with_statements_of_one_line_are_merged() -> None:
    inner = with_statement("c", 1, [n.Pass()])
    body: list[n.Statement] = [with_statement("a", 1, [with_statement("b", 1, [inner])])]
    apply_transforms(body, "function")
    assert print_tree(body) == "with a, b, c:\n    pass\n"


@pytest.mark.parametrize(
    ("outer_line", "inner_line", "more"), [(1, 2, []), (None, None, []), (1, 1, [n.Expr(n.Name("x"))])]
)
def test_other_with_statements_are_not_merged(
    outer_line: int | None, inner_line: int | None, more: list[n.Statement]
) -> None:
    inner = with_statement("b", inner_line, [n.Pass()])
    body: list[n.Statement] = [with_statement("a", outer_line, [inner, *more])]
    apply_transforms(body, "function")
    assert print_tree(body).startswith("with a:\n    with b:\n")


def test_each_transform_can_be_switched_off() -> None:
    body: list[n.Statement] = [n.Expr(n.Name("a")), n.Return(n.Constant(None))]
    apply_transforms(body, "function", ["redundant-return"])
    assert print_tree(body) == "a\nreturn\n"
    apply_transforms(body, "function", NAMES)
    assert print_tree(body) == "a\nreturn\n"


def test_unknown_names_are_errors() -> None:
    with pytest.raises(ValueError, match="no-such-transform"):
        check_names(["redundant-return", "no-such-transform"])


def test_transformed_functions_behave_the_same() -> None:
    source = textwrap.dedent("""
        def f(a, log):
            for b in a:
                if b == 1:
                    log.append('one')
                    continue
                elif b == 2:
                    log.append('two')
                    break
                else:
                    try:
                        log.append(1 / b)
                        continue
                    except ZeroDivisionError:
                        log.append('zero')
                        continue
                    finally:
                        log.append('finally')
            else:
                log.append('else')
                return None
            if a:
                log.append('end')
                return None
            else:
                return None
        """)
    tree = from_ast(ast.parse(source))
    forget_lines(tree.body[0].body)
    apply_transforms(tree.body[0].body, "function")
    printed = print_tree(tree)
    assert len(printed.splitlines()) < len(source.strip().splitlines())
    assert logs(printed) == logs(source)


def logs(source: str) -> list[list[object]]:
    namespace: dict[str, object] = {}
    exec(source, namespace)
    function = namespace["f"]
    results = []
    for argument in ([], [1], [2], [0, 1], [4, 2, 1], [1, 0, 5]):
        log: list[object] = []
        assert function(argument, log) is None  # type: ignore[operator]
        results.append(log)
    return results
