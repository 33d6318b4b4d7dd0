"""The compilations of a recording as HTML: four panes each, whose lines name the lines of the program they are for."""

from __future__ import annotations

import html
from itertools import groupby
from typing import Iterable

from ...names import file_name
from ..linked.rows import Compilation, Pane, Row
from ..tree import count
from .drawings import drawing_html
from .guards import difference_html
from .highlight import lines_html

__all__ = ["panes_html"]

_TITLES = {"source": "Source", "transformed": "Transformed code", "graphs": "Graphs", "kernels": "Kernels"}


def panes_html(compilations: Iterable[Compilation]) -> tuple[str, dict[tuple[str, int], str]]:
    """The section, and by file and line the fragment that leads to the line in it."""
    parts: list[str] = []
    links: dict[tuple[str, int], str] = {}
    names: set[str] = set()
    for _, found in groupby(compilations, lambda one: (one.function, one.places[:1])):
        every = list(found)
        made: list[str] = []
        for one in every:
            name = _name(one, names)
            places = [_place(one, at) for at in range(len(one.places))]
            for row in one.panes[0].rows:
                for at in row.lines:
                    links.setdefault((one.places[at].filename, one.places[at].line), f"{name}:{places[at]}")
            made.append(_compilation(one, name, places, not parts and not made, len(every) > 1))
        if len(every) > 1:
            head = '<details class="frame"{}><summary>{} <span class="place">{}</span></summary>'.format(
                " open" * (not parts), html.escape(every[0].function), count(len(every), "compilation"))  # fmt: skip
            made = [head, '<div class="in">', *made, "</div></details>\n"]
        parts += made
    if not parts:
        return "", links
    note = (
        '<p class="note">Point at a line to highlight the lines of the other panes that were made from it. '
        "Click to keep them highlighted.</p>"
    )
    return "<h2>Compilations</h2>{}{}".format(note, "".join(parts)), links


def _name(one: Compilation, names: set[str]) -> str:
    """``step``, then ``step~0/1``: the fragment stays short, and the same in every run."""
    name = one.function if one.function not in names else f"{one.function}~{one.compile_id}"
    while name in names:
        name += "'"
    names.add(name)
    return name


def _place(one: Compilation, at: int) -> str:
    """``16`` for a line of the function's own file, ``model.py:88`` for one of another."""
    place = one.places[at]
    if place.filename == one.places[0].filename:
        return str(place.line)
    return f"{file_name(place.filename)}:{place.line}"


def _compilation(one: Compilation, name: str, places: list[str], is_open: bool, is_inner: bool) -> str:
    """`is_inner`: it is in a block that has the function's name."""
    rest = f' <span class="place">from line {one.rest_from} on</span>' if one.rest_from else ""
    function = "" if is_inner else html.escape(one.function)
    why = "".join(f'<div class="call">{html.escape(words[:1].upper() + words[1:])}</div>' for words in one.why)
    if one.difference is not None and one.difference.rows:
        why += difference_html(one.difference, one.compile_id)
    chip = f'<span class="chip id mono">{html.escape(one.compile_id)}</span>'
    share = ""
    if one.computing:
        share = '<span class="place">{} of {} with operations are linked to kernels</span>'.format(
            one.linked, count(one.computing, "line"))  # fmt: skip
    if one.why:
        share = f'<span class="place">{html.escape(one.why[0].partition(": ")[2] or one.why[0])}</span> {share}'
    shown = [pane for pane in one.panes if pane.rows]
    tabs = "".join(
        '<button type="button" role="tab" data-pane="{}" aria-selected="{}">{}</button>'.format(
            pane.name, "false" if at else "true", _TITLES[pane.name])
        for at, pane in enumerate(shown)
    )  # fmt: skip
    panes = "".join(_pane(pane, not at) for at, pane in enumerate(shown))
    drawn = "".join(drawing_html(graph, drawing) for graph, drawing in one.drawings.items())
    return (
        '<details class="{} comp" id="{}" data-places="{}"{}><summary>{}{} {} {}</summary><div class="in">{}'
        '<div class="tabs" role="tablist" aria-label="Panes">{}</div><div class="panes">{}</div>{}</div></details>\n'
        .format(
            "entry" if is_inner else "frame", html.escape(name), html.escape("\n".join(places)), " open" * is_open,
            function, rest, chip, share, why, tabs, panes, drawn)
    )  # fmt: skip


def _pane(pane: Pane, is_shown: bool) -> str:
    code = [row for row in pane.rows if not row.is_note]
    bodies = iter(lines_html("\n".join(row.text for row in code)))
    stops = pane.name == "source"  # for the tabulator key: each line once
    rows = "".join(_row(row, html.escape(row.text) if row.is_note else next(bodies), stops) for row in pane.rows)
    return (
        '<section class="pane{0}" data-pane="{1}"><h3>{2}</h3><pre class="code" tabindex="0" role="group" '
        'aria-label="{2}"><code>{3}</code></pre></section>'
        .format(" shown" * is_shown, pane.name, _TITLES[pane.name], rows)
    )  # fmt: skip


def _row(row: Row, body: str, is_stop: bool) -> str:
    data = ' tabindex="0"' if is_stop and row.lines else ""
    if row.lines:
        data += ' data-k="{}"'.format(" ".join(map(str, sorted(row.lines))))
    if row.through:
        data += ' data-t="{}"'.format(" ".join(map(str, sorted(row.through))))
    number = '<i data-n="{}"></i>'.format(row.number or "")
    css = "l" + " n" * row.is_note + " main" * row.is_main
    return f'<span class="{css}"{data}>{number}{body}\n</span>'
