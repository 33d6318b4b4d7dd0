"""dataclasses: classes with every option that changes the methods it writes."""

from __future__ import annotations

import collections
import dataclasses
import enum
import itertools
import sys
import typing
from dataclasses import field


def generate(folder):
    flags = ["init", "repr", "eq", "order", "unsafe_hash", "frozen"]
    newer = ["match_args", "kw_only", "slots", "weakref_slot"]
    known = [name for name in newer if name in dataclasses.dataclass.__kwdefaults__]
    for number, values in enumerate(itertools.product((False, True), repeat=len(flags))):
        options = dict(zip(flags, values))
        for extra in [None, *known]:
            more = {} if extra is None else {extra: True}
            if extra == "weakref_slot":
                more["slots"] = True
            try:
                make(f"C{number}", {**options, **more})
            except (TypeError, ValueError):
                continue  # these options exclude each other
    base = dataclasses.make_dataclass("Base", ["a", ("b", int, 1)])
    dataclasses.make_dataclass("Derived", [("a", int, 3), ("c", int, 4)], bases=(base,))
    dataclasses.make_dataclass("Many", [f"a{number}" for number in range(60)], order=True)
    dataclasses.make_dataclass("self_", ["self", "value"])
    dataclasses.make_dataclass("self_with_default", [("self", int, 1)])
    dataclasses.make_dataclass("Post", [("a", int), ("b", dataclasses.InitVar[int], 1)], bases=(Post,))
    collections.namedtuple("Point", "x y z")
    collections.namedtuple("Point", "x y z", defaults=(1, 2), rename=True)
    collections.namedtuple("Renamed", "x def class x", rename=True)
    typing.NamedTuple("Typed", [("a", int), ("b", str)])
    enum.Enum("Colour", "RED GREEN")
    if sys.version_info >= (3, 10):
        dataclasses.make_dataclass("Kw", ["a", ("b", int, field(kw_only=True)), ("c", int, field(default=1))])


def make(name, options):
    fields = [
        "a",
        ("b", int),
        ("c", "typing.List[int]", field(default_factory=list)),
        ("d", int, field(default=1, repr=False, compare=False)),
        ("e", int, field(default=2, init=False)),
        ("f", dict, field(default_factory=dict, init=False, hash=True)),
        ("g", dataclasses.InitVar[int], 3),
        ("h", typing.ClassVar[int], 4),
        ("i", str, field(default="x", metadata={"a": 1})),
    ]
    dataclasses.make_dataclass(name, fields, namespace={"method": lambda self: 1}, **options)


class Post:
    def __post_init__(self, b):
        pass
