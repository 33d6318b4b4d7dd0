"""The order of local variables is compared where the code may look at it."""

from __future__ import annotations

import pytest

from depyf.decompiler.bytecode.interpreters import HOST_VERSION, find_interpreter
from depyf.decompiler.bytecode.versions import HOSTS
from depyf.decompiler.driver.settings import DEFAULT
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.proof import Level, compile_module, prove
from depyf.decompiler.proof.scaffold import compile_source
from depyf.decompiler.proof.side_conditions.real_names import ANY_ORDER

VERSIONS = [one for one in HOSTS if one == HOST_VERSION or find_interpreter(one)]
LOOKS = {
    "locals": "','.join(locals())", "vars": "[*vars()]", "dir": "dir()", "eval": "eval('[*locals()]')",
    "exec": "exec('x.extend(locals())')",
}  # fmt: skip
BODIES = {
    "a loop that never runs": "    while 0: c = 1\n    a = c = x\n",
    "behind a docstring": "    'doc'\n    while 0: c = 1\n    a = c = x\n",
    "a loop's variable": "    while 0:\n        c = 1\n        b = 1\n    for a in x:\n        b = c = a\n",
    "a cell": "    while 0: d = c = 1\n    a = lambda: b\n    b = c = d = x\n",
    "several parameters": "    while 0: c = 1\n    a = c = x\n",
}


def raw(header: str, body: str, look: str) -> str:
    return f"def f({header}):\n{body}    return {look}\n"


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("look", LOOKS)
def test_the_text_has_the_same_order(look, body):
    header = "x, /, y=1, *z, k, **m" if body == "several parameters" else "x"
    source = raw(header, BODIES[body], LOOKS[look])
    for version in VERSIONS:
        result = analyze(compile_source(source, version))
        again = compile_source(result.source, version)
        assert all(one.verdict.exact and not one.verdict.assumptions for one in result.walk()), version
        variables = [list(code.nested[0].localsplus) for code in (result.raw, again)]
        assert variables[0] == variables[1], version


def test_without_a_text_in_that_order_the_verdict_says_what_it_assumes():
    source = raw("x", BODIES["a loop that never runs"], "locals()")
    settings = DEFAULT._replace(skip_rules=frozenset(["dead:order"]), searches=False)
    for version in VERSIONS:
        code = compile_source(source, version)
        _, f = analyze(code, settings=settings).walk()
        is_other = code.nested[0].varnames == ("x", "c", "a")  # 3.8 forgets what a loop that never runs mentions
        assert (f.verdict.level is Level.EQUIVALENT) == (ANY_ORDER in f.verdict.assumptions) == is_other, version


def test_another_order_is_no_exact_code_where_it_is_looked_at():
    for look, level in (("locals()", Level.EQUIVALENT), ("x.append", Level.EXACT)):
        one, other = (
            compile_module(f"def f(x):\n    if 0: {text} = 1\n    a = b = x\n    return {look}\n").nested[0]
            for text in ("b = a", "a = b")
        )
        assert prove(one, other).level is level
