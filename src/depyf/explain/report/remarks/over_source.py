"""Remarks over the source that they are about, for a terminal."""

from __future__ import annotations

import textwrap
from typing import Iterator, Mapping, Sequence

from .remark import COST, Remark
from .sources import lines_around, texts_of

__all__ = ["follows_words", "source_lines"]

_SOURCE = 52  # columns of source before remarks begin
_REMARK = 78  # columns of a remark
_GREY = 90
_COLOURS = {"wrong": 31, "graph": 32, "kernel": 32, "break": 33, "recompile": 35, "raised": 31, "uncompiled": 31,
            "memory": 32, "guard": _GREY, COST: _GREY, "hint": _GREY}  # fmt: skip


def source_lines(
    texts: Mapping[int, str], remarks: Sequence[Remark], colours: bool = False, everything: bool = False
) -> list[str]:
    """The lines of a file with what happened there beside them.

    Args:
        texts: the lines that are known; those of the remarks are added.
        remarks: on this file.
        colours: whether a terminal's colours are used.
        everything: lines far from any remark too.
    """
    by_line: dict[int, list[Remark]] = {}
    for one in remarks:
        by_line.setdefault(one.line, []).append(one)
    texts = {**texts_of(by_line), **texts}
    lines: list[str] = []
    before = 0
    for at in sorted(texts) if everything else lines_around(by_line, texts):
        if before and at > before + 1:
            lines.append("     ...")
        before = at
        lines += _line(at, texts[at].rstrip("\n"), by_line.get(at, []), colours)
    return lines


def _line(number: int, text: str, remarks: Sequence[Remark], colours: bool) -> list[str]:
    source = f"{number:5}  {text.expandtabs()}"
    follows = [one for one in remarks if one.follows]
    shown = [one for one in remarks if not one.follows or one is follows[0]]
    rows = [row for one in shown for row in _rows(one, len(follows))]
    if not rows:
        return [source.rstrip()]
    lines = []
    if len(source) > _SOURCE:
        lines.append(source)
        source = ""
    for kind, words in rows:
        label = f"{kind:9}"
        if colours and kind in _COLOURS:
            label = f"\033[{_COLOURS[kind]}m{label}\033[0m"
        lines.append("{:{}}  {} {}".format(source, _SOURCE, label, words).rstrip())
        source = ""
    return lines


def follows_words(number: int) -> str:
    """For `number` recompilations of what comes after a graph break, which those of the whole function explain."""
    return "the rest of the function, for the same reason" + "s" * (number > 1)


def _rows(one: Remark, follows: int) -> Iterator[tuple[str, str]]:
    if one.follows:
        yield one.kind, follows_words(follows)
        return
    times = len(one.compilations)
    again = f"  ({times} times)" if times > 1 and one.kind not in ("graph", COST) else ""
    yield from _wrapped(one.kind, one.said + again)
    for words in one.details:
        yield from _wrapped("", words)
    for hint in filter(None, [one.instead, *one.hints]):
        yield from _wrapped("hint", hint)
    if one.link:
        yield "", one.link


def _wrapped(kind: str, words: str) -> Iterator[tuple[str, str]]:
    for part in textwrap.wrap(words, _REMARK, break_long_words=False, break_on_hyphens=False) or [""]:
        yield kind, part
        kind = ""
