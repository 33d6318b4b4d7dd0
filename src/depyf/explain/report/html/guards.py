"""The guards of a compilation as HTML: in words below the line that asked for them, each with Dynamo's own spelling."""

from __future__ import annotations

import html
from typing import List, Mapping, Tuple

from depyf.explain.model import CacheEntry, Guard, SourceLine
from depyf.explain.report.html.highlight import code_html
from depyf.explain.report.page.guard_text import alike_once, grouped, kinds_of_own, same_globals
from depyf.explain.report.tree import count

__all__ = ["guards_html"]

_MOST_GUARDS = 100


def guards_html(entry: CacheEntry, links: Mapping[str, str]) -> Tuple[str, str]:
    """The summary line and what is below it.

    Args:
        entry: the compilation.
        links: places such as ``toy.py:4`` with the id they lead to.
    """
    own = [guard for guard in entry.guards if guard.is_bookkeeping]
    asked = [guard for guard in entry.guards if not guard.is_bookkeeping]
    summary = 'Guards <span class="place">{} of the program\'s, {} of Dynamo\'s own</span>'.format(len(asked), len(own))
    groups, rest, same = grouped(asked)
    parts: List[str] = []
    left = _MOST_GUARDS
    for line, members in groups:
        if left > 0:
            parts.append('<div class="asked">{}{}</div>'.format(_line(line, links), _guards(members[:left])))
            left -= len(members)
    if rest and left > 0:
        parts.append('<div class="asked">{}</div>'.format(_guards(rest[:left])))
        left -= len(rest)
    if left < 0:
        parts.append('<p class="note">and {} more like these</p>'.format(-left))
    if same:
        parts.append('<div class="asked">{}</div>'.format(_guard(same_globals(same), same)))
    if not asked:
        parts.append('<p class="note">Nothing of the program\'s is checked.</p>')
    if own:
        words = "{} of Dynamo's own: {}".format(count(len(own), "check"), kinds_of_own(own))
        listed = "\n".join(guard.words for guard in own[:_MOST_GUARDS])
        if len(own) > _MOST_GUARDS:
            listed += "\nand {} more".format(len(own) - _MOST_GUARDS)
        parts.append(_folded(html.escape(words), '<pre class="plain">{}</pre>'.format(html.escape(listed))))
    if entry.guard_tree:
        tree = code_html(entry.guard_tree, "text", most_lines=400)
        parts.append(_folded("The tree as Dynamo writes it", tree))
    return summary, "".join(parts)


def _line(line: SourceLine, links: Mapping[str, str]) -> str:
    place = line.place
    shown = html.escape(place)
    if place in links:
        shown = '<a href="#{}">{}</a>'.format(html.escape(links[place]), shown)
    text = html.escape(line.text)
    return '<div class="line"><code>{}</code><span class="place mono">{}</span></div>'.format(text, shown)


def _guards(guards: List[Guard]) -> str:
    return "".join(_guard(words, members) for words, members in alike_once(guards))


def _guard(words: str, members: List[Guard]) -> str:
    written = "\n".join(guard.code for guard in members[:_MOST_GUARDS])
    return _folded(html.escape(words), "<pre>{}</pre>".format(html.escape(written)))


def _folded(summary: str, body: str) -> str:
    return '<details class="guard"><summary>{}</summary>{}</details>'.format(summary, body)
