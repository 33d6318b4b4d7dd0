"""What can't be written is refused, and what is written wrongly is found by the proof."""

from __future__ import annotations

import pytest

import depyf
from depyf.decompiler.driver import units
from depyf.decompiler.lift.handlers import HANDLERS
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.structure import if_statements, structurer
from depyf.errors import DecompilationError

UNKNOWN = "def f(x):\n return x[1]"


def function_code(source: str):
    return next(c for c in compile(source, "case.py", "exec").co_consts if hasattr(c, "co_code"))


@pytest.fixture
def no_subscripts(monkeypatch):
    """An operation that nobody knows to lift, and nobody to decompile by its events."""
    monkeypatch.delitem(HANDLERS, "BINARY_SUBSCR")
    monkeypatch.setattr(units, "FUNCTION_STRATEGIES", units.STRATEGIES)


def test_what_is_not_there_yet_is_refused_with_a_reason(no_subscripts):
    with pytest.raises(DecompilationError, match="BINARY_SUBSCR is not supported yet") as caught:
        depyf.decompile(function_code(UNKNOWN))
    assert "BINARY_SUBSCR" in caught.value.instructions


def test_a_refused_function_costs_only_itself(no_subscripts):
    source = f"def before(): return 1\n{UNKNOWN}\ndef after(): return 3\n"
    result = analyze(compile(source, "case.py", "exec"))
    verdicts = {unit.qualname: unit.verdict.level.value for unit in result.walk()}
    assert verdicts == {"<module>": "identical", "before": "identical", "f": "refused", "after": "identical"}
    namespace: dict = {}
    exec(result.source, namespace)
    assert (namespace["before"](), namespace["after"]()) == (1, 3)
    with pytest.raises(NotImplementedError, match="depyf: f: "):
        namespace["f"]([1, 2])


@pytest.mark.parametrize(
    "source",
    [
        "def f(a, b):\n if a:\n  b()\n return a",
        "def f(a, b):\n if a: return b()\n elif b: a()\n return 1",
    ],
)
def test_a_planted_bug_is_never_printed_as_proven(monkeypatch, source):
    assert analyze(function_code(source)).form == "structured"
    original = if_statements.write_if

    def swapped(writer, node, follow, context, out):
        node.terminator = node.terminator._replace(true=node.false, false=node.true)
        return original(writer, node, follow, context, out)

    monkeypatch.setattr(if_statements, "write_if", swapped)
    result = analyze(function_code(source))
    assert result.form != "structured"
    if result.verdict.proven:  # another way was found, and proven
        assert result.form == "events"


def test_a_lost_statement_is_an_error(monkeypatch):
    code = function_code("def f(a):\n if a:\n  a()\n return a.b")
    monkeypatch.setattr(structurer.Structurer, "arm", lambda self, node, target, end, context: [])
    result = analyze(code)
    assert result.form != "structured"


def indented(text):
    return "\n".join("    " + line for line in text.splitlines())


@pytest.mark.parametrize("around", ["with a:", "try:", "for x in a:", "while b:"])
@pytest.mark.parametrize("loop", ["while a:", "while a and b:", "while True:"])
@pytest.mark.parametrize("body", ["pass", "...", "break", "try:\n    pass\nfinally:\n    pass"])
def test_a_loop_whose_body_is_a_try_statement_without_effect(around, loop, body):
    """Its NOPs are in the statement around the loop, though no exception range covers the first of them."""
    inner = f"try:\n{indented(body)}\nexcept E:\n    pass"
    end = "\nexcept F:\n    a()" if around == "try:" else ""
    text = "def f(a, b):\n" + indented(f"{around}\n{indented(loop + chr(10) + indented(inner))}{end}")
    for one in analyze(compile(text, "<text>", "exec")).walk():
        assert one.verdict.proven, text
