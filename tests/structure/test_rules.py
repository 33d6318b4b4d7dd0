"""The structurer's rules are asked in their order, and each can be switched off."""

from __future__ import annotations

import pytest

from depyf.decompiler.driver.settings import Settings
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.structure import RULES, check_rules
from depyf.decompiler.structure.rules import Rules

LOOP = """def f(a):
    for b in a:
        try:
            a()
        except KeyError:
            print(1)
        print(2)
    print(3)
"""


def small(number):
    """Small numbers."""
    return "small" if number < 10 else None


def _even(number):
    """Even numbers."""
    return "even" if number % 2 == 0 else None


NUMBERS = Rules("number", small, _even)


def test_the_first_rule_with_an_answer_decides():
    assert [NUMBERS.decide(number) for number in (2, 3, 20, 21)] == ["small", "small", "even", None]


def test_a_skipped_rule_is_not_asked():
    assert list(NUMBERS.rules) == ["number:small", "number:even"]
    assert NUMBERS.decide(2, {"number:small"}) == "even"
    assert NUMBERS.decide(3, {"number:small"}) is None


def test_every_rule_says_what_it_recognises():
    assert len(RULES) > 20
    assert [name for name, text in RULES.items() if not text.rstrip().endswith(".")] == []


def test_a_rule_that_is_switched_off_gives_another_form_that_is_proven():
    code = compile(LOOP, "case.py", "exec")
    assert analyze(code).source == LOOP
    other = analyze(code, settings=Settings(skip_rules=frozenset({"jump:falls-off"}), searches=False))
    assert other.source != LOOP
    assert all(unit.verdict.proven for unit in other.walk())


def test_an_unknown_rule_is_an_error():
    check_rules(["jump:break"])
    with pytest.raises(ValueError, match="no-such-rule"):
        check_rules(["jump:break", "jump:no-such-rule"])
    with pytest.raises(ValueError, match="no-such-rule"):
        analyze(compile("a", "case.py", "exec"), settings=Settings(skip_rules=frozenset({"no-such-rule"})))
