"""A function's title is what the program calls it."""

from __future__ import annotations

import functools
import sys

from depyf.explain.frames.called_names import called_name, is_wrapper, note_called_name
from depyf.explain.model import Frame, Session


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


def passes_on(function, other=None):
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs) if other is None else other()

    return wrapper


def beside(is_named=False):
    def inner(*args, **kwargs):
        return args or inner

    def named(x, *args, **kwargs):
        return inner(x, *args, **kwargs)

    return named if is_named else inner


def step(x):
    return x


def test_a_wrapper_has_the_names_of_what_it_wraps():
    code = passes_on(step).__code__
    assert is_wrapper(code) and not is_wrapper(step.__code__) and not is_wrapper(passes_on.__code__)
    assert frame_of(code, {"function": step, "args": (1,)}).title == "step"
    assert frame_of(code, {"function": Base.plain}).title == "Base.plain"
    assert frame_of(code, {"function": Model().plain}).title == "Base.plain"
    assert frame_of(code, {"function": step, "other": Base.plain}).called == ""  # which of them is not known
    assert frame_of(code, {"function": len}).called == ""
    if sys.version_info >= (3, 11):  # before, a code object does not know where it was made
        assert frame_of(beside().__code__, {"inner": beside()}).called == ""
    assert not is_wrapper(beside(True).__code__)
    frame = Frame("wrapper", "passes_on.<locals>.wrapper", "/some/m.py", 7, code=code)
    for function in (step, Base.plain, step, Base.forward, passes_on, frame_of):
        note_called_name(Session(), frame, {"function": function})
    assert frame.title == "step, Base.plain, Base.forward"  # and no more
    assert frame.place == "through wrapper, m.py:7"
