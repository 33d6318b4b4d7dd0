"""Writes the readable part of a dump: the pages, the guards in full, and the index that is read first."""

from __future__ import annotations

import functools
import os
from typing import Callable, Iterable

from ..containment import contained, note_failure
from ..dump.compile_times import COSTS
from ..dump.dump_directory import write_index, write_whole
from ..dump.processes import INDEX
from ..frames.missing_lines import fill_in_lines
from ..model import Artifact, Session
from ..names import safe_file_part, writable_name
from .index import index_text
from .page.guard_text import guard_file_name, guard_listing
from .page.page import page_of
from .remarks.costs import costs_json, times_of_kernels
from .remarks.counts import COUNTS
from .remarks.remark import of_program
from .remarks.sources import SOURCES, recorded_lines, sources_json
from .remarks.stored import FILE as REMARKS
from .remarks.stored import Report, report_of
from .repro import NotAlone, repro_name, repro_of

__all__ = ["PAGE", "write_report"]

PAGE = "report.html"


def write_report(
    session: Session,
    directory: str,
    earlier: Callable[[Iterable[str]], list[str]] = lambda written: [],
    html: bool = False,
) -> list[str]:
    """Writes `full_code_for_{name}_{n}.py` per top-level function, `guards_*.txt`, and `README.md`.

    Args:
        session: the model. Artifacts and failures are added to it; those of other writers come into the index too.
        directory: an existing directory.
        earlier: given the names of this dump's files, those of other dumps that lie there too.
        html: whether to write ``report.html``.

    Returns:
        Paths of the files written. A file which can't be written or made is missing: the index and
        `session.failures` say why. Only an unwritable index raises OSError.
    """
    with contained(session, "lines of files that are gone", "they have no text"):
        fill_in_lines(session)
    written: list[str] = []
    numbers: dict[str, int] = {}
    for frame in session.top_level():
        part = safe_file_part(frame.name)
        number = numbers.get(part, 0)
        numbers[part] = number + 1
        frame.page = writable_name(f"full_code_for_{part}_{number}.py")
        why = f"read this: guards, graphs, transformed code and resume functions of {frame.name}"
        _one(session, directory, frame.page, "page", why, written, functools.partial(page_of, frame, session, True))
    for frame in session.frames:
        for entry in frame.entries:
            for graph in entry.graphs:
                if graph.source:
                    why = f"{graph.name} by itself: a program that compiles and runs it, with inputs like yours"
                    make = functools.partial(repro_of, graph, entry, of_program(frame.title))
                    _one(session, directory, repro_name(graph), "repro", why, written, make)
            name = writable_name(guard_file_name(entry, frame))
            why = f"every check of compilation {entry.compile_id} of {frame.name}, Dynamo's own included"
            _one(session, directory, name, "guards", why, written, functools.partial(guard_listing, entry, frame))
    report = functools.lru_cache(maxsize=1)(lambda: _with_lines(report_of(session)))
    why = "what happened at each line of the program, for `depyf report` and other tools"
    _one(session, directory, REMARKS, "remarks", why, written, lambda: report().to_json())
    why = "the lines of the program that `depyf report` shows, as they were"
    _one(session, directory, SOURCES, "sources", why, written, lambda: sources_json(report().sources))
    if session.times or times_of_kernels(session):
        why = "how long each compilation took, for `depyf report` and other tools; differs in every run"
        _one(session, directory, COSTS, "times", why, written, lambda: costs_json(session))
    if html:
        why = "the report: what happened at each line, and what was made of it; open it in a browser"
        _one(session, directory, PAGE, "report", why, written, lambda: _page(session, report()))
    with contained(session, "looking for files of earlier recordings", "their names in the index"):
        session.earlier_files = earlier(one.path for one in session.artifacts)
    path = os.path.join(directory, INDEX)
    found = Report(counts=dict.fromkeys(COUNTS, 0))
    with contained(session, "the findings", "they are missing in the index"):
        found = report()
    write_index(path, index_text(session, found))
    written.insert(0, path)
    return written


def _with_lines(report: Report) -> Report:
    report.sources = recorded_lines(report.remarks)
    return report


def _page(session: Session, report: Report) -> str:
    from .html.report_page import report_page
    from .linked.compilations import compilations

    return report_page(report, os.getcwd(), compilations(session), session.times, session.own_seconds)


def _one(
    session: Session, directory: str, name: str, kind: str, why: str, written: list[str], make: Callable[[], str]
) -> None:
    """One file; whatever fails costs this file alone."""
    artifact = Artifact(name, kind, why)
    try:
        write_whole(os.path.join(directory, name), make())
        written.append(os.path.join(directory, name))
    except NotAlone as error:
        artifact.status, artifact.reason = "missing", str(error)
    except Exception as error:  # the dump is written without this file, and its index says so
        artifact.status, artifact.reason = "missing", f"{type(error).__name__}: {error}"
        note_failure(session, name, artifact.reason, "this file")
    session.artifacts = [one for one in session.artifacts if one.path != name] + [artifact]

