"""Whether what torch names (torch_says.py) is in a dump: in its index as text, and in the model behind it."""

from __future__ import annotations

import os
import re
from typing import Any, Dict, Iterator, List, NamedTuple, Sequence, Set, Tuple

from .torch_says import Record

__all__ = ["head_counts", "missing", "page_lines", "recording_of", "sections"]

_HELPERS = "# ---- helpers of this page"
_IDS = re.compile(r"; compilations? ([\d/, ]+)$")
_NUMBER = re.compile(r"\b\d+/\d+\b")


class Recording(NamedTuple):
    """One dump, as plain data that another process can read.

    Attributes:
        index: README.md.
        breaks: (compile id, place, number in the registry, reason).
        recompiles: (compile id, the one that did not fit, torch's text of the guard).
        refusals: (compile id, place of the cause, number, reason).
        skips: (function, file).
        resumes: (function, file, line) of the resume functions that have no compilation, as the index calls them.
    """

    index: str
    breaks: List[Tuple[str, ...]]
    recompiles: List[Tuple[str, ...]]
    refusals: List[Tuple[str, ...]]
    skips: List[Tuple[str, ...]]
    resumes: List[Tuple[Any, ...]]


def recording_of(folder: str, session: Any) -> Recording:
    """Reads a dump and its model."""
    from depyf.explain.frames.resume_points import resume_line

    with open(os.path.join(folder, "README.md"), encoding="utf-8") as file:
        index = file.read()
    entries = [entry for frame in session.frames for entry in frame.entries]
    recompiles = [
        (entry.compile_id, reason.compile_id, reason.guard) for entry in entries for reason in entry.recompiled
    ] + [
        (refusal.compile_id, reason.compile_id, reason.guard)
        for refusal in session.refusals for reason in getattr(refusal, "recompiled", [])
    ] + [
        (skip.compile_id, reason.compile_id, reason.guard)
        for skip in session.skips for reason in getattr(skip, "recompiled", [])
    ]  # fmt: skip
    skips = [(skip.function, skip.location.filename if skip.location else "") for skip in session.skips]
    resumes = [
        (resume.code.co_name, resume.code.co_filename, resume_line(frame, resume))
        for frame in session.frames for entry in frame.entries for resume in entry.resume_functions
        if resume.code is not None and resume.uncompiled
    ]  # fmt: skip
    return Recording(
        index,
        [_cause(one.compile_id, one) for one in [*session.all_breaks(), *session.breaks]],
        recompiles,
        [_cause(one.compile_id, one.why) for one in session.refusals],
        list(dict.fromkeys(skips)),
        list(dict.fromkeys(resumes)),
    )


def _cause(compile_id: str, one: Any) -> Tuple[str, ...]:
    line = one.inside or one.location
    place = "" if line is None else "{}:{}".format(os.path.basename(line.filename), line.line)
    return (compile_id, place, one.gb_id, one.reason)


def sections(index: str) -> Dict[str, List[List[str]]]:
    """The parts of an index by title (without its count), each as items with their lines."""
    found: Dict[str, List[List[str]]] = {}
    items: List[List[str]] = []
    for line in index.splitlines():
        if line.startswith("## "):
            items = found.setdefault(re.sub(r" \(\d+\)$", "", line[3:]), [])
        elif line.startswith("- "):
            items.append([line[2:]])
        elif line.startswith(("  - ", "    - ")) and items:
            items[-1].append(line.strip()[2:])
    return found


def missing(records: Sequence[Record], one: Recording) -> List[str]:
    """A sentence for each record that is not in the model, or not in the index."""
    parts = sections(one.index)
    looks = {"break": _break, "recompile": _recompile, "failure": _failure, "skip": _skip}
    found: List[str] = []
    for record in [record for record in records if record.kind in looks]:
        in_model, in_index = looks[record.kind](record, one, parts)
        where = [name for name, is_there in (("model", in_model), ("index", in_index)) if not is_there]
        if where:
            found.append("not in the {}: {}".format(" and the ".join(where), " ".join(filter(None, record))))
    return found


_Looked = Tuple[bool, bool]
_Parts = Dict[str, List[List[str]]]


def _break(record: Record, one: Recording, parts: _Parts) -> _Looked:
    known = any(
        compile_id == record.compile_id and place == record.place and _is_called(record.what, gb_id, reason)
        for compile_id, place, gb_id, reason in [*one.breaks, *one.refusals]
    )
    for first, *lines in parts.get("Graph breaks", []):
        places = [line for line in lines if record.place in line and record.compile_id in _ids(line)]
        if places and record.what in first:
            return known, True
    return known, _is_refused(record, parts, record.place)


def _is_called(what: str, gb_id: str, reason: str) -> bool:
    return what == gb_id or not gb_id and what.startswith(reason)


def _ids(line: str) -> Set[str]:
    match = _IDS.search(line)
    return set() if match is None else set(match.group(1).split(", "))


def _is_refused(record: Record, parts: _Parts, place: str) -> bool:
    return any(
        record.what in first
        and any(record.compile_id in _NUMBER.findall(line) and place in line for line in lines)
        for title in ("What raised", "What was not compiled")
        for first, *lines in parts.get(title, [])
    )


def _failure(record: Record, one: Recording, parts: _Parts) -> _Looked:
    known = any(
        compile_id == record.compile_id and _is_called(record.what, gb_id, reason)
        for compile_id, _, gb_id, reason in one.refusals
    )
    causes = [place for compile_id, place, *_ in one.refusals if compile_id == record.compile_id]
    places = [record.place, *filter(None, causes)]  # torch's may be the line of the ``def``
    return known, any(_is_refused(record, parts, place) for place in places)


def _recompile(record: Record, one: Recording, parts: _Parts) -> _Looked:
    guard = " ".join(record.what.partition("  #")[0].split())
    by_id = "___check_" in guard or "(id=0x" in guard  # of an object of this process; the model says what that is
    known = any(
        compile_id == record.compile_id and other == record.place and (by_id or " ".join(text.split()) in guard)
        for compile_id, other, text in one.recompiles
    )
    for title in ("Compiled again", "What raised", "What was not compiled", "What Dynamo left to Python"):
        for item in parts.get(title, []):
            if any(record.compile_id in _NUMBER.findall(line) for line in item):
                named = [line.partition(" did not fit")[0] for line in item if " did not fit" in line]
                if any(record.place in [*_NUMBER.findall(ids), ""] for ids in named) or _has_more(item):
                    return known, True
    return known, False


def _has_more(item: List[str]) -> bool:
    """Whether an item names a few of the compilations that did not fit, and says how many more there are."""
    return any(re.search(r"and \d+ more( did not fit)?$", line) for line in item)


def _skip(record: Record, one: Recording, parts: _Parts) -> _Looked:
    known = [record.what, record.place] in map(list, one.skips)
    for function, filename, line in one.resumes:  # they are in the trees of their functions
        if (function, filename) == (record.what, record.place):
            return True, "at line {} ── ".format(line) in one.index
    name, file = "`{}`".format(record.what), os.path.basename(record.place)
    for first, *_ in parts.get("What Dynamo left to Python", []):
        if name in first and file in first:
            return known, True
    return known, False


def head_counts(index: str) -> Dict[str, int]:
    """The numbers of the index's first lines, by what they count: of breaks how often they happened."""
    found: Dict[str, int] = {}
    for line in index.partition("\n## ")[0].splitlines():
        match = re.match(r"- (?P<what>[^:]+): (?P<number>\d+|none)\b(?: \((?P<times>\d+) times\))?", line)
        if match is not None:
            number = match["times"] or match["number"]
            found[match["what"]] = 0 if number == "none" else int(number)
    return found


def page_lines(folder: str) -> int:
    """Lines of the longest page before its helpers."""
    return max((_lines_before_helpers(path) for path in _pages(folder)), default=0)


def _pages(folder: str) -> Iterator[str]:
    for name in sorted(os.listdir(folder)):
        if name.startswith("full_code_for_") and name.endswith(".py"):
            yield os.path.join(folder, name)


def _lines_before_helpers(path: str) -> int:
    with open(path, encoding="utf-8") as file:
        return len(file.read().partition(_HELPERS)[0].rstrip().splitlines())
