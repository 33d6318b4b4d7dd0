"""attrs: classes with every option that changes the methods it writes."""

from __future__ import annotations

import itertools

import attr
import attrs


def generate(folder):
    flags = ("frozen", "slots", "kw_only", "cache_hash", "order", "weakref_slot")
    for number, values in enumerate(itertools.product((False, True), repeat=len(flags))):
        options = dict(zip(flags, values))
        options["unsafe_hash"] = options["cache_hash"] or None
        for fields in (plain(), full(), private()):
            attrs.make_class(f"C{number}", fields, **options)
    for options in (
        {"init": False}, {"repr": False}, {"eq": False}, {"str": True}, {"auto_exc": True}, {"collect_by_mro": True},
        {"on_setattr": attrs.setters.validate}, {"on_setattr": attrs.setters.frozen}, {"getstate_setstate": True},
        {"on_setattr": [attrs.setters.convert, attrs.setters.validate]}, {"match_args": False},
    ):  # fmt: skip
        attr.make_class("D", full(), **options)
    attr.make_class("E", plain(), bases=(Exception,), auto_exc=True)
    attr.make_class("P", full(), bases=(WithHooks,))
    attr.make_class("Q", full(), bases=(WithHooks,), slots=True, frozen=True)
    base = attrs.make_class("Base", {"a": attr.ib(), "b": attr.ib(default=1)}, slots=True)
    attrs.make_class("Derived", {"c": attr.ib(default=2), "a": attr.ib(default=3)}, bases=(base,), slots=True)
    attrs.make_class("Empty", [])
    attrs.make_class("Many", [f"a{number}" for number in range(60)], order=True)
    attrs.make_class("ManyFrozen", [f"a{number}" for number in range(60)], frozen=True, order=True)
    Cached(1).both  # noqa: B018


def plain():
    return {"x": attr.ib(), "y": attr.ib(default=1), "z": attr.ib(factory=list)}


def full():
    return {
        "a": attr.ib(validator=attrs.validators.instance_of(int)),
        "b": attr.ib(converter=int, default="3"),
        "c": attr.ib(converter=attrs.converters.optional(int), default=None, repr=False),
        "d": attr.ib(default=attrs.Factory(lambda self: self.a, takes_self=True), eq=str.lower),
        "e": attr.ib(init=False, default=5, hash=False),
        "f": attr.ib(init=False, factory=dict, order=False),
        "g": attr.ib(init=False),
        "h": attr.ib(converter=attrs.Converter(convert, takes_self=True, takes_field=True), kw_only=True, default=1),
        "i": attr.ib(converter=int, validator=[attrs.validators.ge(0), attrs.validators.lt(9)], kw_only=True, default=1),
        "j": attr.ib(alias="other", default=1, on_setattr=attrs.setters.NO_OP, repr=lambda value: "..."),
        "k": attr.ib(converter=int, factory=int, type=int, metadata={"a": 1}),
    }  # fmt: skip


def private():
    return {"_a": attr.ib(), "__b": attr.ib(default=1, repr=True), "_c": attr.ib(converter=str, default=2)}


def convert(value, instance, field):
    return value


class WithHooks:
    def __attrs_pre_init__(self):
        pass

    def __attrs_post_init__(self):
        self.g = 1


@attrs.define
class Cached:
    a: int
    b: int = attrs.field(default=1, validator=attrs.validators.optional(attrs.validators.in_([1, 2])))

    import functools

    @functools.cached_property
    def both(self):
        return self.a, self.b

    def __getattr__(self, name):
        return name
