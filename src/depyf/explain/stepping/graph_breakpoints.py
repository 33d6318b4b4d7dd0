"""Graph code that runs is given the file it was written to, so that a breakpoint in the file is hit.

torch.fx compiles generated code under a name like ``<eval_with_key>.7``, which no debugger can open. The text in
our file is the same function with annotations and comments. Where its instructions equal those that run, the code
object that runs gets our file's name and line table, and nothing else changes.
"""

from __future__ import annotations

import os
import types
import weakref
from typing import Any, Callable

from ..code_objects import same_instructions
from ..containment import contained
from ..graphs.files import GraphFile, forward_code, graph_file_text, signature_of
from ..model import Graph, Session
from ..torch_facts import torch_behavior
from ..torch_facts.torch_debugging import interprets_graphs
from .interpreted_graphs import graph_has_file

__all__ = ["note_what_runs", "point_at_file", "point_at_files", "what_runs"]

_STAGES_OF_ATEN = ("Forward_graph", "Backward_graph")
_Write = Callable[[str, str], None]

_INTERPRETED = (
    "not what runs by itself, torch goes through these operations one by one; in depyf.debug(), or with a debugger in "
    "prepare_debug, it runs"
)
_OTHER_CODE = "not what runs, the code that does was changed later; no breakpoint here is hit"


def point_at_files(
    files: list[GraphFile], graphs: dict[str, Graph], session: Session, write: _Write, at_end: bool
) -> None:
    """`point_at_file` for those that can run; what does not run as it is says so in its first line and in the index."""
    for file in files:
        graph = graphs.get(file.graph)
        if not file.path or file.is_what_runs or (graph is not None and graph.kernels):
            continue
        with contained(session, f"naming {os.path.basename(file.path)} in its code", "breakpoints in it"):
            file.is_what_runs = point_at_file(file, write)
            words = what_runs(file, graph.backend if graph is not None else "")
            if words and (file.is_what_runs or at_end):
                _say_what_runs(file, words, session, write)


def note_what_runs(files: list[GraphFile], graph: str, module: Any) -> None:
    """The backend runs `module`, which may be a copy of the graph that a file shows."""
    signature = signature_of(module)
    for file in reversed(files):
        if file.graph == graph and file.stage in _STAGES_OF_ATEN and file.signature == signature:
            file.graph_module = weakref.ref(module)
            return


def _say_what_runs(file: GraphFile, words: str, session: Session, write: _Write) -> None:
    head, line_end, rest = file.text.partition("\n")  # no line moves
    file.text = f"{head} {words[0].upper() + words[1:]}.{line_end}{rest}"
    write(file.path, file.text)
    for artifact in session.artifacts:
        if artifact.path == os.path.basename(file.path):
            artifact.why_open += "; " + words


def what_runs(file: GraphFile, backend: str) -> str:
    """What a reader who sets a breakpoint in a file must know, "" where the file is what runs or is not meant to be.

    Of the graphs of `eager` the captured one runs; of those of `aot_eager` and its kin, the forward and the backward.
    """
    if backend == "eager" and file.stage == "Captured_Graph":
        return "" if file.is_what_runs else _OTHER_CODE
    if backend.startswith("aot_eager") and file.stage in _STAGES_OF_ATEN:
        if not file.is_what_runs:
            return _OTHER_CODE
        return _INTERPRETED if interprets_graphs() else ""
    return ""


def point_at_file(file: GraphFile, rewrite: _Write) -> bool:
    """Makes the `forward` of a live graph module point at its file.

    Args:
        file: the graph and its text.
        rewrite: called with path and text when the code that runs is the same graph under another calling
            convention (``aot_eager`` passes all arguments in one list): the file then shows that.

    Returns whether the code that runs now names the file.
    """
    module = file.graph_module()
    if module is None or signature_of(module) != file.signature:
        return False
    forward = _forward_function(module)
    if forward is None:
        return False
    code = file.code
    if code is None or not same_instructions(code, forward.__code__):
        text = graph_file_text(file.graph, file.stage, module, file.options)
        code = forward_code(text, file.path)
        if code is None or not same_instructions(code, forward.__code__):
            return False
        rewrite(file.path, text)
        file.text, file.codes = text, [code]
    forward.__code__ = forward.__code__.replace(co_filename=file.path, **_places(code))
    graph_has_file(module)
    return True


def _forward_function(module: Any) -> types.FunctionType | None:
    if torch_behavior.is_lazy_and_pending(module):
        module.real_recompile()  # what its first call would do
    forward = getattr(type(module), "forward", None)
    return forward if isinstance(forward, types.FunctionType) else None


def _places(code: types.CodeType) -> dict[str, Any]:
    """The line table of `code`: `co_linetable` from 3.10, `co_lnotab` before."""
    table = "co_linetable" if hasattr(code, "co_linetable") else "co_lnotab"
    return {"co_firstlineno": code.co_firstlineno, table: getattr(code, table)}
