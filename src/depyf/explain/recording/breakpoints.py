"""`depyf.debug()`: stop, set breakpoints in the files of a dump, run on what was compiled."""

from __future__ import annotations

import contextlib
import sys
from bdb import BdbQuit
from typing import Iterator

from ..containment import contained, done
from ..model import Session
from ..stepping import debuggers
from ..stepping.as_written import run_as_written
from ..stepping.interpreted_graphs import hook_interpreter
from ..torch_facts import torch_behavior, torch_debugging
from . import session

__all__ = ["debug"]


@contextlib.contextmanager
def debug() -> Iterator[None]:
    """Stops in the debugger before the block, so that breakpoints can be set in the files of the last `prepare_debug`.

    In the block torch runs what it has compiled and compiles nothing new, so the files are what runs:
    ``__transformed_code_*``, the graph files for the backends ``eager`` and ``aot_eager``, Inductor's ``kernel`` files.
    A compiled function with a breakpoint in its own lines, or in those of a function which Dynamo inlined into it, runs
    as you wrote it, with all that it calls; other functions run compiled. Inputs for which nothing was compiled run the
    original function, too. No second run is needed when a debugger is there from the beginning: breakpoints are hit in
    `prepare_debug` as well. The stop is Python's `breakpoint()`: pdb, or what ``PYTHONBREAKPOINT`` names. Where pdb
    finds standard input at its end, as in a batch job, the block runs without a stop.

    Raises:
        RuntimeError: inside `prepare_debug`: the files are complete when that has ended.

    Example:
        >>> @torch.compile(backend="eager")
        ... def triple(x):
        ...     return x * 3
        >>> with depyf.prepare_debug("dump"):
        ...     _ = triple(torch.ones(4))
        >>> with depyf.debug():  # (Pdb) b dump/__transformed_code_0_for_triple.py:6    (Pdb) c
        ...     _ = triple(torch.ones(4))
        depyf stops here. Read full_code_for_* in ...dump, set breakpoints in __transformed_code_* files, then continue.
    """
    if session.active_recorders():
        raise RuntimeError("call depyf.debug() after the prepare_debug block: only then are the files complete")
    undo = contextlib.ExitStack()
    notes = Session()
    with contained(notes, "making torch run only what it has compiled", "new inputs are compiled"):
        undo.callback(torch_behavior.run_only())
    with contained(notes, "keeping Dynamo off the debugger's code", "functions of the debugger are compiled"):
        undo.callback(done, notes, "letting Dynamo at debuggers", torch_debugging.pass_over(debuggers.DEBUGGERS))
    with contained(notes, "running graphs as their files", "breakpoints in graph files with the backend aot_eager"):
        if torch_debugging.interprets_graphs():
            hook_interpreter(notes, undo)
    directory = session.last_directory()
    where = f"Read full_code_for_* in {directory}" if directory else "No prepare_debug has run yet"
    with undo:
        print(f"depyf stops here. {where}, set breakpoints in __transformed_code_* files, then continue.")
        try:
            breakpoint()  # the point of it: the user is asked here
            _heed_breakpoints(undo, notes)
        except (BdbQuit, SystemExit):  # 3.14 and later exit
            if not _input_is_at_its_end():
                raise
            print("\nNobody answers: standard input is at its end. The block runs without a stop.")
        yield


def _input_is_at_its_end() -> bool:
    """Whether pdb has quit for lack of a terminal, as in a batch job, and not because it was told to."""
    try:
        return not sys.stdin.isatty() and sys.stdin.read(1) == ""
    except (AttributeError, OSError, ValueError):  # no file, or closed
        return False


def _heed_breakpoints(undo: contextlib.ExitStack, notes: Session) -> None:
    """Where the user has set breakpoints in compiled functions, these run as written until `undo` is called."""
    with contained(notes, "looking for breakpoints", "stops at lines of the program itself"):
        as_it_was = run_as_written(session.compiled_functions(), debuggers.Breakpoints.now())
        undo.callback(done, notes, "putting compiled functions back", as_it_was)
