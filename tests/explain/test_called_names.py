"""A function's title is what the program calls it."""

from __future__ import annotations

import functools

from depyf.explain.frames.called_names import called_name
from depyf.explain.model import Frame


def decorated(function):
    @functools.wraps(function)
    def wrapper(self, *args):
        return function(self, *args)

    return wrapper


class Base:
    def plain(self):
        return self

    @decorated
    def forward(self, x):
        return x


class Model(Base):
    __slots__ = ()


def frame_of(code, variables):
    qualname = getattr(code, "co_qualname", code.co_name)
    return Frame(code.co_name, qualname, "/some/m.py", 7, called=called_name(code, variables))


def test_a_method_has_the_class_of_the_object():
    frame = frame_of(Base.plain.__code__, {"self": Model()})
    assert (frame.title, frame.place) == ("Model.plain", "m.py:7")


def test_a_method_that_a_decorator_has_replaced():
    frame = frame_of(Base.forward.__code__, {"self": Model(), "args": ()})
    assert (frame.title, frame.place) == ("Model.forward", "through wrapper, m.py:7")


def test_what_is_no_method_keeps_its_name():
    def function(a):
        return a

    for variables in ({"a": Model()}, {"a": 1}, {}):
        frame = frame_of(function.__code__, variables)
        assert frame.called == "" and frame.title.endswith("function") and frame.place == "m.py:7"
