"""When what was compiled, and where the time went: a row for each compilation, on one axis of time."""

from __future__ import annotations

import html
from typing import Mapping, Sequence

from ...compile_times import seconds_words
from ...frames.resume_points import resumed
from ...model import CompileTimes

__all__ = ["times_html"]

_PHASES = ("Dynamo", "AOTAutograd", "backend", "compiling kernels")
_MOST = 40  # rows
_CUT = 0.08  # of the axis: what a longer time without compiling is cut to


def times_html(times: Sequence[CompileTimes], own_seconds: float, names: Mapping[str, str] = {}) -> str:
    """The section; "" if torch has kept no times.

    Args:
        times: of the compilations, in order.
        own_seconds: what recording them took.
        names: what the program calls the functions, by compilation.
    """
    if not times:
        return ""
    shown, rest = list(times[:_MOST]), times[_MOST:]
    begins, cuts, length = _places(shown)
    rows = [_row(one, _what(one, names), begin / length, length) for one, begin in zip(shown, begins)]
    marks = "".join(
        f'<span style="left:{100 * at / length:.2f}%" title="{seconds_words(idle)} in which nothing was compiled">'
        f"{seconds_words(idle)}</span>" for at, idle in cuts
    )  # fmt: skip
    if marks:
        rows.append(f'<div class="row"><span></span><span class="what">nothing is compiled</span>'
                    f'<span class="bar cuts">{marks}</span></div>')  # fmt: skip
    words = f"{seconds_words(sum(one.total for one in times))} compiling, by torch's clocks"
    words += f"; recording took {seconds_words(own_seconds)}" if own_seconds else ""
    keys = "".join(f'<span class="legend"><i class="key ph{at}"></i>{name}</span>' for at, name in enumerate(_PHASES))
    if any(one.before_restart for one in shown):
        keys += '<span class="legend"><i class="key ph0 lost"></i>before a restart of Dynamo</span>'
    more = f"and {len(rest)} more compilations, {seconds_words(sum(one.total for one in rest))}" if rest else ""
    more = f'<p class="note">{more}</p>' if more else ""
    return f'<h2>Time</h2><p class="note">{words} {keys}</p><div class="times">{"".join(rows)}</div>{more}'


def _places(times: Sequence[CompileTimes]) -> tuple[list[float], list[tuple[float, float]], float]:
    """Where each begins on the axis, where time is cut out with the seconds, and the length of the axis.

    One without a start begins at the end of the one before.
    """
    most = max(_CUT * sum(one.total for one in times), 0.001)
    begins: list[float] = []
    cuts: list[tuple[float, float]] = []
    end = shift = 0.0  # on the axis; between it and the clock
    for one in times:
        if not begins or not one.start:
            shift = one.start - end
        idle = one.start - shift - end
        if idle > most:
            cuts.append((end, idle))
            shift += idle - most
        begins.append(max(0.0, one.start - shift))
        end = max(end, begins[-1] + one.total)
    return begins, cuts, end or 1.0


def _what(one: CompileTimes, names: Mapping[str, str]) -> str:
    """What was compiled, in the program's words: a resume function is the rest of one of its own."""
    known = names.get(one.compile_id, "")
    if one.in_calls or not one.function:
        what = "in the first calls" if one.in_calls else "backward"
        return f"{what} of {known}" if known else what
    rest = resumed(one.function)
    return known or (f"{rest[0]}, from line {rest[1]} on" if rest is not None else one.function)


def _row(one: CompileTimes, what: str, begin: float, length: float) -> str:
    lost = min(one.before_restart, one.dynamo)
    parts = [(_PHASES[0] + ", before a restart", "ph0 lost", lost), (_PHASES[0], "ph0", one.dynamo - lost)]
    parts += [(name, f"ph{at}", seconds) for at, (name, seconds)
              in enumerate(zip(_PHASES[1:], (one.aot, one.backend, one.kernels)), 1)]  # fmt: skip
    parts = [part for part in parts if part[2] > 0]
    parts.insert(0, ("", "", begin * length))
    bar = "".join(
        '<i{} style="width:{:.3f}%"></i>'.format(f' class="{css}"' if css else "", 100 * seconds / length)
        for _, css, seconds in parts
    )
    words = "; ".join(f"{name} {seconds_words(seconds)}" for name, _, seconds in parts[1:])
    why = f'<span class="place">{html.escape("; ".join(one.restarts))}</span>' if one.restarts else ""
    return (
        f'<div class="row"><span class="mono">{html.escape(one.compile_id)}</span>'
        f'<span class="what">{html.escape(what)}</span><span class="bar" role="img" title="{words}" '
        f'aria-label="{words}">'
        f'{bar}</span><span class="number">{seconds_words(one.total)}</span>{why}</div>'
    )
