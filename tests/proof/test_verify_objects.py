"""`depyf.verify` of two objects: what a caller would see of them, beside the code."""

from __future__ import annotations

import abc
import collections
import contextlib
import dataclasses
import enum
import functools
import typing

import pytest

from depyf.decompiler.proof import verify

SPACE = {
    "abc": abc, "collections": collections, "contextlib": contextlib, "dataclasses": dataclasses, "enum": enum,
    "functools": functools, "typing": typing, "__name__": "made",
}  # fmt: skip
COMMON = """
def around(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return f(*args, **kwargs)
    return wrapper

class Around:
    def __init__(self, f):
        self.f = f
    def __call__(self, *args):
        return self.f(*args)

class Slotted:
    __slots__ = ("f",)
    def __init__(self, f):
        self.f = f
    def __call__(self, *args):
        return self.f(*args)

class Hiding(Around):
    @property
    def __dict__(self):
        raise SystemExit("code of the class has run")

class Point:
    def __init__(self, x):
        self.x = x
    def norm(self):
        return self.x
    @classmethod
    def make(cls):
        return cls(1)
"""
FUNCTION = "def f(a, b=1):\n    return a + ONE\n"
# shape -> a text that defines `f`. Made twice it is proven; made with another number, it is not.
SHAPES = {
    "plain": FUNCTION,
    "wraps": f"@around\n{FUNCTION}",
    "wraps twice": f"@around\n@around\n{FUNCTION}",
    "an object with attributes": f"@Around\n{FUNCTION}",
    "an object with slots": f"@Slotted\n{FUNCTION}",
    "an object whose dictionary is a property": f"@Hiding\n{FUNCTION}",
    "lru_cache": f"@functools.lru_cache(maxsize=None)\n{FUNCTION}",
    "the size of a cache": "@functools.lru_cache(maxsize=ONE)\ndef f(a):\n    return a\n",
    "contextmanager": "@contextlib.contextmanager\ndef f(a):\n    yield ONE\n",
    "singledispatch": f"@functools.singledispatch\n{FUNCTION}",
    "a registered function": (
        "@functools.singledispatch\ndef f(a):\n    return a\n@f.register(int)\ndef g(a):\n    return ONE\n"
    ),
    "partial": f"{FUNCTION}f = functools.partial(f, ONE)\n",
    "keywords of a partial": f"{FUNCTION.replace('ONE', '2')}f = functools.partial(f, b=ONE)\n",
    "a cell": "def g(a):\n    return lambda: a\nf = g(ONE)\n",
    "a list in a cell": "def g(a):\n    return lambda: a\nf = g([1, [ONE]])\n",
    "a dictionary in a cell": "def g(a):\n    return lambda: a\nf = g({'a': ONE})\n",
    "a set in a cell": "def g(a):\n    return lambda: a\nf = g({3, ONE})\n",
    "a function in a cell": f"{FUNCTION}def g(a):\n    return lambda: a\nf = g(f)\n",
    "a class in a cell": "class C:\n    x = ONE\ndef g(a):\n    return lambda: a\nf = g(C)\n",
    "a recursive function": "def g():\n    def h(n):\n        return n and h(n - ONE)\n    return h\nf = g()\n",
    "a function as a default value": f"{FUNCTION}def g(a=f):\n    return a\nf = g\n",
    "a bound method": "f = Point(ONE).norm\n",
    "a method of a container": "def g(a):\n    return lambda: a\nf = g([ONE].append)\n",
    "a bound class": "class P(Point):\n    x = ONE\nf = P.make\n",
    "a callable object": "class C(Point):\n    def __call__(self):\n        pass\nf = C(ONE)\n",
    "a static method": "class C:\n    @staticmethod\n    def m():\n        return ONE\nf = vars(C)['m']\n",
    "a property": "class C:\n    @property\n    def m(self):\n        return ONE\nf = vars(C)['m']\n",
    "a setter": (
        "class C:\n    @property\n    def m(self):\n        return 1\n    @m.setter\n"
        "    def m(self, x):\n        self.x = ONE\n"
        "f = vars(C)['m']\n"
    ),
    "a method of a class": "class f:\n    def m(self):\n        return super().m() + ONE\n",
    "an attribute of a class": "class f:\n    x = ONE\n    def m(self): pass\n",
    "a class in a class": "class f:\n    class g:\n        x = ONE\n",
    "a base class": "class g:\n    x = ONE\nclass f(g):\n    pass\n",
    "a metaclass": "class g(type):\n    x = ONE\nclass f(metaclass=g):\n    pass\n",
    "an abstract class": "class f(abc.ABC):\n    @abc.abstractmethod\n    def m(self):\n        return ONE\n",
    "a class with slots": "class f:\n    __slots__ = ('a', 'b')\n    def m(self):\n        return ONE\n",
    "a dataclass": "@dataclasses.dataclass\nclass f:\n    a: int = ONE\n",
    "metadata": "@dataclasses.dataclass\nclass f:\n    a: int = dataclasses.field(metadata={'a': ONE})\n",
    "an enumeration": "class f(enum.Enum):\n    A = 0\n    B = ONE\n",
    "a named tuple": "f = collections.namedtuple('f', ['a', 'b' * ONE])\n",
    "a typed named tuple": "class f(typing.NamedTuple):\n    a: int = ONE\n",
    "a cached property": "class f:\n    @functools.cached_property\n    def m(self):\n        return ONE\n",
    "a dispatching method": "class f:\n    @functools.singledispatchmethod\n    def m(self, a):\n        return ONE\n",
    "a partial method": "class f:\n    def m(self, a):\n        return a\n    n = functools.partialmethod(m, ONE)\n",
}


def made(text, number=1):
    space = dict(SPACE)
    exec(compile((COMMON + text).replace("ONE", str(number)), "made", "exec", dont_inherit=True), space)
    return space["f"]


@pytest.mark.parametrize("shape", SHAPES)
def test_what_a_caller_sees_is_compared(shape):
    one, again, other = made(SHAPES[shape]), made(SHAPES[shape]), made(SHAPES[shape], 7)
    assert verify(one, again).proven
    verdict = verify(one, other)
    assert not verdict.proven and verdict.difference is not None and verdict.reasons
    assert "0x" not in verdict.describe()
    assert verify(one, one).proven and not verify(other, one).proven


ASSUMED = {
    "contents that may change": ("def g(a):\n    return lambda: a\nf = g([])\n", "are changed alike: g.<locals>"),
    "attributes that may change": ("f = Point(1).norm\n", "are changed alike: bound self"),
}


@pytest.mark.parametrize("shape", ASSUMED)
def test_what_is_assumed_is_said(shape):
    text, words = ASSUMED[shape]
    verdict = verify(made(text), made(text))
    assert verdict.identical and words in " ".join(verdict.assumptions)


def test_two_lists_are_not_one():
    text = "def g(a, b):\n    return lambda: (a, b)\n"
    one, two = made(text + "x = []\nf = g(x, x)\n"), made(text + "f = g([], [])\n")
    assert not verify(one, two).proven and not verify(two, one).proven
    assert verify(one, made(text + "x = []\nf = g(x, x)\n")).proven


def test_a_cache_around_one_of_two_functions_is_an_assumption():
    verdict = verify(made(SHAPES["plain"]), made(SHAPES["lru_cache"]))
    assert verdict.identical and "lru_cache" in " ".join(verdict.assumptions)
    assert not verify(made(SHAPES["plain"]), made(SHAPES["lru_cache"], 2)).proven


def test_binding_one_of_two_functions_is_a_difference():
    bound = made("f = Point(1).norm\n")
    assert "bound self: " in str(verify(bound, bound.__func__).difference)
    partial = functools.partial(bound.__func__, 1)
    assert str(verify(bound.__func__, partial).difference) == "partial arguments: nothing against (1)"
    assert verify(bound.__func__, functools.partial(bound.__func__)).proven


def test_the_order_of_members_and_their_names_count():
    a, b = "    def a(self): pass\n", "    def b(self): pass\n"
    one, other = made(f"class f:\n{a}{b}"), made(f"class f:\n{b}{a}")
    assert str(verify(one, other).difference) == "f: order of the attributes: a, b, __doc__ against b, a, __doc__"
    assert "f: __name__: 'f' against 'g'" in verify(one, made(f"class g:\n{a}{b}f = g\n")).reasons
    assert str(verify(one, made(f"class f:\n{a}")).difference) == "f: b: function f.b against none"


def test_a_code_object_says_nothing_of_cells():
    f = made("def g(a):\n    return lambda: a\nf = g([])\n")
    assert verify(f.__code__, f).assumptions == ("defaults and cells are those of g.<locals>.<lambda>",)


def test_wrappers_that_lead_back_to_themselves_end():
    class Odd:
        def __call__(self):
            pass

    one, other = Odd(), Odd()
    one.__wrapped__, other.__wrapped__ = one, other
    assert verify(one, other).proven
    other.__wrapped__ = one
    assert not verify(one, other).proven


def test_which_of_two_equal_tuples_it_is_does_not_matter():
    def made(one, other):
        def f(a=one, b=other):
            return a, b

        return f

    shared = (1, (2,))
    ours, theirs = ((*shared[:1], (*shared[1],)) for _ in range(2))
    assert verify(made(shared, shared), made(ours, theirs)).proven
    assert not verify(made(shared, shared), made(ours, (1, (3,)))).proven
    assert not verify(made([1], [1]), made(*[[1]] * 2)).proven  # lists may change
    assert not verify(made(([1],), ([1],)), made(*[([1],)] * 2)).proven


def test_tuples_that_share_tuples_are_compared_once():
    def made():
        value = (object,)
        for _ in range(60):
            value = (value, value)
        return lambda a=value: a

    assert verify(made(), made()).proven
