"""Guards of a cache entry, read from the text that every torch prints for its guard manager.

`str(guard_manager)` is a tree of lines from torch 2.4 on, such as
``| +- TENSOR_MATCH: check_tensor(L['a'], ...)  # x = a + 1  # toy.py:3 in toy``; earlier ones list `code_parts`.
The comments, which say whose line asked for the guard, came with torch 2.9: without them a guard has no user line.
"""

from __future__ import annotations

import os
import re
from typing import Any, Dict, List, Optional, Tuple

from depyf.explain.guard_words import describe
from depyf.explain.model import Guard, SourceLine
from depyf.explain.names import file_name, stable

__all__ = ["collect_guards", "stable_guard_text", "split_verbose_part"]

_LEAF = re.compile(r"^[| ]*\+- ([A-Z][A-Z0-9_]+)(?:: (.*))?$")
_LOCATION = re.compile(
    r"^(?P<before>.*?)\s*#\s(?P<file>[^#]*?\.py|[^#]*?>):(?P<line>\d+) in (?P<function>[\w<>.]+)(?P<rest>.*)$"
)
_IDENTITY = re.compile(r"(___check_(?:obj|type)_id\(.*?), \d{4,}\)")
_CELL = re.compile(r"ipykernel_\d+/\d+\.py")
_NOTES = (
    ("0/1 specialization", "  (0 and 1 are always compiled separately)"),
    ("duck sizing", "  (equal when it was compiled, so taken for one symbol: duck sizing)"),
)
_KIND_OF_CODE = (
    ("check_tensor(", "TENSOR_MATCH"),
    ("___check_obj_id(", "ID_MATCH"),
    ("___check_type_id(", "TYPE_MATCH"),
    ("___check_global_state(", "GLOBAL_STATE"),
    ("___check_torch_function_mode_stack(", "TORCH_FUNCTION_MODE_STACK"),
    ("utils_device.CURRENT_DEVICE", "DEFAULT_DEVICE"),
    ("___check_tensors(", "TENSOR_MATCH"),
)


def collect_guards(
    guard_manager: Any, module_globals: Optional[Dict[str, Any]] = None, filename: str = ""
) -> Tuple[List[Guard], str]:
    """Guards and the printed tree of one cache entry.

    Args:
        guard_manager: a cache entry's `guard_manager` (its `check_fn` on old torch).
        module_globals: the frame's globals, to name the objects whose identity is checked.
        filename: the frame's file; guards asked for by other files are shown with theirs.

    Never raises: a guard of an unknown kind is kept as Dynamo writes it.
    """
    tree = str(guard_manager) if type(guard_manager).__name__ != "function" else ""
    leaves = [match.groups() for match in map(_LEAF.match, tree.splitlines()) if match]
    if not leaves:
        parts = getattr(guard_manager, "verbose_code_parts", None) or getattr(guard_manager, "code_parts", None) or []
        leaves = [("", str(part)) for part in parts]
    guards: List[Guard] = []
    seen = set()
    for kind, text in leaves:
        if not text or text in seen:
            continue
        seen.add(text)
        code, line = split_verbose_part(text, filename)
        guard = describe(kind or _kind_of(code), code, line, module_globals or {})
        guard.words += next((words for mark, words in _NOTES if mark in text), "")
        guards.append(guard)
    for guard in guards:
        guard.code = stable_guard_text(guard.code)
    return guards, stable_guard_text(tree.strip())


def stable_guard_text(text: str) -> str:
    """`text` without the ids of objects, the uuids in names and what changes in the names of a notebook's cells."""
    text = _CELL.sub(lambda match: file_name(match.group()), text)
    return stable(_IDENTITY.sub(r"\1, <id>)", text))


def split_verbose_part(text: str, filename: str = "") -> Tuple[str, Optional[SourceLine]]:
    """Splits ``code  # user's line  # dir/file.py:3 in function`` into the code and the line that asked for it."""
    match = None
    at = 0
    while True:  # the last location wins: the code and the user's line may hold `#` themselves
        found = _LOCATION.match(text, at)
        if found is None:
            break
        match, at = found, found.end("before") + 1
    if match is None:
        return text.partition("  # ")[0].strip(), None
    before = text[: match.end("before")]
    code, _, user_text = before.partition("  # ")
    if not user_text and " # " in before:
        code, _, user_text = before.partition(" # ")
    path = match.group("file").strip()
    if filename and filename.replace(os.sep, "/").endswith(path):
        path = filename
    line = SourceLine(path, int(match.group("line")), user_text.strip(), match.group("function"))
    return code.strip(), line


def _kind_of(code: str) -> str:
    return next((kind for start, kind in _KIND_OF_CODE if code.startswith(start)), "")
