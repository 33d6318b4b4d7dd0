"""`dump_src`: what is compiled now, as one page to read from top to bottom. No recording is needed."""

from __future__ import annotations

from types import CodeType
from typing import Any

from ...errors import NothingCompiled
from ..model import Session
from ..report.page.page import FUTURE, page_of
from .inspect_model import frame_of, inspect, session_of

__all__ = ["dump_src", "inspect", "interactive_explain"]

_MISSING = object()


def interactive_explain(function: Any) -> Session:
    """What earlier releases called it: the model, which a notebook shows as a tree to open and to click through.

    As the last line of a cell, or ``display(depyf.explain.interactive_explain(fn))``. The same as `depyf.inspect`.

    Args:
        function: as for `inspect`.

    Raises:
        TypeError: nothing that Dynamo compiles.
        NothingCompiled: nothing is compiled for it (yet).

    Example:
        >>> @torch.compile(backend="eager")
        ... def negative(x):
        ...     return -x
        >>> _ = negative(torch.ones(4))
        >>> print(depyf.explain.interactive_explain(negative))
        negative ── graph 1: neg
    """
    return inspect(function)


def dump_src(function: Any, module: Any = _MISSING) -> str:
    """Guards, graphs, transformed code, resume functions and original: what Dynamo has compiled for `function`.

    Args:
        function: a function, method, module, or what `torch.compile` returned; with `module`, a code object.
        module: the module that the code object's function belongs to (or its globals as a dict): Dynamo keeps
            graphs and resume functions there. Only needed for code objects.

    Returns:
        The page: Python, comments where something can't be.

    Raises:
        TypeError: nothing that Dynamo compiles, or a code object without its module.
        NothingCompiled: nothing is compiled for it (yet).

    Example:
        >>> def sine(x):
        ...     return x.sin()
        >>> compiled = torch.compile(sine, backend="eager")
        >>> _ = compiled(torch.ones(4))
        >>> print(depyf.explain.dump_src(compiled).splitlines()[2])
        #   sine ── graph 1: sin
    """
    if isinstance(function, CodeType):
        if module is _MISSING:
            raise TypeError("dump_src(code, module): a code object needs the module it was made in, for its globals")
        return _of_code(function, module if isinstance(module, dict) else vars(module))
    session = inspect(function)
    first, *others = [page_of(frame, session) for frame in session.top_level()]
    return "\n\n".join([first, *(page.replace(FUTURE, "", 1) for page in others)])  # a file has one `__future__`


def _of_code(code: CodeType, module_globals: Any) -> str:
    frame = frame_of(code, module_globals)
    if not frame.entries:
        raise NothingCompiled(f"nothing is compiled for {code.co_name}: call it under torch.compile first")
    return page_of(frame, session_of([frame]))
