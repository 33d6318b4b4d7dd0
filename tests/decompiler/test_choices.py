"""What evidence did not decide is a recorded choice, and the search flips those and no others."""

from __future__ import annotations

import pytest

from depyf.decompiler.driver.settings import Settings
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.surface_forms.changes import changes
from depyf.decompiler.surface_forms.choices import left_open
from depyf.decompiler.surface_forms.kinds import KINDS
from depyf.decompiler.syntax import nodes

NAME = nodes.Name("a")


def placed(statement, column):
    statement.column = column
    return statement


def call(column):
    return placed(nodes.Expr(nodes.Call(NAME, [], [])), column)


def kinds(body):
    found = {change.kind for change in left_open(changes(body, "module")) if change.of is body[0]}
    return {kind for kind in found if "pass" not in kind}


def leaving_if(column, inner, following):
    return [placed(nodes.If(NAME, [placed(nodes.Raise(NAME), inner)]), column), call(following)]


def test_columns_that_agree_with_the_tree_decide():
    assert not kinds(leaving_if(0, 4, 0))


@pytest.mark.parametrize("columns", [(None, None, None), (0, None, 0), (0, 4, None), (None, 4, 0)])
def test_unknown_columns_leave_it_open(columns):
    assert "if:rest-into-else" in kinds(leaving_if(*columns))


def test_columns_that_contradict_the_tree_leave_it_open():
    assert "if:rest-into-else" in kinds(leaving_if(0, 4, 4))
    clause = placed(nodes.If(NAME, [call(4)], [call(0)]), 0)
    assert kinds([clause])


def test_an_elif_has_the_column_of_its_keyword():
    inner = placed(nodes.If(NAME, [call(4)]), 2)
    assert not kinds([placed(nodes.If(NAME, [call(4)], [inner]), 0)])


def test_columns_do_not_show_an_arm_that_is_empty():
    body = [placed(nodes.If(NAME, [call(4)]), 0), call(0)]
    assert {change.kind for change in left_open(changes(body, "module"))} == {"if:else-pass", "if:pass-else"}


def test_every_kind_that_is_proposed_is_described():
    tried = nodes.Try([call(None)], [nodes.ExceptHandler(None, None, [call(None)])])
    body = [nodes.If(NAME, [nodes.Return(NAME)]), tried]
    assert {change.kind for change in changes(body, "function")} <= KINDS.keys()


def test_a_result_lists_its_choices():
    code = compile("def f(a):\n    if a:\n        return 1\n    a()\n    return 2\n", "case.py", "exec")
    (inner,) = [one for one in code.co_consts if hasattr(one, "co_code")]
    table = "co_linetable" if hasattr(inner, "co_linetable") else "co_lnotab"
    (choice, *_) = analyze(inner.replace(**{table: b""})).choices
    assert "if:rest-into-else" in choice.kinds


def test_what_dead_code_left_is_searched_unless_skipped():
    code = compile("def f(a):\n    return a\n    a.b()", "case.py", "exec")
    (code,) = [one for one in code.co_consts if hasattr(one, "co_code")]
    assert "dead:names" in analyze(code).search.tried
    skipped = analyze(code, settings=Settings(skip_rules=frozenset(["dead:names"])))
    assert "dead:names" not in skipped.search.tried


def test_a_kind_can_be_skipped():
    code = compile("a", "case.py", "exec")
    analyze(code, settings=Settings(skip_rules=frozenset(["if:rest-into-else"])))
    with pytest.raises(ValueError, match="no rule: if:no-such-kind"):
        analyze(code, settings=Settings(skip_rules=frozenset(["if:no-such-kind"])))
