"""What to do about a compilation that came of a changed input.

Advice names an expression of the program, fits the settings in force, or is left out: that grad mode, a flag or a
class was another needs none. tests/explain/test_remedies.py takes each piece of advice and counts the compilations.
"""

from __future__ import annotations

import ast
import inspect
import math
import re
from types import CodeType
from typing import Iterable

from ...decompiler.proof.compile_worker import syntax_tree
from ...owners import is_of_program
from ..guards.words import NO_CODE, user_spelling
from ..model import CacheEntry, RecompileReason
from ..torch_facts.torch_behavior import continued_code

__all__ = ["drop_vain_advice", "part_removed", "remedy"]

_PART = re.compile(r"(?:\.shape\[\d+\]|\.stride\(\d+\)|\.dim\(\)|\.dtype|\.requires_grad|\.device\.index)\Z")
_OF_KEYS = re.compile(r"\A(?:len|set|type)\((.*)\)\Z")
_DIMENSION = re.compile(r"\.shape\[(\d+)\]\Z")
_NUMBERS = ("int", "float", "bool", "complex")
_PLAIN = {"Name", "Attribute", "Subscript", "Constant", "Load", "Index"}  # Index: up to 3.8
_ONCE = ("the default dtype", "determinism", "the number of threads")

_LAYOUT = "each memory layout is compiled by itself: call {of}.contiguous() before"
_SIZE = (
    "if it changes from call to call: torch._dynamo.mark_dynamic({of}, {index}) before the first, or "
    "torch.compile(dynamic=True)"
)
_SIZE_WITHIN = "if it changes from call to call: torch.compile(dynamic=True)"  # of a tensor that the program has not
_NOT_STATIC = "each {what} is compiled by itself, as {asked} asks: without it, one compilation serves several"
_RANK = "each number of dimensions is compiled by itself: reshape {of} before the call"
_DTYPE = "each dtype is compiled by itself: convert {of} before the call"
_DEVICE = "each device is compiled by itself: move {of} to one before the call"
_COPY = "one tensor for two inputs is compiled by itself: pass a copy, {of}.clone()"
_NUMBER = "a number that changes: make {of} a tensor, or torch.compile(dynamic=True)"
_CONSTANT = {
    "size": "each size is compiled by itself: Dynamo takes it for a constant here, and to mark it dynamic would raise",
    "number": "each number is compiled by itself: Dynamo takes it for a constant here, dynamic=True or not; where only "
    "tensor operations use it, it can be a tensor",
}
_FIXED_SIZES = re.compile(r"\bsize=\[([^\]]*)\]")
_ANY = "None"  # in a size or a stride
_SHAPE = re.compile(r"\bsize=\[([^\]]*)\], stride=\[([^\]]*)\]")
_FLOAT = "a float that changes: make {of} a tensor, torch.tensor(value)"
_ATTRIBUTE = (
    "a module's number that changes: make it a tensor, or set torch._dynamo.config.allow_unspec_int_on_nn_module = True"
)
_TYPE = "each type is compiled by itself: pass {of} as one type, every time"
_OBJECT = "pass the same object as {of} every time, or what is needed of it as tensors"
_FUNCTION = "define {of} once: each function made anew is compiled by itself"
_KEYS = "each set of keys is compiled by itself: have the same keys in {of} every time"
_LENGTH = "each length is compiled by itself: have as many items in {of} every time"
_KEYWORDS = "each set of keyword arguments is compiled by itself: pass the same ones every time"
_POSITIONS = "each number of positional arguments is compiled by itself: pass as many every time"
_STATE = "set {of} once, before the first call"
_MARK = "mark {of} in the same way before each call"
_BACKEND = "pass the same backend object every time"
_BY_GUARD = (
    ("BACKEND_MATCH", _BACKEND),
    ("Duplicate tensor", _COPY),
    (r"_dynamo_\w+_indices|_has_dynamo_dim_marking", _MARK),
    (r"\bstride mismatch|\.stride\(", _LAYOUT),
    (r"\brank mismatch", _RANK),
    (r"\bdtype mismatch", _DTYPE),
    (r"\bdevice index mismatch", _DEVICE),
    (r"___dict_contains.*__dict__\)+$", ""),
    (r"^KeyError on .*\]$|___dict_contains|\.keys\(\)", _KEYS),
    (r"^len\(|^not |DICT", _LENGTH),
)


_IN_LIBRARY = (
    (re.compile(r"torch\._dynamo\.mark_dynamic\(\{of\}, \d+\)"), "torch._dynamo.mark_dynamic on the program's tensor"),
    (re.compile(r"\{of\}\.contiguous\(\)"), "contiguous() on it"),
    (re.compile(r", \{of\}\.clone\(\)| as \{of\}(?= every)"), ""),
    (re.compile(r"\{of\}"), "it"),
)
"""Advice for what only a library's code has a name for -> that without the name."""


_IS_GIVEN = re.compile(r"(?:\[(?:\d+|'\w+')\])?\Z")  # ``x``, ``args[0]``, ``kwargs['x']``
_ARGUMENT = re.compile(r"(?P<name>\w+)(?P<rest>.*)\Z", re.DOTALL)
_OF_A_SIZE = "if it changes from call to call: "
_DYNAMIC = (("size", _OF_A_SIZE), ("number", _NUMBER.partition("{")[0]))


def remedy(
    found: RecompileReason, whole: str, code: CodeType | None, static_by: str, is_given: bool = True
) -> str:
    """What to do about a check that failed, "" where nothing is known to help.

    Args:
        found: the check, taken apart.
        whole: all that torch says about it.
        code: of the function that was compiled, where it is known.
        static_by: what of the program asks for one compilation a size, "" if nothing does.
        is_given: whether the function was given to torch.compile: another one's arguments are made in between.
    """
    if "allow_unspec_int_on_nn_module" in whole:
        return _ATTRIBUTE
    was, code = code, None if code is None else continued_code(code)
    of = part_removed(found.subject)
    if of in _ONCE:
        return _STATE.format(of=of)
    advice = _advice(found, of, code, static_by)
    if "{of}" in advice and not _is_of_program(of):
        return ""
    if code is not None and advice.startswith(_OF_A_SIZE) and not _can_be_marked(of, code, is_given or was is not code):
        advice = _SIZE_WITHIN
    if code is not None and not is_of_program(code.co_filename):
        for named, words in _IN_LIBRARY:
            advice = named.sub(words, advice)
    return advice.format(of=of)


def drop_vain_advice(entries: Iterable[CacheEntry], is_certain: bool = True) -> None:
    """Takes back advice to make a size or a number dynamic which Dynamo has followed by itself, and in vain.

    What has changed once is compiled as dynamic. If the guards of that compilation have one value all the same, the
    code needs it, as a loop does that is unrolled, and to mark it would raise. A stride that is another one because a
    size is becomes that size.

    Args:
        entries: compilations, with their guards and their reasons.
        is_certain: whether the settings under which they were made are known.
    """
    entries = list(entries)
    by_id = {entry.compile_id: entry for entry in entries}
    for entry, one in ((compiled, reason) for compiled in entries for reason in compiled.recompiled):
        if ".stride(" in one.subject and one.compile_id in by_id:
            _tell_size(one, by_id[one.compile_id], entry)
        what = next((what for what, words in _DYNAMIC if one.remedy.startswith(words)), "")
        if what and _is_constant(entry, one):
            one.remedy = _CONSTANT[what] if is_certain else ""


def _tell_size(found: RecompileReason, old: CacheEntry, new: CacheEntry) -> None:
    """Torch up to 2.3 or so compares strides before sizes: where both tensors are contiguous, the size has changed."""
    of = part_removed(found.subject)
    shapes = [
        [part.replace(" ", "").split(",") for part in match.groups()]
        for entry in (old, new) for guard in entry.guards if guard.subject == of
        for match in [_SHAPE.search(guard.code)] if match
    ]  # fmt: skip
    if len(shapes) != 2 or not all(map(_may_be_contiguous, shapes)):
        return
    sizes = list(zip(shapes[0][0], shapes[1][0]))
    index = next((at for at, (was, now) in enumerate(sizes) if was != now), None)
    if index is not None:
        is_stride = index == len(sizes) - 1 and found.subject.endswith(f".stride({index - 1})")  # before the last size
        found.subject, found.remedy = f"{of}.shape[{index}]", ""
        found.expected, now = sizes[index]
        found.actual = now if now != _ANY else found.actual if is_stride else ""
        found.words = f"{found.subject} == {found.expected}"


def _may_be_contiguous(shape: list[list[str]]) -> bool:
    sizes, strides = shape
    known = (strides[at:] for at in range(len(sizes)) if _ANY not in [strides[at], *sizes[at + 1 :]])
    return all(int(one[0]) == math.prod(map(int, sizes[len(sizes) - len(one) + 1 :])) for one in known)


def _can_be_marked(of: str, code: CodeType, is_given: bool) -> bool:
    """Whether the program has the tensor before the call: it is an argument, or in one."""
    argument = _ARGUMENT.match(of)
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    if argument is None or not is_given or argument["name"] not in code.co_varnames[:count]:
        return False
    return is_of_program(code.co_filename) or _IS_GIVEN.match(argument["rest"]) is not None


def _is_constant(entry: CacheEntry, found: RecompileReason) -> bool:
    dimension = _DIMENSION.search(found.subject)
    if dimension is None:
        checks = (guard.code for guard in entry.guards if guard.code.startswith(("L[", "G[")))
        return any(user_spelling(code) == f"{found.subject} == {found.actual}" for code in checks)
    of, index = part_removed(found.subject), int(dimension[1])
    sizes = [_FIXED_SIZES.search(guard.code) for guard in entry.guards if guard.subject == of]
    return any(found.actual in match[1].replace(" ", "").split(",")[index : index + 1] for match in sizes if match)


def part_removed(subject: str) -> str:
    """The tensor of ``x.shape[0]``, the collection of ``len(xs)``; anything else as it is."""
    return _PART.sub("", _OF_KEYS.sub(r"\1", subject))


def _advice(found: RecompileReason, of: str, code: CodeType | None, static_by: str) -> str:
    dimension = _DIMENSION.search(found.subject)
    if dimension is not None and found.guard.startswith("tensor "):
        if {found.expected, found.actual} & {"0", "1"} or of.startswith("self."):
            return ""  # sizes that are never dynamic, and parameters
        return _NOT_STATIC.format(what="size", asked=static_by) if static_by else _SIZE.replace("{index}", dimension[1])
    by_guard = next((words for mark, words in _BY_GUARD if re.search(mark, found.guard)), None)
    if by_guard == _DTYPE and of.startswith("self."):
        return ""  # of a parameter
    if by_guard in (_KEYS, _LENGTH):
        if of == _var_name(code, inspect.CO_VARKEYWORDS):
            return _KEYWORDS
        return _POSITIONS if of == _var_name(code, inspect.CO_VARARGS) else by_guard
    if by_guard is not None:
        return by_guard
    if found.expected.startswith("on ") and found.guard.startswith("tensor "):
        return _DEVICE
    if found.subject.startswith("type("):
        return _TYPE if {found.expected, found.actual} <= {*_NUMBERS, ""} else ""
    if found.expected.startswith("one ") and found.actual != "None":
        is_receiver = of == "self" or of == "args[0]" and code is not None and not is_of_program(code.co_filename)
        return _FUNCTION if found.guard.partition(" is ")[0].endswith(".__code__") else _OBJECT * (not is_receiver)
    return _of_number(found.expected, static_by)


def _of_number(expected: str, static_by: str) -> str:
    try:
        kind = type(ast.literal_eval(expected))
    except NO_CODE:
        return ""
    if kind is int:
        return _NOT_STATIC.format(what="number", asked=static_by) if static_by else _NUMBER
    return _FLOAT if kind is float else ""


def _var_name(code: CodeType | None, flag: int) -> str:
    """The name of ``*args`` or ``**kwargs``; "-" if there is none."""
    if code is None or not code.co_flags & flag:
        return "-"
    at = code.co_argcount + code.co_kwonlyargcount
    has_both = flag == inspect.CO_VARKEYWORDS and bool(code.co_flags & inspect.CO_VARARGS)
    return code.co_varnames[at + has_both]


def _is_of_program(text: str) -> bool:
    """Whether somebody can write this in the program: names, attributes and items, none of Dynamo's own."""
    try:
        tree = syntax_tree(text, mode="eval").body
    except NO_CODE:
        return False
    kinds = {type(node).__name__ for node in ast.walk(tree)}
    return "Name" in kinds and kinds <= _PLAIN and "__" not in text
