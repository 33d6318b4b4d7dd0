"""Recorded code objects of Dynamo (tests/cases/dynamo), read back as live code objects.

One file holds what one torch made on one Python (see lab/record_dynamo.py); only that Python can make code objects of
it. Each file has its distinct codes once, and rows that tell which function of which program each one belongs to.
"""

from __future__ import annotations

import ast
import base64
import functools
import gzip
import json
import random
import sys
import types
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

CASES = Path(__file__).parent / "cases" / "dynamo"
HERE = "py{}{}".format(*sys.version_info[:2])


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
    """One recorded code object; ``label`` is unique.

    ``kind`` is 'transformed', or 'resume' for a function that Dynamo made to transform it later. ``function`` names the
    function that was transformed (for a resume function itself) and ``line`` is its first line.
    """

    label: str
    program: str
    code: types.CodeType
    torch: str = ""
    kind: str = "transformed"
    function: str = ""
    line: int = 0


def number(torch: str) -> Tuple[int, ...]:
    """'2.13.0' as numbers, for comparisons."""
    return tuple(int(part) for part in torch.split(".")[:2])


def recordings(version: str = HERE) -> List[Path]:
    """The files of one version of Python, those of the newest torch first."""
    return sorted(CASES.glob(version + "_torch*.json.gz"), key=lambda path: -_torch_number(path))


def _torch_number(path: Path) -> int:
    return int(path.name.partition("_torch")[2].partition(".")[0])


@functools.lru_cache(maxsize=None)
def recording(path: Path) -> Dict[str, Any]:
    """What is in one file, with its codes made."""
    data: Dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()).decode())
    data["codes"] = [code_of(code) for code in data["codes"]]
    return data


def all_rows(path: Path) -> List[Case]:
    """Every function of every program with the code it got: codes that are the same several times."""
    data = recording(path)
    numbers: Dict[str, int] = {}
    found: List[Case] = []
    for program, function, line, kind, code in data["rows"]:
        numbers[program] = numbers.get(program, -1) + 1
        label = f"torch{_torch_number(path)}/{program}-{numbers[program]}"
        found.append(Case(label, program, data["codes"][code], data["torch"], kind, function, line))
    return found


def cases(version: str = HERE, sample: Optional[int] = None, seed: int = 0) -> List[Case]:
    """The distinct recorded code objects of one version of Python, which must be the running one.

    With ``sample``, at most so many of each torch, the same ones each time.
    """
    found: List[Case] = []
    for path in recordings(version):
        distinct: Dict[int, Case] = {}
        for case in all_rows(path):
            distinct.setdefault(id(case.code), case)
        chosen = list(distinct.values())
        if sample is not None and sample < len(chosen):
            places = sorted(random.Random(seed).sample(range(len(chosen)), sample))
            chosen = [chosen[place] for place in places]
        found += chosen
    return found


def case_of(label: str) -> Case:
    """The case of that label; without ``torchNNN/`` that of the newest torch."""
    found = (case for path in recordings() for case in all_rows(path))
    return next(case for case in found if label in (case.label, case.label.partition("/")[2]))


def code_of(data: Dict[str, Any]) -> types.CodeType:
    """The code object that was recorded as ``data``."""
    template = (lambda: None).__code__
    changes: Dict[str, Any] = {
        "co_" + key: tuple(value) if isinstance(value, list) else value
        for key, value in data.items()
        if key not in ("code", "linetable", "lnotab", "exceptiontable", "consts")
    }
    for key in ("code", "linetable", "lnotab", "exceptiontable"):
        if key in data:
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
    if kind == "slice":
        return slice(*[_constant(*item) for item in data[0]])
    if kind == "literal":
        return ... if data[0] == "Ellipsis" else ast.literal_eval(data[0])
    if kind == "number":
        return complex(data[0]) if "j" in data[0] else float(data[0])
    if kind == "globals":
        return _globals.setdefault(data[0], {"__name__": data[0]})
    return Foreign.of(data[0], data[1])


def analyze(code: types.CodeType) -> Any:
    """The decompiler's result for ``code``, asked for as the torch side asks."""
    from depyf.decompiler import pipeline
    from depyf.decompiler.driver.settings import Settings
    from depyf.explain.transformed.origin import DYNAMO

    return pipeline.analyze(code, settings=Settings(origin=DYNAMO))
