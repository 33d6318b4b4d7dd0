"""Text is parsed in the user's process, where a garbage collection may run any code in the middle of it.

CPython 3.11 throws the syntax tree away then, if that code parses too: "AST constructor recursion depth mismatch".
"""

from __future__ import annotations

import ast
import contextlib
import gc

import pytest

from depyf.decompiler.bytecode import load
from depyf.decompiler.bytecode.interpreters import HOST_VERSION
from depyf.decompiler.proof import compile_unit, compile_worker
from depyf.decompiler.proof.compile_worker import syntax_tree, undisturbed
from depyf.decompiler.recompile import recompile

TEXT = "def f(a, b=1):\n" + "".join(
    f"    a = [x for x in a if x > {number} and (x.y or [x, {{b: {number}}}])]\n" for number in range(80)
)
MISMATCH = "AST constructor recursion depth mismatch (before=6, after=27)"


class Parses:
    """Garbage that only a collection finds, and whose finalizer parses something, as formatting a traceback does.

    It leaves the like behind, so that every collection finds some. ``depth`` is how many calls of its own the finalizer
    is in: enough of them, and the tree that was interrupted seems to be too deep.
    """

    on = False

    def __init__(self, depth):
        self.itself, self.depth = self, depth

    def __del__(self):
        if Parses.on:
            _parse(self.depth)
            Parses(self.depth)


def _parse(depth):
    return _parse(depth - 1) if depth else ast.parse("[1, (2, 3)]")


@contextlib.contextmanager
def collections_all_the_time(depth):
    """Every 400 objects that are made start a collection, which finds such garbage."""
    before = gc.get_threshold()
    gc.collect()
    Parses.on = True
    Parses(depth)
    gc.set_threshold(400)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        Parses.on = False


def _code():
    names = {}
    exec(compile(TEXT, "file", "exec", dont_inherit=True), names)
    return names["f"].__code__


@pytest.mark.parametrize("depth", [5, 700])
def test_collections_that_parse_disturb_no_parsing(depth):
    code = _code()
    for _ in range(3):
        with collections_all_the_time(depth):
            assert ast.dump(syntax_tree(TEXT)).startswith("Module(body=[FunctionDef(name='f'")
        with collections_all_the_time(depth):
            assert compile_unit(TEXT, load(code)).bytecode == code.co_code
        with collections_all_the_time(depth):
            assert recompile(TEXT, code).co_code == code.co_code


def test_the_pressure_is_enough():
    disturbed = 0
    for _ in range(10):
        with collections_all_the_time(5):
            try:
                ast.parse(TEXT)
            except SystemError as error:
                assert "recursion depth mismatch" in str(error)
                disturbed += 1
    assert disturbed > 5 or HOST_VERSION != (3, 11)


@pytest.mark.parametrize("error", [SystemError(MISMATCH), RecursionError("too deep during ast construction")])
def test_what_was_disturbed_once_is_done_again_without_collections(monkeypatch, error):
    errors = [error]
    collecting = []

    def disturbed(*arguments, **options):
        collecting.append(gc.isenabled())
        if errors:
            raise errors.pop()
        return compile(*arguments, **options)

    monkeypatch.setattr(compile_worker, "compile", disturbed, raising=False)
    code = _code()
    assert compile_unit(TEXT, load(code)).bytecode == code.co_code
    assert collecting[:2] == [True, False] and gc.isenabled()


@pytest.mark.parametrize("was_on", [True, False])
def test_collections_are_as_they_were_afterwards(was_on):
    def always():
        raise SystemError(MISMATCH)

    if not was_on:
        gc.disable()
    try:
        with pytest.raises(SystemError):
            undisturbed(always)
        assert gc.isenabled() is was_on
    finally:
        gc.enable()


@pytest.mark.parametrize("error", [SystemError("another"), RecursionError("too deep"), SyntaxError("no Python")])
def test_other_errors_are_raised_at_once(error):
    tried = []

    def fails():
        tried.append(1)
        raise error

    with pytest.raises(type(error)) as caught:
        undisturbed(fails)
    assert caught.value is error and tried == [1]
