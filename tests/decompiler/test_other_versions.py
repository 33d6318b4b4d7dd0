"""Code of other versions of Python through the whole pipeline: compiled, printed and proven by those that are here."""

from __future__ import annotations

import pytest

import depyf
from depyf.decompiler.bytecode import load
from depyf.decompiler.bytecode.interpreters import HOST_VERSION, find_interpreter
from depyf.decompiler.bytecode.versions import TABLES
from depyf.decompiler.pipeline import standalone
from depyf.decompiler.proof import Level, compiler_pool, scaffold
from depyf.decompiler.proof.scaffold import compile_source
from depyf.decompiler.syntax.grammar import grammar_of

VERSIONS = [version for version in TABLES if find_interpreter(version)]

SOURCE = '''\
"""Documented."""

import os.path as path


def outer(a, *b, c=1, **d):
    """Documented too."""

    def inner(e):
        return lambda: (a, e)

    return inner


def plain(a, b):
    if a and not b:
        return a + b * 2
    return f'{a}{b}'
'''
"""A text that every version compiles, and that comes back as it is."""


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: "{}.{}".format(*version))
def test_code_of_every_version_here_comes_back(version):
    result = depyf.analyze(compile_source(SOURCE, version, filename="file"))
    assert result.source == SOURCE
    assert result.proven
    assert all((unit.code is not None) == (version == HOST_VERSION) for unit in result.walk())
    assert {unit.raw.version for unit in result.walk()} == {version}


COMPILED_OTHERWISE = '''\
async def loops(a, b):
    async for x, y in a:
        if x:
            continue
        if y:
            break
        b(x)
    else:
        b()
    async for a[b if x else y].c in a:
        await b
    async for x in a:
        pass
    async for x in a:
        async for y in x:
            return [z async for z in y if z]
    return {k: v async for k, v in a if k async for v in k}


async def in_clauses(a):
    try:
        async for b in a:
            if b:
                raise b
    except ValueError as e:
        async for b in e:
            await b
            return b
    else:
        async with a:
            async for b in a:
                return b


def comprehensions(a):
    return {k(): v() for k, v in a}, {k if v else a: v if k else a for k, v in a}


def left_by_name(a, b):
    for x in a:
        try:
            b()
        except ValueError as e:
            return b(e)
        except TypeError as e:
            for y in e:
                if y:
                    break
                return y
        except KeyError as e:
            break
'''
"""What 3.7 compiles in another way than all others: the ends of ``async for``, the order of keys and values in
dictionary comprehensions, and ways out of ``except ... as name``."""


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: "{}.{}".format(*version))
def test_what_the_oldest_version_compiles_otherwise_comes_back(version):
    result = depyf.analyze(compile_source(COMPILED_OTHERWISE, version, filename="file"))
    assert result.source == COMPILED_OTHERWISE
    assert all(unit.verdict.exact for unit in result.walk())


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: "{}.{}".format(*version))
def test_a_function_of_every_version_here_comes_back_alone(version):
    module = compile_source(SOURCE, version, filename="file")
    outer, plain = module.nested
    (inner,) = outer.nested
    for raw in (outer, plain, inner):
        result = depyf.analyze(raw)
        assert result.proven, result.source
        assert result.source.startswith(f"def {raw.name}(")


@pytest.fixture
def nobody(monkeypatch):
    """This interpreter's code is as that of another version, for which there is no compiler."""
    monkeypatch.setattr(scaffold, "HOST_VERSION", (3, 99))
    monkeypatch.setattr(compiler_pool, "find_interpreter", lambda version: None)
    compiler_pool.POOL.close()  # other tests may have left one that waits
    return "no CPython {}.{} found".format(*HOST_VERSION)


def test_without_a_compiler_the_text_stands_and_says_that_it_is_not_proven(nobody):
    raw = load(compile(SOURCE, "file", "exec", dont_inherit=True))
    result = depyf.analyze(raw)
    for unit in result.walk():
        assert unit.verdict.describe() == f"unproven: {nobody}"
        assert unit.source.startswith(f"# Not proven: {nobody}\n")
    assert result.source == f"# Not proven: {nobody}\n" + SOURCE
    assert depyf.decompile(raw) == result.source
    lines = result.source.splitlines()
    original = {lines[line - 1]: number for line, number in result.line_map.items()}
    assert original["def plain(a, b):"] == 1 + SOURCE.splitlines().index("def plain(a, b):")
    assert standalone(result.nested[0].nested[0]).startswith(f"# Not proven: {nobody}\n")


def test_without_a_compiler_what_is_refused_stays_refused(nobody):
    raw = load(compile("def f(): return a\ndef g(): return b", "file", "exec", dont_inherit=True))
    raw.nested[0].bytecode = b"\xff\xff" * 4
    levels = {unit.qualname: unit.verdict.level for unit in depyf.analyze(raw).walk()}
    assert levels == {"<module>": Level.UNPROVEN, "f": Level.REFUSED, "g": Level.UNPROVEN}


def test_quotes_nest_where_the_version_can_read_them():
    text = "def f(a):\n    return f'{a(\"\'\", '\\\\\"', \"\"\"\\'\\'\\'\\\\\"\"\")}'\n"
    for version in [one for one in VERSIONS if grammar_of(one).nested_quotes]:
        result = depyf.analyze(compile_source(text, version, filename="file"))
        assert result.proven, result.source


def test_an_index_with_stars_is_written_as_the_version_reads_it():
    for version in VERSIONS:
        (text,) = (
            depyf.analyze(compile_source("x = a[(*b,)], a[(c, *b)]\n", version, filename="file")).source.splitlines()
        )
        is_bare = grammar_of(version).starred_index
        assert text == ("x = (a[*b], a[c, *b])" if is_bare else "x = (a[(*b,)], a[(c, *b)])")
