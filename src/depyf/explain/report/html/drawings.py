"""Graphs drawn as SVG, inside the page: a box can be pointed at like a line of a pane."""

from __future__ import annotations

import html
from typing import Iterator

from ..linked.drawing import Box, Drawing

__all__ = ["drawing_html"]

_CHARACTER, _PADDING = 7.0, 10.0  # widths, in pixels
_LINE, _TITLE = 17.0, 24.0  # heights
_GAP, _BETWEEN = 20.0, 16.0  # between ranks, and in them
_PASSING = 6.0  # the width of an edge that passes


def drawing_html(name: str, drawing: Drawing) -> str:
    """A block for one graph that opens on a click."""
    made = _Sized(drawing)
    width, height = made.width + 2, made.height + 2
    return (
        '<details class="part drawn"><summary>{0} drawn</summary><div class="in"><div class="svg" tabindex="0" '
        'role="group" aria-label="drawing of {0}"><svg width="{1:.0f}" height="{2:.0f}" '
        'viewBox="-1 -1 {1:.0f} {2:.0f}">{3}</svg></div></div></details>'
    ).format(html.escape(name), width, height, "".join(made.svg(0, 0)))


class _Sized:
    """A drawing with the sizes of its boxes, those of its modules from the inside out."""

    def __init__(self, drawing: Drawing) -> None:
        self.drawing = drawing
        self.inside = [None if box.inside is None else _Sized(box.inside) for box in drawing.boxes]
        self.ranks = drawing.ranks()
        sizes = [self._size(at) for at in range(len(drawing.boxes))]
        self.widths, self.heights = [width for width, _ in sizes], [height for _, height in sizes]
        rows = [sum(self.widths[at] for at in rank) + _BETWEEN * (len(rank) - 1) for rank in self.ranks]
        tall = [max(self.heights[at] for at in rank) for rank in self.ranks]
        self.width, self.height = max(rows), sum(tall) + _GAP * (len(tall) - 1)
        self.left, self.top, self.bottom = ([0.0] * len(sizes) for _ in range(3))
        y = 0.0
        for rank, row, high in zip(self.ranks, rows, tall):
            x = (self.width - row) / 2
            for at in rank:
                self.left[at], self.top[at], self.bottom[at] = x, y, y + high
                x += self.widths[at] + _BETWEEN
            y += high + _GAP

    def _size(self, at: int) -> tuple[float, float]:
        box, inside = self.drawing.boxes[at], self.inside[at]
        if not box.label:
            return _PASSING, _PASSING
        width = max(len(box.label), len(box.shape)) * _CHARACTER + 2 * _PADDING
        if inside is None:
            return width, _LINE * (1 + bool(box.shape)) + 6
        return max(width, inside.width + 2 * _PADDING), inside.height + _TITLE + _PADDING

    def svg(self, x: float, y: float) -> Iterator[str]:
        """Its parts, the upper left corner at this place."""
        for source, target in self.drawing.edges:
            begin, end = self._middle(source), self._middle(target)
            leaves = self.top[source] + self.heights[source] * bool(self.drawing.boxes[source].label)
            yield _edge(x + begin, y + leaves, y + self.bottom[source], x + end, y + self.top[target])
        for at, box in enumerate(self.drawing.boxes):
            if box.label:
                left, top, inside = x + self.left[at], y + self.top[at], self.inside[at]
                yield _box(box, left, top, self.widths[at], self.heights[at])
                if inside is not None:
                    yield from inside.svg(left + (self.widths[at] - inside.width) / 2, top + _TITLE)

    def _middle(self, at: int) -> float:
        return self.left[at] + self.widths[at] / 2


def _edge(x: float, begin: float, bottom: float, to: float, end: float) -> str:
    """From below a box, straight down to the end of its rank, then to the one below."""
    half = (bottom + end) / 2
    curve = f"C{x:.0f} {half:.0f} {to:.0f} {half:.0f} {to:.0f} {end:.0f}"
    return f'<path d="M{x:.0f} {begin:.0f}V{bottom:.0f}{curve}"/>'


def _box(box: Box, x: float, y: float, width: float, height: float) -> str:
    data = "".join(
        ' data-{}="{}"'.format(name, " ".join(map(str, sorted(found))))
        for name, found in (("k", box.lines), ("t", box.through)) if found
    )  # fmt: skip
    middle = x + width / 2
    text = f'<text x="{middle:.0f}" y="{y + 15:.0f}">{html.escape(box.label)}</text>'
    if box.shape:
        text += f'<text class="shape" x="{middle:.0f}" y="{y + 15 + _LINE:.0f}">{html.escape(box.shape)}</text>'
    css = "l" if box.inside is None else "l module"
    return (
        f'<g class="{css}"{data}><rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height:.0f}" rx="5"/>'
        f"{text}</g>"
    )
