"""What the comparison of syntax trees takes for the same, the compiler makes the same of; nothing else is the same."""

from __future__ import annotations

import pytest

import same_tree
from depyf.decompiler.bytecode import load
from depyf.decompiler.proof import prove_all


def function(body: str) -> str:
    return "def f(a, b, c, x):\n" + "".join(f"    {line}\n" for line in body.splitlines())


def is_same(one: str, other: str) -> bool:
    return same_tree.compare(function(one).encode(), function(other)).differences == ()


SAME_CODE = [
    ("y: int = x\nreturn y", "y = x\nreturn y"),
    ("a()\npass\n1", "a()"),
    ("return None", "return"),
    ("a()\nreturn", "a()"),
    ("if a:\n    return 1\nelse:\n    b()", "if a:\n    return 1\nb()"),
    ("if a:\n    if b:\n        c()", "if a and b:\n    c()"),
    ("with a:\n    with b:\n        c()", "with a, b:\n    c()"),
    ("import m, n", "import m\nimport n"),
    ("del a, b", "del (a, b)"),
    ("del a, b", "del a\ndel b"),
    ("return not a in b", "return a not in b"),
    ("if not (a or b):\n    c()", "if not a and not b:\n    c()"),
    ("while 1:\n    a()", "while True:\n    a()"),
    ("return a in [1, 2]", "return a in (1, 2)"),
    ("return a in {'y', 'x'}", "return a in {'x', 'y'}"),
    ("for y in [1, x]:\n    a()", "for y in (1, x):\n    a()"),
    ("for y in x:\n    if y:\n        a()\n        continue", "for y in x:\n    if y:\n        a()"),
    ("return 1\na()", "return 1"),
    ("return 2 * 3600", "return 7200"),
    ("return -1", "return (-1)"),
    ("[a, b] = x", "a, b = x"),
    ("return f'{a}' 'b' f'{c}'", "return f'{a}b{c}'"),
    ("global g, h\ng = h = 1", "global g\nglobal h\ng = h = 1"),
]
if same_tree.FORMATS_PERCENT:
    SAME_CODE += [
        ("return '%s' % (a,)", "return f'{a!s}'"),
        ("return 'x%r-%s%%y' % (a, b)", "return f'x{a!r}-{b!s}%y'"),
    ]


if same_tree.FOLDS_SETS:
    SAME_CODE.append(("return {3, 1, 2}", "return {1, 2, 3}"))


@pytest.mark.parametrize("one, other", SAME_CODE)
def test_what_the_compiler_makes_the_same_of_is_the_same(one, other):
    assert is_same(one, other)
    codes = [load(compile(function(text), "f.py", "exec")) for text in (one, other)]
    proofs = prove_all(*codes)
    assert all(verdict.exact for verdict, _ in proofs.values())


def test_the_indentation_of_a_docstring_does_not_matter():
    assert is_same('"""One.\n\n    Two.\n    """\nreturn a', '"""One.\n\nTwo.\n"""\nreturn a')
    assert not is_same('"""One."""', '"""Two."""')


@pytest.mark.parametrize(
    "one, other",
    [
        ("return a", "return b"),
        ("return 1", "return 1.0"),
        ("return 0.0", "return -0.0"),
        ("if a:\n    b()\nelse:\n    c()", "if a:\n    b()\nc()"),
        ("if a:\n    return 1\nb()", "if a:\n    return 1\nb()\nc()"),
        ("while a:\n    b()\n    break", "while a:\n    b()"),
        ("try:\n    a()\nexcept b:\n    pass", "try:\n    a()\nexcept c:\n    pass"),
        ("return a or b", "return a and b"),
        ("return a < b", "return b > a"),
        ("return '%d' % (a,)", "return f'{a}'"),
        ("return {2, 1}", "return {1, 2}"),
        ("return {b, a, c}", "return {a, b, c}"),
        ("for y in x:\n    continue", "for y in x:\n    break"),
        ("a()\nb()", "b()\na()"),
        ("def g():\n    return a\nreturn g", "def g():\n    return b\nreturn g"),
    ],
)
def test_what_differs_is_not_the_same(one, other):
    assert not is_same(one, other)
    assert is_same(one, one)


def test_functions_meet_by_name_and_order_and_a_lost_one_counts():
    author = b"class A:\n    def f(self): return 1\n    def f(self): return 2\ndef g(): pass\n"
    ours = "class A:\n    def f(self): return 1\n    def f(self): return 3\n"
    trees = same_tree.compare(author, ours)
    assert (trees.functions, trees.same) == (3, 1)
    assert trees.differences == (("A.f", "Constant.value: int value became int value"), ("g", "missing"))


@pytest.mark.parametrize(
    "one, other",
    [
        ('"""One.\n\n    Two.\n    """\nreturn a', '"""One.\n\nTwo.\n"""\nreturn a'),
        ("return 2 * 3600", "return 7200"),
        ("return b'a'[0]", "return 97"),
        ("return a in [1, 2]", "return a in (1, 2)"),
    ],
)
def test_strictly_the_same_are_docstrings_and_folded_constants(one, other):
    assert is_same(one, other)
    assert same_tree.compare(function(one).encode(), function(other), is_strict=True).differences == ()


@pytest.mark.parametrize("one, other", SAME_CODE)
def test_other_forms_are_strictly_different(one, other):
    trees = same_tree.compare(function(one).encode(), function(other), is_strict=True)
    texts = list(same_tree.different_texts(function(one).encode(), function(other)))
    assert len(texts) == len(trees.differences)
    constants = one in ("return a in [1, 2]", "return a in {'y', 'x'}", "return 2 * 3600", "return -1",
                        "return {3, 1, 2}", "return f'{a}' 'b' f'{c}'")  # fmt: skip
    assert constants == (not trees.differences)
