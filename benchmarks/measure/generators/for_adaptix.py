"""adaptix and pyserde: loaders and dumpers that they write for data classes."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import sys
import typing
from typing import Any, Dict, List, Optional, Set, Tuple, Union


class Colour(enum.Enum):
    RED = "r"


@dataclasses.dataclass
class Inner:
    a: int
    b: str = "b"
    c: Optional[List[int]] = None


@dataclasses.dataclass
class Outer:
    x: Inner
    y: List[Inner]
    z: Dict[str, Optional[Inner]]
    colour: Colour
    when: datetime.datetime
    price: decimal.Decimal
    either: Union[int, str, Inner]
    pair: Tuple[int, str]
    many: Tuple[int, ...]
    anything: Any
    unique: Set[int] = dataclasses.field(default_factory=set)
    last: "int" = 1


def generate(folder):
    import adaptix
    import serde

    if hasattr(typing, "Literal"):
        Outer.__annotations__["literal"] = typing.Literal["a", 1]
    for debug in adaptix.DebugTrail:
        for strict in (True, False):
            for recipe in ([], [adaptix.name_mapping(omit_default=True)], [adaptix.name_mapping(extra_in=adaptix.ExtraForbid(), name_style=adaptix.NameStyle.CAMEL)]):
                retort = adaptix.Retort(debug_trail=debug, strict_coercion=strict, recipe=recipe)
                for kind in (Inner, Outer, List[Inner], Dict[str, Outer]):
                    attempt(lambda: retort.get_loader(kind))
                    attempt(lambda: retort.get_dumper(kind))
    attempt(lambda: adaptix.conversion.get_converter(Inner, Inner))
    for options in ({}, {"rename_all": "camelcase"}, {"deny_unknown_fields": True}, {"tagging": serde.Untagged}, {"type_check": serde.strict}, {"reuse_instances_default": False}):
        for kind in (Inner, Outer):
            attempt(lambda: serde.serde(dataclasses.make_dataclass(f"S{kind.__name__}", [(one.name, one.type, one) if not isinstance(one.type, str) else (one.name, eval(one.type, vars(sys.modules[__name__])), one) for one in dataclasses.fields(kind)], namespace={"__module__": __name__}), **options))


def attempt(action):
    try:
        action()
    except Exception as error:
        print(type(error).__name__, str(error)[:100])
