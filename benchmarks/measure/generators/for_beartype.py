"""beartype: functions whose parameters and results have every kind of hint that it checks."""

from __future__ import annotations

import collections.abc as abc
import enum
import os
import sys
import textwrap
import typing
from typing import Any, Callable, Dict, FrozenSet, List, Optional, Sequence, Set, Tuple, Type, Union

import beartype
import beartype.door
import beartype.vale
from beartype import BeartypeConf, BeartypeStrategy

Number = typing.TypeVar("Number", int, float)
Bound = typing.TypeVar("Bound", bound=Sequence)
New = typing.NewType("New", int)


class Colour(enum.Enum):
    RED = 1


class Meant:
    pass


@typing.runtime_checkable
class Proto(typing.Protocol):
    def run(self) -> int: ...


Even = beartype.vale.Is[lambda number: number % 2 == 0]
HINTS: list[Any] = [
    int, str, Any, None, object, type(None), Optional[int], Union[int, str], Union[int, List[str], None], List[int],
    List[Any], List[List[int]], List[Union[int, str]], Dict[str, int], Dict[str, List[int]], Set[int], FrozenSet[str],
    Tuple[int, ...], Tuple[int, str], Tuple[()], Tuple[int, Tuple[str, float]], Sequence[int], typing.Mapping[str, int],
    typing.MutableMapping[str, Any], typing.Iterable[int], typing.Iterator[int], typing.Collection[int],
    typing.Deque[int], typing.DefaultDict[str, int], typing.OrderedDict[str, int], typing.Counter[str],
    typing.ChainMap[str, int], typing.KeysView[str], typing.ItemsView[str, int], typing.ValuesView[int],
    typing.AbstractSet[int], typing.Container[int], typing.Reversible[int], Callable, Callable[[int], str],
    Callable[..., Any], Type, Type[int], Type[Union[int, str]], typing.Literal[1, "a", b"b", None, True],
    typing.Literal[Colour.RED], Number, Bound, New, Proto, Meant, "Meant", Colour, typing.AnyStr, typing.Hashable,
    typing.Sized, typing.SupportsInt, typing.Pattern[str], typing.Match[str], typing.IO[str], typing.Text,
    typing.NoReturn, abc.Sequence, list, dict, complex, bytes, memoryview, range, slice, BaseException, os.PathLike,
    Union[int, Sequence[Union[str, Dict[str, Tuple[int, ...]]]]], List[Optional[Dict[str, Union[int, List[str]]]]],
    Tuple[List[int], Dict[str, Set[Tuple[int, str]]]], Optional[Callable[[int], Any]], List["Meant"],
]  # fmt: skip
if hasattr(typing, "Annotated"):
    A = typing.Annotated
    vale = beartype.vale
    HINTS += [
        A[int, Even], A[str, vale.IsAttr["real", vale.IsEqual[1]]], A[int, vale.IsInstance[int]], A[int, ~Even],
        A[int, Even & vale.IsInstance[bool]], A[int, Even | vale.IsEqual[3]], A[type, vale.IsSubclass[int]],
        List[A[int, Even]], Union[A[int, Even], str], A[int, "nothing"],
    ]  # fmt: skip


def generate(folder):
    options = [
        BeartypeConf(),
        BeartypeConf(is_color=False, is_pep484_tower=True),
        BeartypeConf(strategy=BeartypeStrategy.O0),
        BeartypeConf(violation_type=UserWarning),
    ]
    for place, conf in enumerate(options):
        for hint in HINTS:
            for make in (parameters,) if place else (parameters, result, star, method_of, asynchronous, generator):
                attempt(lambda: beartype.beartype(conf=conf)(make(hint)))
    for hint in HINTS:
        attempt(lambda: beartype.door.is_bearable([1], hint))
        attempt(lambda: beartype.door.die_if_unbearable([1], hint))
        attempt(lambda: beartype.door.TypeHint(hint).is_bearable(1))
    claw(folder)


def attempt(action):
    try:
        action()
    except Exception:
        pass  # a hint that this Python or this beartype does not support, or an object that is not of its kind


def parameters(hint):
    def function(a, b=1, *args, c, d=2, **options):
        return a

    function.__annotations__ = dict.fromkeys(["a", "b", "args", "c", "d", "options"], hint)
    return function


def result(hint):
    def function(a):
        return a

    function.__annotations__ = {"return": hint}
    return function


def star(hint):
    def function(*args, **options):
        return args

    function.__annotations__ = {"args": hint, "return": hint}
    return function


def method_of(hint):
    class Class:
        def method(self, a, b=None):
            return a

        @classmethod
        def of_class(cls, a):
            return a

        @staticmethod
        def static(a):
            return a

        @property
        def value(self):
            return 1

    Class.method.__annotations__ = {"a": hint, "b": hint, "return": hint}
    Class.__dict__["of_class"].__func__.__annotations__ = {"a": hint}
    Class.__dict__["static"].__func__.__annotations__ = {"a": hint}
    Class.__dict__["value"].fget.__annotations__ = {"return": hint}
    return Class


def asynchronous(hint):
    async def function(a, *, b=1):
        return a

    function.__annotations__ = {"a": hint, "b": hint, "return": typing.Coroutine[None, None, hint]}
    return function


def generator(hint):
    def function(a):
        yield a

    function.__annotations__ = {"a": hint, "return": typing.Iterator[hint]}
    return function


CLAWED = """
from typing import Any, List, Optional
import dataclasses

limit: int = 3
names: List[str] = ["a"]

@dataclasses.dataclass
class Point:
    x: int
    y: Optional[int] = None

    def moved(self, by: int) -> "Point":
        x: int = self.x + by
        for self.y in range(3):
            step: int = by
        return Point(x, self.y)

def total(items: List[int]) -> int:
    result: int = 0
    for item in items:
        result += item
    return result

async def later(a: Any, *b: int, **c: str) -> None:
    def inner(z: int = limit) -> int:
        return z
    with open(__file__) as file:
        text: str = file.read()
    inner()
"""


def claw(folder):
    from beartype.claw import beartype_package

    os.mkdir(os.path.join(folder, "clawed"))
    with open(os.path.join(folder, "clawed", "__init__.py"), "w") as file:
        file.write(textwrap.dedent(CLAWED))
    sys.path.insert(0, folder)
    beartype_package("clawed")
    import clawed

    clawed.total([1])
    clawed.Point(1).moved(2)


def rewritten(filename):
    return os.path.join("clawed", "__init__.py") in filename
