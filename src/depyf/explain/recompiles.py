"""Why a function was compiled again: each compilation that did not fit, what it expected, what came, what to do."""

from __future__ import annotations

import re
from types import CodeType
from typing import Any, Dict, List, Sequence, Tuple

from depyf.explain import torch_behavior, torch_keeps
from depyf.explain.guard_words import describe, user_spelling
from depyf.explain.guards import kind_of, recompile_reason, split_verbose_part
from depyf.explain.model import CacheEntry, RecompileReason, SourceLine
from depyf.explain.torch_attempts import grad_mode_is_on

__all__ = ["actual_value", "add_reasons", "ids_of_entries", "kept_reasons", "reason_from_text", "with_ids"]

_ID = re.compile(r"^(?P<id>[\d?]+/\d+): (?P<rest>.*)$", re.DOTALL)
_STACK = re.compile(r"^\s*User stack trace:\s*$", re.MULTILINE)
_FRAME = re.compile(r'^\s*File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<function>.+)\n?(?P<text>.*)$', re.M)
_MISMATCH = re.compile(r"\bexpected (?P<expected>.+?),? (?:actual|got|but got) (?P<actual>.+?)\.?$")
_COMPARED = re.compile(r"^(?P<source>[\w.'\"\[\]]+) (?:==|is) (?P<expected>.+)$")
_TYPE = re.compile(r"^type\((?P<source>.+)\)\.__name__ == (?P<expected>'\w+')$")
_PART = re.compile(r"\.(?P<attribute>[A-Za-z_]\w*)|\[(?P<quote>['\"]?)(?P<key>\w+)(?P=quote)\]")
_NAME = re.compile(r"^(?:L\[['\"])?(?P<name>[A-Za-z_]\w*)(?:['\"]\])?")
_LONGEST_VALUE = 80
_NO_VALUE = object()

_DYNAMIC = (
    "where this size changes from call to call, mark it before the first: "
    "torch._dynamo.mark_dynamic(tensor, dimension), or torch.compile(dynamic=True)"
)
_SMALL = "sizes 0 and 1 are compiled each by themselves, also where the dimension is dynamic"
_KINDS = "tensors made in and outside of inference mode, or of another kind, are compiled each by themselves"
_REMEDIES: Tuple[Tuple[str, str], ...] = (
    (r"size mismatch|stride mismatch|\.size\(|\.stride\(", _DYNAMIC),
    (r"rank mismatch|ndim", "each number of dimensions is compiled by itself: reshape before the call"),
    (r"dtype mismatch", "each dtype is compiled by itself: convert before the call"),
    (r"device mismatch", "each device is compiled by itself"),
    (r"requires_grad mismatch", "tensors with and without requires_grad are compiled each by themselves"),
    (r"dispatch key set mismatch", _KINDS),
    (r"grad_mode", "with and without torch.no_grad() it is compiled each by itself"),
    (r"GLOBAL_STATE|torch_function", "set autocast, determinism and the like once, before the first call"),
    (r"\.training\b", "train() and eval() are compiled each by itself"),
    (r"BACKEND_MATCH", "pass the same backend object every time"),
    (r"Duplicate tensor", "one tensor for two inputs is compiled by itself: pass a copy"),
    (r"___check_obj_id|is the object it was", "pass the same object every time, or what is needed of it as tensors"),
    (r"___check_type_id|of the type it was", "each type is compiled by itself: pass one type"),
    (r"^KeyError on ", "each set of keys is compiled by itself: always pass it, None where there is none"),
    (r"len\(|___dict_contains|DICT|dict\.keys", "each length and set of keys is compiled by itself: pad, or pass None"),
)


def add_reasons(entry: CacheEntry, reasons: Sequence[str], local_names: Any) -> None:
    """Fills in the reasons of an entry: torch's texts, one for each compilation that did not fit."""
    for text in reasons:
        one = reason_from_text(text, local_names)
        entry.recompiled.append(one)
        entry.recompile_reasons.append(recompile_reason(_head(text)))
        entry.actual_values.append(one.actual)


def reason_from_text(text: str, local_names: Any = None) -> RecompileReason:
    """Torch's text about one compilation; `local_names` are those of the call which it did not fit."""
    body = _STACK.split(text, maxsplit=1)
    line = _last_line(body[1]) if len(body) > 1 else None
    head = _head(body[0])
    match = _ID.match(head)
    compile_id, rest = (match.group("id"), match.group("rest")) if match else ("", head)
    written, _ = split_verbose_part(rest)
    code, asked = split_verbose_part(recompile_reason(rest))
    found = RecompileReason(compile_id, code, user_line=asked or line)
    found.words = describe(kind_of(code), code, None, {}).words or code
    mismatch, compared, typed = _MISMATCH.search(code), _COMPARED.match(code), _TYPE.match(code)
    if mismatch is not None:
        found.expected, found.actual = mismatch.group("expected"), mismatch.group("actual")
    elif compared is not None:
        found.expected = compared.group("expected")
        found.subject = user_spelling(compared.group("source"))
        found.actual = actual_value(compared.group("source"), local_names) or _type_of(found.subject, local_names)
    elif typed is not None:
        found.expected, found.subject = typed.group("expected"), user_spelling(typed.group("source"))
        found.actual = _type_of(found.subject, local_names)
    elif "grad_mode" in code and local_names is not None:
        now = grad_mode_is_on()
        found.expected, found.actual = ("off", "on") if now else ("on", "off")
    found.remedy = _remedy(written, found)
    return found


def kept_reasons(code: CodeType, ids: Sequence[str]) -> Dict[str, List[str]]:
    """After the fact: torch's texts for each entry, by its compile id; `ids` are those of all, in their order.

    Torch keeps them in one row for each function. There is one for each entry that was there by then; a row that can't
    be parted so says nothing.
    """
    row = torch_keeps.guard_failures(code)
    found: Dict[str, List[str]] = {}
    at = 0
    for number in range(1, len(ids)):
        part = row[at : at + number]
        named = [match.group("id") for match in map(_ID.match, part) if match is not None]
        if len(part) < number or named and sorted(named) != sorted(ids[:number]):
            return {}
        found[ids[number]] = part if named else with_ids(part, ids[:number][::-1])
        at += number
    return found


def ids_of_entries(code: CodeType, installed: Sequence[Tuple[CacheEntry, CodeType]]) -> List[str]:
    """Compile ids of the compilations of `code`, in the order in which Dynamo tries them."""
    ids = {id(runs): entry.compile_id for entry, runs in installed}
    return [ids.get(id(one.code), "") for one in torch_behavior.cache_entries(code)[::-1]]


def with_ids(reasons: List[str], known: Sequence[str]) -> List[str]:
    """`reasons` with the compile ids of the entries which did not fit, where torch tells these by order alone."""
    if any(_ID.match(reason) for reason in reasons) or len(known) != len(reasons) or not all(known):
        return reasons
    return ["{}: {}".format(number, reason) for number, reason in zip(known, reasons)]


def actual_value(source: str, local_names: Any) -> str:
    """The value now of what a guard looks at (``L['n']``, ``self.training``), "" unless it is a plain one.

    Only dictionaries of instances, dicts and lists are looked into: no code of the program runs.
    """
    match = _NAME.match(source)
    if match is None or type(local_names) is not dict or match.group("name") not in local_names:
        return ""
    value, at = local_names[match.group("name")], match.end()
    while at < len(source):
        part = _PART.match(source, at)
        value = _NO_VALUE if part is None else _inside(value, part)
        if part is None or value is _NO_VALUE:
            return ""
        at = part.end()
    is_plain = type(value) in (int, float, bool, str, type(None))
    return repr(value) if is_plain and len(repr(value)) < _LONGEST_VALUE else ""


def _type_of(name: str, local_names: Any) -> str:
    known = type(local_names) is dict and name in local_names
    return "of type {}".format(type(local_names[name]).__name__) if known else ""


def _inside(value: Any, part: re.Match[str]) -> Any:
    attribute, key = part.group("attribute"), part.group("key")
    if attribute is not None:
        try:
            names = object.__getattribute__(value, "__dict__")
        except AttributeError:
            return _NO_VALUE
        return names.get(attribute, _NO_VALUE) if type(names) is dict else _NO_VALUE
    if isinstance(value, dict):
        return dict.get(value, key if part.group("quote") else int(key) if key.isdigit() else key, _NO_VALUE)
    if type(value) in (list, tuple) and key.isdigit() and int(key) < len(value):
        return value[int(key)]
    return _NO_VALUE


def _remedy(text: str, found: RecompileReason) -> str:
    if "size mismatch" in text and {found.expected, found.actual} & {"0", "1"}:
        return _SMALL
    for mark, words in _REMEDIES:
        if re.search(mark, text) or re.search(mark, found.guard):
            return words
    if re.match(r"^-?\d+$", found.expected):
        return "a number that changes: make it a tensor, or torch.compile(dynamic=True)"
    if re.match(r"^-?\d*\.\d*(e-?\d+)?$", found.expected):
        return "a float that changes: make it a tensor, torch.tensor(value)"
    if found.expected in ("True", "False", "None") or found.expected[:1] in "'\"" and found.expected:
        return "each value of it is compiled by itself"
    return ""


def _head(text: str) -> str:
    """The first line that says something; torch puts the user's stack behind it."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def _last_line(stack: str) -> Any:
    frames = list(_FRAME.finditer(stack))
    if not frames:
        return None
    one = frames[-1]
    return SourceLine(one.group("file"), int(one.group("line")), one.group("text").strip(), one.group("function"))
