"""Globals which generated graph code reads under names that torch.fx made up, and lines that define them elsewhere."""

from __future__ import annotations

import sys
from typing import Any

from ..code_objects import cell_contents

__all__ = ["global_lines"]

_WRAPPERS = {  # of torch/_dynamo/utils.py: what NumPy's functions, methods and operators become; there from 2.2
    "numpy_to_tensor_wrapper": "f",
    "numpy_method_wrapper": "method",
    "numpy_operator_wrapper": "op",
}


def global_lines(module: Any) -> dict[str, str]:
    """Name to statement (statements are joined by "; "), for functions called by the graph and the graphs in it.

    torch.fx calls a function by its qualified name with underscores for dots, except for those that it finds in torch.
    """
    found: dict[str, str] = {}
    for node in module.graph.nodes:
        if node.op == "call_function":
            target = node.target
            home = getattr(target, "__module__", None) or ""
            name = getattr(target, "__name__", None) or ""
            line = _wrapper_line(target) or _import_line(target, home, name) or _apply_line(target, name)
            if line:
                known = f"{home}.{name}".replace(".", "_")
                found[known] = line.replace("NAME", known)
    return found


def _wrapper_line(target: Any) -> str:
    kind = type(target).__name__
    if kind not in _WRAPPERS:
        return ""
    wrapped = getattr(target, _WRAPPERS[kind], None)
    if isinstance(wrapped, str):
        return f"import torch._dynamo.utils; NAME = torch._dynamo.utils.{kind}({wrapped!r})"
    home = getattr(wrapped, "__module__", None) or ""
    name = getattr(wrapped, "__name__", None) or ""
    if home == "_operator":
        imported, path = "operator", "operator." + name
    elif home.startswith("torch._numpy") and getattr(sys.modules.get("torch._numpy"), name, None) is wrapped:
        imported, path = "torch._numpy", "torch._numpy." + name
    else:
        imported, path = home, f"{home}.{name}"
    return f"import {imported}; import torch._dynamo.utils; NAME = torch._dynamo.utils.{kind}({path})"


def _apply_line(target: Any, name: str) -> str:
    """torch 2.2 calls `apply` of a `torch.autograd.Function` by a function that it makes for it."""
    if name != "trampoline_autograd_apply":
        return ""
    cls = cell_contents(target).get("fn_cls")
    return f"NAME = lambda *args, **options: {cls.__name__}.apply(*args, **options)" if cls is not None else ""


def _import_line(target: Any, home: str, name: str) -> str:
    if not name.isidentifier() or home in ("__main__", "_operator", "builtins", "torch"):
        return ""
    if getattr(sys.modules.get(home), name, None) is not target:
        return ""
    return f"from {home} import {name} as NAME"
