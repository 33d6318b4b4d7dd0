"""Dynamo's names: all that the decompiler knows by name of the tool whose code it sees most.

The names that Dynamo gives to variables, globals and attributes say where code and values come from. They decide how
new variables are named (DYNAMO_HINTS, passed on by `Origin` in driver/settings.py), and how refused code of Dynamo's
is shown (``pipeline.py``). No proof relies on them.
"""

from __future__ import annotations

import re
from types import CodeType
from typing import Any, Iterable, Iterator

from .naming_hints import NamingHints

_GRAPH_OUTPUT = "graph_out"
"""What a compiled graph gives; Dynamo numbers its variables for that."""
COMPILED_FROM = "_torchdynamo_orig_callable"
"""The attribute of torch.compile's wrapper that holds the function."""

_MADE_UP = re.compile(r"(tmp|graph_out)_\d+|___(stack)\d+|___(context_manager)_\d+_\d+")
_RESUMES = re.compile(r"(torch_dynamo_)?resume_in_")
_DYNAMO_GLOBAL = re.compile(r"__(compiled_fn|resume_at)_\d+|__import_torch")
_GLOBALS = (
    (re.compile(r"__compiled_fn_.*"), "compiled_fn"),
    (re.compile(r"__resume_at_.*"), "resume"),
    (re.compile(r"__import_.*"), "module"),
    (re.compile(r"___module_(\w+)_\d+_c\d+"), r"\1"),
)
"""Patterns of global names, with the word for what they give; so for the others."""
_ATTRIBUTES = (
    (re.compile(r".*_(enter)"), r"\1"),
    (re.compile(r".*_(exit)"), r"\1_"),
    (re.compile(r"_is_profiler_(enabled)"), r"\1"),
    (re.compile(r"(object_setattr)_ignore_descriptor"), r"\1"),
)
_RESULTS = (
    (re.compile(r"(__)?compiled_fn.*"), _GRAPH_OUTPUT),
    (re.compile(r"enter"), "probe"),
    (re.compile(r"call_(\w+)"), r"\1"),
    (re.compile(r"new"), "instance"),
)
"""Patterns of what is called."""

_UUID = r"[0-9a-f]{8}_[0-9a-f]{4}_[0-9a-f]{4}_[0-9a-f]{4}_[0-9a-f]{12}|[0-9a-f]{32}"
_OF_ONE_RUN = (
    re.compile(rf"(?P<name>__(?:compiled_fn|resume_at|transformed_code)(?:_\d+)+?)_(?:{_UUID})"),
    re.compile(r"(?P<name>\w*?)(?:_\d{9,})+(?P<count>_c\d+)"),
)


def is_made_up(variable: str) -> bool:
    """Whether a local variable has a name that tools give, not people."""
    return _MADE_UP.fullmatch(variable) is not None


def is_of_dynamo(name: str, names: Iterable[str], variables: Iterable[str]) -> bool:
    """Whether Dynamo made a code object: by its name, or the names of its globals and variables."""
    return bool(_RESUMES.match(name)) or any(map(_DYNAMO_GLOBAL.match, names)) or any(map(is_made_up, variables))


def local_hint(variable: str) -> str:
    """A better name for a local variable whose name is made up."""
    match = _MADE_UP.fullmatch(variable)
    return next(filter(None, match.groups())) if match else variable


DYNAMO_HINTS = NamingHints(is_made_up, local_hint, _GLOBALS, _ATTRIBUTES, _RESULTS, _GRAPH_OUTPUT)
"""What Dynamo's names tell."""


def without_run(code: CodeType) -> CodeType:
    """`code` with names that are the same in every run: without uuids and ids of objects.

    As it is where there are none, or where two names would become one.
    """
    names = dict.fromkeys(_names(code))
    short = {name: _short(name) for name in names}
    if len(set(short.values())) < len(short) or all(name == other for name, other in short.items()):
        return code
    return _renamed(code, short)


def _short(name: str) -> str:
    for pattern in _OF_ONE_RUN:
        match = pattern.fullmatch(name)
        if match is not None:
            return "".join(match.groupdict().values())
    return name


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names + code.co_varnames + code.co_cellvars + code.co_freevars
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _renamed(code: CodeType, short: dict[str, str]) -> CodeType:
    def constant(one: Any) -> Any:
        return _renamed(one, short) if isinstance(one, CodeType) else one

    return code.replace(
        co_names=tuple(short[name] for name in code.co_names),
        co_consts=tuple(map(constant, code.co_consts)),
    )
