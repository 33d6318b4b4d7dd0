"""Graphs that torch goes through operation by operation: while a debugger is at work, their files run instead.

Up to 2.9 `aot_eager` calls `torch.fx.Interpreter`, which never runs the code that a graph has. No breakpoint in that
code is hit, whatever file it names. So `Interpreter.boxed_run` runs the code where a debugger was at work when the
graph was compiled, and in `depyf.debug()`: the same operations in the same order. An exception gets the words which the
interpreter would have added. Everything else, and all of it without a debugger, is left to torch.
"""

from __future__ import annotations

import contextlib
import weakref
from typing import Any, Callable

from ..containment import done, edge
from ..model import Session
from ..torch_facts.torch_behavior import find

__all__ = ["graph_has_file", "hook_interpreter"]

_with_files: weakref.WeakSet[Any] = weakref.WeakSet()  # graph modules


def graph_has_file(module: Any) -> None:
    """The code of a graph module names the file of a dump that shows it."""
    _with_files.add(module)


def hook_interpreter(session: Session, undo: contextlib.ExitStack) -> None:
    """Until `undo` is called, graphs with a file run as the code that names it."""
    kind = find("torch.fx", "Interpreter")
    before = kind.boxed_run

    @edge
    def boxed_run(self: Any, *args: Any, **kwargs: Any) -> Any:
        run = done(session, "looking for a graph's file", _code_of, self, kind, args, kwargs)
        if run is None:
            return before(self, *args, **kwargs)
        try:
            inputs = list(args[0])
            args[0].clear()
            return run(*inputs)
        except Exception as error:
            told = done(session, "finding the operation that failed", _as_interpreted, self, before, error)
            if told is None or told is error:
                raise
            raise told from error

    undo.callback(setattr, kind, "boxed_run", before)
    kind.boxed_run = boxed_run


def _code_of(interpreter: Any, kind: Any, args: Any, kwargs: Any) -> Callable[..., Any] | None:
    module = interpreter.module
    if type(interpreter) is not kind or kwargs or len(args) != 1 or type(args[0]) is not list:
        return None
    if module not in _with_files or getattr(interpreter, "graph", module.graph) is not module.graph:
        return None
    forward: Callable[..., Any] = module.forward
    return forward


def _as_interpreted(interpreter: Any, boxed_run: Any, error: Exception) -> Exception:
    """What the interpreter would have raised for the operation that raised `error`."""
    code = type(interpreter.module).forward.__code__
    step, line = error.__traceback__, 0
    while step is not None:
        line = step.tb_lineno if step.tb_frame.f_code is code else line
        step = step.tb_next
    with open(code.co_filename, encoding="utf-8") as file:
        text = file.read().splitlines()[line - 1]
    name = text.split(":" if ":" in text.partition("=")[0] else "=")[0].strip()
    nodes = interpreter.module.graph.nodes
    failed = next(node for node in nodes if node.name == name)

    class Again(type(interpreter)):  # type: ignore[misc]
        """Fails at that operation and does nothing at the others."""

        def run_node(self, node: Any) -> Any:
            if node is failed:
                raise error
            return None

    try:
        boxed_run(Again(interpreter.module), [None for node in nodes if node.op == "placeholder"])
    except Exception as found:
        return found
    return error
