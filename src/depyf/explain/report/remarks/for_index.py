"""The findings as sections of the index, in Markdown: in full, alike ones together."""

from __future__ import annotations

from typing import Iterable, Sequence

from ...frames.refusals import has_nothing_in_it
from ...frames.resume_points import is_resume_name
from ...model import Session, Skip, SourceLine
from ...names import file_name
from ..tree import count
from ..why import called_words, cuda_graph_words, one_line, owners_of_graphs, recompile_words
from .answer import left_words
from .counts import times_words
from .findings import FOR_EVER, THE_REST_OF, entries_of_program, is_left_by_rule, unfit_words
from .remark import Remark, distinct, of_program
from .stored import Report, report_of

__all__ = ["index_sections", "summary_lines"]

_NOT_KNOWN = "not known, as Inductor's cache had its code; TORCHINDUCTOR_FORCE_DISABLE_CACHES=1 does without caches"
_MOST_NAMES = 5
_MOST_FUNCTIONS = 40


def summary_lines(session: Session, report: Report) -> list[str]:
    """The first lines: what raised, functions, graphs, breaks, compilations after the first, what runs uncompiled."""
    counts = report.counts
    compiled = [frame for frame in session.top_level() if any(below.entries for below in frame.walk())]
    breaks = _of(report, "break")
    why = "none"
    if breaks:
        reasons = {(one.gb_id, one.words, one.explanation) for one in breaks}
        often = times_words(counts["times broken"]) if counts["times broken"] > len(breaks) else ""
        why = "{}{}, for {}".format(len(breaks), f" ({often})" if often else "", count(len(reasons), "reason"))
    left = [one.function for one in _of(report, "uncompiled")]
    partly = [name for name in left if any(name == frame.title for frame in compiled)]
    left = [name for name in left if name not in partly]
    raised = [f"- Calls that raised: {counts['raised']}"] if counts["raised"] else []
    return [
        *raised,
        f"- Functions compiled: {_names(frame.title for frame in compiled)}",
        "- Graphs: {}".format(counts["graphs"] or "none"),
        f"- Graph breaks: {why}",
        "- Compiled again: " + _again(session, counts["recompilations"]),
        "- Not compiled: {}".format(_names(left) if left else "none known"),
        *([f"- Compiled, but not for every call: {_names(partly)}"] if partly else []),
    ]


def _again(session: Session, number: int) -> str:
    """How often, and what. `number` is without what follows another."""
    entries = [(frame, entry) for frame in session.frames for entry in frame.entries]
    again = [frame for frame, entry in entries if entry.recompiled or entry.recompile_reasons]
    words = f"{times_words(number)}: {_names(of_program(frame.title) for frame in again)}" if number else "never"
    if len(again) > number:
        words += f"; the rest after a graph break, for the same reason, {times_words(len(again) - number)}"
    return words


def index_sections(session: Session, report: Report | None = None) -> list[str]:
    """The findings by kind, worst first."""
    report = report or report_of(session)
    raised, breaks = _of(report, "raised"), _of(report, "break")
    failed = [one for one in _of(report, "uncompiled") if one.error]
    return [
        *_alike(f"What raised ({sum(one.times for one in raised)})", raised, report),
        *_alike(f"Graph breaks ({len(breaks)})", breaks, report),
        *_recompiles(session),
        *_alike("What was not compiled", failed, report),
        *_skips(session, report),
        *_cuda_graphs(session),
        *_memory(session),
    ]


def _of(report: Report, kind: str) -> list[Remark]:
    return [one for one in report.remarks if one.kind == kind and one.is_finding]


def _alike(title: str, findings: Sequence[Remark], report: Report) -> list[str]:
    groups: dict[tuple[str, str, str], list[Remark]] = {}
    for one in findings:
        groups.setdefault((one.gb_id, _reason(one), one.explanation), []).append(one)
    lines = ["", f"## {title}", ""] if groups else []
    for (gb_id, reason, explanation), alike in groups.items():
        number = f"[{gb_id}]({alike[0].link})" if alike[0].link else gb_id
        lines.append("- " + ": ".join(filter(None, [number, reason])))
        lines += ["  - " + explanation] if explanation else []
        lines += ["  - For its developers: " + words for words in distinct(one.context for one in alike)]
        lines += ["  - Hint: " + words for words in distinct(words for one in alike for words in one.hints)]
        lines += ["  - What to do: " + words for words in distinct(one.instead for one in alike)]
        for one in alike:
            lines += ["  - " + _place(one), *("    - " + words for words in one.unfit)]
    return lines


def _reason(one: Remark) -> str:
    """The words without the name of the function, which stands at the place."""
    function, _, reason = one.words.partition(": ")
    is_named = one.kind == "uncompiled" and function in (one.function, THE_REST_OF + one.function)
    return reason if is_named else one.words


def _place(one: Remark) -> str:
    words = _at(one) + (f" in {one.function}" if one.function else "")
    words += "".join(", from " + way for way in one.through[:1])
    words += ", for " + one.cause if one.cause else ""
    words += ", inside " + one.inside if one.inside else ""
    words += "; compilation {}".format(", ".join(one.compilations)) if one.compilations else ""
    return words + (": " + one.became if one.became else "")


def _at(one: Remark) -> str:
    return f"{file_name(one.file)}:{one.line}" + (f"  `{one.text}`" if one.text else "")


def _recompiles(session: Session) -> list[str]:
    lines: list[str] = []
    remedies: set[str] = set()
    for frame, entry in entries_of_program(session):
        sentences = recompile_words(entry)
        if not sentences:
            continue
        rest = THE_REST_OF * is_resume_name(frame.title)
        called = f"{rest}`{of_program(frame.title)}` ({frame.place})"
        lines.append(f"- {called}, compilation {entry.number}{called_words(entry)}")
        lines += ["  - " + one_line(words) for words in sentences]
        new = [words for words in distinct(one.remedy for one in entry.recompiled) if words not in remedies]
        remedies.update(new)
        lines += ["  - What to do: " + words for words in new]
    return ["", "## Compiled again", "", *lines] if lines else []


def _line(line: SourceLine) -> str:
    return f"{file_name(line.filename)}:{line.line}"


def _skips(session: Session, report: Report) -> list[str]:
    """Functions without anything to compile too: those are no findings."""
    groups: dict[str, list[Skip]] = {}
    for one in session.skips:
        if not is_resume_name(one.function) and not is_left_by_rule(one):
            is_for_ever = one.is_given and has_nothing_in_it(one.reason)
            groups.setdefault(f"{one.reason}, {FOR_EVER}" if is_for_ever else one.reason, []).append(one)
    if not groups and not report.left:
        return []
    lines = ["", "## What Dynamo left to Python", ""]
    lines += ["Functions of torch's own files and of Python's library are left out.", ""]
    for reason, alike in groups.items():
        names = distinct("`{}`{}".format(one.function, f" ({_line(one.location)})" if one.location else "")
                         for one in alike)  # fmt: skip
        more = f", and {len(names) - _MOST_FUNCTIONS} more" if len(names) > _MOST_FUNCTIONS else ""
        lines.append("- {}: {}{}".format(reason, ", ".join(names[:_MOST_FUNCTIONS]), more))
        lines += [f"  - `{one.function}`: {words}" for one in alike for words in unfit_words(one.recompiled)]
    return lines + ["- " + words for words in left_words(report)]


def _cuda_graphs(session: Session) -> list[str]:
    owners = owners_of_graphs(session)
    lines: list[str] = []
    for one in session.cuda_graphs:
        frame = owners.get(one.graph)
        of = "" if frame is None else f" of `{frame.title}` ({frame.place})"
        direction = "" if one.direction == "forward" else f", {one.direction}"
        lines.append(f"- {one.graph}{of}{direction}: {one_line(cuda_graph_words(one))}")
    return ["", "## CUDA graphs", "", *lines] if lines else []


def _memory(session: Session) -> list[str]:
    """The peak of each graph."""
    owners = owners_of_graphs(session)
    lines: dict[str, None] = {}
    for graph in (graph for frame in session.frames for entry in frame.entries for graph in entry.graphs):
        for kernel in graph.kernels:
            words = kernel.memory.words() if kernel.memory is not None else _NOT_KNOWN if kernel.from_cache else ""
            frame = owners[graph.name]
            line = f"- {graph.name}, {kernel.direction}, of `{frame.title}` ({frame.place}): {words}"
            lines.update({line: None} if words else {})
    head = "What a graph holds as it runs, without the program's parameters and inputs; its page names the lines."
    return ["", "## Memory", "", head, "", *lines] if lines else []


def _names(names: Iterable[str]) -> str:
    found = distinct(names)
    shown = ", ".join(f"`{name}`" for name in found[:_MOST_NAMES])
    more = f", and {len(found) - _MOST_NAMES} more" if len(found) > _MOST_NAMES else ""
    return shown + more if found else "none"

