"""Texts of the log about one compilation -> graph breaks and refusals, in the words of a recording."""

from __future__ import annotations

import re
from typing import Any

from ..frames.graph_breaks import graph_break_from_reason, place
from ..frames.refusals import AS_WRITTEN, RAISED, refusal_from_metrics
from ..frames.resume_points import is_resume_name
from ..model import Frame, GraphBreak, Refusal, SourceLine

__all__ = ["break_from_text", "is_of_whole_frame", "refusal_of"]

_BREAK = re.compile(
    r"Graph break in user code at (?P<file>.*):(?P<line>\d{1,7})\n(?:Graph Break )?Reason: (?P<reason>.*?)"
    r"\n+User code traceback:\n(?P<stack>.*)",
    re.DOTALL,
)
_FRAME = re.compile(r'^  File "(?P<file>.+)", line (?P<line>\d{1,7}), in (?P<name>.+)$')
_MARKS = re.compile(r"^\s*[~^]+[~^ ]*$")
# What torch puts before the reason that it keeps: up to 2.6, and from 2.10 on.
_IN_FRONT = re.compile(
    r"(?:Unsupported: |Encountered (?:graph break|intentional debugging graph break)[^\n]*:\n\n"
    r"|Encountered graph break that we cannot resume from\..*?Graph break encountered:\n\n)",
    re.DOTALL,
)
# What torch keeps of two breaks, in other words than it logs.
_OTHER_WORDS = {"Data-dependent jump": "generic_jump", "STORE_ATTR-caused graph break": "store_attr"}
_GAVE_UP = "Failed to handle graph break gracefully"  # the frame is refused: the metrics have it
_SKIPPED = ("Graph break: skip: ", "Graph break: torch.compile cannot properly resume")
_SOURCES = "\n\nStack variable source attribution:\n"


def break_from_text(text: str, frame: Frame) -> GraphBreak | None:
    """A graph break, from the artifact ``dynamo_graph_break_reason``; None where the text tells of something else.

    Args:
        text: the payload.
        frame: the function that was compiled: its line is the first of the break's stack.
    """
    match = _BREAK.match(text)
    if match is None or match["reason"].startswith(_GAVE_UP):
        return None
    reason = match["reason"].partition(_SOURCES)[0]
    reason = reason[_IN_FRONT.match(reason).end() :] if _IN_FRONT.match(reason) else reason  # type: ignore[union-attr]
    stack = _stack(match["stack"].split("\n"))
    if not stack:
        stack = [SourceLine(match["file"], int(match["line"]), "", frame.name)]
    found = graph_break_from_reason(_OTHER_WORDS.get(reason.strip(), reason))
    found.stack = _from_frame(stack, frame)
    return place(found)


def is_of_whole_frame(text: str) -> bool:
    """Whether the artifact says that a function is left to Python after a graph break."""
    match = _BREAK.match(text)
    return text.startswith(_SKIPPED) or match is not None and match["reason"].startswith(_GAVE_UP)


def refusal_of(metrics: dict[str, Any], is_left_to_python: bool) -> Refusal:
    """What came of a compilation that failed, from its ``compilation_metrics``."""
    found = refusal_from_metrics(metrics, with_text=False)
    if is_left_to_python:
        found.consequence = found.consequence or AS_WRITTEN
    elif not found.consequence:  # Dynamo writes nothing of what it lets out
        found.raised, found.consequence = True, RAISED
    return found


def _stack(lines: list[str]) -> list[SourceLine]:
    """The stack with which `lines` begin, as `traceback.format_list` writes it."""
    found: list[SourceLine] = []
    for line in lines:
        match = _FRAME.match(line)
        if match is not None:
            found.append(SourceLine(match["file"], int(match["line"]), "", match["name"]))
        elif not line.startswith("    ") or not found:
            break
        elif not found[-1].text and not _MARKS.match(line):
            found[-1] = SourceLine(found[-1].filename, found[-1].line, line.strip(), found[-1].function)
    return found


def _from_frame(stack: list[SourceLine], frame: Frame) -> list[SourceLine]:
    """`stack` without the callers of the function that was compiled, which torch 2.7 and later write too."""
    names = {frame.name, _resumed(frame.name)}
    starts = [at for at, one in enumerate(stack) if one.filename == frame.filename and one.function in names]
    return stack[starts[-1] :] if starts else stack


def _resumed(name: str) -> str:
    """The function that a resume function continues: torch names it in stacks."""
    match = re.match(r"torch_dynamo_resume_in_(.+)_at_\d+$", name) if is_resume_name(name) else None
    return match[1] if match is not None else name
