"""The report as one HTML file: what happened at each line of the program, and what was made of the line.

Takes the remarks, which may come from a file, and what a recording has beside them. The result needs nothing from a
network; without its script all of the text is there.
"""

from __future__ import annotations

import base64
import hashlib
import html
import pkgutil
from typing import Iterable, Mapping, Sequence

from ....owners import is_of_libraries
from ...model import CompileTimes
from ..linked.rows import Compilation
from ..remarks.answer import left_words, short, worst_first
from ..remarks.counts import count_words
from ..remarks.over_source import follows_words
from ..remarks.remark import FINDINGS, Remark
from ..remarks.sources import WHOLE, Lines, lines_around, texts_of
from ..remarks.stored import Report
from .highlight import has_colours, lines_html
from .panes import panes_html
from .style import STYLE
from .times import times_html

__all__ = ["report_page"]

_CHIPS = {"wrong": "bad", "raised": "bad", "break": "warn", "recompile": "warn", "uncompiled": "bad", "graph": "good",
          "kernel": "info", "memory": "info"}  # fmt: skip
_SEVERAL = {"wrong": "wrong", "raised": "raised", "break": "breaks", "recompile": "recompiles",
            "uncompiled": "uncompiled"}  # fmt: skip

_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{}'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>What torch.compile did, line by line</title>
<style>{}
{}</style>
</head>
<body class="depyf-page">"""
_KEYS = (
    ("j, k", "next and previous line: of those with a remark, or of the source while a line is held"),
    ("Enter, Escape", "hold the line in focus, let it go"),
    ("/", "search; Enter and Shift+Enter go from one to the next"),
    ("?", "this list"),
)


def report_page(
    report: Report,
    base: str = "",
    linked: Iterable[Compilation] = (),
    times: Sequence[CompileTimes] = (),
    own_seconds: float = 0.0,
) -> str:
    """The file's text.

    Args:
        report: the remarks.
        base: files below this folder are named relative to it.
        linked: the compilations, where a recording has them.
        times: how long they took.
        own_seconds: what recording took meanwhile.
    """
    report = report.printable()
    by_file: dict[str, list[Remark]] = {}
    for remark in report.remarks:
        by_file.setdefault(remark.file, []).append(remark)
    theirs = {file: bool(found[0].package) or is_of_libraries(file) for file, found in by_file.items()}
    files = sorted(by_file, key=lambda file: (theirs[file], -len(by_file[file]) * theirs[file], file))
    opened = {file for file in files if not theirs[file]} or set(files[:1])
    anchors = {file: f"f{number}-" for number, file in enumerate(files, 1)}
    compilations = list(linked)
    panes, links = panes_html(compilations)
    names: dict[str, str] = {}
    for one in compilations:
        words = one.function + (f", from line {one.rest_from} on" if one.rest_from else "")
        names[one.compile_id] = words if names.get(one.compile_id, words) == words else ""  # given once more by a reset
    parts = [_front(report, anchors, base), times_html(times, own_seconds, names)]
    parts.append("<h2>Line by line</h2>" if by_file and (panes or times) else "")
    parts += [_file(file, by_file[file], anchors[file], short(file, base), file in opened, links,
                    report.sources.get(file, {}), report.without.get(file, "")) for file in files]  # fmt: skip
    parts.append(panes)
    made = "Made by depyf from torch {} on Python {}.".format(report.torch or "?", report.python or "?")
    if links and not has_colours():
        made += " Code has one colour here: install pygments for more."
    parts.append(f'<p class="made">{html.escape(made)}</p>')
    script = "\n" + _beside("report.js")
    allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    head = _HEAD.format(allowed, STYLE, _beside("report.css"))
    body = "\n".join(filter(None, parts))
    css = "depyf wide" if panes else "depyf"
    return f'{head}<main class="{css}">\n{body}\n</main>\n<script>{script}</script>\n</body>\n</html>\n'


def _beside(name: str) -> str:
    """The text of a file of this package."""
    data = pkgutil.get_data(__name__, name)
    assert data is not None
    return data.decode()


def _front(report: Report, anchors: dict[str, str], base: str) -> str:
    chips = "".join(_chip(words, "") for words in count_words(report.counts))
    head = f'<header><h1 class="title">What torch.compile did, line by line</h1>{chips}</header>'
    rows = []
    for one in worst_first(report.remarks):
        place = f"{short(one.file, base)}:{one.line}"
        link = f'<a class="mono" href="#{anchors[one.file]}{one.line}">{html.escape(place)}</a>'
        more = "".join(f"<p>{html.escape(words)}</p>" for words in one.details)
        rows.append(f"<li>{link} {_chip(one.kind, _CHIPS[one.kind])} {_said(one)}{more}</li>")
    listed = '<p class="note">No graph break, no recompilation, nothing left to Python.</p>'
    if rows:
        listed = '<ol class="worst">{}</ol>'.format("".join(rows))
    notes = ["compared: " + words for words in report.compared] + left_words(report)
    listed += "".join(f'<p class="note">{html.escape(words)}</p>' for words in notes)
    rows = [f"<tr><td><kbd>{key}</kbd></td><td>{words}</td></tr>" for key, words in _KEYS]
    tools = (
        '<p class="note"><input type="search" placeholder="Search" aria-label="Search"> <span class="found"></span> '
        '<button type="button" class="tool">Keys</button></p><dialog><table>{}</table><form method="dialog">'
        '<button class="tool">Close</button></form></dialog>'.format("".join(rows))
    )
    return head + listed + tools


def _file(file: str, remarks: Sequence[Remark], anchor: str, name: str, is_open: bool,
          links: Mapping[tuple[str, int], str], source: Lines, without: str) -> str:  # fmt: skip
    by_line: dict[int, list[Remark]] = {}
    for one in remarks:
        by_line.setdefault(one.line, []).append(one)
    known = {**texts_of(by_line), **source}
    is_whole = len(source) <= WHOLE and not is_of_libraries(file)
    shown = sorted(known) if is_whole else lines_around(by_line, known)
    texts = dict(zip(shown, lines_html("\n".join([known[at] for at in shown]))))
    rows: list[str] = []
    before = 0
    for at in shown:
        if before and at > before + 1:
            rows.append('<span class="gap">...</span>')
        before = at
        rows.append(_line(at, texts[at], by_line.get(at, []), anchor, links.get((file, at), "")))
    kinds = [_chip(f"{number} {_SEVERAL[kind] if number > 1 else kind}", _CHIPS[kind]) for kind in FINDINGS
             for number in [sum(one.kind == kind and not one.follows for one in remarks)] if number]  # fmt: skip
    note = f'<p class="note">{html.escape(without)}</p>' if without else ""
    return (
        '<details class="frame"{}><summary>{} {}</summary><div class="in">{}<pre class="code over"><code>{}</code>'
        "</pre></div></details>".format(" open" * is_open, html.escape(name), "".join(kinds), note, "".join(rows))
    )


def _line(number: int, body: str, remarks: Sequence[Remark], anchor: str, compiled: str) -> str:
    has = " has" if remarks else ""
    link = f'<a href="#{anchor}{number}" aria-label="line {number}"></a>' if remarks else ""
    line = f'<span class="l{has}" id="{anchor}{number}"><i data-n="{number}">{link}</i>{body}\n</span>'
    follows = [one for one in remarks if one.follows]
    rows = "".join([_remark(one, len(follows)) for one in remarks if not one.follows or one is follows[0]])
    if remarks and compiled:
        rows += f'<span class="r"><a href="#{html.escape(compiled)}">what was made of it</a></span>'
    return line + (f'<span class="rs">{rows}</span>' if rows else "")


def _remark(one: Remark, follows: int) -> str:
    if one.follows:
        return f'<span class="r again">{_chip(one.kind, "")}<span>{follows_words(follows)}</span></span>'
    hints = "".join(f"<p>{html.escape(hint)}</p>" for hint in [*one.details, one.instead, *one.hints] if hint)
    chip = _chip(one.kind, _CHIPS.get(one.kind, ""))
    return f'<span class="r">{chip}<span>{_said(one)}{hints}</span></span>'


def _said(one: Remark) -> str:
    number = html.escape(one.gb_id)
    if one.link:
        number = f'<a href="{html.escape(one.link)}" rel="noreferrer">{number}</a>'
    return f"{html.escape(one.words)} {number}".rstrip()


def _chip(text: str, kind: str) -> str:
    return f'<span class="chip {kind}">{html.escape(text)}</span>'
