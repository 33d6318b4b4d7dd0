"""Graphs drawn as SVG, inside the page: a box can be pointed at like a line of a pane."""

from __future__ import annotations

import html
from typing import Sequence

from ..linked.drawing import Box, Drawing

__all__ = ["drawings_html"]

_CHARACTER, _PADDING = 7.0, 10.0  # widths, in pixels
_HEIGHT, _GAP, _BETWEEN = 22.0, 22.0, 16.0
_PASSING = 6.0  # the width of an edge that passes


def drawings_html(name: str, drawings: Sequence[Drawing]) -> str:
    """A block for one graph that opens on a click; "" if there is no drawing of it."""
    if not drawings:
        return ""
    fold = '<details class="part"{}><summary>{}</summary><div class="in">{}</div></details>'
    parts = [fold.format(" open" * (not at), html.escape(one.title), _svg(one)) for at, one in enumerate(drawings)]
    return '<details class="part drawn"><summary>{} drawn</summary><div class="in">{}</div></details>'.format(
        html.escape(name), "".join(parts))  # fmt: skip


def _svg(one: Drawing) -> str:
    middles: dict[int, float] = {}
    ranks = one.ranks()
    widths = [sum(map(_width, (one.boxes[at] for at in rank))) + _BETWEEN * (len(rank) - 1) for rank in ranks]
    width = max(widths) + 2
    for rank, whole in zip(ranks, widths):
        x = (width - whole) / 2
        for at in rank:
            middles[at] = x + _width(one.boxes[at]) / 2
            x += _width(one.boxes[at]) + _BETWEEN
    height = len(ranks) * (_HEIGHT + _GAP) - _GAP + 2
    parts = [_edge(one, source, target, middles) for source, target in one.edges]
    parts += [_box(box, middles[at]) for at, box in enumerate(one.boxes)]
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    return '<div class="svg"><svg {}>{}</svg></div>'.format(size, "".join(parts))


def _width(box: Box) -> float:
    return len(box.label) * _CHARACTER + 2 * _PADDING if box.label else _PASSING


def _top(box: Box) -> float:
    return 1 + box.rank * (_HEIGHT + _GAP)


def _edge(one: Drawing, source: int, target: int, middles: dict[int, float]) -> str:
    begin, end = _top(one.boxes[source]) + _HEIGHT, _top(one.boxes[target])
    x, to = middles[source], middles[target]
    half = (begin + end) / 2
    path = f"M{x:.0f} {begin:.0f}C{x:.0f} {half:.0f} {to:.0f} {half:.0f} {to:.0f} {end:.0f}"
    if not one.boxes[source].label:
        path = f"M{x:.0f} {begin - _HEIGHT:.0f}V{begin:.0f}" + path
    return f'<path d="{path}"/>'


def _box(box: Box, middle: float) -> str:
    if not box.label:
        return ""
    data: list[str] = []
    if box.lines:
        data.append(' data-k="{}"'.format(" ".join(map(str, sorted(box.lines)))))
    if box.through:
        data.append(' data-t="{}"'.format(" ".join(map(str, sorted(box.through)))))
    return '<g class="l"{}><rect x="{:.0f}" y="{:.0f}" width="{:.0f}" height="{:.0f}" rx="5"/>' \
           '<text x="{:.0f}" y="{:.0f}">{}</text></g>'.format(
               "".join(data), middle - _width(box) / 2, _top(box), _width(box), _HEIGHT, middle,
               _top(box) + _HEIGHT / 2, html.escape(box.label))  # fmt: skip
