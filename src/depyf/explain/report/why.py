"""Why it is not one graph, compiled once: breaks, recompilations, refusals and skips, for the index and the pages."""

from __future__ import annotations

from itertools import groupby
from typing import Sequence

from ..frames.recompiles import reason_from_text
from ..guards.words import user_spelling
from ..model import CacheEntry, CudaGraph, Frame, GraphBreak, RecompileReason, Session, SourceLine
from ..names import file_name

__all__ = [
    "break_lines",
    "called_words",
    "cuda_graph_words",
    "found_words",
    "one_line",
    "owners_of_graphs",
    "recompile_words",
    "side_effect_words",
]

_MOST_REASONS = 3
_USED_STACK = 2  # frames from which on a stack says more than the place


def recompile_words(entry: CacheEntry) -> list[str]:
    """Why an entry was compiled: sentences on the earlier compilations that did not fit, a few of them."""
    reasons = entry.recompiled
    if not reasons:
        now = entry.actual_values + [""] * len(entry.recompile_reasons)
        reasons = [reason_from_text(reason) for reason in entry.recompile_reasons]
        for one, actual in zip(reasons, now):
            one.actual = one.actual or actual
    sentences = _together(reasons)
    if len(sentences) <= _MOST_REASONS:
        return sentences
    return [*sentences[: _MOST_REASONS - 1], f"and {len(sentences) - _MOST_REASONS + 1} more did not fit"]


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
    if one.expected and ("GLOBAL_STATE" in one.guard or "check_global_state" in one.guard):
        return f"{one.subject} was {one.expected} and is {one.actual} now{besides}{asked}"
    found = "" if one.is_change or not one.actual or "actual" in one.words else "; {} is {} now".format(
        "it" if not one.subject or one.words.startswith((one.subject + " ==", one.subject + " is ")) else one.subject,
        one.actual)
    if "GLOBAL_STATE" in one.guard or "check_global_state" in one.guard:
        found = ""
    return one.words + found + (f" ({one.note})" if one.note else "") + besides + asked


def side_effect_words(entry: CacheEntry) -> str:
    """On what a compilation has side effects, in the program's spelling."""
    words = [f"a value from before the graph break ({one})" if one.startswith("___stack") else user_spelling(one)
             for one in entry.side_effects]  # fmt: skip
    return "Side effects, carried out after the graph: on " + ", ".join(words)


def break_lines(one: GraphBreak) -> list[str]:
    """A graph break in full: explanation, hints, torch's page, and the stack where it says more than the place."""
    lines = [one.explanation] if one.explanation else []
    lines += ["Hint: " + hint for hint in filter(None, [*one.hints, one.remedy])]
    if one.gb_id:
        lines.append("In the registry of graph breaks: {}{}".format(one.gb_id, ", " + one.link if one.link else ""))
    if len(one.stack) >= _USED_STACK:
        lines.append("On the way there:")
        lines += [f"  {_at(line)}  in {line.function}" for line in one.stack]
    return lines


def called_words(entry: CacheEntry) -> str:
    """``, called at train.py:30  `f(x)`, from train.py:41``: the program's lines of the call that compiled it."""
    called = [_at(line, not at) for at, line in enumerate(entry.called_from)]
    return ", called at {}".format(", from ".join(called)) if called else ""


def owners_of_graphs(session: Session) -> dict[str, Frame]:
    """For the name of each graph, the function that it belongs to."""
    return {graph.name: frame for frame in session.frames for entry in frame.entries for graph in entry.graphs}


def cuda_graph_words(one: CudaGraph, placed: bool = False) -> str:
    """``no CUDA graph: mutated inputs (1 instances), at toy.py:3  `x += 1` ``; `placed`: without the place."""
    if one.reason:
        return "no CUDA graph: " + one.reason + (f", at {_at(one.line)}" if one.line and not placed else "")
    if one.parts == 1:
        return "a CUDA graph, recorded in one of the first calls and replayed after that"
    return f"{one.parts} CUDA graphs, with what can't be in one between them"


def _at(line: SourceLine, with_text: bool = True) -> str:
    text = f"  `{line.text}`" if with_text and line.text else ""
    return f"{file_name(line.filename)}:{line.line}{text}"


def one_line(text: str) -> str:
    """`text` with every run of blanks as one."""
    return " ".join(text.split())
