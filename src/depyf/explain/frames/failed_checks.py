"""A check that failed, as torch writes it: the value it was about, what was expected, what came."""

from __future__ import annotations

import enum
import inspect
import re
import sys
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from ...decompiler.proof.callables import attributes
from ..guards.tensor_checks import DTYPES
from ..guards.words import user_spelling
from ..model import RecompileReason
from .circumstances import RecompilingCall
from .values import NO_VALUE, length_of, plain, plain_keys, tables, type_of, value_of

__all__ = ["take_apart"]

_TENSOR = re.compile(
    r"^tensor '(?P<name>.+?)' (?:Tensor )?(?P<what>size|stride|rank|dtype|requires_grad|device index) mismatch"
    r"(?: at index (?P<index>\d+))?\. [Ee]xpected (?:device index to be |requires_grad=)?(?P<expected>\w+)"
    r"(?:,? (?:actual|got|but got) (?:requires_grad=)?(?P<actual>\w+))?"
)
_OF_TENSOR = {
    "size": "{}.shape[{}]", "stride": "{}.stride({})", "rank": "{}.dim()", "dtype": "{}.dtype",
    "requires_grad": "{}.requires_grad", "device index": "{}.device.index",
}  # fmt: skip
_QUOTED = re.compile(r"\"([^\"]+)\"|'([^']+)'")
_TWINS = re.compile(
    r"^Duplicate tensors? found(?:: (?P<names>\[.*\])| where not expected! (?P<second>[\w.'\"\[\]]+?) ?should.*)$"
)
_SAME_OBJECT = re.compile(  # 2.11 and 2.12 have the object's `repr` in the place of its class
    r"^(?P<source>.+?) is the object it was(?:, type=(?:<class '(?P<type>[^']+)'>|.*))?$"
)
_NO_TENSOR = re.compile(  # the second in 2.14 and later
    r"^expected type of '(?P<source>.+)' to be (?:a tensor type, '|<class '(?P<expected>[^']+)'>,) but found "
    r"<class '(?P<actual>.+)'>"
)
_VALUE_AT = r"[^=(]*\[list\([^=]*\.keys\(.*\)\)\[\d+\]\]"  # what a dictionary has for the key in that place
_LENGTH = re.compile(
    rf"^(?:len\((?P<source>[\w.'\"\[\]]+|{_VALUE_AT})\) (?:==|!=) (?P<expected>\d+)|"
    r"not (?P<empty>[\w.'\"\[\]]+))$"
)
_HOOKS = re.compile(r"^(?P<of>.+)\._(?P<kind>forward|forward_pre|backward|backward_pre)_hooks$")
_MODULES = re.compile(r"^(?P<of>.+)\._modules$")
_NO_KEY = re.compile(r"^KeyError on (?P<source>[\w.'\"\[\]]+)\[(?P<key>'[^']*'|\"[^\"]*\"|\d+)\]$")
_NO_ATTRIBUTE = re.compile(
    r"^(?:KeyError on (?P<attribute>[\w.'\"\[\]]+\.\w+)|getattr failed on source (?P<source>.+)|IndexError on "
    r"(?P<items>.+)\[(?P<index>-?\d+)\])$"
)
"""An attribute that is no longer in the ``__dict__`` of the object; one that isn't found; an item of a sequence."""
_OF_FUNCTION = r"\.__(?:code|closure|defaults|kwdefaults)__$"
_NO_FUNCTION = re.compile(  # the second up to torch 2.8 or so
    rf"^(?:\w+Accessor: Not a function on (?P<source>.+)|getattr failed on source (?P<of>.+)){_OF_FUNCTION}"
)
_CONTAINS = re.compile(r"^(?P<absent>not )?___dict_contains\((?P<key>'[^']*'|\"[^\"]*\"|\d+), (?P<source>.+)\)$")
_KEY_AT = re.compile(
    r"^list\((?:dict\.keys\()?(?P<source>[\w.'\"\[\]]+?)(?:\.keys\(\))?\)+\[(?P<at>\d+)\] == "
    r"(?P<expected>'[^']*'|-?\d+)$"
)
_KEYS_OF = re.compile(r"^set\((?P<source>[\w.'\"\[\]]+)\.keys\(\)\) == (?P<expected>set\(\)|\{.*\})$")
_OWN_TABLE = re.compile(r"^(?:dict\((type\([\w.'\"\[\]]+\))\.__dict__\)|([\w.'\"\[\]]+)\.__dict__)$")
_TYPE = re.compile(r"^type\((?P<source>[\w.'\"\[\]]+(?:\(\))?)\)\.__name__ == '(?P<expected>\w+)'$")
_KEYS = re.compile(
    r"^tensor '(?P<name>.+)' dispatch key set mismatch\. expected (?P<expected>DispatchKeySet\(.*?\)), actual "
    r"(?P<actual>DispatchKeySet\(.*?\))"
)
_DEVICE = re.compile(r"\b(CPU|CUDA|Meta|XPU|MPS|HPU|XLA)\b")
_COMPARED = re.compile(rf"^(?P<source>[\w.'\"\[\]]+|{_VALUE_AT}[\w.'\"\[\]]*) (?:==|is) (?P<expected>.+)$")
_IN_CLASS = re.compile(r"\bdict\(type\((?P<of>[\w.'\"\[\]]+)\)\.__dict__\)\[['\"](?P<name>[A-Za-z_]\w*)['\"]\]")
_SOURCE = re.compile(r"^(?!None\b|True\b|False\b|Ellipsis\b)[A-Za-z_][\w.'\"\[\]]*\Z")
_MARKS = re.compile(r"_has_dynamo_dim_marking\b|\b_dynamo_(?P<kind>\w+)_indices\b")  # what mark_dynamic sets
_LOCAL = re.compile(r"L\[[\w'\"]+\]")
_MARKED_BY = {
    "dynamic": "mark_dynamic", "weak_dynamic": "maybe_mark_dynamic", "static": "mark_static",
    "unbacked": "mark_unbacked", None: "mark_dynamic or a function like it",
}  # fmt: skip
_DIMENSIONS = re.compile(r"\{([\d, ]*)\}")
_NUMBER = re.compile(
    r"(?<![\w.'\"])(?!(?:and|or|not|is)\b)[A-Za-z_]\w*(?![\w(])(?:\[['\"]?\w+['\"]?\]|\.\w+(?![\w(]))*"
    r"(?:\.size\(\)\[(?P<index>\d+)\])?"
)
_BOUNDS = re.compile(r"^(?:(?P<least>\d+) <= )?(?P<term>\S+)(?: <= (?P<most>\d+))?$")
_NOUNS = {"builtin_function_or_method": "built-in function"}
_GONE = re.compile(r"^Cache line invalidated because (?P<source>.+) got deallocated$")
_OTHER_TYPE = re.compile(r"^TYPE_MISMATCH\((?P<source>.+)\)$")
_FUNCTIONS = (FunctionType, MethodType)
_STATE_CHANGED = "GLOBAL_STATE changed:"
_BACKENDS = re.compile(r"Cached backend: (.+?)\. New backend: (.+?)\.(?: If |$)")
_LINK = re.compile(r"https://\S+$")
_LITERALS = (("set(", "set"), ("{", "set"), ("frozenset(", "frozenset"), ("[", "list"), ("(", "tuple"))
_SMALL_SIZES = "sizes 0 and 1 are always compiled by themselves"


def take_apart(found: RecompileReason, code: str, call: RecompilingCall | None, identity: str = "") -> None:
    """Fills in what was expected, and what came; `identity` is the id of the object that was."""
    code = _IN_CLASS.sub(r"\g<of>.__class__.\g<name>", code)
    twins = _TWINS.match(code)
    tensor, no_tensor, same = _TENSOR.match(code), _NO_TENSOR.match(code), _SAME_OBJECT.match(code)
    length, kind, compared = _LENGTH.match(code), _TYPE.match(code), _COMPARED.match(code)
    if tensor is not None:
        _of_tensor(found, tensor)
    elif twins is not None:
        _of_twins(found, twins)
        found.is_change = True
    elif _of_dispatch(found, code) or any(told(found, code, call) for told in _OF_A_CHANGE):
        found.is_change = not found.expected
    elif no_tensor is not None:
        _of_class(found, no_tensor, value_of(no_tensor["source"], call))
    elif length is not None:
        source = length.group("source") or length.group("empty")
        hooks = _HOOKS.match(source)
        found.subject = f"len({user_spelling(source)})"
        modules = _MODULES.match(source)
        if modules is not None:
            found.subject = f"number of modules in {user_spelling(modules['of'])}"
        if hooks is not None:
            of, hook = user_spelling(hooks["of"]), hooks["kind"].replace("_", " ")
            found.subject = f"number of {hook} hooks of {of}"
        found.expected = length.group("expected") or "0"
        found.words = f"{found.subject} == {found.expected}"
        found.actual = length_of(value_of(source, call))
    elif kind is not None:
        found.subject = "type({})".format(user_spelling(kind.group("source")))
        found.expected = kind.group("expected")
        found.words = f"{found.subject} is {found.expected}"
        value = value_of(kind.group("source"), call)
        found.actual = "" if value is NO_VALUE else type(value).__name__
    elif same is not None:
        _of_object(found, same, value_of(same["source"].replace(".__code__", ""), call), identity)
    elif compared is not None and " is " in code and _SOURCE.match(compared["expected"]):  # one object for both
        found.subject, found.expected = user_spelling(compared["source"]), user_spelling(compared["expected"])
        found.words = f"{found.subject} is {found.expected}"
        found.actual = "None" if value_of(compared["source"], call) is None else "another object"
    elif compared is not None:
        found.expected = compared.group("expected")
        found.subject = user_spelling(compared.group("source"))
        value = value_of(compared.group("source"), call)
        found.actual = plain(value) or _another(found.expected, value) or type_of(value)
    elif code.startswith(_STATE_CHANGED):
        found.words, found.is_change = "torch's global state has changed" + _names_of_state(code), True
    elif code.startswith("BACKEND_MATCH fail"):
        found.words, found.is_change = _of_backends(code), True
        found.note = "".join(_LINK.findall(code))
    else:
        _of_numbers(found, code, call)


def _of_backends(code: str) -> str:
    """Both backends, where torch names them (2.14 and later) and they have two names."""
    both = _BACKENDS.search(code)
    was, now = map(_backend_name, both.groups()) if both is not None else ("", "")
    return f"the backend was {was}, it is {now} now" if was != now else "it is compiled by another backend object now"


def _backend_name(text: str) -> str:
    named = re.search(r"compiler='([^']+)'", text)
    return named[1] if named is not None else text.partition(" (id=")[0]


def _names_of_state(code: str) -> str:
    names = code[len(_STATE_CHANGED) :].split()
    return ": " + ", ".join(name.replace("_", " ") for name in names) if names else ""


def _of_class(found: RecompileReason, match: re.Match[str], value: Any) -> None:
    """``expected type of 'x' to be a tensor type, but found ...``: so of tensors of another class, too."""
    found.subject, name = user_spelling(match["source"]), match["actual"].rpartition(".")[2]
    torch = sys.modules.get("torch")
    if torch is not None and issubclass(type(value), torch.Tensor):
        known = (match["expected"] or "").rpartition(".")[2]
        found.expected, found.actual = known or "another class of tensors", name
        is_what = f"of type {known}" if known else "of the class of tensors it was"
        found.words, found.subject = f"{found.subject} is {is_what}", f"type({found.subject})"
    else:
        found.expected, found.actual = "a tensor", "None" if name == "NoneType" else f"of type {name}"
        found.words = f"{found.subject} is a tensor"


def _of_numbers(found: RecompileReason, code: str, call: RecompilingCall | None) -> None:
    """``2 <= L['x'].size()[0]``, ``(L['n'] % 2) == 0``: what the numbers in it are now."""
    terms = {term[0]: _number_of(term, call) for term in _NUMBER.finditer(code)}
    bounds = _BOUNDS.match(code)
    if not terms or not all(terms.values()):
        return
    if len(terms) > 1:
        found.note = ", ".join(f"{user_spelling(term)} is {value}" for term, value in terms.items()) + " now"
        return
    [(term, found.actual)] = terms.items()
    found.subject = user_spelling(term)
    if bounds is not None and bounds["term"] == term:
        least, most = bounds["least"], bounds["most"]
        words = f"from {least} to {most}" if least and most else f"at least {least}"
        found.expected = words if least else f"at most {most}"
        if term.endswith("]") and ".size()" in term and found.actual in ("0", "1"):
            found.note = _SMALL_SIZES


def _number_of(term: re.Match[str], call: RecompilingCall | None) -> str:
    """A size or an integer of the call, "" if it is not known. Only torch's own tensors are asked."""
    value, torch = value_of(term[0].partition(".size()")[0], call), sys.modules.get("torch")
    if term["index"] is None:
        return repr(value) if type(value) is int else ""
    if torch is None or type(value) not in (torch.Tensor, torch.nn.Parameter) or value.dim() <= int(term["index"]):
        return ""
    return str(int(value.shape[int(term["index"])]))


def _of_marks(found: RecompileReason, code: str, call: RecompilingCall | None) -> bool:
    """Marks of dimensions: torch up to 2.12 or so names the tensor; later it is the one that has such marks now."""
    match = _MARKS.search(code)
    if match is None:
        return False
    by = _MARKED_BY.get(match["kind"], f"a mark ({match['kind']})")
    mark = f"_dynamo_{match['kind']}_indices" if match["kind"] else "_has_dynamo_dim_marking"
    names = call.local_names if call is not None and type(call.local_names) is dict else {}
    marked = [name for name, value in names.items() if mark in attributes(value)]
    source = _LOCAL.search(code)
    found.subject = user_spelling(source.group()) if source else marked[0] if len(marked) == 1 else ""
    of, dimensions = found.subject or "a tensor", _DIMENSIONS.findall(code)
    if "subset" in code:
        now = f"on {dimensions[0]}" if len(dimensions) > 1 else "on others"
        found.words = "{} was on dimension {} of {}, and is {} now".format(by, (dimensions or ["?"])[-1], of, now)
    elif "absent on runtime" in code or code.endswith("== True"):
        found.words = f"{of} was marked by {by}, and is not now"
    else:
        found.words = f"{of} was not marked by {by}, and is now"
    return True


def _of_the_dead(found: RecompileReason, code: str, call: RecompilingCall | None) -> bool:
    """An object that is checked for by its identity, and that the program has dropped."""
    match = _GONE.match(code)
    if match is not None:
        found.subject = user_spelling(match["source"])
        found.words = f"{found.subject}, an object that it checks for, is gone"
    return match is not None


def _of_tensor(found: RecompileReason, match: re.Match[str]) -> None:
    """``tensor 'x' size mismatch at index 0. expected 4, actual 5``: ``x.shape[0] == 4``, and 5 came."""
    found.subject = _OF_TENSOR[match["what"]].format(user_spelling(match["name"]), match["index"])
    found.expected, found.actual = match["expected"], match["actual"] or ""
    if match["what"] == "requires_grad":
        found.expected, found.actual = str(match["expected"] == "1"), str(match["expected"] != "1")
    elif match["what"] == "dtype":
        found.expected, found.actual = (DTYPES.get(name, name) for name in (found.expected, found.actual))
    if match["what"] == "size" and {found.expected, found.actual} & {"0", "1"}:
        found.note = _SMALL_SIZES
    verb = "is" if match["what"] == "requires_grad" else "=="
    found.words = f"{found.subject} {verb} {found.expected}"


def _of_dispatch(found: RecompileReason, code: str) -> bool:
    """So where the keys were others by which operators are dispatched: another device, autocast, inference mode."""
    keys = _KEYS.match(code)
    if keys is None:
        return False
    sets = [set(re.findall(r"\w+", keys[which])) - {"DispatchKeySet"} for which in ("expected", "actual")]
    lost, new = sorted(sets[0] - sets[1]), sorted(sets[1] - sets[0])
    devices = [_DEVICE.findall(keys[which])[:1] for which in ("expected", "actual")]
    found.subject = user_spelling(keys["name"])
    if all(devices) and devices[0] != devices[1]:
        found.expected, found.actual = (f"on {name.lower()}" for [name] in devices)
    elif any(key.startswith("Autocast") for key in [*lost, *new]):
        words = ("in autocast", "outside of autocast")
        found.expected, found.actual = words if any(key.startswith("Autocast") for key in lost) else words[::-1]
    elif (not lost or not new) and all(key.startswith(("Autograd", "ADInplace")) for key in [*lost, *new]):
        words = ("outside of inference mode", "in or from inference mode")
        found.expected, found.actual = words if lost else words[::-1]
    else:
        found.expected, found.actual = _with_and_without(lost, new), _with_and_without(new, lost)
    found.words = f"{found.subject} is {found.expected}"
    return True


def _with_and_without(keys: list[str], others: list[str]) -> str:
    parts = [("with", keys), ("without", others)]
    return "dispatched " + " and ".join(f"{word} {', '.join(names)}" for word, names in parts if names)


def _of_twins(found: RecompileReason, match: re.Match[str]) -> None:
    """``Duplicate tensors found: ["x", "y"]``, or, up to 2.12 or so, with the name of the second alone."""
    names = [user_spelling(one or other) for one, other in _QUOTED.findall(match["names"] or "")]
    found.subject = names[-1] if names else user_spelling(match["second"] or "")
    if names:
        found.words = "{} and {} are different tensors; they are one now".format(", ".join(names[:-1]), names[-1])
    else:
        found.words = f"{found.subject} is no tensor that came before it; it is one now"


def _of_object(found: RecompileReason, match: re.Match[str], value: Any, identity: str) -> None:
    """``fun is the object it was, type=<class 'function'>``: torch tells its class, or which class it is."""
    source, shown = match["source"].replace(".__code__", ""), (match["type"] or "").rpartition(".")[2]
    shown = _NOUNS.get(shown, shown)
    found.subject, is_class = user_spelling(source), issubclass(type(value), type)
    if source != match["source"] and value is not NO_VALUE and not issubclass(type(value), _FUNCTIONS):
        found.expected, found.actual = "a function", _own_name(value) or plain(value) or type_of(value)
        found.words = f"{found.subject} is a function"
        return
    noun = "function" if source != match["source"] else shown or "object"
    named = bool(shown) and (is_class or value is None)  # None came: it may have been either
    other = "another class" if is_class else _member(type(value), identity) or "one " + noun
    found.expected = shown if named else other
    found.words = f"{found.subject} is " + (shown if named else f"the {noun} it was")
    if value is None or is_class:
        found.actual = "None" if value is None else value.__name__
    elif value is not NO_VALUE or source != match["source"]:
        kind = noun if source != match["source"] else _NOUNS.get(type(value).__name__, type(value).__name__)
        name = _own_name(value)
        of_same_name = name == found.subject.rpartition(".")[2]
        found.actual = "another" if of_same_name else name or plain(value) or _of_kind(kind, noun if shown else kind)


def _member(kind: type, identity: str) -> str:
    """The member of an enumeration that was; "" of other classes."""
    if not issubclass(kind, enum.Enum):
        return ""
    members = inspect.getattr_static(kind, "_member_map_", {}).values()
    return next((_own_name(one) for one in members if str(id(one)) == identity), f"another {kind.__name__}")


def _another(expected: str, value: Any) -> str:
    """``another set`` where ``set()`` was."""
    name = next((name for start, name in _LITERALS if expected.startswith(start)), "")
    return f"another {name}" if type(value).__name__ == name else ""


def _of_kind(kind: str, noun: str) -> str:
    return "another" if kind == noun else f"of type {kind}"


def _own_name(value: Any) -> str:
    """``max``, ``the lambda of line 12``, ``Color.RED``; "" of what is no function or member of an enumeration."""
    if issubclass(type(value), enum.Enum):
        name = attributes(value).get("_name_")
        return f"{type(value).__name__}.{name}" if type(name) is str else ""
    name = value.__name__ if type(value) in (FunctionType, BuiltinFunctionType) else ""
    if name == "<lambda>":
        return f"the lambda of line {value.__code__.co_firstlineno}"
    return name if name.isidentifier() else ""


def _of_attributes(found: RecompileReason, code: str, call: RecompilingCall | None) -> bool:
    """So where what was read to compile is no longer there; False where it was something else."""
    match = _NO_ATTRIBUTE.match(code)
    if match is None:
        return False
    if match["attribute"]:
        found.subject = user_spelling(match["attribute"])
        of, _, name = match["attribute"].rpartition(".")
        owner = value_of(of, call)
        kind = next((words for words, table in tables(owner) if words and dict.__contains__(table, name)), "")
        found.words = f"{found.subject} has become a {kind}" if kind else ""
        found.words = found.words or f"{user_spelling(of)} has no attribute {name} of its own now"
    elif match["source"]:  # the object, or up to torch 2.9 or so the attribute
        source = user_spelling(match["source"])
        of, _, name = source.rpartition(".")
        is_attribute = of and value_of(match["source"], call) is NO_VALUE and value_of(of, call) is not NO_VALUE
        gone = f"{of} has no attribute {name} now" if is_attribute else ""
        found.words = gone or f"{source} lacks an attribute that it had"
    else:
        found.words = f"{user_spelling(match['items'])} has no item {match['index']} now"
    return True


def _of_keys(found: RecompileReason, code: str, call: RecompilingCall | None) -> bool:
    """So where the keys of a dictionary were checked; False where it was something else."""
    missing, contains, keys_of = _NO_KEY.match(code), _CONTAINS.match(code), _KEYS_OF.match(code)
    key_at = _KEY_AT.match(code)
    if missing is not None and missing["source"] == "G":
        found.words = "there is no global {} now".format(missing["key"].strip("'\""))
    elif missing is not None:
        found.subject = user_spelling(missing["source"])
        found.words = "{} has no key {} now".format(found.subject, missing["key"])
    elif contains is not None:
        source, is_attribute = _OWN_TABLE.subn(r"\1\2", contains["source"])
        found.subject = user_spelling(source)
        what = "attribute {} of its own" if is_attribute else "key {}"
        what = what.format(contains["key"].strip("'\"") if is_attribute else contains["key"])
        article = "an " if is_attribute else ""
        has = f"has no {what}; it has one now" if contains["absent"] else f"has {article}{what}; it has none now"
        found.words = f"{found.subject} {has}"
    elif keys_of is not None:
        value = value_of(keys_of["source"], call)
        found.subject, found.expected = "set({})".format(user_spelling(keys_of["source"])), keys_of["expected"]
        found.words = f"{found.subject} == {found.expected}"
        found.actual = plain_keys(value) if issubclass(type(value), dict) else ""
    elif key_at is not None:
        value, at = value_of(key_at["source"], call), int(key_at["at"])
        keys = list(dict.keys(value))[at : at + 1] if issubclass(type(value), dict) else []
        found.actual = next(map(plain, keys), "")
        if found.actual:
            which = f"key {at} of" if at else "the first key of"
            found.subject, found.expected = f"{which} {user_spelling(key_at['source'])}", key_at["expected"]
            found.words = f"{found.subject} is {found.expected}"
    return bool(missing or contains or keys_of or key_at and found.expected)


def _of_another_type(found: RecompileReason, code: str, call: RecompilingCall | None) -> bool:
    """So where torch looks at the class alone, and does not tell which it was."""
    match = _OTHER_TYPE.match(code)
    if match is not None:
        value = value_of(match["source"], call)
        found.subject = f"type({user_spelling(match['source'])})"
        found.words = f"{found.subject} is another one now" + f": {type(value).__name__}" * (value is not NO_VALUE)
    return match is not None


def _of_functions(found: RecompileReason, code: str, call: RecompilingCall | None) -> bool:
    """What was a function, with code and a closure of its own, and is something else that can be called."""
    match = _NO_FUNCTION.match(code)
    if match is None:
        return False
    value = value_of(match["source"] or match["of"], call)
    found.subject, found.expected = user_spelling(match["source"] or match["of"]), "a function"
    found.words, found.actual = f"{found.subject} is a function", _own_name(value) or type_of(value)
    return True


_OF_A_CHANGE = (_of_marks, _of_keys, _of_another_type, _of_functions, _of_attributes, _of_the_dead)
