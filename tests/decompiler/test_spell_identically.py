"""Dead code of the compilers of 3.8 and 3.9 as evidence: the text has the ``else`` that its author wrote."""

from __future__ import annotations

import pytest

from depyf.decompiler.bytecode import RawCode
from depyf.decompiler.bytecode.dead_code import first_dead_difference
from depyf.decompiler.bytecode.interpreters import find_interpreter
from depyf.decompiler.driver.settings import Settings
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.proof.scaffold import compile_source

LEAVE_DEAD_CODE = [version for version in ((3, 8), (3, 9)) if find_interpreter(version) is not None]
CASES = {
    "else: return": "def f(a):\n    if a:\n        return a()\n    else:\n        return b()\n",
    "no else": "def f(a):\n    if a:\n        return a()\n    return b()\n",
    "elif behind raise": "def f(a):\n    if a:\n        raise b\n    elif c:\n        d()\n",
    "if behind raise": "def f(a):\n    if a:\n        raise b\n    if c:\n        d()\n",
    "else of try": (
        "def f(a):\n    try:\n        b = a()\n    except c:\n        return d()\n    else:\n        return b\n"
    ),
    "behind try": "def f(a):\n    try:\n        b = a()\n    except c:\n        return d()\n    return b\n",
    "else in else": (
        "def f(a):\n    if a:\n        if b:\n            return 1\n        else:\n            return 2\n"
        "    else:\n        return 3\n"
    ),
    "else in a loop": (
        "def f(a):\n    for b in a:\n        if b:\n            return b\n        else:\n            return c\n"
    ),
    "statements behind an elif": (
        "def f(a):\n    if a:\n        raise b\n    elif c:\n        d()\n    return e\n"
    ),
    "a chain of elif": (
        "def f(a):\n    if a == 1:\n        return b\n    elif a == 2:\n        return c\n    else:\n        return d\n"
    ),
    "a condition apart from a chain": (
        "def f(a):\n    if a == 1:\n        return b\n\n    if a == 2:\n        return c\n    else:\n        return d\n"
    ),
    "else behind a handler that leaves, with a name": (
        "def f(a):\n    try:\n        b = a()\n    except c as d:\n        return d\n    else:\n        return b\n"
    ),
    "else of raising branches": (
        "def f(a):\n    if a > 1:\n        raise b('c', d)\n    elif a == 1:\n        raise b('e', d)\n"
        "    else:\n        raise b('g')\n"
    ),
    "else of try in a loop": (
        "def f(a):\n    for b in a:\n        try:\n            b()\n        except c:\n            pass\n"
        "        else:\n            d()\n"
    ),
    "continue in a handler that ends a loop": (
        "def f(a):\n    for b in a:\n        try:\n            b()\n        except c:\n            continue\n"
    ),
    "continue behind an if": (
        "def f(a):\n    for b in a:\n        if not b:\n            if c:\n                d()\n            continue\n"
        "        if e:\n            g()\n        h()\n"
    ),
    "break behind a try": (
        "def f(a):\n    while True:\n        try:\n            b = a()\n        except c:\n            if d:\n"
        "                continue\n            b = 1\n        break\n    return g(b, b)\n"
    ),
    "else: pass": "def f(a):\n    if a:\n        b()\n    else:\n        pass\n    return c\n",
}


def compiled(text: str, version: tuple[int, int]) -> RawCode:
    return compile_source(text, version, filename="file").nested[0]


@pytest.mark.parametrize("name", CASES)
def test_the_author_s_else_comes_back(name: str) -> None:
    for version in LEAVE_DEAD_CODE:
        the_else_comes_back(version, name)


def the_else_comes_back(version: tuple[int, int], name: str) -> None:
    text = CASES[name]
    result = analyze(compiled(text, version))
    assert result.verdict.identical, (result.source, result.verdict.differs)
    assert result.source == text.replace("\n\n", "\n")


def test_it_is_a_search_that_can_be_switched_off() -> None:
    for version in LEAVE_DEAD_CODE:
        it_is_a_search_that_can_be_switched_off(version)


def it_is_a_search_that_can_be_switched_off(version: tuple[int, int]) -> None:
    raw = compiled(CASES["else: return"].replace("else:\n", "else:"), version)  # its line does not tell
    plain = analyze(raw, settings=Settings(searches=False))
    assert plain.verdict.exact and not plain.verdict.identical
    assert "else" not in plain.source and "else" in analyze(raw).source


def test_dead_statements_are_no_evidence() -> None:
    for version in LEAVE_DEAD_CODE:
        dead_statements_are_no_evidence(version)


def dead_statements_are_no_evidence(version: tuple[int, int]) -> None:
    raw = compiled("def f(a):\n    raise a\n    b(c)\n", version)
    result = analyze(raw)
    assert result.verdict.exact and result.source == "def f(a):\n    raise a\n"
    other = compiled("def f(a):\n    raise a\n", version)
    assert first_dead_difference(raw, other) is None


def test_the_first_dead_code_that_differs_is_found() -> None:
    for version in LEAVE_DEAD_CODE:
        the_first_dead_code_that_differs_is_found(version)


def the_first_dead_code_that_differs_is_found(version: tuple[int, int]) -> None:
    with_else, without = (compiled(CASES[name], version) for name in ("elif behind raise", "if behind raise"))
    found = first_dead_difference(with_else, without)
    assert found is not None and (found.missing, found.line, found.target) == (True, 3, 5)
    back = first_dead_difference(without, with_else)
    assert back is not None and (back.missing, back.position) == (False, found.position)
    assert first_dead_difference(with_else, with_else) is None


def test_jumps_that_lead_elsewhere_are_found() -> None:
    for version in LEAVE_DEAD_CODE:
        jumps_that_lead_elsewhere_are_found(version)


def jumps_that_lead_elsewhere_are_found(version: tuple[int, int]) -> None:
    texts = "def f(a):\n    if a:\n        b()\n    else:\n        pass\n", "def f(a):\n    if a:\n        b()\n"
    left, right = (compiled(text, version) for text in texts)
    found = first_dead_difference(left, right)
    assert found is not None and (found.missing, found.is_jump, found.far) == (True, True, 1)


def test_instructions_that_differ_elsewhere_are_no_dead_code(compile_one) -> None:
    left, right = compile_one("def f(a): return a + 1"), compile_one("def f(a): return a(1)")
    assert first_dead_difference(left, right) is None


@pytest.fixture
def compile_one():
    from depyf.decompiler.bytecode import load

    return lambda text: load(compile(text, "file", "exec", dont_inherit=True)).nested[0]
