"""Objects among the constants of code, as tools and obfuscators put there: each has a name in the text."""

from __future__ import annotations

import marshal
import types

import pytest

import depyf
from depyf.decompiler.bytecode import read_code
from depyf.decompiler.bytecode.interpreters import HOST_VERSION
from depyf.decompiler.pipeline import analyze, standalone, standalone_text

INNER = compile("print('inside')\nx = [a for a in b]\n", "inner.py", "exec")


class Probe:
    def __init__(self):
        self.calls = []

    def __call__(self, *given):
        self.calls.append(given)
        return 7


def with_constants(code, **constants):
    """`code` and all code nested in it with these in place of the strings that they are called."""

    def replaced(constant):
        if isinstance(constant, types.CodeType):
            return with_constants(constant, **constants)
        if isinstance(constant, tuple):
            return tuple(map(replaced, constant))
        return constants.get(constant, constant) if isinstance(constant, str) else constant

    return code.replace(co_consts=tuple(map(replaced, code.co_consts)))


@pytest.fixture
def compiled():
    """Compiles a module with objects in the place of strings."""

    def compiled(source, **constants):
        with pytest.warns() if "'(" in source else _nothing():
            code = compile(source, "program.py", "exec", dont_inherit=True)
        return with_constants(code, **constants)

    return compiled


class _nothing:
    def __enter__(self):
        return self

    def __exit__(self, *given):
        return False


PLACES = {
    "a function": "def f(x):\n    return 'PROBE'(x) + 1\n",
    "a function in a function": "def f(x):\n    def g(y):\n        return 'PROBE'(y) + 1\n\n    return g(x)\n",
    "a lambda": "def f(x):\n    return (lambda y: 'PROBE'(y) + 1)(x)\n",
    "a comprehension": "def f(x):\n    return ['PROBE'(y) + 1 for y in x]\n",
    "a method": "class C:\n    def m(self, x):\n        return 'PROBE'(x) + 1\n\n\ndef f(x):\n    return C().m(x)\n",
}


@pytest.mark.parametrize("place", PLACES)
def test_an_object_has_a_name_and_is_put_back(compiled, place):
    probe = Probe()
    code = compiled(PLACES[place], PROBE=probe)
    result = analyze(code)
    assert all(one.verdict.identical for one in result.walk()), result.source
    heading = "# Probe_constant is an object of type Probe, a constant that `recompile` puts back\n"
    assert result.source == heading + PLACES[place].replace("'PROBE'", "Probe_constant")
    space = {}
    exec(depyf.recompile(result.source, code), space)
    given = [3] if place == "a comprehension" else 3
    assert (space["f"](given), probe.calls) == ([8] if given == [3] else 8, [(3,)])


def test_two_objects_and_one_in_a_tuple(compiled):
    first, second = Probe(), Probe()
    code = compiled("def f():\n    return 'A'(), ('B', 1)\n", A=first, B=second)
    result = analyze(code)
    assert result.proven
    assert "return Probe_constant(), (Probe_constant_1, 1)" in result.source
    space = {}
    exec(depyf.recompile(result.source, code), space)
    assert space["f"]() == (7, (second, 1))


CARRIERS = ("z = 1\nexec('CODE')\n", "def f():\n    exec('CODE', {})\n    return 2\n", "a = ('CODE', 1)\n")


@pytest.mark.parametrize("source", CARRIERS)
@pytest.mark.parametrize("is_file", [False, True])
def test_code_that_no_function_is_made_of_is_shown(compiled, source, is_file):
    code = compiled(source, CODE=INNER)
    given = read_code(marshal.dumps(code), HOST_VERSION) if is_file else code
    result = analyze(given)
    assert result.proven, result.source
    heading, *shown = result.source.splitlines()[:3]
    assert heading == "# code_of__module is the code object <module>, a constant that `recompile` puts back:"
    assert shown == ["#     print('inside')", "#     x = [a for a in b]"]
    assert result.source.endswith(source.replace("'CODE'", "code_of__module"))
    (inner,) = [one for one in result.walk() if one.raw is not None and one.raw.filename == "inner.py"
                and one.name == "<module>"]  # fmt: skip
    assert inner.source == "print('inside')\nx = [a for a in b]\n"
    assert inner.verdict.identical


@pytest.mark.parametrize("source", CARRIERS)
def test_code_that_is_refused_does_not_hide_in_a_constant(compiled, source):
    broken = INNER.replace(co_code=INNER.co_code[:-2])
    result = analyze(read_code(marshal.dumps(compiled(source, CODE=broken)), HOST_VERSION))
    assert not result.proven
    assert "could not decompile" in result.source


@pytest.mark.parametrize(("layers", "is_proven"), [(16, True), (18, False)])
def test_code_in_code_in_code(compiled, layers, is_proven):
    code = INNER
    for _ in range(layers):
        code = compiled("exec('CODE')\n", CODE=code)
    result = analyze(read_code(marshal.dumps(code), HOST_VERSION))
    levels = [one.verdict.level.value for one in result.walk()]
    assert result.proven == is_proven
    assert levels.count("refused") == (not is_proven)
    assert ("more than 16 times over" in result.source) == (not is_proven)


def test_standalone_text_says_what_the_names_mean(compiled):
    source = "def outer(free):\n    def inner():\n        return free, 'PROBE'\n    return inner\n"
    module = compiled(source, PROBE=Probe())
    (outer,) = (one for one in module.co_consts if isinstance(one, types.CodeType))
    (inner,) = (one for one in outer.co_consts if isinstance(one, types.CodeType))
    result = analyze(inner)
    text, lines = standalone_text(result).printed
    assert text == standalone(result)
    heading, *rest = text.split("\n")
    assert result.source.startswith(heading) and heading.startswith("# Probe_constant is an object of type Probe")
    assert rest[0].startswith("def enclosing_function(free)")
    compile(text, "text.py", "exec")
    written = text.split("\n")
    originals = {written[line - 1].strip(): original for line, original in lines.items()}
    assert originals == {"return free, Probe_constant": 3}
