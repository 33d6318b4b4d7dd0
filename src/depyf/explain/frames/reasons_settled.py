"""Reasons for compilations, when all of them are known: the line that asked, and names of Dynamo's own in words."""

from __future__ import annotations

import ast
import linecache
import re

from ...decompiler.proof.compile_worker import syntax_tree
from ..guards.words import NO_CODE, is_torch_file
from ..model import CacheEntry, Frame, RecompileReason, Refusal, ResumeFunction, Session, Skip, SourceLine
from ..torch_facts import torch_behavior
from .remedies import part_removed
from .resume_points import resume_offset

__all__ = ["settle_reasons"]

_KEPT = re.compile(r"___stack(?P<at>\d+)(?P<more>(?=[.[]))?")
_HANDED_ON = re.compile(r"(?<![\w.'\"])(?:args\[\d+\]|[a-z]+\b(?![(\w'\"]))")
_BEFORE = "a value from before the graph break"
_LONGEST = 60


def settle_reasons(session: Session) -> None:
    """Fills in the lines that asked for the checks that failed, and says `pick(x)` for ``___stack0`` where this is the
    call at which the graph broke; of other values that Dynamo kept on its stack, that they are from before it."""
    calls = {id(one.frame): _broken_call(frame, one) for frame in session.frames for entry in frame.entries
             for one in entry.resume_functions if one.frame is not None}  # fmt: skip
    every = {entry.compile_id: (frame, entry) for frame in session.frames for entry in frame.entries}
    left: list[Refusal | Skip] = [*session.refusals, *session.skips]
    found = [(why, every.get(why.compile_id)) for one in left for why in one.recompiled]
    for frame in session.frames:
        own = {entry.compile_id: (frame, entry) for entry in frame.entries}  # after a reset, others have the same ids
        found += [(why, own.get(why.compile_id)) for entry in frame.entries for why in entry.recompiled]
    for why, unfit in found:
        if unfit is None:
            _say(why, Frame(""), "")
        else:
            why.user_line = why.user_line or _asked_line(unfit[1], why)
            _say(why, unfit[0], calls.get(id(unfit[0]), ""))


def _asked_line(entry: CacheEntry, why: RecompileReason) -> SourceLine | None:
    """The line for whose sake the compilation that did not fit checked this."""
    name = part_removed(why.subject) if why.guard.startswith("tensor ") else why.subject
    lines = (guard.user_line for guard in entry.guards if name and guard.subject == name)
    return next((line for line in lines if line is not None and not is_torch_file(line.filename)), None)


def _say(why: RecompileReason, frame: Frame, call: str) -> None:
    """Dynamo's names for what it kept and for what it hands on, in words."""
    names = () if frame.code is None else frame.code.co_varnames
    last = max((int(match["at"]) for match in map(_KEPT.fullmatch, names) if match), default=-1)
    why.words, why.subject, why.note = (
        _KEPT.sub(lambda match: call if call and int(match["at"]) == last
                  else _BEFORE if match["more"] is None else f"({_BEFORE})",
                  _HANDED_ON.sub(lambda match: frame.passed_on.get(match.group(), match.group()), text))
        for text in (why.words, why.subject, why.note)
    )


def _broken_call(frame: Frame, resume: ResumeFunction) -> str:
    """The call at which a graph broke, as it is written: its value is the last that Dynamo keeps. "" for other breaks,
    and on a Python that does not know columns."""
    offset = resume_offset(resume)
    if frame.code is None or offset is None:
        return ""
    before = [one for one in torch_behavior.traced_instructions(frame.code) if one.offset < offset]
    place = getattr(before[-1], "positions", None) if before else None
    if place is None or place.end_col_offset is None or place.lineno != place.end_lineno:
        return ""
    line = linecache.getline(frame.filename, place.lineno).encode()
    text = line[place.col_offset : place.end_col_offset].decode(errors="replace")
    try:
        is_call = isinstance(syntax_tree(text, mode="eval").body, ast.Call)
    except NO_CODE:
        return ""
    return text if is_call and len(text) <= _LONGEST else ""
