"""What a call gives, for what torch writes of it (``L['x'].n``): looked up without running code of the program."""

from __future__ import annotations

import inspect
import re
import sys
import weakref
from collections import deque
from types import CellType, FunctionType, MethodType
from typing import Any, Iterator

from ...decompiler.proof.callables import attributes, state
from .circumstances import RecompilingCall

__all__ = ["NO_VALUE", "actual_value", "length_of", "plain", "plain_keys", "tables", "type_of", "value_of"]

_OF_MODULES = (("_parameters", "parameter"), ("_buffers", "buffer"), ("_modules", "submodule"))
_PART = re.compile(r"\[list\((?:dict\.keys\([^()]*\)|[^()]*\.keys\(\))\)\[(?P<at>\d+)\]\]|"
                   r"\.(?P<attribute>[A-Za-z_]\w*)|\[(?P<quote>['\"]?)(?P<key>\w+)(?P=quote)\]|(?P<called>\(\))")
_KEY = re.compile(r"^list\(dict\.keys\((?P<of>.+)\)\)\[(?P<at>\d+)\]$")
_NAME = re.compile(r"^(?:[LG]\[['\"])?(?P<name>[A-Za-z_]\w*)(?:['\"]\])?")
_OF_INTERPRETER = (FunctionType, MethodType)
_OF_FUNCTIONS = ("__closure__", "__defaults__", "__kwdefaults__", "__code__", "__func__", "__self__")
_LONGEST_VALUE = 80
NO_VALUE = object()


def actual_value(source: str, local_names: Any, global_names: Any = None) -> str:
    """The value now of what a guard looks at (``L['n']``, ``self.training``), "" unless it is a plain one.

    Only dictionaries of instances, dicts and lists are looked into: no code of the program runs.
    """
    return plain(value_of(source, RecompilingCall(local_names, global_names, {})))


def value_of(source: str, call: RecompilingCall | None) -> Any:
    key, match = _KEY.match(source), _NAME.match(source)
    if key is not None:
        table = value_of(key["of"], call)
        keys = list(dict.keys(table)) if issubclass(type(table), dict) else []
        return keys[int(key["at"])] if int(key["at"]) < len(keys) else NO_VALUE
    if call is None or match is None:
        return NO_VALUE
    scopes = [call.global_names] if source[:2] == "G[" else [call.local_names, call.global_names]
    names = next((one for one in scopes if type(one) is dict and match.group("name") in one), None)
    if names is None:
        return NO_VALUE
    value, at = names[match.group("name")], match.end()
    while at < len(source):
        part = _PART.match(source, at)
        value = NO_VALUE if part is None else _inside(value, part)
        if part is None or value is NO_VALUE:
            return NO_VALUE
        at = part.end()
    return value


def plain(value: Any) -> str:
    """The `repr` of a number, a text, or a noun of torch's such as a dtype; "" of other things, and of long texts."""
    torch = sys.modules.get("torch")
    of_torch = () if torch is None else (torch.dtype, torch.device, torch.layout, torch.memory_format)
    is_plain = type(value) in (int, float, bool, str, type(None), *of_torch)
    return repr(value) if is_plain and len(repr(value)) < _LONGEST_VALUE else ""


def length_of(value: Any) -> str:
    """Of a collection, or of the modules in one."""
    value = attributes(value).get("_modules", value)
    kinds: tuple[Any, ...] = (list, tuple, dict, set, frozenset, deque)  # whatever a subclass calls its length
    return next((str(kind.__len__(value)) for kind in kinds if issubclass(type(value), kind)), "")


def plain_keys(value: dict[Any, Any]) -> str:
    """``{'a', 'b'}``, "" where it is no set of a few strings and numbers."""
    keys = list(dict.keys(value))
    words = "{" + ", ".join(sorted(map(repr, keys))) + "}" if all(map(plain, keys)) else ""
    return "set()" if not keys else words if len(words) < _LONGEST_VALUE else ""


def type_of(value: Any) -> str:
    torch = sys.modules.get("torch")
    if torch is not None and type(value) in (torch.Tensor, torch.nn.Parameter):
        return "a tensor"
    return "" if value is NO_VALUE else f"of type {type(value).__name__}"


def _inside(value: Any, part: re.Match[str]) -> Any:
    attribute, key = part.group("attribute"), part.group("key")
    if part.group("called") is not None:
        return value() if type(value) is weakref.ref else NO_VALUE
    if part.group("at") is not None:
        items = list(dict.values(value)) if issubclass(type(value), dict) else []
        return items[int(part.group("at"))] if int(part.group("at")) < len(items) else NO_VALUE
    if attribute is not None:
        return _attribute(value, attribute)
    if issubclass(type(value), dict):
        return dict.get(value, key if part.group("quote") else int(key) if key.isdigit() else key, NO_VALUE)
    if type(value) in (list, tuple, deque) and key.isdigit() and int(key) < len(value):
        return value[int(key)]
    return NO_VALUE


def _attribute(value: Any, attribute: str) -> Any:
    if attribute == "__class__":
        return type(value)
    if attribute == "__dict__":
        return state(value)
    fields = inspect.getattr_static(type(value), "_fields", ()) if issubclass(type(value), tuple) else ()
    if type(fields) is tuple and attribute in fields and fields.index(attribute) < tuple.__len__(value):
        return tuple.__getitem__(value, fields.index(attribute))  # of a named tuple
    if type(value) in _OF_INTERPRETER and attribute in _OF_FUNCTIONS:
        return getattr(value, attribute, NO_VALUE)
    if type(value) is CellType and attribute == "cell_contents":
        return value.cell_contents if value != CellType() else NO_VALUE
    if issubclass(type(value), type):
        return inspect.getattr_static(value, attribute, NO_VALUE)
    found = [table for _, table in tables(value) if dict.__contains__(table, attribute)]
    return dict.__getitem__(found[0], attribute) if found else _of_class_itself(type(value), attribute)


def _of_class_itself(owner: type, attribute: str) -> Any:
    """What instances of a class have without one of their own, unless that is asked of a descriptor."""
    found = inspect.getattr_static(owner, attribute, NO_VALUE)
    return NO_VALUE if hasattr(type(found), "__get__") else found


def tables(value: Any) -> Iterator[tuple[str, dict[Any, Any]]]:
    """Where an object keeps its attributes; with the word for those in it, if it is a table of a module's."""
    own = state(value)
    yield "", own
    for kind, words in _OF_MODULES:
        table = own.get(kind)
        if table is not None and issubclass(type(table), dict):
            yield words, table
