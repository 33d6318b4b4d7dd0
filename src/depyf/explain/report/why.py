"""Why it is not one graph, compiled once: breaks, recompilations, refusals and skips, for the index and the pages."""

from __future__ import annotations

import re
from itertools import groupby
from typing import Sequence

from ..frames.recompiles import reason_from_text
from ..frames.resume_points import is_resume_name, resumed
from ..model import CacheEntry, CudaGraph, Frame, GraphBreak, RecompileReason, Refusal, Session, Skip, SourceLine
from ..names import file_name

__all__ = [
    "break_lines",
    "cuda_graph_words",
    "found_words",
    "index_sections",
    "one_line",
    "owners_of_graphs",
    "part_of_tensor",
    "recompile_words",
]

_MISMATCH = re.compile(
    r"tensor '(?P<name>.+?)' (?P<what>size|stride|rank) mismatch(?: at index (?P<index>\d+))?\. "
    r"expected (?P<expected>\d+), actual (?P<actual>\d+)"
)
_OF_TENSOR = {"size": "{}.shape[{}]", "stride": "{}.stride({})", "rank": "{}.dim()"}
_EARLY_RESUME = re.compile(r"^(?:torch_dynamo_)?resume_in_")  # torch 2.2 has no line in it
_MOST_FUNCTIONS = 40
_USED_STACK = 2  # frames from which on a stack says more than the place


def recompile_words(entry: CacheEntry) -> list[str]:
    """Why an entry was compiled, one sentence for each earlier compilation that did not fit."""
    reasons = entry.recompiled
    if not reasons:
        now = entry.actual_values + [""] * len(entry.recompile_reasons)
        reasons = [reason_from_text(reason) for reason in entry.recompile_reasons]
        for one, actual in zip(reasons, now):
            one.actual = one.actual or actual
    return _together(reasons)


def _together(reasons: Sequence[RecompileReason]) -> list[str]:
    """A sentence for each; for those that follow one another and say the same, one."""
    sentences: list[str] = []
    for words, alike in groupby(reasons, lambda one: "" if _is_no_guard(one) else found_words(one)):
        if words:
            ids = [one.compile_id or "an earlier one" for one in alike]
            named = ids[0] if len(ids) == 1 else "{} and {}".format(", ".join(ids[:-1]), ids[-1])
            sentences.append(f"compiled again because {named} did not fit: {words}")
        else:
            sentences += ["compiled again because " + one.guard for one in alike]
    return sentences


def _is_no_guard(one: RecompileReason) -> bool:
    return not one.compile_id and not any(mark in one.guard for mark in ("L[", "G[", "==", "mismatch"))


def found_words(one: RecompileReason, placed: bool = False) -> str:
    """What did not fit, what came instead, and the line which asked for it, unless that is where it is said."""
    line = None if placed else one.user_line
    asked = "" if line is None else f"  ({file_name(line.filename)}:{line.line})"
    besides = "".join("; besides, " + words for words in one.besides)
    part = part_of_tensor(one)
    if part:
        return f"{part} == {one.expected}; it is {one.actual} now{besides}{asked}"
    if one.expected and ("GLOBAL_STATE" in one.guard or "check_global_state" in one.guard):
        return f"{one.subject} was {one.expected} and is {one.actual} now{besides}{asked}"
    found = "" if not one.actual or "actual" in one.words else "; {} is {} now".format(
        "it" if not one.subject or one.words.startswith((one.subject + " ==", one.subject + " is ")) else one.subject,
        one.actual)
    if "GLOBAL_STATE" in one.guard or "check_global_state" in one.guard:
        found = ""
    return one.words + found + besides + asked


def part_of_tensor(one: RecompileReason) -> str:
    """``x.shape[1]``: which number of a tensor was another, "" where it was something else."""
    match = _MISMATCH.fullmatch(one.words)
    return "" if match is None else _OF_TENSOR[match["what"]].format(match["name"], match["index"])


def break_lines(one: GraphBreak) -> list[str]:
    """A graph break in full: explanation, hints, torch's page, and the stack where it says more than the place."""
    lines = [one.explanation] if one.explanation else []
    lines += ["Hint: " + hint for hint in one.hints]
    if one.gb_id:
        lines.append("In the registry of graph breaks: {}{}".format(one.gb_id, ", " + one.link if one.link else ""))
    if len(one.stack) >= _USED_STACK:
        lines.append("On the way there:")
        lines += [f"  {_at(line)}  in {line.function}" for line in one.stack]
    return lines


# ---- the index


def index_sections(session: Session) -> list[str]:
    """Sections of the index, in Markdown."""
    return (_breaks(session) + _recompiles(session) + _refusals(session) + _skips(session)
            + _cuda_graphs(session))  # fmt: skip


def _breaks(session: Session) -> list[str]:
    groups: dict[tuple[str, str, str], list[GraphBreak]] = {}
    for one in session.all_breaks():
        groups.setdefault((one.gb_id, one.reason, one.explanation), []).append(one)
    if not groups:
        return []
    lines = ["", f"## Graph breaks ({sum(map(len, groups.values()))})", ""]
    for (gb_id, reason, explanation), alike in groups.items():
        lines.append(f"- {_linked(gb_id, alike[0].link)}{reason}")
        lines += ["  - " + one_line(explanation)] if explanation else []
        hints = [hint for one in alike for hint in one.hints]
        lines += ["  - Hint: " + one_line(hint) for hint in dict.fromkeys(hints)]
        places: dict[str, list[str]] = {}
        for one in alike:
            places.setdefault(_place(one), []).append(one.compile_id)
        for place, ids in places.items():
            known = ", ".join(number for number in dict.fromkeys(ids) if number)
            lines.append("  - {}{}".format(place, f"; compilation {known}" if known else ""))
    return lines


def _place(one: GraphBreak) -> str:
    if one.location is None:
        return "torch does not tell where"
    way = "".join(f", from {_written(line.function)} ({_at(line, False)})" for line in one.stack[-2::-1])
    return _at(one.location) + (f" in {_written(one.location.function)}" if one.location.function else "") + way


def _written(function: str) -> str:
    """The name in the program: that of the function which a resume function continues."""
    known = resumed(function)
    return _EARLY_RESUME.sub("", function) if known is None else known[0]


def _recompiles(session: Session) -> list[str]:
    lines: list[str] = []
    for frame in session.frames:
        for entry in frame.entries:
            sentences = recompile_words(entry)
            if not sentences:
                continue
            lines.append(f"- `{frame.title}` ({frame.place}), compilation {entry.number}")
            lines += ["  - " + one_line(words) for words in sentences]
            remedies = dict.fromkeys(one.remedy for one in entry.recompiled if one.remedy)
            lines += ["  - What to do: " + words for words in remedies]
    return ["", "## Compiled again", "", *lines] if lines else []


def _refusals(session: Session) -> list[str]:
    groups: dict[tuple[str, str, str], list[Refusal]] = {}
    for one in session.refusals:
        groups.setdefault((one.why.gb_id, one.why.reason, one.why.explanation), []).append(one)
    lines = ["", "## What was not compiled", ""] if groups else []
    for (gb_id, reason, explanation), alike in groups.items():
        lines.append(f"- {_linked(gb_id, alike[0].why.link)}{reason}")
        lines += ["  - " + one_line(explanation)] if explanation else []
        hints = [hint for one in alike for hint in one.why.hints]
        lines += ["  - Hint: " + one_line(hint) for hint in dict.fromkeys(hints)]
        for one in alike:
            lines.append("  - " + _refused(one))
            lines += ["    - {} did not fit: {}".format(why.compile_id or "an earlier one", one_line(found_words(why)))
                      for why in one.recompiled]
    return lines


def _refused(one: Refusal) -> str:
    where = "" if one.location is None else f" ({_at(one.location, False)})"
    words = f"`{one.function}`{where}"
    words += ", compilation " + one.compile_id if one.compile_id else ""
    words += ", at " + _place(one.why) if one.why.location is not None else ""
    return words + (": " + one.consequence if one.consequence else "")


def _skips(session: Session) -> list[str]:
    groups: dict[str, list[Skip]] = {}
    for one in (one for one in session.skips if not is_resume_name(one.function)):
        groups.setdefault(one.reason, []).append(one)
    if not groups:
        return []
    lines = ["", "## What Dynamo left to Python", ""]
    lines += ["Functions of torch's own files and of Python's library are left out.", ""]
    for reason, alike in groups.items():
        names = ["`{}`{}".format(one.function, f" ({_at(one.location, False)})" if one.location else "")
                 for one in alike]
        names = list(dict.fromkeys(names))
        more = f", and {len(names) - _MOST_FUNCTIONS} more" if len(names) > _MOST_FUNCTIONS else ""
        lines.append("- {}: {}{}".format(reason, ", ".join(names[:_MOST_FUNCTIONS]), more))
        for one in alike:
            lines += ["  - `{}`: compilation {} did not fit: {}".format(
                one.function, why.compile_id or "before", one_line(found_words(why))) for why in one.recompiled]
    return lines


def owners_of_graphs(session: Session) -> dict[str, Frame]:
    """For the name of each graph, the function that it belongs to."""
    return {graph.name: frame for frame in session.frames for entry in frame.entries for graph in entry.graphs}


def _cuda_graphs(session: Session) -> list[str]:
    owners = owners_of_graphs(session)
    lines: list[str] = []
    for one in session.cuda_graphs:
        frame = owners.get(one.graph)
        of = "" if frame is None else f" of `{frame.title}` ({frame.place})"
        direction = "" if one.direction == "forward" else f", {one.direction}"
        lines.append(f"- {one.graph}{of}{direction}: {one_line(cuda_graph_words(one))}")
    return ["", "## CUDA graphs", "", *lines] if lines else []


def cuda_graph_words(one: CudaGraph, placed: bool = False) -> str:
    """``no CUDA graph: mutated inputs (1 instances), at toy.py:3  `x += 1` ``; `placed`: without the place."""
    if one.reason:
        return "no CUDA graph: " + one.reason + (f", at {_at(one.line)}" if one.line and not placed else "")
    if one.parts == 1:
        return "a CUDA graph, recorded in one of the first calls and replayed after that"
    return f"{one.parts} CUDA graphs, with what can't be in one between them"


def _linked(gb_id: str, link: str) -> str:
    if not gb_id:
        return ""
    return f"[{gb_id}]({link}): " if link else gb_id + ": "


def _at(line: SourceLine, with_text: bool = True) -> str:
    text = f"  `{line.text}`" if with_text and line.text else ""
    return f"{file_name(line.filename)}:{line.line}{text}"


def one_line(text: str) -> str:
    """`text` with every run of blanks as one."""
    return " ".join(text.split())
