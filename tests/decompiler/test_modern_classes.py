"""Classes of new versions: annotations in code that is folded away, one line, variables of two scopes with one name."""

from __future__ import annotations

import itertools

import pytest

from depyf.decompiler.bytecode.interpreters import HOST_VERSION, find_interpreter
from depyf.decompiler.bytecode.versions import HOSTS
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.proof import Level, prove
from depyf.decompiler.proof.scaffold import compile_source

VERSIONS = [one for one in HOSTS if one == HOST_VERSION or find_interpreter(one)]

ANNOTATED = {
    "plain": "a: int", "with a value": "b: int = 1", "not debug": "if not __debug__: c: int",
    "debug": "if __debug__: d: int", "never": "if False: e: int", "always": "if True: f: int",
    "tested": "if x:\n    g: int\n  else:\n    h: int", "loop that never runs": "while 0: i: int",
    "finally": "try:\n    j: int\n  finally:\n    k: int = 1",
    "else of never": "if False:\n    l: int\n  else:\n    m: int",
}  # fmt: skip


@pytest.mark.parametrize("one, other", list(itertools.permutations(ANNOTATED, 2)))
def test_annotations_in_folded_code(one, other):
    for header, version in itertools.product(("class C:\n", "class C[int]:\n"), VERSIONS):
        if "[" in header and version < (3, 12):
            continue
        source = f"{header}  {ANNOTATED[one]}\n  {ANNOTATED[other]}\n"
        for optimize in (0, 1):
            result = analyze(compile_source(source, version, optimize=optimize))
            assert all(part.verdict.proven for part in result.walk()), (version, optimize, source)


ONE_LINE = (
    "class K[T]: a: T", "class K[T](B): a: T; b = 1", "class K[T]: 'doc'; a: T = 1", "class K[*T]: a: int; b: T",
    "def f[T](x: T): a: T = 1; return a", "class K[T = int]: a: T", "class K: a: int; b: str = 1", "class K[T]: pass",
)  # fmt: skip


@pytest.mark.parametrize("source", ONE_LINE)
@pytest.mark.parametrize("layout", ["compact", "author"])
def test_one_line(source, layout):
    for version in VERSIONS:
        if "[" not in source or version >= (3, 13) or version == (3, 12) and " = int]" not in source:
            result = analyze(compile_source(source + "\n", version), layout=layout)
            assert all(part.verdict.exact for part in result.walk()), (version, result.source)
            assert layout == "compact" or version < (3, 12) or result.source.count("\n") == 1


TWINS = (
    "y = x\n  z = [lambda: x for x in y]", "z = {x: (lambda: x) for x in y}\n  def m(self): return x",
    "x\n  z = [lambda: x for x in y]\n  w = [lambda: x for x in y]", "z = [[lambda: x for x in q] for q in x]",
    "z = [(x, lambda: x) for x in y if x]\n  a = x", "z = {x: lambda: x for x in x}\n  del z", "z = [x for x in x]",
    "z = [lambda: x for x in y]\n  class D:\n   w = x", "z = {lambda: x for x in y for w in x}\n  a = x",
)


@pytest.mark.parametrize("body", TWINS)
def test_a_comprehension_in_a_class_has_a_variable_of_the_name_of_a_free_one(body):
    for version in VERSIONS:
        source = f"def f(x, y):\n class C:\n  {body}\n return C\n"
        result = analyze(compile_source(source, version), layout="author")
        assert all(part.verdict.identical for part in result.walk()), (version, result.source)


@pytest.mark.parametrize("version", VERSIONS)
def test_code_that_mixes_two_variables_of_one_name_is_only_proven_if_identical(version):
    """3.13.0 mixes the slots of both, so what the instructions mean is not known."""
    source = "def f(x, y):\n class C:\n  {}\n  z = [lambda: x for x in y]\n  a = x\n"
    one, other = (
        compile_source(source.format(text), version).nested[0].nested[0] for text in ("pass", "pass\n  pass")
    )
    assert prove(one, one).identical
    verdict = prove(one, other)
    assert (verdict.level is Level.UNPROVEN) == bool(one.unclear and not verdict.identical)
