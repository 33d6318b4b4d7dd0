"""Graph code that runs is given the file it was written to, so that a breakpoint in the file is hit.

torch.fx compiles generated code under a name like ``<eval_with_key>.7``, which no debugger can open. The text in
our file is the same function with annotations and comments. Where its instructions equal those that run, the code
object that runs gets our file's name and line table, and nothing else changes.
"""

from __future__ import annotations

import types
from typing import Any, Callable, Optional

from depyf.explain import torch_behavior
from depyf.explain.code_objects import same_instructions
from depyf.explain.graph_files import GraphFile, forward_code, graph_file_text, signature_of

__all__ = ["point_at_file"]


def point_at_file(file: GraphFile, rewrite: Callable[[str, str], None]) -> bool:
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
    return True


def _forward_function(module: Any) -> Optional[types.FunctionType]:
    if torch_behavior.is_lazy_and_pending(module):
        module.real_recompile()  # what its first call would do
    forward = getattr(type(module), "forward", None)
    return forward if isinstance(forward, types.FunctionType) else None


def _places(code: types.CodeType) -> dict[str, Any]:
    """The line table of `code`: `co_linetable` from 3.10, `co_lnotab` before."""
    table = "co_linetable" if hasattr(code, "co_linetable") else "co_lnotab"
    return {"co_firstlineno": code.co_firstlineno, table: getattr(code, table)}
