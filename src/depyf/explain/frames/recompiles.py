"""Why a function was compiled again: each compilation that did not fit, what it expected, what came, what to do."""

from __future__ import annotations

import re
from types import CodeType, MappingProxyType
from typing import Any, Mapping, Sequence

from ...decompiler.proof.callables import attributes
from ..guards.collect import kind_of, recompile_reason, split_verbose_part
from ..guards.words import describe, is_torch_file
from ..model import CacheEntry, RecompileReason, SourceLine
from ..torch_facts import torch_behavior, torch_keeps
from .circumstances import ChangedValue, RecompilingCall, changes
from .failed_checks import take_apart
from .remedies import remedy
from .values import value_of

__all__ = ["add_reasons", "ids_of_entries", "kept_reasons", "reason_from_text", "with_ids"]

_ID = re.compile(r"^(?P<id>[\d?]+/\d+): (?P<rest>.*)$", re.DOTALL)
_STACK = re.compile(r"^\s*User stack trace:\s*$", re.MULTILINE)
_FRAME = re.compile(r'^\s*File "(?P<file>[^"]+)", line (?P<line>\d{1,7}), in (?P<function>.+)\n?(?P<text>.*)$', re.M)
_OBJECT_ID = re.compile(r"__check_obj_id\(.*?, (?P<id>\d{4,})\)")
_HINT = re.compile(r" \(HINT: type [^()]*\)$")
_OF_SIZE = re.compile(r"^(?P<of>.+)\.shape\[(?P<index>\d+)\]$")
_ON_PARAMETER = "Guard failed on a parameter"
_MAKE_IT = "a number that changes: make "


def add_reasons(
    entry: CacheEntry,
    reasons: Sequence[str],
    call: RecompilingCall | None,
    before: Mapping[str, dict[str, str]] = MappingProxyType({}),
) -> None:
    """Fills in the reasons of an entry: torch's texts, one for each compilation that did not fit.

    Args:
        entry: the compilation that came of it.
        reasons: the texts.
        call: the call, None when that was long ago.
        before: by compile id, the circumstances of the earlier compilations.
    """
    for text in reasons:
        one = reason_from_text(text, call, entry.original_code)
        if call is not None:
            _compare(one, changes(before.get(one.compile_id, {}), call.now))
        entry.recompiled.append(one)
        entry.recompile_reasons.append(recompile_reason(_head(text)))
        entry.actual_values.append(one.actual)


def _compare(found: RecompileReason, changed: list[ChangedValue]) -> None:
    """Says what torch's global state was and is, and what has changed besides."""
    is_global = "GLOBAL_STATE" in found.guard or "check_global_state" in found.guard
    for name, was, now in changed:
        if is_global and not name.endswith(".training") and not found.expected:
            found.subject, found.expected, found.actual = name, was, now
            found.remedy = remedy(found, "", None, "")
        elif name != found.subject and not (name.endswith(".training") and ".training" in found.guard):
            found.besides.append(f"{name} was {was} and is {now} now")


def reason_from_text(
    text: str, call: RecompilingCall | None = None, code: CodeType | None = None
) -> RecompileReason:
    """Torch's text about one compilation; `call` is the one which it did not fit, `code` what was to be compiled."""
    body = _STACK.split(text, maxsplit=1)
    line = _last_line(body[1]) if len(body) > 1 else None
    head = _head(body[0])
    match = _ID.match(head)
    compile_id, rest = (match.group("id"), match.group("rest")) if match else ("", head)
    check, asked = split_verbose_part(recompile_reason(rest))
    check = _HINT.sub("", check)  # which says the same
    of_user = next((one for one in (asked, line) if one is not None and not is_torch_file(one.filename)), None)
    found = RecompileReason(compile_id, check, user_line=of_user)
    found.words = describe(kind_of(check), check, None, {}).words or check
    identity = _OBJECT_ID.search(rest)
    take_apart(found, check, call, identity["id"] if identity else "")
    found.remedy = remedy(found, text, code, _static_by(found, call), call is None or call.is_given)
    if _ON_PARAMETER in text:
        found.remedy = ""  # nothing to be done before a call
    if found.remedy.startswith(_MAKE_IT) and type(value_of(found.subject.rpartition(".")[0], call)) in (slice, range):
        found.remedy = "a number that changes: torch.compile(dynamic=True)"  # its parts can't be tensors
    return found


def _static_by(found: RecompileReason, call: RecompilingCall | None) -> str:
    """What of the program asks for one compilation a size, "" for nothing."""
    asked = torch_keeps.static_by_request() if call is not None else ""
    if asked:
        return asked
    dimension = _OF_SIZE.match(found.subject)
    marks = attributes(value_of(dimension["of"], call)).get("_dynamo_static_indices") if dimension else None
    return "mark_static" if dimension and type(marks) is set and int(dimension["index"]) in marks else ""


def kept_reasons(code: CodeType, ids: Sequence[str]) -> dict[str, list[str]]:
    """After the fact: torch's texts for each entry, by its compile id; `ids` are those of all, in their order.

    Torch keeps them in one row for each function. There is one for each entry that was there by then; a row that can't
    be parted so says nothing.
    """
    row = torch_keeps.guard_failures(code)
    found: dict[str, list[str]] = {}
    at = 0
    for number in range(1, len(ids)):
        part = row[at : at + number]
        named = [match.group("id") for match in map(_ID.match, part) if match is not None]
        if len(part) < number or named and sorted(named) != sorted(ids[:number]):
            return {}
        found[ids[number]] = part if named else with_ids(part, ids[:number][::-1])
        at += number
    return found


def ids_of_entries(code: CodeType, installed: Sequence[tuple[CacheEntry, CodeType]]) -> list[str]:
    """Compile ids of the compilations of `code`, in the order in which Dynamo tries them."""
    ids = {id(runs): entry.compile_id for entry, runs in installed}
    return [ids.get(id(one.code), "") for one in torch_behavior.cache_entries(code)[::-1]]


def with_ids(reasons: list[str], known: Sequence[str]) -> list[str]:
    """`reasons` with the compile ids of the entries which did not fit, where torch tells these by order alone."""
    if any(_ID.match(reason) for reason in reasons) or len(known) != len(reasons) or not all(known):
        return reasons
    return [f"{number}: {reason}" for number, reason in zip(known, reasons)]


def _head(text: str) -> str:
    """The first line that says something; torch puts the user's stack after it."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def _last_line(stack: str) -> Any:
    frames = list(_FRAME.finditer(stack))
    if not frames:
        return None
    one = frames[-1]
    return SourceLine(one.group("file"), int(one.group("line")), one.group("text").strip(), one.group("function"))
