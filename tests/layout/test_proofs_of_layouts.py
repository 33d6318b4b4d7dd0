"""How many texts are compiled and proven until one is laid out."""

from __future__ import annotations

from typing import Any, List, Tuple

import pytest

from depyf import analyze
from depyf.decompiler.driver.decompilation import Decompilation

PLAIN = "def f(a):\n\n    # why\n    b = a + 1\n    return [\n        b,\n        2,\n    ]\n"
OTHER = "def f(a):\n    if a: raise\n    assert a\n"


@pytest.fixture
def proven(monkeypatch: pytest.MonkeyPatch) -> List[Tuple[str, str]]:
    """What is done, and the text that it is done with."""
    found: List[Tuple[str, str]] = []

    def noted(name: str) -> None:
        method = getattr(Decompilation, name)

        def wrapper(work: Decompilation, *args: Any, **options: Any) -> Any:
            found.append((name, args[1] if name == "compile" else work.candidate.text))
            return method(work, *args, **options)

        monkeypatch.setattr(Decompilation, name, wrapper)

    for name in ("compile", "prove", "prove_against"):
        noted(name)
    return found


def test_what_is_identical_once_laid_out_needs_no_other_proof(proven: List[Tuple[str, str]]) -> None:
    result = analyze(compile(PLAIN, "<text>", "exec"), layout="author")
    assert all(one.verdict.identical and one.verdict.lines for one in result.walk())
    assert [text for name, text in proven if name != "compile"] == [result.source.rstrip("\n") + "\n"]


def test_lines_that_lie_end_with_the_text_that_is_as_good_as_compact_text(proven: List[Tuple[str, str]]) -> None:
    code = compile(OTHER, "<text>", "exec")
    lying = code.replace(co_consts=tuple(
        one.replace(co_firstlineno=3 if one.co_firstlineno == 1 else 1) if hasattr(one, "co_code") else one
        for one in code.co_consts
    ))  # fmt: skip
    compact = [one.verdict.level for one in analyze(lying).walk()]
    proven.clear()
    result = analyze(lying, layout="author")
    assert [one.verdict.level for one in result.walk()] == compact
    compiled = [text for name, text in proven if name == "compile"]
    assert len(compiled) == len(set(compiled))
