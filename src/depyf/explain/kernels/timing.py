"""A timer around each call of a kernel, for ``depyf run --time``.

The functions of the loaded module get code that takes the time before and after each call, on the same lines, and lose
it again when the recording ends.
"""

from __future__ import annotations

import ast
import contextlib
import time
import types
from typing import Any, Callable

from ...decompiler.proof.compile_worker import syntax_tree
from ..code_objects import with_nested
from ..kernel_costs import KernelCall
from ..model import Kernel, Session
from ..torch_facts.torch_memory import runs_behind
from .files import functions_of
from .memory import functions_in

__all__ = ["KernelTimers"]

_CLOCK, _RAN, _START = "_depyf_clock", "_depyf_ran", "_depyf_start"
_MOST_KEPT = 1000  # times of one call, for their median


class KernelTimers:
    """Puts timers into modules which Inductor generated, until the recording ends."""

    def __init__(self, session: Session, undo: contextlib.ExitStack) -> None:
        """`undo` is closed when the recording ends; what has no times is told in the notes of `session`."""
        self._session, self._undo = session, undo

    def put_into(self, module: types.ModuleType, kernel: Kernel, path: str, lines_added: int) -> None:
        """Times the calls of `kernel` in `module`, whose functions point at the file `path` already.

        Args:
            module: what was loaded from the source of `kernel`.
            kernel: its record.
            path: its file in the dump, whose text begins `lines_added` lines later.
        """
        if not kernel.calls or runs_behind(kernel.source):
            why = "they run on a GPU, after the call has returned" if kernel.calls else "its calls are not in Python"
            self._session.notes.append(f"kernels of {kernel.path} have no times: {why}")
            return
        tree = syntax_tree(kernel.source)
        for definition in functions_in(tree):
            _Timed({call.place: at for at, call in enumerate(kernel.calls)}).visit(definition)
        ast.increment_lineno(ast.fix_missing_locations(tree), lines_added)
        codes = {(code.co_name, code.co_firstlineno): code for code in with_nested(compile(tree, path, "exec"))}
        module.__dict__.update({_CLOCK: time.perf_counter, _RAN: _recorder_of(kernel.calls)})
        for function in functions_of(module):
            code = function.__code__
            timed = codes.get((code.co_name, code.co_firstlineno))
            if code.co_filename == path and timed is not None and _RAN in timed.co_names:
                self._undo.callback(setattr, function, "__code__", code)
                function.__code__ = timed


class _Timed(ast.NodeTransformer):
    """A timer around the statements on these lines."""

    def __init__(self, numbers: dict[int, int]) -> None:
        self._numbers = numbers

    def _around(self, statement: Any) -> Any:
        number = self._numbers.pop(statement.lineno, None)
        if number is None:
            return statement
        before, after = ast.parse(f"{_START} = {_CLOCK}(); {_RAN}({number}, {_START})").body
        for node in (*ast.walk(before), *ast.walk(after)):
            ast.copy_location(node, statement)
        return [before, statement, after]

    visit_Expr: Callable[..., Any] = _around
    visit_Assign: Callable[..., Any] = _around


def _recorder_of(calls: list[KernelCall]) -> Callable[[int, float], None]:
    clock = time.perf_counter

    def ran(number: int, start: float) -> None:
        seconds, one = clock() - start, calls[number]
        if not one.calls:
            one.first = seconds
        elif len(one.later) < _MOST_KEPT:
            one.later.append(seconds)
        one.seconds += seconds
        one.calls += 1

    return ran
