"""Names that would suit a value, by where it comes from. They only help to read: any name would do."""

from __future__ import annotations

from .spelling import is_name


def attribute_hint(name: str) -> str:
    """A variable's name for what an attribute gives."""
    for word in ("enter", "exit"):
        if name.endswith("_" + word):
            return "exit_" if word == "exit" else word
    return name.strip("_") if is_name(name.strip("_")) else name + "_"


def global_hint(name: str) -> str:
    """For what a global name gives."""
    for start, hint in (("__compiled_fn", "compiled_fn"), ("__resume_at", "resume"), ("__import_", "module")):
        if name.startswith(start):
            return hint
    return name.strip("_") or "value"


def call_hint(callee: str) -> str:
    """For what a call gives, by the name of what is called."""
    for start, hint in (("compiled_fn", "graph_out"), ("__compiled_fn", "graph_out"), ("enter", "probe")):
        if callee.startswith(start):
            return hint
    return "result"


def item_hint(name: str) -> str:
    """For an item of what ``name`` holds."""
    return "out" if name.startswith("graph_out") else name
