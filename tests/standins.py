"""Runs code on stand-ins: objects that log all that is done to them and answer by a seeded dice.

Two codes that do the same leave the same log, whatever the dice says: an independent witness for the proof. What the
dice decides: truth values, what an iteration gives, and that an operation raises now and then.
"""

from __future__ import annotations

import random
import types
from typing import Any, Dict, List, Tuple

MOST_EVENTS = 3000
RAISES = 0.02


class Injected(Exception):
    """What a stand-in raises when the dice says so."""


class World:
    """The log of one run, the dice, and the numbers by which objects are called in the log."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.log: List[Any] = []
        self.numbers: Dict[int, int] = {}
        self.kept: List[Any] = []  # so that no identity is used twice

    def number(self, thing: Any) -> int:
        if id(thing) not in self.numbers:
            self.numbers[id(thing)] = len(self.numbers)
            self.kept.append(thing)
        return self.numbers[id(thing)]

    def words(self, thing: Any, depth: int = 0) -> Any:
        """``thing`` as the log says it: stand-ins and containers by number, constants by type and value."""
        kind = type(thing)
        if kind is StandIn:
            return ("#", self.number(thing))
        if kind is tuple:
            return ("tuple", *[self.words(item, depth + 1) for item in thing])
        if depth > 8:
            return "..."
        if kind is list:
            return ("list", self.number(thing), *[self.words(item, depth + 1) for item in thing])
        if kind is dict and "__name__" not in thing:
            items = [(self.words(k, depth + 1), self.words(v, depth + 1)) for k, v in thing.items()]
            return ("dict", self.number(thing), *items)
        if kind is types.CellType:
            return ("cell", self.number(thing), self.cell_words(thing, depth))
        if kind is slice:
            return ("slice", *[self.words(part, depth + 1) for part in (thing.start, thing.stop, thing.step)])
        if kind is types.FunctionType:
            return ("function", thing.__name__, self.words(thing.__defaults__, depth + 1))
        if kind in (int, float, complex, bool, str, bytes, type(None), type(Ellipsis), frozenset):
            return (kind.__name__, repr(thing))
        if isinstance(thing, BaseException):
            return (kind.__name__, str(thing) if kind is Injected else "")
        return (kind.__name__, getattr(thing, "__name__", None) or getattr(thing, "co_name", ""))

    def cell_words(self, cell: types.CellType, depth: int) -> Any:
        try:
            return self.words(cell.cell_contents, depth + 1)
        except ValueError:
            return "empty"

    def event(self, what: str, *things: Any) -> None:
        """Log one event; it may raise."""
        self.log.append((what, *[self.words(thing) for thing in things]))
        if len(self.log) > MOST_EVENTS:
            raise Injected("too many events")
        if self.dice.random() < RAISES:
            raise Injected(f"after {len(self.log)} events")

    def new(self) -> StandIn:
        return StandIn(self)


class StandIn:
    """An object that logs what is done to it."""

    __slots__ = ("world",)

    def __init__(self, world: World) -> None:
        object.__setattr__(self, "world", world)
        world.number(self)

    def __getattribute__(self, name: str) -> Any:
        world = _world(self)
        world.event("getattr", self, name)
        return world.new()

    def __setattr__(self, name: str, value: Any) -> None:
        _world(self).event("setattr", self, name, value)

    def __delattr__(self, name: str) -> None:
        _world(self).event("delattr", self, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        world = _world(self)
        world.event("call", self, args, *kwargs.items())
        return world.new()

    def __bool__(self) -> bool:
        world = _world(self)
        world.event("bool", self)
        return world.dice.random() < 0.5

    def __iter__(self) -> Any:
        world = _world(self)
        world.event("iter", self)
        return iter([world.new() for _ in range(world.dice.choice((0, 1, 2, 2, 3)))])

    def __hash__(self) -> int:
        world = _world(self)
        world.event("hash", self)
        return world.number(self)

    def __contains__(self, item: Any) -> bool:
        world = _world(self)
        world.event("contains", self, item)
        return world.dice.random() < 0.5

    def __format__(self, spec: str) -> str:
        world = _world(self)
        world.event("format", self, spec)
        return f"<{world.number(self)}>"

    def __repr__(self) -> str:
        return f"#{_world(self).number(self)}"

    def __enter__(self) -> Any:
        world = _world(self)
        world.event("enter", self)
        return world.new()

    def __exit__(self, *arguments: Any) -> bool:
        world = _world(self)
        world.event("exit", self, arguments[:2])
        return world.dice.random() < 0.3


def _world(thing: StandIn) -> World:
    world: World = object.__getattribute__(thing, "world")
    return world


def _operation(name: str) -> Any:
    def method(self: StandIn, *operands: Any) -> Any:
        world = _world(self)
        world.event(name, self, *operands)
        return world.new()

    return method


for _name in ("getitem", "setitem", "delitem", "neg", "pos", "invert", "lt", "le", "gt", "ge", "eq", "ne"):
    setattr(StandIn, f"__{_name}__", _operation(_name))
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift"):
    for _prefix in ("", "r", "i"):
        setattr(StandIn, f"__{_prefix}{_name}__", _operation(_prefix + _name))


class Globals(Dict[str, Any]):
    """Globals that make up what they are asked for."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self.world = world
        super().__setitem__("__builtins__", {"slice": slice, "__build_class__": __build_class__})

    def __getitem__(self, name: str) -> Any:
        if name == "slice":
            return slice
        self.world.event("global", name)
        if name not in self:
            super().__setitem__(name, self.world.new())
        return super().__getitem__(name)

    def __setitem__(self, name: str, value: Any) -> None:
        self.world.event("set global", name, value)
        super().__setitem__(name, value)

    def __delitem__(self, name: str) -> None:
        self.world.event("delete global", name)
        super().pop(name, None)


def run(code: types.CodeType, seed: int) -> Tuple[Any, ...]:
    """Call a function made of ``code`` on stand-ins; gives the log, and how it ended."""
    world = World(seed)
    cells = tuple(types.CellType(world.new()) for _ in code.co_freevars)
    function = types.FunctionType(code, Globals(world), code.co_name, None, cells)
    positional = [world.new() for _ in range(code.co_argcount)]
    keyword = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    named = {name: world.new() for name in keyword}
    if code.co_flags & 0x04:
        positional += [world.new() for _ in range(world.dice.randrange(4))]
    if code.co_flags & 0x08:
        named.update({name: world.new() for name in ("a", "b")[: world.dice.randrange(3)]})
    try:
        end: Any = ("returned", world.words(function(*positional, **named)))
    except Exception as error:
        context = error.__context__
        end = ("raised", world.words(error), world.words(context) if context is not None else None)
    return (*world.log, end, *[world.cell_words(cell, 0) for cell in cells])


def same(a: types.CodeType, b: types.CodeType, seeds: int = 24) -> bool:
    """Whether both leave the same log for every seed."""
    return all(run(a, seed) == run(b, seed) for seed in range(seeds))
