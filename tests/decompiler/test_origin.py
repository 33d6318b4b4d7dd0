"""Whether a tool made the code is for the caller to say: what its variables are called does not tell."""

from __future__ import annotations

import pytest

from depyf.decompiler.driver.settings import Origin, Settings
from depyf.decompiler.names.naming_hints import NO_HINTS, NamingHints
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.proof import Level
from depyf.explain.transformed.decompiled import decompiled
from depyf.explain.transformed.origin import DYNAMO

SOURCES = (
    "def f(a):\n    tmp_1 = a + 1\n    a.g(tmp_1)\n    return tmp_1 * 2\n",
    "def f(a):\n    graph_out_0 = a()\n    for ___stack1 in graph_out_0:\n        print(___stack1)\n",
    "def f():\n    ___context_manager_0_1 = open('a')\n\n    def g():\n        tmp_2 = 3\n"
    "        return tmp_2\n    return g, ___context_manager_0_1\n",
)  # fmt: skip


def code_of(source: str):
    space: dict = {}
    exec(source, space)
    return space["f"].__code__


@pytest.mark.parametrize("source", SOURCES)
def test_names_that_a_tool_could_have_made_up_are_kept(source: str):
    result = analyze(code_of(source))
    assert result.proven and Level.EQUIVALENT not in [part.verdict.level for part in result.walk()]
    assert result.source.replace("\n\n", "\n") == source.replace("\n\n", "\n")


def test_code_that_is_dynamos_is_written_without_them():
    result = analyze(code_of(SOURCES[0]), settings=Settings(origin=DYNAMO))
    assert result.proven and result.form == "events" and "tmp_1" not in result.source


def test_the_torch_side_keeps_names_in_the_users_own_code():
    code = code_of(SOURCES[0])
    assert "tmp_1" in decompiled(code, by_dynamo=False).source
    assert "tmp_1" not in decompiled(code).source


def test_another_tool_has_other_names():
    naming = NamingHints(is_made_up=lambda name: name.startswith("zz_"), local_hint=lambda name: "sum")
    code = code_of(SOURCES[0].replace("tmp_1", "zz_1"))
    text = analyze(code, settings=Settings(origin=Origin(naming.is_made_up, naming))).source
    assert "zz_1" not in text
    assert "zz_1" in analyze(code, settings=Settings(origin=Origin(naming.is_made_up, NO_HINTS))).source


def test_where_nobody_says_what_made_the_code_its_effects_are_named_in_dynamos_words():
    """The code of Dynamo that programs have decompiled for years has no origin."""
    assert Settings().origin.naming.is_made_up("graph_out_0") and not Settings().origin.is_made_up("graph_out_0")
