"""Where the time of compiling went: one bar for each compilation."""

from __future__ import annotations

import html
from typing import Sequence

from ...compile_times import seconds_words
from ...frames.resume_points import resumed
from ...model import CompileTimes

__all__ = ["times_html"]

_PHASES = ("Dynamo", "AOTAutograd", "backend", "compiling kernels")
_MOST = 40  # rows


def times_html(times: Sequence[CompileTimes], own_seconds: float) -> str:
    """The section; "" if torch has kept no times.

    Args:
        times: of the compilations, in order.
        own_seconds: what recording them took.
    """
    if not times:
        return ""
    shown, rest = list(times[:_MOST]), times[_MOST:]
    longest = max([sum(_phases(one)) for one in shown] + [own_seconds]) or 1.0
    rows = [_row(one.compile_id, _what(one), _phases(one), longest) for one in shown]
    if own_seconds:
        rows.append(_row("", "depyf, recording", (0.0, 0.0, 0.0, 0.0, own_seconds), longest))
    total = f"{seconds_words(sum(one.total for one in times))} compiling, by torch's clocks"
    keys = "".join(f'<i class="key ph{at}"></i>{name}' for at, name in enumerate(_PHASES))
    more = f"and {len(rest)} more compilations, {seconds_words(sum(one.total for one in rest))}" if rest else ""
    more = f'<p class="note">{more}</p>' if more else ""
    return '<h2>Time</h2><p class="note">{}{}</p><div class="times">{}</div>{}'.format(total, keys, "".join(rows), more)


def _what(one: CompileTimes) -> str:
    """What was compiled, in the program's words: a resume function is the rest of one of its own."""
    rest = resumed(one.function)
    if rest is not None:
        return f"{rest[0]}, from line {rest[1]} on"
    return "in the first calls" if one.in_calls else one.function or "backward graph"


def _phases(one: CompileTimes) -> tuple[float, ...]:
    return one.dynamo, one.aot, one.backend, one.kernels


def _row(number: str, function: str, seconds: Sequence[float], longest: float) -> str:
    parts: list[str] = []
    for at, one in enumerate(seconds):
        if one > 0:
            name = _PHASES[at] if at < len(_PHASES) else "depyf"
            width = f"{100 * one / longest:.2f}%"
            parts.append(f'<i class="ph{at}" style="width:{width}" title="{name} {seconds_words(one)}"></i>')
    return (
        '<span class="mono">{}</span><span class="what">{}</span><span class="bar">{}</span>'
        '<span class="number">{}</span>'.format(html.escape(number), html.escape(function), "".join(parts),
                                                seconds_words(sum(seconds)))
    )  # fmt: skip
