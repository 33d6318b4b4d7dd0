"""A timer around each call of a kernel, for ``depyf run --time``.

Inductor's wrapper calls a kernel in a statement of its own. The functions of the loaded module get code with the time
taken before and after it, on the same lines, and lose it again when the recording ends. Without ``--time`` nothing of
this happens.
"""

from __future__ import annotations

import ast
import contextlib
import time
import types
from typing import Callable, Iterator

from ...decompiler.proof.compile_worker import syntax_tree
from ..kernel_costs import KernelTime
from ..model import Session
from ..torch_facts.torch_memory import kernel_called, runs_behind
from .files import functions_of

__all__ = ["KernelTimers"]

_CLOCK, _RAN, _START = "_depyf_clock", "_depyf_ran", "_depyf_start"


class KernelTimers:
    """Puts timers into modules which Inductor generated, until the recording ends."""

    def __init__(self, session: Session, undo: contextlib.ExitStack) -> None:
        """`undo` is closed when the recording ends; what has no times is told in the notes of `session`."""
        self._session, self._undo = session, undo

    def put_into(self, module: types.ModuleType, source: str, path: str, lines_added: int) -> list[KernelTime]:
        """Times the kernels of `module`, whose functions point at the file `path` already; gives their times.

        Args:
            module: what was loaded from `source`.
            source: its text.
            path: its file in the dump, whose text begins `lines_added` lines later.
        """
        if runs_behind(source):
            self._note(module, "they run on a GPU, after the call has returned")
            return []
        tree, times = syntax_tree(source), list[KernelTime]()
        lines = source.splitlines()
        for body in _bodies(tree):
            body[:] = [one for statement in body for one in _timed(statement, lines, times)]
        if not times:
            self._note(module, "its wrapper calls none")
            return []
        ast.increment_lineno(ast.fix_missing_locations(tree), lines_added)
        codes = {(code.co_name, code.co_firstlineno): code for code in _codes(compile(tree, path, "exec"))}
        module.__dict__.update({_CLOCK: time.perf_counter, _RAN: _recorder_of(times)})
        for function in functions_of(module):
            code = function.__code__
            timed = codes.get((code.co_name, code.co_firstlineno))
            if code.co_filename == path and timed is not None and _RAN in timed.co_names:
                self._undo.callback(setattr, function, "__code__", code)
                function.__code__ = timed
        return times

    def _note(self, module: types.ModuleType, why: str) -> None:
        self._session.notes.append(f"kernels of {module.__name__} have no times: {why}")


def _recorder_of(times: list[KernelTime]) -> Callable[[int, float], None]:
    clock = time.perf_counter

    def ran(number: int, start: float) -> None:
        one = times[number]
        one.seconds += clock() - start
        one.calls += 1

    return ran


def _bodies(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    """The blocks of statements inside of functions."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for node in ast.walk(function):
                for _, block in ast.iter_fields(node):
                    if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                        yield block


def _timed(statement: ast.stmt, lines: list[str], times: list[KernelTime]) -> list[ast.stmt]:
    """The statement, with timers around it if it calls a kernel."""
    is_call = isinstance(statement, (ast.Expr, ast.Assign)) and isinstance(statement.value, ast.Call)
    kernel = kernel_called(lines[statement.lineno - 1]) if is_call else ""
    if not kernel or getattr(statement, "is_timed", False):
        return [statement]
    statement.is_timed = True  # type: ignore[attr-defined]  # blocks of a function in a function come twice
    before, after = ast.parse(f"{_START} = {_CLOCK}(); {_RAN}({len(times)}, {_START})").body
    times.append(KernelTime(kernel, statement.lineno))
    for one in (before, after):
        for node in ast.walk(one):
            if "lineno" in node._attributes:
                ast.copy_location(node, statement)
    return [before, statement, after]


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _codes(constant)
