"""`depyf.debug()`: stop, set breakpoints in the files of a dump, run on what was compiled."""

from __future__ import annotations

import contextlib
from typing import Iterator

from depyf.explain import session, torch_behavior
from depyf.explain.containment import contained
from depyf.explain.model import Session

__all__ = ["debug"]


@contextlib.contextmanager
def debug() -> Iterator[None]:
    """Stops in the debugger before the block, so that breakpoints can be set in the files of the last `prepare_debug`.

    In the block torch runs what it has compiled and compiles nothing new, so the files are what runs:
    ``__transformed_code_*`` and, for the backends ``eager`` and ``aot_eager``, the graph files. Inputs for which
    nothing was compiled run the original function. The stop is Python's `breakpoint()`: pdb, or what
    ``PYTHONBREAKPOINT`` names.

    Example::

        with depyf.prepare_debug("./dump"):
            main()
        with depyf.debug():
            main()      # (Pdb) b ./dump/__transformed_code_0_for_f.py:6    (Pdb) c

    Raises RuntimeError inside `prepare_debug`: the files are complete when that has ended.
    """
    if session.active_recorders():
        raise RuntimeError("depyf.debug() goes behind the prepare_debug block: only then are the files complete")
    undo = contextlib.ExitStack()
    notes = Session()
    with contained(notes, "making torch run only what it has compiled", "new inputs are compiled"):
        undo.callback(torch_behavior.run_only())
    directory = session.last_directory()
    where = "Read full_code_for_* in {}".format(directory) if directory else "No prepare_debug has run yet"
    with undo:
        print("depyf stops here. {}, set breakpoints in __transformed_code_* files, then continue.".format(where))
        breakpoint()  # the point of it: the user is asked here
        yield
