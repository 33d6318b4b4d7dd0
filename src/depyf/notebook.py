"""The cell magic ``%%depyf``: runs a cell, and shows what torch.compile made of it.

``%load_ext depyf`` calls `load_ipython_extension`. Neither that nor this module imports PyTorch; a cell under the magic
does.
"""

from __future__ import annotations

import argparse
import atexit
import contextlib
import html
import os
import shlex
import shutil
import sys
import tempfile
from typing import Any

__all__ = ["Recorded", "load_ipython_extension", "run_cell", "unload_ipython_extension"]

_NAME = "depyf"
_LINE = "# %%depyf\n"  # in the place of the magic's own line: lines keep the numbers that the notebook shows
_BEFORE = "depyf: nothing was compiled in this cell; what ran was compiled before it, and is described here"


def load_ipython_extension(ipython: Any) -> None:
    """What ``%load_ext depyf`` calls: adds the magic."""

    def depyf(line: str, cell: str) -> None:
        __tracebackhide__ = True
        run_cell(ipython, line, cell)

    depyf.__doc__ = "Run the cell and show what torch.compile made of it: %%depyf [-o DIR] [-q]"
    ipython.register_magic_function(depyf, "cell", _NAME)


def unload_ipython_extension(ipython: Any) -> None:
    """What ``%unload_ext depyf`` calls."""
    ipython.magics_manager.magics["cell"].pop(_NAME, None)


class Recorded:
    """What a cell shows at its end: the answer, and the tree of what was compiled.

    Attributes:
        session: the recording's model.
    """

    def __init__(self, session: Any) -> None:
        from .explain.report.remarks.stored import report_of

        self.session, self._report = session, report_of(session)
        self._report.seconds = None  # a notebook keeps its outputs: those of two runs are to be equal

    @property
    def is_of_this_cell(self) -> bool:
        """False where nothing was compiled, and the session describes what was compiled before."""
        before = {(one.filename, one.line) for one in self.session.compiled_before}
        return not before or any((one.filename, one.first_line) not in before for one in self.session.top_level())

    def _answer(self) -> str:
        from .explain.report.remarks.answer import answer_lines

        if not self.is_of_this_cell:
            return _BEFORE
        return "\n".join(answer_lines(self._report, os.getcwd()))

    def __repr__(self) -> str:
        return "\n".join(filter(None, [self._answer(), str(self.session)]))

    def _repr_html_(self) -> str:
        answer = f'<pre class="depyf-answer">{html.escape(self._answer())}</pre>'
        shown: str = self.session._repr_html_() if self.session.frames else ""
        return answer + shown


def _options(line: str) -> argparse.Namespace | None:
    """The magic's options; None after ``--help`` or a mistake, about which argparse has said what is wrong."""
    parser = argparse.ArgumentParser(prog="%%depyf", description="Run the cell and show what torch.compile made of it.")
    parser.add_argument("-o", "--output", metavar="DIR", help="keep the recording in this folder")
    parser.add_argument("-q", "--quiet", action="store_true", help="show nothing at the end")
    try:
        return parser.parse_args(shlex.split(line))
    except SystemExit:
        return None


def run_cell(ipython: Any, line: str, cell: str) -> None:
    """Runs the text of a cell as IPython would, recorded, and displays a `Recorded`.

    Args:
        ipython: the shell.
        line: the magic's options.
        cell: the text below them.

    Raises:
        Exception: the cell's own; what was compiled until then is shown all the same.
    """
    __tracebackhide__ = True
    options = _options(line)
    if options is None:
        return
    from . import prepare_debug

    if options.output:
        folder = os.path.expanduser(options.output)
    else:
        folder = tempfile.mkdtemp(prefix="depyf_cell_")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)  # debuggers and tracebacks show its files until then
    with prepare_debug(folder) as session:
        error = _error_of(ipython, cell)
    shown = Recorded(session)
    if not options.quiet and (error is None or shown.is_of_this_cell and (session.frames or session.refusals)):
        _display(shown)
    if error is not None:
        raise error


def _display(shown: Any) -> None:
    from IPython.display import display

    display(shown)


def _error_of(ipython: Any, cell: str) -> BaseException | None:
    """Runs the cell; the exception that it ends with is given back, and not shown yet: the shell does that once."""
    if not cell.lstrip().startswith("%%"):  # another cell magic has to come first
        cell = _LINE + cell
    instead: dict[str, Any] = dict.fromkeys(("showtraceback", "showsyntaxerror"), lambda *_, **__: None)
    cache, number = ipython.compile.cache, _number(ipython)

    def cache_as_this_cell(code: str, _: int = 0, **more: Any) -> Any:
        return cache(code, number, **more)

    with contextlib.ExitStack() as restored:
        for name, function in instead.items():
            setattr(ipython, name, function)
            restored.callback(delattr, ipython, name)
        if number is not None:
            ipython.compile.cache = cache_as_this_cell
            restored.callback(delattr, ipython.compile, "cache")
        result = ipython.run_cell(cell)
    if result.error_before_exec is not None:  # of its syntax: the place is in the error
        return result.error_before_exec.with_traceback(None)  # type: ignore[no-any-return]
    found: BaseException | None = result.error_in_exec
    return found


def _number(ipython: Any) -> int | None:
    """The number of the cell that is running, which a cell within it would not get; None in an IPython before 8."""
    known = getattr(ipython.compile, "_filename_map", {})
    frame = sys._getframe()
    while frame is not None and frame.f_code.co_filename not in known:
        frame = frame.f_back  # type: ignore[assignment]
    return int(known[frame.f_code.co_filename]) if frame is not None else None
