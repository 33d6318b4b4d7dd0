"""Remarks over the program's source as one HTML file: what happened at each line, below the line.

Takes a report, which may come from a file, and the source files where they can be read. The file needs nothing from a
network; without its script all is there but the keys.
"""

from __future__ import annotations

import html
import linecache
from typing import Dict, List, Sequence

from depyf.explain.report.html.highlight import lines_html
from depyf.explain.report.html.style import STYLE
from depyf.explain.report.remarks.answer import INSTALLED, count_words, short, worst_first
from depyf.explain.report.remarks.over_source import lines_around
from depyf.explain.report.remarks.remark import FINDINGS, Remark
from depyf.explain.report.remarks.stored import Report

__all__ = ["remarks_page"]

_CHIPS = {"break": "warn", "recompile": "warn", "uncompiled": "bad", "graph": "good", "kernel": "info"}
_WHOLE = 300  # lines: a file of no more is shown from its first line to its last

_RULES = """
.depyf pre.code.over{padding:6px 0}
.depyf .l.has{cursor:default}.depyf .l.has>i{color:var(--text);font-weight:650}
.depyf .l>i>a{position:absolute;inset:0}.depyf .l>i{position:sticky}
.depyf .rs{display:block;white-space:normal;font:13px/1.45 system-ui,sans-serif;padding:1px 14px 6px 68px}
.depyf .r{display:flex;gap:8px;align-items:baseline;margin:2px 0;max-width:860px}
.depyf .r .chip{flex:none;min-width:78px;text-align:center}
.depyf .r p{margin:1px 0;padding:0;color:var(--muted)}.depyf .r.again{color:var(--muted)}
.depyf .gap{display:block;color:var(--muted);padding:0 0 0 56px}
.depyf ol.worst{margin:0 0 14px;padding:0 0 0 22px}.depyf ol.worst li{margin:4px 0}
.depyf .l.at{background:var(--target)}.depyf .l.at>i{background:var(--target)}
.depyf kbd{border:1px solid var(--border);border-radius:4px;padding:0 5px;font-size:11.5px;background:var(--panel)}
@media (max-width:600px){.depyf .rs{padding-left:14px}.depyf .r{flex-wrap:wrap;gap:0 8px}.depyf-page{padding:12px 8px}}
"""
_SCRIPT = """
(() => {
  const lines = [...document.querySelectorAll('.l.has')];
  let at = -1;
  const go = (to) => {
    if (to < 0 || to >= lines.length) return;
    if (at >= 0) lines[at].classList.remove('at');
    at = to;
    const line = lines[at];
    for (let up = line.parentElement; up; up = up.parentElement) if (up.tagName === 'DETAILS') up.open = true;
    line.classList.add('at');
    line.scrollIntoView({block: 'center'});
    history.replaceState(null, '', '#' + line.id);
  };
  const wanted = () => lines.findIndex((line) => '#' + line.id === decodeURIComponent(location.hash));
  addEventListener('hashchange', () => go(wanted()));
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /INPUT|TEXTAREA/.test(event.target.tagName)) return;
    if (event.key === 'j') go(at + 1);
    if (event.key === 'k') go(Math.max(at - 1, 0));
  });
  go(wanted());
})();
"""


def remarks_page(report: Report, base: str = "") -> str:
    """The file's text.

    Args:
        report: the remarks.
        base: files below this folder are named relative to it.
    """
    by_file: Dict[str, List[Remark]] = {}
    for one in report.remarks:
        by_file.setdefault(one.file, []).append(one)
    files = sorted(by_file, key=lambda file: (INSTALLED in file, file))
    opened = {file for file in files if INSTALLED not in file}
    if files and not opened:
        opened = {max(files, key=lambda file: len(by_file[file]))}
    anchors = {file: "f{}-".format(number) for number, file in enumerate(files, 1)}
    parts = [_front(report, anchors, base)]
    parts += [_file(file, by_file[file], anchors[file], short(file, base), file in opened) for file in files]
    made = "Made by depyf from torch {} on Python {}.".format(report.torch or "?", report.python or "?")
    parts.append('<p class="made">{}</p>'.format(html.escape(made)))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<title>What torch.compile did, line by line</title>\n<style>{}{}</style>\n</head>\n"
        '<body class="depyf-page"><main class="depyf">\n{}\n</main>\n<script>{}</script>\n</body>\n</html>\n'.format(
            STYLE, _RULES, "\n".join(parts), _SCRIPT)
    )  # fmt: skip


def _front(report: Report, anchors: Dict[str, str], base: str) -> str:
    chips = "".join(_chip(words, "") for words in count_words(report))
    head = '<header><span class="title">What torch.compile did, line by line</span>{}</header>'.format(chips)
    rows = []
    for one in worst_first(report.remarks):
        place = "{}:{}".format(short(one.file, base), one.line)
        link = '<a class="mono" href="#{}{}">{}</a>'.format(anchors[one.file], one.line, html.escape(place))
        rows.append("<li>{} {} {}</li>".format(link, _chip(one.kind, _CHIPS[one.kind]), _said(one)))
    listed = '<ol class="worst">{}</ol>'.format("".join(rows)) if rows else (
        '<p class="note">No graph break, no recompilation, nothing left to Python.</p>')
    return head + listed + '<p class="note"><kbd>j</kbd> <kbd>k</kbd> next and previous line with a remark</p>'


def _file(file: str, remarks: Sequence[Remark], anchor: str, name: str, is_open: bool) -> str:
    by_line: Dict[int, List[Remark]] = {}
    for one in remarks:
        by_line.setdefault(one.line, []).append(one)
    source = "".join(linecache.getlines(file))
    texts = dict(enumerate(lines_html(source.rstrip("\n")), 1)) if source else {}
    for line, found in by_line.items():  # the file is gone, or another one by now
        texts.setdefault(line, html.escape(found[0].text))
    shown = sorted(texts) if len(texts) <= _WHOLE else lines_around(by_line, dict(enumerate(source.splitlines(), 1)))
    rows: List[str] = []
    before = 0
    for at in shown:
        if before and at > before + 1:
            rows.append('<span class="gap">...</span>')
        before = at
        rows.append(_line(at, texts[at], by_line.get(at, []), anchor))
    kinds = [_chip("{} {}".format(number, kind), _CHIPS[kind]) for kind in FINDINGS
             for number in [sum(one.kind == kind and not one.follows for one in remarks)] if number]  # fmt: skip
    return (
        '<details class="frame"{}><summary>{} {}</summary><div class="in"><pre class="code over"><code>{}</code></pre>'
        "</div></details>".format(" open" * is_open, html.escape(name), "".join(kinds), "".join(rows))
    )


def _line(number: int, body: str, remarks: Sequence[Remark], anchor: str) -> str:
    has = " has" if remarks else ""
    link = '<a href="#{0}{1}" aria-label="line {1}"></a>'.format(anchor, number) if remarks else ""
    line = '<span class="l{0}" id="{1}{2}"><i data-n="{2}">{3}</i>{4}\n</span>'.format(has, anchor, number, link, body)
    return line + ('<span class="rs">{}</span>'.format("".join(map(_remark, remarks))) if remarks else "")


def _remark(one: Remark) -> str:
    if one.follows:
        return '<span class="r again">{}<span>the rest of the function, for the same reason</span></span>'.format(
            _chip(one.kind, ""))  # fmt: skip
    hints = "".join("<p>{}</p>".format(html.escape(hint)) for hint in [one.instead, *one.hints] if hint)
    chip = _chip(one.kind, _CHIPS.get(one.kind, ""))
    return '<span class="r">{}<span>{}{}</span></span>'.format(chip, _said(one), hints)


def _said(one: Remark) -> str:
    number = html.escape(one.gb_id)
    if one.link.startswith("https://"):
        number = '<a href="{}">{}</a>'.format(html.escape(one.link), number)
    return "{} {}".format(html.escape(one.words), number).rstrip()


def _chip(text: str, kind: str) -> str:
    return '<span class="chip {}">{}</span>'.format(kind, html.escape(text))
