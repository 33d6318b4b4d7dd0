"""Names that would suit a value, by where it comes from. They only help to read: any name would do."""

from __future__ import annotations

import re
from typing import Any, Iterable

from ..names.spelling import is_name

_MADE_UP = re.compile(r"(tmp|graph_out)_\d+|___(stack)\d+|___(context_manager)_\d+_\d+")
_RESUMES = re.compile(r"(torch_dynamo_)?resume_in_")
_DYNAMO_GLOBAL = re.compile(r"__(compiled_fn|resume_at)_\d+|__import_torch")
_VAGUE = re.compile(r"(out|out_\d+|tmp|value|item|result|instance)")
_GLOBALS = (
    (re.compile(r"__compiled_fn_.*"), "compiled_fn"),
    (re.compile(r"__resume_at_.*"), "resume"),
    (re.compile(r"__import_.*"), "module"),
    (re.compile(r"___module_(\w+)_\d+_c\d+"), r"\1"),
)
_ATTRIBUTES = (
    (re.compile(r".*_(enter)"), r"\1"),
    (re.compile(r".*_(exit)"), r"\1_"),
    (re.compile(r"_is_profiler_(enabled)"), r"\1"),
    (re.compile(r"(object_setattr)_ignore_descriptor"), r"\1"),
)
_RESULTS = (
    (re.compile(r"(__)?compiled_fn.*"), "graph_out"),
    (re.compile(r"enter"), "probe"),
    (re.compile(r"call_(\w+)"), r"\1"),
    (re.compile(r"new"), "instance"),
)


def is_made_up(variable: str) -> bool:
    """Whether a local variable has a name that tools give, not people."""
    return _MADE_UP.fullmatch(variable) is not None


def is_of_dynamo(name: str, names: Iterable[str], variables: Iterable[str]) -> bool:
    """Whether Dynamo made a code object: by its name, or the names of its globals and variables."""
    return bool(_RESUMES.match(name)) or any(map(_DYNAMO_GLOBAL.match, names)) or any(map(is_made_up, variables))


def is_vague(name: str) -> bool:
    """Whether a name says little of what it holds."""
    return bool(_VAGUE.fullmatch(name))


def local_hint(variable: str) -> str:
    """A better name for a local variable whose name is made up."""
    match = _MADE_UP.fullmatch(variable)
    return next(filter(None, match.groups())) if match else variable


def attribute_hint(name: str) -> str:
    """A variable's name for what an attribute gives."""
    return _first(_ATTRIBUTES, name) or name.strip("_") or "value"


def global_hint(name: str) -> str:
    """For what a global name gives."""
    return _first(_GLOBALS, name) or name.strip("_") or "value"


def call_hint(callee: str, argument: str = "") -> str:
    """For what a call gives, by the name of what is called; by that of its first argument if it only converts."""
    if callee.lstrip("_").startswith("as_") and is_name(argument) and not is_vague(argument):
        return argument
    hint = _first(_RESULTS, callee)
    if hint is None and callee[:1].isupper() and not callee.isupper():
        hint = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", callee).lower()  # a class
    return hint or "result"


def item_hint(owner: str, key: Any) -> str:
    """For the item at ``key`` of what ``owner`` holds."""
    if type(key) is str and is_name(key):
        return key
    if type(key) is str and key.isdigit() and owner.endswith("s"):
        return f"{owner[:-1]}_{key}"
    if type(key) is not int or key < 0 or is_vague(owner):
        return "item"
    return f"out_{key}" if owner.startswith("graph_out") else f"{owner}_{key}"


def _first(table: Any, name: str) -> str | None:
    for pattern, hint in table:
        match = pattern.fullmatch(name)
        if match:
            return str(match.expand(hint))
    return None
