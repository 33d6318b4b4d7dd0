"""The resume functions of a compiled frame: what Dynamo called them, and where in the program each resumes."""

from __future__ import annotations

import re
from types import CodeType
from typing import Mapping, NamedTuple

from ..code_objects import with_nested
from ..model import Frame, ResumeFunction
from ..names import stable
from ..torch_facts import torch_behavior

__all__ = ["ResumePoint", "is_resume_name", "made_code", "names_read", "resume_function", "resume_line",
           "resume_offset", "resume_points", "resumed"]

_GLOBAL = re.compile(r"^__resume_at_(\d+)_")
_CODE_NAME = re.compile(r"^(?:torch_dynamo_)?resume_in_")
_RESUMED = re.compile(r"(?:torch_dynamo_)?resume_in_(?P<name>.+)_at_(?P<line>\d{1,7})$")
_NOT_TAKEN = "NOT_TAKEN"  # 3.14 and later, after a jump
_BROKEN_LINE = re.compile(r"_at_(\d+)$")


class ResumePoint(NamedTuple):
    """A resume function that compiled code calls, or hands to the one which it calls.

    Attributes:
        name: how the code spells it: the global, or the name of the code object of which it makes the function.
        line: where it continues, 0 if unknown.
        function: the function that it continues, "" for the compiled frame's own. Only with `nested_graph_breaks`.
        code: its code, None when it is gone.
    """

    name: str
    line: int
    function: str
    code: CodeType | None


def resumed(name: str) -> tuple[str, int] | None:
    """The function that a resume function continues, and the line, from the name of its code; None for other code."""
    match = _RESUMED.match(name)
    return (match["name"], int(match["line"])) if match is not None else None


def is_resume_name(name: str) -> bool:
    """Whether a code object's name is one which Dynamo gives to resume functions."""
    return bool(_CODE_NAME.match(name))


def resume_points(code: CodeType, broken: CodeType, module_globals: Mapping[str, object]) -> list[ResumePoint]:
    """Those of one compilation.

    Args:
        code: what Dynamo made.
        broken: the code which it compiled; offsets in names are offsets in this.
        module_globals: where Dynamo put them.
    """
    found: list[ResumePoint] = []
    for name in names_read(code):
        if _GLOBAL.match(name):
            found.append(_point(name, name, made_code(name, module_globals), broken))
    inner = [one for one in code.co_consts if isinstance(one, CodeType) and is_resume_name(one.co_name)]
    if inner:
        names: dict[int, str] = {
            id(value): name
            for name, value in list(module_globals.items())
            if isinstance(value, CodeType) and isinstance(name, str) and _GLOBAL.match(name)
        }
        found += [_point(one.co_name, names.get(id(one), ""), one, broken) for one in inner]
    return found


def made_code(name: str, module_globals: Mapping[str, object]) -> CodeType | None:
    """The code of a function that Dynamo has made and put where the compiled code finds it; None if it is gone."""
    return torch_behavior.resume_code(module_globals.get(name))


def resume_function(point: ResumePoint, frame: Frame | None = None) -> ResumeFunction:
    """A point as a noun of the model."""
    return ResumeFunction(
        stable(point.name), point.name, point.line, frame=frame, function=point.function, code=point.code
    )


def resume_line(frame: Frame, resume: ResumeFunction) -> int:
    """The line where a resume function resumes; 0 if unknown."""
    offset = resume_offset(resume)
    if resume.resume_line or offset is None or frame.code is None:
        return resume.resume_line
    return _line_at(frame.code, offset)


def resume_offset(resume: ResumeFunction) -> int | None:
    """The offset at which it resumes, in the code of the frame that was broken; None if that is unknown."""
    return _offset(resume.name)


def _point(name: str, numbered: str, code: CodeType | None, broken: CodeType) -> ResumePoint:
    offset = _offset(numbered)
    root = torch_behavior.continued_code(broken)
    continued = root if code is None else torch_behavior.continued_code(code)
    at_break = _BROKEN_LINE.search(code.co_name) if code is not None else None
    line = int(at_break.group(1)) if at_break else 0
    if continued is root or continued is code:
        return ResumePoint(name, line if offset is None else _line_at(broken, offset), "", code)
    if offset is not None and root is broken:  # an inner function, which was traced from its own code
        line = _line_at(continued, offset)
    return ResumePoint(name, line, continued.co_name, code)


def _offset(name: str) -> int | None:
    match = _GLOBAL.match(name)
    return int(match.group(1)) if match else None


def _line_at(code: CodeType, offset: int) -> int:
    found = torch_behavior.traced_instructions(code)
    at = next((index for index, one in enumerate(found) if one.offset >= offset), len(found) - 1)
    while found[at].opname == _NOT_TAKEN and at < len(found) - 1:  # the resumed branch begins after it
        at += 1
    lines = (one.positions.lineno if one.positions is not None else one.starts_line for one in found[at::-1])
    return next(filter(None, lines), 0)


def names_read(code: CodeType) -> list[str]:
    """Global names in order of first mention, those of nested code objects included."""
    return list(dict.fromkeys(name for at in with_nested(code) for name in at.co_names))
