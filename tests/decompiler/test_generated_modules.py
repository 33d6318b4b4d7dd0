"""What other people's generators of modules wrote, made small: every code object is proven, with lines and without."""

from __future__ import annotations

from typing import Iterator

import pytest

from depyf.decompiler.bytecode import RawCode
from depyf.decompiler.bytecode.interpreters import HOST_VERSION, find_interpreter
from depyf.decompiler.bytecode.versions import HOSTS
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.proof.scaffold import compile_source

VERSIONS = [one for one in HOSTS if one == HOST_VERSION or find_interpreter(one)]
FUTURE = "from __future__ import annotations\n"
TEXTS = {
    "a global of an inlined comprehension": ((3, 8), "global q\n{0 for u in v if q}\n"),
    "a global that := changes": ((3, 8), "[(q := 1, q) for u in v if q]\nq = 2\n"),
    "a type alias that is global in a class": ((3, 12), "class A:\n  global x\n  type x = int\n"),
    "a type alias that is global in a function": ((3, 12), "def f():\n  global x\n  type x[T] = int\n"),
    "a generic function that is global": ((3, 12), "class A:\n  global y\n  def y[T](a: T) -> T: lambda: T\n"),
    "a generic class that is global": ((3, 12), "def f():\n  global x\n  class x[T: int]:\n    def g(self): T\n"),
    "an escape in an annotation": ((3, 12), FUTURE + "def f(a: f'{\"\\n\":>{x}\\n}', b: g[\"\\n\"]): pass\n"),
    "nested quotes in an annotation": ((3, 12), FUTURE + "x: f\"{f'{chr(92)}\\n'!r}{ {'{': '}'} }{{\\n\"\n"),
    "line ends in an annotation": ((3, 8), FUTURE + "x: f'\\n{a}\\n'\ny: [b'\\n', \"f'{a}'\", f'{a:\\t}{b}\\'']\n"),
    "a value with a test in it": ((3, 8), "y = not (e and (f if c else d))\n"),
    "such a value as an argument": ((3, 8), "f((d if (a and b) or (a and c) else not (g and h)))\n"),
    "two equal operands": ((3, 8), "f(not (h if (a or c) else h))\n"),
    "two copies of an operand": ((3, 8), "f(e if ((f and b) if (not d) else d) else c)\n"),
    "conditions in an annotation": ((3, 8), "def f(a: (b and c or d) if not (e and (f if c else d)) else g): pass\n"),
    "conditions in a type alias": ((3, 12), "type T = not (e and (f if c else d))\n"),
    "conditions in a type parameter": ((3, 12), "def f[T: (not (e and (f if c else d)))](): pass\n"),
    "conditions in a lambda": ((3, 8), "lambda: not (e and (f if c else d))\n"),
    "a negated arm of a test": ((3, 8), "f(d if (b if e else not g) else c)\nf(d if (not b if e else g) else c)\n"),
    "such tests and others": ((3, 8), "f(d if (not b if e else g) and z else c if (b if e else not g) or z else f)\n"),
    "a docstring and nothing else": ((3, 8), "def f(x):\n    'd'\nclass A:\n    g = lambda x: 'd'\n"),
}


def without_lines(code: RawCode) -> RawCode:
    for one in code.walk():
        one.linetable = b""
    return code


def both(version: tuple[int, int], text: str) -> Iterator[RawCode]:
    yield compile_source(text, version)
    yield without_lines(compile_source(text, version))


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_every_code_object_is_proven(text: tuple[tuple[int, int], str]):
    for version in VERSIONS:
        for code in both(version, text[1]) if version >= text[0] else ():
            result = analyze(code)
            refused = [(one.qualname, one.verdict.reasons) for one in result.walk() if not one.verdict.proven]
            assert not refused, (version, result.source)


def test_a_function_with_a_docstring_is_no_lambda_whatever_its_name():
    for version in VERSIONS:
        code = compile_source("def f(x):\n    'd'\n    return x\n", version)
        (function,) = code.nested
        function.name = function.qualname = "<lambda>"
        assert '"""d"""' in analyze(code).source, version


@pytest.mark.parametrize("text", ["if x: return g()", "return not x", "return x and g()", "return g(x or 1)"])
def test_a_nop_between_a_truth_test_and_what_takes_it_changes_nothing(text: str):
    for version in VERSIONS:
        (code,) = compile_source(f"def f(x):\n  {text}\n", version).nested
        opcodes = code.table.opcodes
        if "TO_BOOL" not in opcodes:
            continue
        end = code.bytecode.index(opcodes["TO_BOOL"]) + 2 * (1 + code.table.rows[opcodes["TO_BOOL"]].caches)
        code.bytecode = code.bytecode[:end] + bytes([opcodes["NOP"], 0]) * 2 + code.bytecode[end:]
        code.linetable, code.code, code.disassembled = b"", None, None
        result = analyze(code)
        assert result.verdict.proven and text.split(": ")[-1] in result.source, (version, result.source)
