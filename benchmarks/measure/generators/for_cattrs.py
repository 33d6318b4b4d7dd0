"""cattrs: functions that structure and unstructure classes, unions and typed dictionaries, in every strategy."""

from __future__ import annotations

import dataclasses
import enum
import typing
from typing import Any, Dict, FrozenSet, List, Mapping, Optional, Set, Tuple, Union

import attrs
import cattrs
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override
from cattrs.preconf import json as json_converters
from cattrs.strategies import configure_tagged_union, include_subclasses


class Colour(enum.Enum):
    RED = "red"


@attrs.define
class Inner:
    a: int
    b: str = "b"


@attrs.define
class Other:
    c: float
    d: Optional[Inner] = None


@dataclasses.dataclass
class Data:
    x: int
    y: List[Inner] = dataclasses.field(default_factory=list)


@attrs.frozen
class Frozen:
    _private: int
    value: Colour = Colour.RED


@attrs.define
class Parent:
    p: int


@attrs.define
class Child(Parent):
    q: str


@attrs.define
class Keyword:
    k: int = attrs.field(kw_only=True)
    alias: int = attrs.field(alias="other", default=1)
    converted: int = attrs.field(converter=int, default=2)
    hidden: int = attrs.field(init=False, default=3)


class Typed(typing.TypedDict):
    a: int
    b: List[Inner]


class Partial(typing.TypedDict, total=False):
    a: int
    b: Typed


class Named(typing.NamedTuple):
    a: int
    b: Inner


T = typing.TypeVar("T")


@attrs.define
class Generic(typing.Generic[T]):
    item: T
    items: List[T]


@attrs.define
class Everything:
    integer: int
    text: str
    anything: Any
    inner: Inner
    data: Data
    maybe: Optional[int]
    maybe_inner: Optional[Inner]
    either: Union[Inner, Other]
    numbers: List[int]
    inners: List[Inner]
    mapping: Dict[str, Inner]
    mapping_of_lists: Mapping[int, List[Inner]]
    pair: Tuple[int, Inner]
    many: Tuple[Inner, ...]
    chosen: Set[int]
    frozen_set: FrozenSet[str]
    colour: Colour
    typed: Typed
    literal: typing.Literal[1, "a"] = 1
    default: int = attrs.Factory(int)
    frozen: Frozen = Frozen(1)
    named: Named = Named(1, Inner(1))
    generic: Generic[int] = attrs.Factory(lambda: Generic(1, [2]))


CLASSES = [Inner, Other, Data, Frozen, Parent, Child, Keyword, Typed, Partial, Named, Everything, Generic[int],
           Generic[Inner], List[Inner], Dict[str, Inner], Tuple[int, Inner], Optional[Inner], Union[Inner, Other]]  # fmt: skip


def generate(folder):
    for options in (
        {}, {"forbid_extra_keys": True}, {"omit_if_default": True}, {"detailed_validation": False},
        {"prefer_attrib_converters": True}, {"use_alias": True}, {"unstruct_collection_overrides": {set: list}},
        {"unstruct_strat": cattrs.UnstructureStrategy.AS_TUPLE}, {"detailed_validation": False, "forbid_extra_keys": True},
    ):  # fmt: skip
        use(lambda: cattrs.Converter(**options))
    use(json_converters.make_converter)
    for kind in CLASSES[:7]:
        for options in (
            {"a": override(rename="A")}, {"a": override(omit=True)}, {"b": override(omit_if_default=True)},
            {"a": override(struct_hook=lambda value, kind: value, unstruct_hook=str)}, {"x": override(omit=False)},
        ):  # fmt: skip
            for more in ({}, {"_cattrs_forbid_extra_keys": True}, {"_cattrs_detailed_validation": False},
                         {"_cattrs_include_init_false": True}):  # fmt: skip
                attempt(lambda: make_dict_structure_fn(kind, cattrs.Converter(), **options, **more))
            for more in ({}, {"_cattrs_omit_if_default": True}, {"_cattrs_include_init_false": True}):
                attempt(lambda: make_dict_unstructure_fn(kind, cattrs.Converter(), **options, **more))
    converter = cattrs.Converter()
    attempt(lambda: include_subclasses(Parent, converter))
    attempt(lambda: configure_tagged_union(Union[Inner, Other], converter))
    attempt(lambda: converter.structure(converter.unstructure(Child(1, "q")), Parent))


def use(make):
    attempt(make)
    for kind in CLASSES:
        attempt(lambda: make().get_structure_hook(kind))
        attempt(lambda: make().get_unstructure_hook(kind))
        attempt(lambda: make().structure({}, kind))
    attempt(lambda: make().unstructure(Inner(1)))


def attempt(action):
    try:
        action()
    except Exception:
        pass  # an option or a type that this version does not know
