"""The first lines of the index: what was compiled, into how many graphs, how often, and what was not."""

from __future__ import annotations

from typing import Iterable

from ..frames.refusals import has_nothing_in_it
from ..frames.resume_points import is_resume_name
from ..model import Session
from .tree import count

__all__ = ["summary_lines"]

_MOST_NAMES = 5


def summary_lines(session: Session) -> list[str]:
    """Five lines of Markdown: functions, graphs, breaks, compilations after the first, and what runs uncompiled."""
    compiled = [frame for frame in session.top_level() if any(below.entries for below in frame.walk())]
    graphs = {graph.name for frame in session.frames for entry in frame.entries for graph in entry.graphs}
    breaks = session.all_breaks()
    reasons = {(one.gb_id, one.reason, one.explanation) for one in breaks}
    entries = [(frame, entry) for frame in session.frames for entry in frame.entries]
    again = [frame.title for frame, entry in entries if entry.recompiled or entry.recompile_reasons]
    left = [one.function for one in session.refusals]
    skips = [one for one in session.skips if not has_nothing_in_it(one.reason)]
    left += [one.function for one in skips if not is_resume_name(one.function)]
    why = "{}, for {}".format(len(breaks), count(len(reasons), "reason")) if breaks else "none"
    recompiled = f"{_times(len(again))}: {_names(again)}" if again else "never"
    return [
        f"- Functions compiled: {_names(frame.title for frame in compiled)}",
        "- Graphs: {}".format(len(graphs) or "none"),
        f"- Graph breaks: {why}",
        f"- Compiled again: {recompiled}",
        "- Not compiled: {}".format(_names(left) if left else "none known"),
    ]


def _names(names: Iterable[str]) -> str:
    distinct = list(dict.fromkeys(names))
    shown = ", ".join(f"`{name}`" for name in distinct[:_MOST_NAMES])
    more = f", and {len(distinct) - _MOST_NAMES} more" if len(distinct) > _MOST_NAMES else ""
    return shown + more if distinct else "none"


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"
