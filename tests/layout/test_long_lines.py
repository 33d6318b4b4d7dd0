"""To 3.9, a long line may keep the compiler from optimising the code: then it is not refused."""

from __future__ import annotations

from depyf.decompiler.bytecode.interpreters import find_interpreter
from depyf.decompiler.bytecode.versions import HOSTS
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.proof.scaffold import compile_source

VERSIONS = [one for one in HOSTS if one < (3, 10) and find_interpreter(one)]


def test_a_long_display_beside_a_constant_tuple():
    rows = "".join(f"    'a{number}': b,\n" for number in range(200))
    source = f"def f(a=None, c=1):\n    return a\n\n\nx = {{\n{rows}}}\ny = x\n"
    for version in VERSIONS:
        result = analyze(compile_source(source, version), layout="author")
        assert all(part.verdict.identical and part.verdict.lines for part in result.walk()), result.source
