"""Recorded code objects of Dynamo (tests/cases/dynamo), read back as live code objects."""

from __future__ import annotations

import ast
import base64
import json
import types
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Tuple

CASES = Path(__file__).parent / "cases" / "dynamo"


class Foreign:
    """Stands for a constant that is no literal; one object per kind and name."""

    made: Dict[Tuple[str, str], Foreign] = {}

    def __init__(self, kind: str, name: str) -> None:
        self.kind = kind
        self.__name__ = name.replace(".", "_")

    def __repr__(self) -> str:
        return f"<{self.kind} {self.__name__}>"

    @classmethod
    def of(cls, kind: str, name: str) -> Foreign:
        return cls.made.setdefault((kind, name), cls(kind, name))


class Case(NamedTuple):
    """One recorded code object; ``label`` is unique."""

    label: str
    program: str
    code: types.CodeType


def cases(version: str = "py311") -> List[Case]:
    """All recorded code objects of one version of Python, which must be the running one."""
    found: List[Case] = []
    for path in sorted(CASES.glob(version + "_*.json")):
        numbers: Dict[str, int] = {}
        for row in json.loads(path.read_text(encoding="utf-8")):
            program = row["program"]
            numbers[program] = numbers.get(program, -1) + 1
            found.append(Case(f"{program}-{numbers[program]}", program, code_of(row["code"])))
    return found


def code_of(data: Dict[str, Any]) -> types.CodeType:
    """The code object that was recorded as ``data``."""
    template = (lambda: None).__code__
    changes: Dict[str, Any] = {
        "co_" + key: tuple(value) if isinstance(value, list) else value
        for key, value in data.items()
        if key not in ("code", "linetable", "exceptiontable", "consts")
    }
    for key in ("code", "linetable", "exceptiontable"):
        changes["co_" + key] = base64.b64decode(data[key])
    changes["co_consts"] = tuple(_constant(*constant) for constant in data["consts"])
    return template.replace(**changes)


_globals: Dict[str, Dict[str, Any]] = {}


def _constant(kind: str, *data: Any) -> Any:
    if kind == "code":
        return code_of(data[0])
    if kind == "tuple":
        return tuple(_constant(*item) for item in data[0])
    if kind == "frozenset":
        return frozenset(_constant(*item) for item in data[0])
    if kind == "literal":
        return ast.literal_eval(data[0])
    if kind == "globals":
        return _globals.setdefault(data[0], {"__name__": data[0]})
    return Foreign.of(data[0], data[1])
