"""Dynamo's names without what differs from run to run: the uuids and the ids of objects that it puts into them.

Takes a code object, and gives one with the same instructions, whose text is the same in every run.
"""

from __future__ import annotations

import re
from types import CodeType
from typing import Any, Dict, Iterator

__all__ = ["without_run"]

_UUID = r"[0-9a-f]{8}_[0-9a-f]{4}_[0-9a-f]{4}_[0-9a-f]{4}_[0-9a-f]{12}|[0-9a-f]{32}"
_OF_ONE_RUN = (
    re.compile(r"(?P<name>__(?:compiled_fn|resume_at|transformed_code)(?:_\d+)+?)_(?:{})".format(_UUID)),
    re.compile(r"(?P<name>\w*?)(?:_\d{9,})+(?P<count>_c\d+)"),
)


def without_run(code: CodeType) -> CodeType:
    """`code` with the short names; as it is where there are none, or where two names would become one."""
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


def _renamed(code: CodeType, short: Dict[str, str]) -> CodeType:
    def constant(one: Any) -> Any:
        return _renamed(one, short) if isinstance(one, CodeType) else one

    return code.replace(
        co_names=tuple(short[name] for name in code.co_names),
        co_consts=tuple(map(constant, code.co_consts)),
    )
