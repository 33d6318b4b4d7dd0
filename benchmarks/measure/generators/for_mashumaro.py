"""mashumaro: methods that it writes into data classes, with every type and option."""

import dataclasses
import datetime
import decimal
import enum
import pathlib
import typing
import uuid
from typing import Any, Dict, List, Optional, Tuple, Union

from mashumaro import DataClassDictMixin, field_options
from mashumaro.config import ADD_DIALECT_SUPPORT, TO_DICT_ADD_BY_ALIAS_FLAG, TO_DICT_ADD_OMIT_NONE_FLAG, BaseConfig
from mashumaro.mixins.json import DataClassJSONMixin


class Colour(enum.Enum):
    RED = 1


class Named(typing.NamedTuple):
    a: int
    b: Optional[str] = None


class Typed(typing.TypedDict, total=False):
    a: int
    b: List[str]


HINTS = [
    int, str, Any, Optional[int], Union[int, str, None], List[int], Dict[str, List[int]], Tuple[int, str], Tuple[int, ...], Colour,
    datetime.datetime, datetime.timedelta, decimal.Decimal, pathlib.Path, uuid.UUID, bytes, Named, Typed, List[Optional[Dict[int, Named]]],
    typing.Counter[str], typing.Deque[int], typing.ChainMap[str, int], typing.OrderedDict[str, int], typing.FrozenSet[int], Union[List[int], Dict[str, int]],
]  # fmt: skip


def generate(folder):
    for options in ([], [TO_DICT_ADD_BY_ALIAS_FLAG, TO_DICT_ADD_OMIT_NONE_FLAG], [ADD_DIALECT_SUPPORT]):
        config = type("Config", (BaseConfig,), {"__module__": __name__, "code_generation_options": options, "serialize_by_alias": bool(options), "omit_none": not options})
        for mixin in (DataClassDictMixin, DataClassJSONMixin):
            inner = made("Inner", [(f"a{n}", hint) for n, hint in enumerate(HINTS)], (mixin,), config)
            fields = [("x", inner), ("y", List[inner], dataclasses.field(default_factory=list, metadata=field_options(alias="why"))),
                      ("z", Optional[inner], None), ("w", int, dataclasses.field(default=1, metadata=field_options(serialize=str, deserialize=int)))]  # fmt: skip
            outer = made("Outer", fields, (mixin,), config)
            try:
                outer.from_dict({})
            except Exception as error:
                print(type(error).__name__, error)


def made(name, fields, bases, config):
    return dataclasses.make_dataclass(name, fields, bases=bases, namespace={"Config": config, "__module__": __name__})
