"""Compares two live objects as a caller would see them: the codes, and the values that the codes get from outside.

Code alone says nothing of two functions under one decorator: it is the wrapper's. What differs is in a cell, in an
attribute or in the arguments of a partial. Each pair of values is compared by its kind, functions and classes by their
codes. A pair that is met again, as in a recursive function, is taken to be alike: it is compared already.
"""

from __future__ import annotations

import _thread
import functools
import reprlib
import struct
import types
import weakref
from collections import OrderedDict, defaultdict, deque, namedtuple
from typing import Any, Callable, Iterator

from ..bytecode import RawCode
from .constants import constant_key
from .verdict import Level, Verdict

MOST_PAIRS = 10_000
"""The limit of pairs of values that are compared for one verdict."""
_MOST_SHOWN = 5

_MISSING = object()
_POINTER = struct.calcsize("P")
_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE
_CACHED = type(functools.lru_cache(maxsize=None)(lambda: None))

_WRAPPERS: dict[type, tuple[tuple[str, Callable[[Any], Any]], ...]] = {
    # What a caller reaches through objects of these types, the function first.
    types.MethodType: (("", lambda x: x.__func__), ("bound self", lambda x: x.__self__)),
    staticmethod: (("", lambda x: x.__func__),),
    classmethod: (("", lambda x: x.__func__),),
    property: (("", lambda x: x.fget), ("setter", lambda x: x.fset), ("deleter", lambda x: x.fdel)),
    functools.partial: (
        ("", lambda x: x.func), ("partial arguments", lambda x: x.args),
        ("partial keywords", lambda x: tuple(x.keywords.items())),
    ),
    _CACHED: (
        ("", lambda x: x.__wrapped__),
        ("size of the cache", lambda x: x.cache_info().maxsize),
        ("typed", lambda x: hasattr(x, "cache_parameters") and x.cache_parameters()["typed"]),  # new in 3.9
    ),
}  # fmt: skip

_Field = namedtuple("_Field", "name")
_STATE: dict[type, Callable[[Any], Any]] = {
    # The state of objects that are implemented in C, as a value to compare.
    types.MemberDescriptorType: lambda x: x.__name__,
    type(vars(_Field)["name"]): lambda x: getattr(x, "__reduce__", lambda: x.fget)(),  # a property before 3.8
    types.MappingProxyType: dict,
    OrderedDict: lambda x: tuple(x.items()),
    defaultdict: lambda x: (x.default_factory, tuple(x.items())),
    deque: lambda x: (x.maxlen, *x),
    weakref.ReferenceType: lambda x: (x(),),
    types.BuiltinMethodType: lambda x: (x.__name__, x.__self__),
    _thread.LockType: lambda x: x.locked(),
    _thread.RLock: lambda x: (),
}

_OF_A_CLASS = frozenset({
    "__dict__", "__weakref__", "__module__", "__firstlineno__", "__static_attributes__", "__classdictcell__",
    "_abc_impl",
    # Annotations, which are not compared for functions either.
    "__annotations__", "__annotate__", "__annotate_func__", "__annotations_cache__", "__orig_bases__", "__parameters__",
    "__type_params__",
})  # fmt: skip
"""Attributes that are not compared: what `type` makes, and where the class is."""


class CallersView:
    """The comparison of two objects: ``verdicts`` of their codes, ``reasons`` why they differ, ``assumptions``."""

    def __init__(self, verify_code: Callable[[Any, Any], Verdict]) -> None:
        self.verdicts: list[Verdict] = []
        self.reasons: list[str] = []
        self._assumptions: dict[str, None] = {}
        self._changing: list[str] = []
        self._verify_code = verify_code
        self._waiting: deque[tuple[Any, Any, str]] = deque()
        self._partners: dict[tuple[int, int], tuple[Any, Any]] = {}  # by side and id; holds what has these ids
        self._equal: dict[tuple[int, int], tuple[Any, Any]] = {}  # pairs of values that are compared, by their ids

    def compare(self, a: Any, b: Any) -> None:
        """Compare two objects that a caller may give to `verify`, and all that they refer to."""
        self._values(a, b, "", is_outermost=True)
        for _ in range(MOST_PAIRS):
            if not self._waiting:
                return
            self._values(*self._waiting.popleft())
        self.reasons.append(f"they refer to more than {MOST_PAIRS} objects")

    @property
    def assumptions(self) -> list[str]:
        """What the verdict takes for granted."""
        found = list(self._assumptions)
        # What is in a value that may change is not listed again.
        outermost = [one for one in self._changing if not any(one.startswith(f"{it}: ") for it in self._changing)]
        if outermost:
            found.append(f"objects that are equal now are changed alike: {_listed(outermost)}")
        return found

    def _later(self, a: Any, b: Any, where: str) -> None:
        self._waiting.append((a, b, where))

    def _values(self, a: Any, b: Any, where: str, *, is_outermost: bool = False) -> None:
        if isinstance(a, (types.CodeType, RawCode)) or isinstance(b, (types.CodeType, RawCode)):
            self._codes(a, b, where)
            return
        if self._constants(a, b, where):
            return
        met = self._partners.get((0, id(a))), self._partners.get((1, id(b)))
        if met != (None, None):
            if met[0] is None or met[1] is None or met[0][1] is not b:
                self._differ(where, "one object where the other has two")
            return
        if type(a) is not type(b) and (_parts(a) or _parts(b)):
            self._unwrapped(a, b, where)
            return
        self._partners[0, id(a)] = self._partners[1, id(b)] = (a, b)
        if a is b and not is_outermost:
            if isinstance(a, types.FunctionType):
                self.verdicts.append(Verdict(Level.IDENTICAL))
            return
        if isinstance(a, types.FunctionType) and isinstance(b, types.FunctionType):
            self._functions(a, b, where)
        elif isinstance(a, type) and isinstance(b, type):
            self._classes(a, b, where)
        elif _parts(a):
            for (word, get), (_, get_other) in zip(_parts(a), _parts(b)):
                self._later(get(a), get_other(b), _below(where, word))
            if type(a) not in _WRAPPERS:
                self._hiddenstate(a, where)
        elif not self._containers(a, b, where) and not self._objects(a, b, where):
            self._differ(where, f"{shown(a)} against {shown(b, 'another')}")

    def _constants(self, a: Any, b: Any, where: str) -> bool:
        """Compare two values of which it does not matter whether equal ones are one object; False if they are none."""
        if type(a) is not tuple and _key(a) == _key(b) and not _is_object(_key(a)):
            return True
        if type(a) is not type(b) or type(a) not in (tuple, frozenset):
            return False
        if a is not b and (id(a), id(b)) not in self._equal:
            self._equal[id(a), id(b)] = a, b
            self._containers(a, b, where)
        return True

    def _differ(self, where: str, what: str) -> None:
        self.reasons.append(f"{where}: {what}" if where else what)

    def _assume(self, what: str, where: str) -> None:
        self._assumptions[f"{what} ({where})" if where else what] = None

    def _codes(self, a: Any, b: Any, where: str) -> None:
        """Where one is a code object: of that nobody knows defaults and cells."""
        (one, _), (other, _) = function_of(a), function_of(b)
        for function in (one, other):
            if isinstance(function, types.FunctionType) and (function.__closure__ or _defaults(function)):
                self._assume(f"defaults and cells are those of {function.__qualname__}", where)
        self._prove(one, other, where)

    def _prove(self, a: Any, b: Any, where: str) -> None:
        verdict = self._verify_code(*(getattr(one, "__code__", one) for one in (a, b)))
        if where and not verdict.proven:
            verdict = verdict._replace(reasons=tuple(f"{where}: {reason}" for reason in verdict.reasons))
        self.verdicts.append(verdict)

    def _functions(self, a: types.FunctionType, b: types.FunctionType, where: str) -> None:
        self._prove(a, b, where)
        where = _below(where, a.__qualname__)
        ours, theirs = _defaults(a), _defaults(b)
        for name in dict.fromkeys([*ours, *theirs]):
            self._one_of_both(ours, theirs, name, _below(where, f"default of {name}"))
        ours, theirs = _cells(a), _cells(b)
        for name in dict.fromkeys([*ours, *theirs]):
            self._one_of_both(ours, theirs, name, _below(where, f"variable {name} of an enclosing scope"))
        self._one_of_both(vars(a), vars(b), "__wrapped__", _below(where, "__wrapped__"))
        if a.__globals__ is not b.__globals__:
            names = [name for name in dict.fromkeys(_names(a.__code__)) if _differs_in(a, b, name)]
            if names:
                self._assume(f"globals are alike: {_listed(names)}", where)

    def _one_of_both(self, ours: Any, theirs: Any, name: str, where: str) -> None:
        """Compare what two mappings have under ``name``, if one of them has something."""
        a, b = ours.get(name, _MISSING), theirs.get(name, _MISSING)
        if a is _MISSING or b is _MISSING:
            if a is not b:
                self._differ(where, f"{shown(a)} against {shown(b, 'another' if a is not _MISSING else 'an')}")
            return
        self._later(a, b, where)

    def _classes(self, a: type, b: type, where: str) -> None:
        """Names, bases and members; the code of the bodies is gone."""
        if not a.__flags__ & b.__flags__ & _HEAP_TYPE:
            self._differ(where, f"class {a.__qualname__} against class {b.__qualname__}")
            return
        where = _below(where, a.__qualname__)
        for what in ("__name__", "__qualname__"):
            if getattr(a, what) != getattr(b, what):
                self._differ(where, f"{what}: {getattr(a, what)!r} against {getattr(b, what)!r}")
        self._later(type(a), type(b), _below(where, "metaclass"))
        self._later(a.__bases__, b.__bases__, _below(where, "bases"))
        ours, theirs = (
            {name: value for name, value in vars(cls).items() if name not in _OF_A_CLASS} for cls in (a, b)
        )
        if list(ours) != list(theirs) and ours.keys() == theirs.keys():
            self._differ(where, f"order of the attributes: {', '.join(ours)} against {', '.join(theirs)}")
        for name in dict.fromkeys([*ours, *theirs]):
            self._one_of_both(ours, theirs, name, _below(where, name))

    def _unwrapped(self, a: Any, b: Any, where: str) -> None:
        """Compare where only one wraps something, or both something of different kinds."""
        if _parts(a) and _parts(b):
            self._differ(where, f"{shown(a)} against {shown(b)}")
            return
        wrapper = a if _parts(a) else b
        (_, get), *others = _parts(wrapper)
        if type(wrapper) not in _WRAPPERS or isinstance(wrapper, _CACHED):
            self._hiddenstate(wrapper, where)
            others = []
        for word, get_other in others:
            value = get_other(wrapper)
            if not (value is None or type(value) is tuple and not value):
                words = ("nothing", shown(value)) if wrapper is b else (shown(value), "nothing")
                self._differ(_below(where, word), " against ".join(words))
        self._later(*((get(a), b) if wrapper is a else (a, get(b))), where)

    def _hiddenstate(self, wrapper: Any, where: str) -> None:
        kind = f"{type(wrapper).__module__}.{type(wrapper).__qualname__}"
        self._assume(f"{kind} gives what the function that it wraps gives", where)

    def _containers(self, a: Any, b: Any, where: str) -> bool:
        """Compare two lists, tuples, dicts or sets; False if they are none of these."""
        if type(a) is not type(b):
            return False
        kind = type(a)
        if kind in (list, tuple):
            if len(a) != len(b):
                self._differ(where, f"{len(a)} items against {len(b)}")
            else:
                for number, (one, other) in enumerate(zip(a, b)):
                    self._later(one, other, _below(where, f"item {number}"))
        elif kind is dict:
            if list(map(_key, a)) != list(map(_key, b)):
                self._differ(where, "other keys, or in another order")
            else:
                for (key, one), other in zip(a.items(), b.values()):
                    self._later(one, other, _below(where, f"key {shown(key)}"))
        elif kind in (set, frozenset):
            if set(map(_key, a)) != set(map(_key, b)):
                self._differ(where, "other members")
        else:
            return False
        if kind in (list, dict, set):
            self._changing.append(where)
        return True

    def _objects(self, a: Any, b: Any, where: str) -> bool:
        """Compare the state of two objects; False if it is not known."""
        if type(a) is type(b) and type(a) in _STATE:
            get = _STATE[type(a)]
            self._later(get(a), get(b), where)
            return True
        if not (_is_plain(type(a)) and _is_plain(type(b))):
            return False
        ours, theirs = state(a), state(b)
        if type(a) is not type(b):
            self._later(type(a), type(b), _below(where, "type"))
        elif not ours and not theirs and not is_callable_in_python(a):
            return False  # nothing but its identity: a sentinel, a lock
        for name in dict.fromkeys([*ours, *theirs]):
            self._one_of_both(ours, theirs, name, _below(where, f"attribute {name}"))
        self._changing.append(where or shown(a))
        return True


def function_of(x: Any) -> tuple[Any, bool]:
    """The function, class or code that ``x`` wraps, and whether there is one."""
    for _ in range(100):
        if isinstance(x, (types.CodeType, types.FunctionType, RawCode)):
            return x, True
        if isinstance(x, type):
            return x, bool(x.__flags__ & _HEAP_TYPE)
        parts = _parts(x)
        if not parts:
            return x, is_callable_in_python(x)
        x = parts[0][1](x)
    return x, False


def is_callable_in_python(x: Any) -> bool:
    """Whether a Python function is run when ``x`` is called."""
    found = next((vars(cls)["__call__"] for cls in type(x).__mro__ if "__call__" in vars(cls)), None)
    return _is_plain(type(x)) and isinstance(found, types.FunctionType)


def shown(value: Any, article: str = "an") -> str:
    """The text of a literal, for other objects only the type: their repr may contain an address, or run code."""
    if value is _MISSING:
        return "none"
    if type(value) is tuple:
        return f"({', '.join(shown(item, article) for item in value)})"
    if isinstance(value, types.FunctionType):
        return f"function {value.__qualname__}"
    if isinstance(value, type):
        return f"class {value.__qualname__}"
    return f"{article} object of type {type(value).__qualname__}" if _is_object(_key(value)) else reprlib.repr(value)


def _listed(words: list[str]) -> str:
    return ", ".join(words[:_MOST_SHOWN]) + (", ..." if len(words) > _MOST_SHOWN else "")


def _key(value: Any) -> Any:
    key = constant_key(value)
    return id(value) if _is_object(key) else key


def _is_object(key: Any) -> bool:
    return type(key) is int or type(key) is tuple and key[:1] == ("object",)


def _below(where: str, part: str) -> str:
    return f"{where}: {part}" if where and part else where or part


def _parts(x: Any) -> Any:
    """What ``x`` wraps, the function first; () if it wraps nothing."""
    found = _WRAPPERS.get(type(x), ())
    if found or isinstance(x, (types.FunctionType, types.CodeType, RawCode, type)) or _is_plain(type(x)):
        return found
    for name in ("__func__", "__wrapped__", "__code__"):  # of a function compiled by other tools
        if getattr(x, name, None) is not None:
            return (("", functools.partial(_attribute, name)),)
    return ()


def _attribute(name: str, x: Any) -> Any:
    return getattr(x, name, None)


_MRO_OF, _DICT_OF = type.__dict__["__mro__"].__get__, type.__dict__["__dict__"].__get__


def _is_plain(cls: type) -> bool:
    """Whether the state of its objects is in their attributes: a class statement made it, and no base has more."""
    if not cls.__flags__ & _HEAP_TYPE:
        return False
    size = object.__basicsize__ + _POINTER * ((cls.__dictoffset__ > 0) + (cls.__weakrefoffset__ > 0))
    return cls.__basicsize__ == size + _POINTER * len(list(_slots(cls)))


def _slots(cls: type) -> Iterator[tuple[str, types.MemberDescriptorType]]:
    for base in _MRO_OF(cls):
        for name, value in _DICT_OF(base).items():
            if type(value) is types.MemberDescriptorType:
                yield name, value


def state(x: Any) -> dict[str, Any]:
    """The attributes of an object, those in slots too. No code of its class runs, as `attributes`."""
    return {
        **{name: member.__get__(x, type(x)) for name, member in _slots(type(x)) if _is_set(member, x)},
        **attributes(x),
    }


def attributes(x: Any) -> dict[str, Any]:
    """The dictionary of an object's attributes, {} if it has none. No code of its class runs, which may be a property
    of that name.
    """
    for base in _MRO_OF(type(x)):
        own = _DICT_OF(base).get("__dict__")
        if isinstance(own, (types.GetSetDescriptorType, types.MemberDescriptorType)):
            found = own.__get__(x)
            return found if type(found) is dict else {}
    return {}


def _is_set(member: types.MemberDescriptorType, x: Any) -> bool:
    try:
        member.__get__(x, type(x))
    except AttributeError:
        return False
    return True


def _defaults(function: types.FunctionType) -> dict[str, Any]:
    code, values = function.__code__, function.__defaults__ or ()
    found = dict(zip(code.co_varnames[code.co_argcount - len(values) : code.co_argcount], values))
    found.update(function.__kwdefaults__ or {})
    return found


def _cells(function: types.FunctionType) -> dict[str, Any]:
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # still empty
            pass
    return found


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _differs_in(a: types.FunctionType, b: types.FunctionType, name: str) -> bool:
    ours, theirs = a.__globals__.get(name, _MISSING), b.__globals__.get(name, _MISSING)
    return ours is not theirs and _key(ours) != _key(theirs)
