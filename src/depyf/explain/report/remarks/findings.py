"""Findings: the remarks that somebody may want to do something about, from the model of a recording.

Breaks and what raised are at the program's own line; where Dynamo stopped in torch's or a package's file, that comes
second.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Iterable, Iterator, Sequence

from ....owners import is_of_libraries, is_of_program, name_in_package, package_of
from ...frames.refusals import RAISED, WENT_ON, has_nothing_in_it, is_by_rule
from ...frames.resume_points import is_resume_name
from ...model import CacheEntry, Frame, GraphBreak, RecompileReason, Refusal, Session, Skip, SourceLine
from ..tree import count
from ..why import found_words, one_line
from .remark import Files, Remark, distinct, of_program

__all__ = ["FOR_EVER", "NO_LONGER", "THE_REST_OF", "changes_words", "entries_of_program", "findings_of",
           "is_left_by_rule", "left_by_rule", "times_compiled_again", "unfit_words"]

THE_REST_OF = "the rest of "
NO_LONGER = "no longer true: "
_MOST_UNFIT = 3
FOR_EVER = "so Dynamo leaves its later calls to Python too, whatever they are given"
_DIGITS = re.compile(r"\d+")
_SIZE_CHANGED = re.compile(r"\.shape\[\d+\]( was .*)$")
_NOT_ONE = ("one ", "at least ", "at most ", "from ")  # what a check allows: no value that has come


def findings_of(session: Session, files: Files) -> list[Remark]:
    """All of them. Breaks of compilations that came to nothing are none: their function is raised or uncompiled."""
    again = _one_for_each_size(_recompiles(session, files))
    return [*_wrong(session), *_breaks(session), *again, *_refused(session), *_skipped(session)]


def left_by_rule(session: Session) -> dict[str, int]:
    """By package, how many functions Dynamo leaves to Python whatever they do, as they are in the package's files."""
    found: dict[str, set[tuple[str, SourceLine | None]]] = {}
    for one in session.skips:
        if one.location is not None and is_left_by_rule(one):
            found.setdefault(package_of(one.location.filename), set()).add((one.function, one.location))
    return {package: len(functions) for package, functions in sorted(found.items())}


def is_left_by_rule(one: Skip) -> bool:
    """Whether a function of a package was left to Python for the file it is in, whatever it does."""
    return one.location is not None and is_by_rule(one.reason) and not is_of_program(one.location.filename)


# ---- what computes something else


def _wrong(session: Session) -> Iterator[Remark]:
    for one in session.wrong:
        line = one.line
        yield Remark(line.filename, line.line, "wrong", one.words, line.function, text=line.text, instead=one.remedy,
                     explanation="; ".join(one.details), compilations=[one.compile_id])  # fmt: skip


# ---- breaks


def _breaks(session: Session) -> Iterator[Remark]:
    groups: dict[tuple[object, ...], list[GraphBreak]] = {}
    for one in session.all_breaks():
        if one.location is not None:
            inside = one.inside and one.inside.place
            said = [_DIGITS.sub("", words) for words in (one.reason, one.explanation)]  # sizes in it are the call's
            key = (one.location.filename, one.location.line, inside, one.gb_id, *said)
            groups.setdefault(key, []).append(one)
    for alike in groups.values():
        line = alike[0].location
        assert line is not None
        yield _told(alike, Remark(line.filename, line.line, "break", one_line(alike[0].reason), line.function,
                                  text=line.text))  # fmt: skip


def _told(alike: Sequence[GraphBreak], remark: Remark) -> Remark:
    """The remark with all that torch says of its cause."""
    first = alike[0]
    hints = distinct(one_line(hint) for one in alike for hint in one.hints)
    remark.through = distinct(map(_way, alike))
    stopped = first.inside
    if stopped is not None:
        name = name_in_package(stopped.filename)
        remark.inside = "{}:{}{}".format(name, stopped.line, f"  `{stopped.text}`" if stopped.text else "")
    ways, has_more, _ = first.remedy.partition(", or ")
    remark.instead = remark.instead or (ways if has_more and remark.kind == "raised" else first.remedy)
    remark.hints, remark.gb_id, remark.link = hints, first.gb_id, first.link
    remark.explanation, remark.is_general = one_line(first.explanation), first.is_general
    remark.context = one_line(first.context)
    remark.compilations = distinct(one.compile_id for one in alike)
    return remark


def _way(one: GraphBreak) -> str:
    """The program's lines from which the one of the break was called, in the function that was compiled."""
    own = [line for line in one.stack if is_of_program(line.filename) and line != one.location]
    return ", from ".join(f"{of_program(line.function)} ({line.place})" for line in own[::-1])


# ---- compilations after the first


def entries_of_program(session: Session) -> Iterator[tuple[Frame, CacheEntry]]:
    """All compilations of functions, without those that the compiler itself calls while it compiles."""
    return ((frame, entry) for frame in session.frames if not frame.is_for_compiler for entry in frame.entries)


def _recompiles(session: Session, files: Files) -> Iterator[Remark]:
    groups: dict[tuple[object, ...], list[tuple[Frame, CacheEntry, RecompileReason]]] = {}
    for frame, entry in entries_of_program(session):
        for why in entry.recompiled:
            subject = _subject(why) or why.words
            key = (frame.filename, frame.first_line, frame.name, subject, "dispatch key" in why.guard)
            groups.setdefault(key, []).append((frame, entry, why))
    of_functions = _changes_of_functions(session)
    for parts in groups.values():
        frame, _, why = parts[0]
        lines = [one.user_line for _, _, one in parts]
        known = next(filter(None, map(files.of_program, lines)), None)
        calls = [entry.called_from[0] for _, entry, one in parts
                 if entry.called_from and (not why.expected or one.actual != why.expected)]  # back as it was: no change
        place, inside, through = _place_of(frame, known, calls)
        follows = frame.is_resume and (why.expected, why.actual) in of_functions
        remedy = next((one.remedy for _, _, one in parts if one.remedy), "")
        owner = f"{frame.title}: " if known is None and frame.called else ""  # at the first line, maybe of a wrapper
        yield Remark(
            place.filename, place.line, "recompile",
            owner + changes_words([one for _, _, one in parts], known is not None), frame.title,
            instead="" if follows else remedy, text=place.text, inside=inside, through=through,
            compilations=distinct(entry.compile_id for _, entry, _ in parts), follows=follows,
            checks=distinct(one.guard for _, _, one in parts),
        )  # fmt: skip


def _one_for_each_size(remarks: Iterable[Remark]) -> Iterator[Remark]:
    """Functions of packages that the same line of the program calls, all compiled again for a size that changed alike:
    one finding, which says how many follow it."""
    groups: dict[tuple[object, ...], list[Remark]] = {}
    for at, one in enumerate(remarks):
        size = _SIZE_CHANGED.search(one.words) if one.inside else None
        groups.setdefault((one.file, one.line, one.follows, size[1]) if size else (at,), []).append(one)
    for first, *others in groups.values():
        if others:
            follow = "follows" if len(others) == 1 else "follow"
            first.words += f" ({count(len(others), 'more check')} inside packages {follow} this size)"
            first.compilations = distinct(number for one in [first, *others] for number in one.compilations)
            first.checks = distinct(check for one in [first, *others] for check in one.checks)
        yield first


def _place_of(
    frame: Frame, known: SourceLine | None, calls: Sequence[SourceLine]
) -> tuple[SourceLine, str, list[str]]:
    """Where a recompilation is told, what of a library is in between, and the calls, where no line asked for a check.

    Args:
        frame: the function.
        known: the line that asked for the check that failed.
        calls: those of the program for which it was compiled again.
    """
    place = known or SourceLine(frame.filename, frame.first_line)
    if frame.caller is not None and not is_of_program(place.filename):
        inside = "" if frame.passed_on else f"{name_in_package(place.filename)}:{place.line}"
        return next(iter(calls), frame.caller), inside, []
    if known is not None:
        return place, "", []
    return place, "", _calls(calls)


def _changes_of_functions(session: Session) -> set[tuple[str, str]]:
    """What changed where a function was compiled again: the rest of one, after a break, follows it."""
    return {(why.expected, why.actual) for frame in session.frames if not frame.is_resume
            for entry in frame.entries for why in entry.recompiled}  # fmt: skip


def times_compiled_again(session: Session) -> int:
    """How many compilations came because an earlier one did not fit, without those that follow another."""
    changed = _changes_of_functions(session)
    return sum(
        bool(entry.recompiled or entry.recompile_reasons)
        and not (frame.is_resume and all((why.expected, why.actual) in changed for why in entry.recompiled))
        for frame, entry in entries_of_program(session)
    )


def _subject(why: RecompileReason) -> str:
    """What changed: ``x.shape[0]``; "" if torch names no such thing."""
    return why.subject if why.expected else ""


def changes_words(reasons: Sequence[RecompileReason], placed: bool = False) -> str:
    """``x.shape[0] was 32, then 17``; torch's words where it does not tell what came. `placed`: without the line."""
    subject = _subject(reasons[0])
    if not subject or not all(one.actual for one in reasons):
        words = one_line(found_words(reasons[0], placed))
        return words if reasons[0].is_change else NO_LONGER + words
    values = distinct(value for one in reasons for value in (one.expected, one.actual)
                      if one is reasons[0] or not value.startswith(_NOT_ONE))
    note = next((f" ({one.note})" for one in reasons if one.note), "")
    return "{} was {}, then {}{}".format(subject, values[0], ", ".join(values[1:]) or "the same", note)


# ---- what raised, and what is left to Python


def _refused(session: Session) -> Iterator[Remark]:
    groups: dict[tuple[object, ...], list[Refusal]] = {}
    for one in session.refusals:
        place = _place(one)
        if place is not None:
            key = (place, one.function, one.error, one.raised, one.why.inside, one.why.reason, one.why.explanation)
            groups.setdefault(key, []).append(one)
    for alike in groups.values():
        first, place = alike[0], _place(alike[0])
        assert place is not None
        kind = "raised" if first.raised else "uncompiled"
        rest = THE_REST_OF * is_resume_name(first.function)
        who = first.error if first.raised else rest + of_program(first.function)
        said = one_line(first.why.reason)
        words = ": ".join(filter(None, [who, "an assertion of torch's own" if said == who else said]))
        remark = Remark(place.filename, place.line, kind, words, first.function, text=place.text, error=first.error)
        became = min((one.consequence for one in alike), key=lambda words: WENT_ON in words)  # so did not all
        remark.became = "" if became == RAISED else became
        cause = first.why.location
        if cause is not None and (cause.filename, cause.line) != (place.filename, place.line):
            remark.cause = f"{cause.place}  `{cause.text}`" if cause.text else cause.place
        remark.unfit = distinct(words for one in alike[:1] for words in unfit_words(one.recompiled))
        remark = _told([replace(one.why, compile_id=one.compile_id) for one in alike], remark)
        if first.raised and place == first.location:  # its first line, as torch names none
            remark.through = _calls(line for one in alike for line in one.called_from)
        yield remark


def _calls(lines: Iterable[SourceLine]) -> list[str]:
    return distinct(f"{line.place}  `{line.text}`" for line in lines)[:_MOST_UNFIT]


def unfit_words(reasons: Sequence[RecompileReason]) -> list[str]:
    """Why the compilations did not fit that were there when there were too many; a few of them."""
    words = [f"{one.compile_id or 'an earlier one'} did not fit: {one_line(found_words(one))}" for one in reasons]
    return words if len(words) <= _MOST_UNFIT else [*words[:_MOST_UNFIT], f"and {len(words) - _MOST_UNFIT} more"]


def _place(one: Refusal) -> SourceLine | None:
    """The line that raised; of a function that is left to Python, its first one, or the program's line that led to a
    package's. None for a library's."""
    is_own = one.location is not None and is_of_program(one.location.filename)
    places = [one.location, one.why.location] if is_own and not one.raised else [one.why.location, one.location]
    return next((place for place in places if place is not None and not is_of_libraries(place.filename)), None)


def _skipped(session: Session) -> Iterator[Remark]:
    groups: dict[tuple[object, ...], list[Skip]] = {}
    for skip in session.skips:
        place = skip.location
        is_empty = has_nothing_in_it(skip.reason) and not skip.is_given
        if place is None or is_resume_name(skip.function) or is_empty:
            continue
        if not is_of_libraries(place.filename) and not is_left_by_rule(skip):
            groups.setdefault((place, skip.function, skip.reason), []).append(skip)
    for (_, function, reason), alike in groups.items():
        line, is_empty = alike[0].location, has_nothing_in_it(str(reason))
        assert line is not None
        yield Remark(
            line.filename, line.line, "uncompiled", f"{function}: {one_line(str(reason))}", str(function),
            text=line.text, compilations=[] if is_empty else distinct(one.compile_id for one in alike),
            unfit=unfit_words(alike[0].recompiled), became=FOR_EVER if is_empty else "",
        )  # fmt: skip
