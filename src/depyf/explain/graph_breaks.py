"""Why a graph ended: Dynamo's reason, taken apart into type, explanation, hints and the registry's number."""

from __future__ import annotations

import json
import os
import re
import sys
from functools import lru_cache
from typing import Any, Dict, List, Optional, Sequence

from depyf.explain.model import GraphBreak, SourceLine
from depyf.explain.names import without_addresses

__all__ = ["graph_break_of", "graph_break_from_reason"]

_LINK = re.compile(r"/(gb\d+)\.html", re.IGNORECASE)
_JUMP = "generic_jump"
_HINTS_FOR_JUMPS = ["Use `torch.cond` to express dynamic control flow."]  # before torch 2.8 there is no registry


def graph_break_of(graph_module: Any) -> Optional[GraphBreak]:
    """The break that ended a graph, or None when it ended with its function.

    Args:
        graph_module: what Dynamo captured; its `compile_subgraph_reason` says why it stopped.
    """
    reason = getattr(graph_module, "compile_subgraph_reason", None)
    if reason is None or not getattr(reason, "graph_break", True):
        return None
    return graph_break_from_reason(str(getattr(reason, "reason", "")), getattr(reason, "user_stack", None) or [])


def graph_break_from_reason(reason: str, stack: Sequence[Any] = ()) -> GraphBreak:
    """A `GraphBreak` from Dynamo's text and its stack of `traceback.FrameSummary`."""
    location = None
    if stack:
        frame = stack[-1]
        location = SourceLine(frame.filename, frame.lineno or 0, (frame.line or "").strip(), frame.name)
    if reason.startswith(_JUMP):
        entry = _registry().get("Data-dependent branching", {})
        return GraphBreak(
            "the branch depends on a tensor's value",
            location,
            gb_id=entry.get("id", ""),
            gb_type="Data-dependent branching",
            explanation=entry.get("explanation", ""),
            hints=entry.get("hints") or _HINTS_FOR_JUMPS,
        )
    lines = without_addresses(reason).strip().splitlines() or [""]
    found = GraphBreak(lines[0].strip(), location, gb_type=lines[0].strip())
    for line in lines[1:]:
        key, _, text = line.strip().partition(": ")
        if key == "Explanation":
            found.explanation = text
        elif key == "Hint":
            found.hints.append(text)
    link = _LINK.search(reason)
    found.gb_id = link.group(1).upper() if link else _registry().get(found.gb_type, {}).get("id", "")
    return found


@lru_cache(maxsize=1)
def _registry() -> Dict[str, Dict[str, Any]]:
    """Dynamo's registry of graph breaks by type (torch 2.8 and later; empty before)."""
    torch = sys.modules.get("torch")
    root = os.path.dirname(getattr(torch, "__file__", None) or "")
    try:
        with open(os.path.join(root, "_dynamo", "graph_break_registry.json"), encoding="utf-8") as file:
            entries = json.load(file)
    except (OSError, ValueError):
        return {}
    found: Dict[str, Dict[str, Any]] = {}
    for gb_id, versions in entries.items():
        best: Dict[str, Any] = max(versions, key=lambda v: len(v.get("Hints") or []))
        explanation = str(best.get("Explanation") or "")
        hints: List[str] = [str(hint) for hint in best.get("Hints") or []]
        if explanation.startswith("_") or "{" in explanation:  # a variable of torch's source, not a sentence
            explanation = ""
        found.setdefault(str(best["Gb_type"]), {"id": gb_id, "explanation": explanation, "hints": hints})
    return found
