"""The guards of a compilation as HTML: in words below the line that asked for them, each with Dynamo's own spelling."""

from __future__ import annotations

import html
import re
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Mapping

from ...model import CacheEntry, Guard, SourceLine
from ..page.guard_text import GuardDifference, alike_once, grouped, kinds_of_own, same_globals
from ..page.guard_tree import folded_tree
from ..page.guards_by_argument import guards_by_argument, row_lines
from ..tree import count
from .highlight import IN_FULL, code_html

__all__ = ["difference_html", "guards_html"]

_MOST_GUARDS = 100
_MANY = 40
_LINES, _LINES_IN_SHORT = 400, 40  # of Dynamo's tree


def guards_html(entry: CacheEntry, links: Mapping[str, str], is_short: bool = False) -> tuple[str, str]:
    """The summary line and what is below it.

    Args:
        entry: the compilation.
        links: places such as ``toy.py:4`` with the id they lead to.
        is_short: whether many guards are rows of words, and layers appear once in Dynamo's tree.
    """
    own = [guard for guard in entry.guards if guard.is_bookkeeping]
    asked = [guard for guard in entry.guards if not guard.is_bookkeeping]
    summary = f'Guards <span class="place">{len(asked)} of the program\'s, {len(own)} of Dynamo\'s own</span>'
    parts: list[str] = []
    left = _MOST_GUARDS
    if is_short and len(asked) > _MANY:
        parts.append(_rows(asked))
        asked_one_by_one: list[Guard] = []
    else:
        asked_one_by_one = asked
    groups, rest, same = grouped(asked_one_by_one)
    for line, members in groups:
        if left > 0:
            parts.append(f'<div class="asked">{_line(line, links)}{_guards(members[:left])}</div>')
            left -= len(members)
    if rest and left > 0:
        parts.append(f'<div class="asked">{_guards(rest[:left])}</div>')
        left -= len(rest)
    if left < 0:
        parts.append(f'<p class="note">and {-left} more like these</p>')
    if same:
        parts.append(f'<div class="asked">{_guard(same_globals(same), same)}</div>')
    if not asked:
        parts.append('<p class="note">Nothing of the program\'s is checked.</p>')
    if own:
        words = "{} of Dynamo's own: {}".format(count(len(own), "check"), kinds_of_own(own))
        most = _MANY if is_short else _MOST_GUARDS
        listed = "\n".join(guard.words for guard in own[:most])
        if len(own) > most:
            listed += f"\nand {len(own) - most} more"
        parts.append(_folded(html.escape(words), f'<pre class="plain">{html.escape(listed)}</pre>'))
    if entry.guard_tree:
        if is_short:
            tree = code_html(folded_tree(entry.guard_tree), "text", most_lines=_LINES_IN_SHORT)
        else:
            tree = code_html(entry.guard_tree, "text", most_lines=_LINES, in_full="")
        parts.append(_folded("The tree as Dynamo writes it", tree))
    return summary, "".join(parts)


def difference_html(found: GuardDifference, number: str) -> str:
    """Two sets of guards side by side, as far as they differ, the words that differ marked; `number` is the later's."""
    rows = []
    for before, now in found.rows[:_MANY]:
        pairs = [_marked(old, new) for old, new in zip_longest(before, now, fillvalue="")]
        cells = "".join("<td>{}</td>".format("<br>".join(filter(None, side)) or "not checked") for side in zip(*pairs))
        rows.append(f"<tr>{cells}</tr>")
    more = [f"{len(found.rows) - _MANY} more that differ"] * (len(found.rows) > _MANY)
    more += [count(found.same, "check") + " that both have"] * bool(found.same)
    note = "and " * bool(more) + ", ".join(more)
    return (
        '<table class="differ"><caption>What is checked</caption><thead><tr><th scope="col">{}</th>'
        '<th scope="col">{}</th></tr></thead><tbody>{}</tbody></table><p class="note">{}</p>'
    ).format(html.escape(found.earlier.number), html.escape(number), "".join(rows), note)


def _marked(old: str, new: str) -> tuple[str, str]:
    """Both as HTML, with marks at the words that differ."""
    words, others = (re.findall(r"\w+|\s+|.", one) for one in (old, new))
    shown: tuple[list[str], list[str]] = ([], [])
    for what, a, b, c, d in SequenceMatcher(None, words, others, autojunk=False).get_opcodes():
        for side, part in zip(shown, ("".join(words[a:b]), "".join(others[c:d]))):
            is_marked = what != "equal" and part.strip() and old and new
            side.append(f"<mark>{html.escape(part)}</mark>" if is_marked else html.escape(part))
    return "".join(shown[0]), "".join(shown[1])


def _rows(guards: list[Guard]) -> str:
    """A row for each argument, module and global; layers that are alike are one."""
    lines: list[str] = []
    left_out = 0
    for row, text in row_lines(guards_by_argument(guards)):
        if len(lines) < _MANY:
            lines += text
        else:
            left_out += row.count
    note = f'<p class="note">and {left_out} more: {html.escape(IN_FULL)}</p>' if left_out else ""
    return '<pre class="plain">{}</pre>{}'.format(html.escape("\n".join(lines)), note)


def _line(line: SourceLine, links: Mapping[str, str]) -> str:
    place = line.place
    shown = html.escape(place)
    if place in links:
        shown = f'<a href="#{html.escape(links[place])}">{shown}</a>'
    text = html.escape(line.text)
    return f'<div class="line"><code>{text}</code><span class="place mono">{shown}</span></div>'


def _guards(guards: list[Guard]) -> str:
    return "".join(_guard(words, members) for words, members in alike_once(guards))


def _guard(words: str, members: list[Guard]) -> str:
    written = "\n".join(guard.code for guard in members[:_MOST_GUARDS])
    return _folded(html.escape(words), f"<pre>{html.escape(written)}</pre>")


def _folded(summary: str, body: str) -> str:
    return f'<details class="guard"><summary>{summary}</summary>{body}</details>'
