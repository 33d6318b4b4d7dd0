"""Runs code on stand-ins: objects that log all that is done to them and answer by a seeded dice.

Two codes that do the same leave the same log, whatever the dice says: an independent witness for the proof. What the
dice decides: truth values, what an iteration gives, that an operation raises now and then, and how functions,
generators and coroutines that the code makes are used. Each entry of the log names the exception that was handled at
that moment, so code moved into a handler shows.

``run`` calls a function made of one code object, ``run_module`` executes a module; everything here works on every
CPython from 3.8 on, and is deterministic within one process.
"""

from __future__ import annotations

import builtins
import collections.abc
import gc
import random
import sys
import threading
import types
from typing import Any, Callable, Dict, FrozenSet, List, Sequence, Tuple

MOST_EVENTS = 3000
MOST_CALLS = 12
CALLS_OF_ONE = 3
DANGERS = (0.0, 0.02, 0.1, 0.3)
"""How often an operation raises; the dice chooses one for each call, or one operation that raises."""


UNSEEN = frozenset({"__firstlineno__", "__static_attributes__"})
"""Names of a class that hold a line, or names in no certain order."""


class Injected(Exception):
    """What a stand-in raises when the dice says so. An attribute that it lacks is a new stand-in."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        World.current.event("getattr", self, name)
        return World.current.new()


class Narrow(Injected):
    """A special case of Injected, for handlers in a row."""


class Other(Exception):
    """Another exception, so that some handlers do not fit."""


class Halt(BaseException):
    """Ends a run that does not end by itself."""


_KINDS = (Injected, Injected, Narrow, Other)
_GROUP = getattr(builtins, "ExceptionGroup", None)


class Plan:
    """What a run is told about the code: names that stand for exception classes, lengths that are unpacked."""

    def __init__(
        self,
        exceptions: FrozenSet[str] = frozenset(),
        lengths: Sequence[int] = (),
        matches: bool = False,
        steady: bool = False,
        iterators: FrozenSet[str] = frozenset(),
        peeks: bool = False,
    ) -> None:
        self.exceptions = exceptions
        self.lengths = tuple(lengths)
        self.matches = matches
        self.steady = steady  # a truth value that is asked for twice in a row is asked for once
        self.iterators = iterators  # parameters that get an iterator
        self.peeks = peeks  # what is called looks at the variables of its caller


class World:
    """The log of one run, the dice, and the numbers by which objects are called in the log."""

    current: World

    def __init__(self, seed: int, plan: Plan | None = None) -> None:
        World.current = self
        self.dice = random.Random(seed)
        self.plan = plan or Plan()
        self.danger = 0.0
        self.fuse = 0  # after so many events one raises
        self.choose_danger()
        self.log: List[Any] = []
        self.numbers: Dict[int, int] = {}
        self.kept: List[Any] = []  # so that no identity is used twice
        self.classes: Dict[str, Any] = {}
        self.to_use: List[Any] = []  # functions, generators and coroutines that the code has made
        self.used = 0
        self.asked: Any = (None, 0, False)  # the object last asked for its truth, when, and the answer
        self.parked = threading.Event()

    def choose_danger(self) -> None:
        """For the next call: one certain operation raises, or each with some probability."""
        self.danger, self.fuse = 0.0, 0
        if self.chance(0.5):
            self.fuse = self.dice.choice((1, 2, 3, 4, 5, 6, 8, 10, 13, 20))
        else:
            self.danger = self.dice.choice(DANGERS)

    def number(self, thing: Any) -> int:
        if id(thing) not in self.numbers:
            self.numbers[id(thing)] = len(self.numbers)
            self.kept.append(thing)
        return self.numbers[id(thing)]

    def words(self, thing: Any, depth: int = 0) -> Any:
        """``thing`` as the log says it: stand-ins and containers by number, constants by type and value."""
        kind = type(thing)
        if issubclass(kind, StandIn):
            return ("#", self.number(thing))
        if kind in (int, float, complex, bool, str, bytes, type(None), type(Ellipsis)):
            return (kind.__name__, repr(thing))
        if depth > 8:
            return "..."
        if kind is tuple:
            return ("tuple", *[self.words(item, depth + 1) for item in thing])
        if kind is list:
            return ("list", self.number(thing), *[self.words(item, depth + 1) for item in thing])
        if kind is set or kind is frozenset:
            items = sorted(repr(self.words(item, depth + 1)) for item in thing)
            return (kind.__name__, self.number(thing) if kind is set else "", *items)
        if kind is dict and "__name__" not in thing:
            return ("dict", self.number(thing), *self.items(thing, depth))
        if kind is types.CellType:
            return ("cell", self.number(thing), self.cell_words(thing, depth))
        if kind is slice:
            return ("slice", *[self.words(part, depth + 1) for part in (thing.start, thing.stop, thing.step)])
        if kind is types.FunctionType:
            return self.function_words(thing, depth)
        if kind is types.MethodType:
            return ("method", self.words(thing.__func__, depth + 1), self.words(thing.__self__, depth + 1))
        if kind in (types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType):
            self.use_later(thing)
            return (kind.__name__, self.number(thing), thing.__name__)
        if kind.__name__ in ("Template", "Interpolation"):
            fields = ("strings", "interpolations", "value", "expression", "conversion", "format_spec")
            return (kind.__name__, *[self.words(getattr(thing, f, None), depth + 1) for f in fields])
        if issubclass(kind, BaseException):
            return self.exception_words(thing, depth)
        if isinstance(kind, type) and issubclass(kind, type) and depth < 4:
            return self.class_words(thing, depth)
        return (kind.__name__, self.number(thing))

    def items(self, mapping: Dict[Any, Any], depth: int) -> List[Any]:
        return [(self.words(k, depth + 1), self.words(v, depth + 1)) for k, v in mapping.items()]

    def function_words(self, function: Any, depth: int) -> Any:
        """A function's signature and all else that a program can ask it for."""
        code = function.__code__
        count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
        if id(function) in self.numbers:
            return ("function", self.number(function))
        number = self.number(function)
        self.use_later(function)
        return (
            "function", number, function.__name__, function.__qualname__, function.__doc__,
            code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & 0x2AC,
            code.co_varnames[:count],
            self.words(function.__defaults__, depth + 1), self.words(function.__kwdefaults__, depth + 1),
            self.words(getattr(function, "__annotations__", None), depth + 1), code.co_freevars,
        )  # fmt: skip

    def class_words(self, cls: Any, depth: int) -> Any:
        if cls.__module__ in ("builtins", __name__) or id(cls) in self.numbers:
            return ("class", cls.__name__, self.numbers.get(id(cls)))
        number = self.number(cls)
        skipped = {"__dict__", "__weakref__", "__annotate_func__", *UNSEEN}
        members = [(name, self.words(value, depth + 1)) for name, value in vars(cls).items() if name not in skipped]
        return ("class", cls.__name__, number, *members)

    def exception_words(self, error: BaseException, depth: int) -> Any:
        kind = type(error)
        if issubclass(kind, (Injected, Other)) and kind.__module__ == __name__:
            return (kind.__name__, self.number(error), *[self.words(a, depth + 1) for a in error.args])
        if _GROUP is not None and isinstance(error, BaseException) and issubclass(kind, _GROUP):
            return (kind.__name__, *[self.words(e, depth + 1) for e in error.exceptions])  # type: ignore[attr-defined]
        return (kind.__name__, self.number(error))

    def cell_words(self, cell: types.CellType, depth: int) -> Any:
        try:
            return self.words(cell.cell_contents, depth + 1)
        except ValueError:
            return "empty"

    def event(self, what: str, *things: Any) -> None:
        """Log one event; it may raise."""
        log = self.log
        handled = sys.exc_info()[1]
        log.append((what, handled and self.number(handled), *[self.words(thing) for thing in things]))
        if len(log) > MOST_EVENTS:
            if len(log) > 2 * MOST_EVENTS:  # the code catches whatever is raised: leave it where it is
                self.parked.set()
                threading.Event().wait()
            raise Halt
        self.fuse -= 1
        if self.fuse == 0 or self.dice.random() < self.danger:
            self.raise_one()

    def raise_one(self) -> None:
        if _GROUP is not None and self.plan.exceptions and self.dice.random() < 0.1:
            raise _GROUP("", [self.dice.choice(_KINDS)(), self.dice.choice(_KINDS)()])
        raise self.dice.choice(_KINDS)(len(self.log))

    def chance(self, probability: float) -> bool:
        return self.dice.random() < probability

    def new(self) -> Any:
        if self.plan.matches:
            return self.dice.choice((StandIn, StandIn, SequenceStandIn, MappingStandIn))(self)
        return StandIn(self)

    def some(self) -> List[Any]:
        lengths = self.plan.lengths
        if lengths and self.chance(0.7):
            return [self.new() for _ in range(self.dice.choice(lengths))]
        return [self.new() for _ in range(self.dice.choice((0, 1, 2, 2, 3)))]

    def named(self, name: str) -> Any:
        """What a global or an attribute of that name is: a new stand-in, or an exception class."""
        if name not in self.plan.exceptions:
            return self.new()
        if name not in self.classes:
            self.classes[name] = self.dice.choice((Injected, Injected, Narrow, Other, Exception, None))
        return self.new() if self.classes[name] is None else self.classes[name]

    # Using what the code has made

    def use_later(self, thing: Any) -> None:
        if not any(thing is other for other in self.to_use):
            self.to_use.append(thing)

    def use_all(self) -> None:
        """Call the functions and drive the generators that were seen, as many as ``MOST_CALLS``."""
        while self.used < len(self.to_use) and self.used < MOST_CALLS:
            thing = self.to_use[self.used]
            self.used += 1
            for _ in range(CALLS_OF_ONE if isinstance(thing, types.FunctionType) else 1):
                self.choose_danger()
                self.guarded("use", self.use, thing)
        self.danger, self.fuse = 0.0, 0
        self.close_all()

    def close_all(self) -> None:
        """End the generators that are left over, so that nothing of theirs runs later."""
        for thing in self.to_use:
            if isinstance(thing, (types.GeneratorType, types.CoroutineType)):
                self.guarded("close", thing.close)

    def guarded(self, what: str, function: Callable[..., Any], *arguments: Any) -> None:
        """Call, and log how it ended."""
        try:
            self.log.append((what, "returned", self.words(function(*arguments))))
        except Halt:
            self.log.append((what, "halted"))
        except BaseException as error:
            self.log.append((what, "raised", *self.chain(error)))

    def chain(self, error: BaseException) -> List[Any]:
        """The exception, its cause, and what was handled when it was raised."""
        found: List[Any] = []
        at: Any = error
        while at is not None and len(found) < 6:
            cause = at.__cause__
            found.append((self.words(at), cause is not None and self.words(cause), at.__suppress_context__))
            at = at.__context__
        return found

    def use(self, thing: Any) -> Any:
        if isinstance(thing, types.FunctionType):
            positional, named = self.arguments(thing)
            return thing(*positional, **named)
        return self.drive(thing)

    def arguments(self, function: types.FunctionType) -> Tuple[List[Any], Dict[str, Any]]:
        """Arguments for a call, most often such as it wants."""
        code = function.__code__
        count = code.co_argcount
        way = self.dice.random()
        defaults = len(function.__defaults__ or ())
        if way < 0.25 and defaults:
            count -= self.dice.randrange(defaults + 1)
        elif way > 0.95:
            count += self.dice.choice((-1, 1))
        by_name = 0
        if 0.85 < way <= 0.95 and count:
            by_name = self.dice.randrange(count + 1)
        positional = [self.new() for _ in range(count - by_name)]
        named = {name: self.new() for name in code.co_varnames[count - by_name : min(count, code.co_argcount)]}
        for name in code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]:
            if name not in (function.__kwdefaults__ or {}) or self.chance(0.7):
                named[name] = self.new()
        if code.co_flags & 0x04 and not by_name:
            positional += [self.new() for _ in range(self.dice.randrange(4))]
        if code.co_flags & 0x08:
            named.update({name: self.new() for name in ("a_", "b_")[: self.dice.randrange(3)]})
        return positional, named

    def drive(self, thing: Any) -> str:
        """Use a generator, coroutine or asynchronous generator for a while."""
        if isinstance(thing, types.AsyncGeneratorType):
            for _ in range(4):
                self.guarded("step", self.drive_once, self.asend(thing))
            return "driven"
        return self.drive_once(thing)

    def asend(self, thing: Any) -> Any:
        way = self.dice.random()
        if way < 0.75:
            return thing.asend(None)
        if way < 0.9:
            return thing.athrow(self.dice.choice(_KINDS)("thrown"))
        return thing.aclose()

    def drive_once(self, thing: Any) -> str:
        started = False
        for _ in range(8):
            way = self.dice.random()
            if way < 0.1:
                value = thing.throw(self.dice.choice(_KINDS)("thrown"))
            elif way < 0.15:
                thing.close()
                return "closed"
            elif way < 0.4 and started:
                value = thing.send(self.new())
            else:
                value = thing.send(None)
            started = True
            self.log.append(("yielded", self.words(value)))
        thing.close()
        return "closed"

    def peek(self, frame: types.FrameType) -> None:
        """Log the local variables of a frame; those of a module or class body are logged as they are set."""
        if frame.f_code.co_flags & 1 and frame.f_code.co_filename != __file__:
            found = frame.f_locals
            self.log.append(("locals", *[(name, self.words(found[name])) for name in sorted(found)]))

    def use_now(self, arguments: Sequence[Any]) -> None:
        """What a callee may do with functions and generators that it gets: use them at once."""
        for thing in arguments:
            if isinstance(thing, (types.FunctionType, types.GeneratorType)) and self.chance(0.3):
                if self.used < MOST_CALLS:
                    self.used += 1
                    self.to_use[:] = [other for other in self.to_use if other is not thing]
                    self.to_use.insert(self.used - 1, thing)
                    self.guarded("use at once", self.use, thing)


class StandIn:
    """An object that logs what is done to it."""

    __slots__ = ("world",)

    def __init__(self, world: World) -> None:
        object.__setattr__(self, "world", world)
        world.number(self)

    def __getattribute__(self, name: str) -> Any:
        world = _world(self)
        world.event("getattr", self, name)
        if name == "keys":
            return lambda: ["k0", "k1", "k2"][: world.dice.randrange(4)]
        return world.named(name)

    def __setattr__(self, name: str, value: Any) -> None:
        _world(self).event("setattr", self, name, value)

    def __delattr__(self, name: str) -> None:
        _world(self).event("delattr", self, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        world = _world(self)
        world.event("call", self, args, *kwargs.items())
        if world.plan.peeks:
            world.peek(sys._getframe(1))
        world.use_now([*args, *kwargs.values()])
        return world.new()

    def __setitem__(self, key: Any, value: Any) -> None:
        if type(key) is not str or key not in UNSEEN:
            _world(self).event("setitem", self, key, value)

    def __bool__(self) -> bool:
        world = _world(self)
        if world.plan.steady and world.asked[0] is self and world.asked[1] == len(world.log):
            known: bool = world.asked[2]
            return known
        world.event("bool", self)
        truth = world.dice.random() < 0.5
        world.asked = (self, len(world.log), truth)
        return truth

    def __len__(self) -> int:
        world = _world(self)
        world.event("len", self)
        return world.dice.choice((0, 1, 2, 2, 3, *world.plan.lengths))

    def __index__(self) -> int:
        world = _world(self)
        world.event("index", self)
        return world.dice.randrange(3)

    def __iter__(self) -> Any:
        world = _world(self)
        world.event("iter", self)
        return Iteration(world, world.some())

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

    def __str__(self) -> str:
        _world(self).event("str", self)
        return f"str#{_world(self).number(self)}"

    def __repr__(self) -> str:
        _world(self).event("repr", self)
        return f"#{_world(self).number(self)}"

    def __enter__(self) -> Any:
        world = _world(self)
        world.event("enter", self)
        return world.new()

    def __exit__(self, *arguments: Any) -> bool:
        world = _world(self)
        world.event("exit", self, arguments[:2], len(arguments))
        return world.dice.random() < 0.4

    def __mro_entries__(self, bases: Any) -> Tuple[Any, ...]:
        _world(self).event("base", self, bases)
        return ()

    # Asynchronous use: what it awaits stops a few times before it gives a result.

    def __await__(self) -> Any:
        world = _world(self)
        world.event("await", self)
        return _awaiting(world, lambda: world.new())

    def __aiter__(self) -> Any:
        _world(self).event("aiter", self)
        return self

    def __anext__(self) -> Any:
        world = _world(self)
        world.event("anext", self)
        return Awaitable(world, lambda: _stop_or_new(world))

    def __aenter__(self) -> Any:
        world = _world(self)
        world.event("aenter", self)
        return Awaitable(world, lambda: world.new())

    def __aexit__(self, *arguments: Any) -> Any:
        world = _world(self)
        world.event("aexit", self, arguments[:2], len(arguments))
        return Awaitable(world, lambda: world.dice.random() < 0.4)


class SequenceStandIn(StandIn):
    """A stand-in that sequence patterns match."""

    __slots__ = ()


class MappingStandIn(StandIn):
    """A stand-in that mapping patterns match."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        world = _world(self)
        world.event("getattr", self, name)
        if name == "get":
            return lambda key, default=None: _get(self, key, default)
        return world.named(name)


def _get(self: Any, key: Any, default: Any) -> Any:
    world = _world(self)
    world.event("get", self, key)
    return world.new() if world.chance(0.7) else default


collections.abc.Sequence.register(SequenceStandIn)
collections.abc.Mapping.register(MappingStandIn)


class Iteration:
    """The iterator of a stand-in: each step is an event."""

    def __init__(self, world: World, items: List[Any]) -> None:
        self.world, self.left = world, items

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        self.world.event("next", len(self.left))
        if not self.left:
            raise StopIteration
        return self.left.pop()

    def __aiter__(self) -> Any:
        return self

    def __anext__(self) -> Any:
        self.world.event("anext", len(self.left))
        return Awaitable(self.world, lambda: _stop_or_new(self.world))


class Awaitable:
    """What an asynchronous method gives."""

    def __init__(self, world: World, result: Callable[[], Any]) -> None:
        self.world, self.result = world, result

    def __await__(self) -> Any:
        return _awaiting(self.world, self.result)


def _awaiting(world: World, result: Callable[[], Any]) -> Any:
    for _ in range(world.dice.choice((0, 0, 1, 2))):
        world.event("sent", (yield world.new()))
    return result()


def _stop_or_new(world: World) -> Any:
    if world.chance(0.4):
        raise StopAsyncIteration
    return world.new()


def _world(thing: StandIn) -> World:
    world: World = object.__getattribute__(thing, "world")
    return world


def _operation(name: str) -> Any:
    def method(self: StandIn, *operands: Any) -> Any:
        world = _world(self)
        world.event(name, self, *operands)
        return world.new()

    return method


for _name in ("getitem", "delitem", "neg", "pos", "invert", "lt", "le", "gt", "ge", "eq", "ne"):
    setattr(StandIn, f"__{_name}__", _operation(_name))
for _name in (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift",
):  # fmt: skip
    for _prefix in ("", "r", "i"):
        setattr(StandIn, f"__{_prefix}{_name}__", _operation(_prefix + _name))

_SOMETIMES_REAL = frozenset({"all", "any", "tuple", "list", "set"})
"""Builtins that newer compilers treat in a special way if they are what they seem to be."""


_ASSUMED = frozenset({"slice", "iter", "len", "BaseException"})
"""Builtins that the decompiler's text names where the original has an operation; the proof says so."""


class Globals(Dict[str, Any]):
    """Globals that make up what they are asked for. They serve as the namespace of a module, too."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self.world = world
        self.real = world.chance(0.5)
        super().__setitem__("__name__", "made_up")
        super().__setitem__("__builtins__", Builtins(self))

    def import_(self, name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        self.world.event("import", name, fromlist, level)
        return self.world.new()

    def __getitem__(self, name: str) -> Any:
        if name in _ASSUMED:
            return getattr(builtins, name)
        if name == "__name__":  # asked for by class bodies and imports, not by what the source says
            return super().__getitem__(name)
        self.world.event("global", name)
        if name not in self:
            real = self.real and name in _SOMETIMES_REAL
            super().__setitem__(name, getattr(builtins, name) if real else self.world.named(name))
        return super().__getitem__(name)

    def __setitem__(self, name: str, value: Any) -> None:
        self.world.event("set global", name, value)
        super().__setitem__(name, value)

    def __delitem__(self, name: str) -> None:
        self.world.event("delete global", name)
        if name not in self:
            raise KeyError(name)
        super().__delitem__(name)


class Builtins(Dict[str, Any]):
    """Builtins of such globals: a class body looks there for names that the globals do not have yet."""

    def __init__(self, namespace: Globals) -> None:
        super().__init__(slice=slice, __build_class__=__build_class__, __import__=namespace.import_)
        self.namespace = namespace

    def __missing__(self, name: str) -> Any:
        return self.namespace[name]


def _in_thread(world: World, body: Callable[[], None]) -> Tuple[Any, ...]:
    """The log of ``body``. One that will not end is left behind in its thread, waiting, and its log cut off."""

    def target() -> None:
        try:
            body()
        except BaseException as error:  # of the bookkeeping itself: the run is over
            world.log.append(("broken off", type(error).__name__))
        finally:
            world.parked.set()

    gc.disable()  # what it destroys may run code, and when it comes is no part of what is compared
    try:
        threading.Thread(target=target, daemon=True).start()
        world.parked.wait()
        return tuple(world.log[:MOST_EVENTS])
    finally:
        gc.enable()


Caller = Callable[..., Any]
"""How to call a function: given code, globals, cells, positional and named arguments."""


def native(code: types.CodeType, namespace: Globals, cells: Any, positional: List[Any], named: Dict[str, Any]) -> Any:
    """CPython's own call."""
    return types.FunctionType(code, namespace, code.co_name, None, cells)(*positional, **named)


def run(code: types.CodeType, seed: int, plan: Plan | None = None, caller: Caller = native) -> Tuple[Any, ...]:
    """Call a function made of ``code`` on stand-ins; gives the log, and how it ended."""
    world = World(seed, plan)
    cells = tuple(types.CellType(world.new()) for _ in code.co_freevars)
    namespace = Globals(world)
    positional, named = full_arguments(code, world)

    def body() -> None:
        world.guarded("call", lambda: caller(code, namespace, cells, positional, named))
        world.use_all()
        world.log.extend(world.cell_words(cell, 0) for cell in cells)
        world.log.append(globals_words(world, namespace))

    return _in_thread(world, body)


def full_arguments(code: types.CodeType, world: World) -> Tuple[List[Any], Dict[str, Any]]:
    """An argument for every parameter of ``code``, and some more where it takes them."""
    count = code.co_argcount
    iterators = world.plan.iterators | {".0"}  # .0: what a comprehension iterates over
    names = code.co_varnames[:count]
    positional = [Iteration(world, world.some()) if name in iterators else world.new() for name in names]
    if code.co_name == "__annotate__" or code.co_varnames[:count] == (".format",):
        positional = [world.dice.choice((1, 2, 3, 4))]  # the compiler relies on an int
    named = {name: world.new() for name in code.co_varnames[count : count + code.co_kwonlyargcount]}
    if code.co_flags & 0x04:
        positional += [world.new() for _ in range(world.dice.randrange(4))]
    if code.co_flags & 0x08:
        named.update({name: world.new() for name in ("a_", "b_")[: world.dice.randrange(3)]})
    return positional, named


def globals_words(world: World, namespace: Dict[str, Any]) -> Any:
    return [(name, world.words(value)) for name, value in sorted(namespace.items()) if name[:2] != "__"]


def run_module(code: types.CodeType, seed: int, plan: Plan | None = None) -> Tuple[Any, ...]:
    """Execute a module, then use what it has defined; gives the log."""
    world = World(seed, plan)
    namespace = Globals(world)
    if seed % 3:
        world.danger, world.fuse = 0.0, 0  # most of what matters is in the functions: let the module run through

    def body() -> None:
        world.guarded("module", exec, code, namespace)
        world.use_all()
        world.log.append(globals_words(world, namespace))

    return _in_thread(world, body)


def same(a: types.CodeType, b: types.CodeType, seeds: int = 24, plan: Plan | None = None) -> bool:
    """Whether both leave the same log for every seed."""
    return all(run(a, seed, plan) == run(b, seed, plan) for seed in range(seeds))
