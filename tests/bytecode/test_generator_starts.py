"""What starts a generator or a coroutine is dropped only in its exact place: RETURN_GENERATOR with its POP_TOP."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

import depyf
from depyf.decompiler.bytecode import disassemble, load
from depyf.decompiler.bytecode.code.raw_code import ExceptionEntry
from depyf.decompiler.bytecode.interpreters import find_interpreter
from depyf.decompiler.bytecode.stack_depths import depth_difference
from depyf.decompiler.bytecode.versions import HOSTS
from depyf.errors import DecompilationError

ROOT = Path(__file__).parents[2]
VERSIONS = [version for version in HOSTS if version >= (3, 11) and find_interpreter(version)]


def code_of(text):
    return compile(text, "text", "exec", dont_inherit=True).co_consts[0]


COROUTINE = code_of("async def f(a, b):\n c = a(b)\n a(c)\n return c")
START = COROUTINE.co_code.index(bytes([load(COROUTINE).table.number("RETURN_GENERATOR")]))


def with_nop(code):
    """``code`` with a NOP for the POP_TOP behind RETURN_GENERATOR, as Dynamo leaves it out: the None stays."""
    data = bytearray(code.co_code)
    table = load(code).table
    place = data.index(bytes([table.number("RETURN_GENERATOR")])) + 2
    assert data[place] == table.number("POP_TOP")
    data[place] = table.number("NOP")
    return code.replace(co_code=bytes(data), co_stacksize=code.co_stacksize + 1)


def run(code):
    calls = []

    def a(value):
        calls.append(value)
        return value + 1

    function = type(run)(code, {})
    return asyncio.run(function(a, 1)), calls


def test_the_none_that_starts_a_coroutine_is_popped_in_its_place():
    assert disassemble(load(COROUTINE))[0].op != "CONST"


def test_the_none_that_stays_has_room():
    """Dynamo (torch 2.2 to 2.15) does not count it, and CPython writes it all the same."""

    def least(code):
        return next(n for n in range(1, 99) if not depth_difference(load(code.replace(co_stacksize=n))))

    assert least(with_nop(COROUTINE)) == least(COROUTINE)


def test_a_none_that_stays_is_on_the_stack():
    code = with_nop(COROUTINE)
    found = disassemble(load(code))
    assert (found[0].op, found[0].arg) == ("CONST", None)
    assert [i.op for i in found].count("POP") == [i.op for i in disassemble(load(COROUTINE))].count("POP")


def test_the_text_of_it_does_the_same():
    code = with_nop(COROUTINE)
    result = depyf.analyze(code)
    assert result.verdict.proven
    names = {}
    exec(str(result.source), names)
    assert run(code) == run(COROUTINE) == run(names["f"].__code__) == (2, [1, 2])


def test_nothing_may_jump_to_the_pop():
    raw = load(COROUTINE)
    data = bytearray(raw.bytecode)
    data[START + 6 : START + 8] = bytes([raw.table.number("JUMP_BACKWARD"), 3])
    raw.bytecode = bytes(data)
    with pytest.raises(DecompilationError, match=f"jump to offset {START + 2}, where no instruction begins"):
        disassemble(raw)


def test_no_handler_may_cover_the_start():
    raw = load(COROUTINE)
    raw.exception_table = (ExceptionEntry(START, START + 2, START + 4, 0, False), *raw.exception_table)
    with pytest.raises(DecompilationError, match="thrown into a generator that has not started"):
        disassemble(raw)


def test_a_generator_starts_once():
    raw = load(COROUTINE)
    raw.bytecode = raw.bytecode[START : START + 2] + raw.bytecode
    raw.exception_table = ()
    with pytest.raises(DecompilationError, match="a second RETURN_GENERATOR"):
        disassemble(raw)


SAME = """
import sys
sys.path.insert(0, sys.argv[1])
import test_generator_starts as tests
tests.test_a_none_that_stays_is_on_the_stack()
tests.test_the_text_of_it_does_the_same()
"""


@pytest.mark.parametrize("version", VERSIONS, ids=lambda v: ".".join(map(str, v)))
def test_on_every_version(version, tmp_path):
    python = find_interpreter(version)
    (tmp_path / "pytest.py").write_text("class mark:\n parametrize = lambda *a, **k: lambda f: f\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(tmp_path)])}
    done = subprocess.run(
        [python, "-c", SAME, str(Path(__file__).parent)], capture_output=True, text=True, env=environment, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert sys.version_info[:2] in VERSIONS
