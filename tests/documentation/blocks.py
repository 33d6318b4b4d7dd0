"""Code blocks of a Markdown page, each with what stands before it.

    ```python                 executed; all blocks of a page share one namespace
    ```{code-block} python    the same, with an option `:caption: toy.py`: written to that file and executed
    <!-- typed: b 3; c; q -->  before ```python: what its debugger is told
    <!-- check: EXPRESSION -->  must be true when the blocks above it have run
    ```pycon                  a session with >>>, as doctest reads it
    ```console                lines after "$ " are run by the shell, the others are what they print
    ```sh                     commands that must exist, with their files and options; they are not run
    <!-- shown: EXPRESSION -->  before a block of any kind: the block is what the expression gives

A region between <!-- NAME --> and <!-- /NAME --> is written by the program that has NAME in it: a measurement.
"""

from __future__ import annotations

import re
from typing import Iterator, List, NamedTuple, Tuple

__all__ = ["LANGUAGES", "Block", "blocks_of", "regions_of"]

LANGUAGES = ("python", "pycon", "console", "sh")

_FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,}|~{3,})(?P<language>[\w+-]*|\{[\w-]+\}.*)$")
_SHOWN = re.compile(r"^ *<!-- shown: (?P<expression>.*?) -->$")
_CHECK = re.compile(r"^ *<!-- check: (?P<expression>.*?) -->$")
_TYPED = re.compile(r"^ *<!-- typed: (?P<answers>.*?) -->$")
_CAPTION = re.compile(r"^ *:caption: (?P<title>.*)$")
_REGION = re.compile(r"^<!-- (?P<name>[\w ]+) -->\n(?P<body>.*?)^<!-- /(?P=name) -->$", re.MULTILINE | re.DOTALL)
_LIST_ITEM = re.compile(r"^ *([*+-]|\d+\.) ")


class Block(NamedTuple):
    """One block: `line` is that of its first line of text, counted from 1; `indent` what stands before each line.

    `shown` is the expression whose value the text is, "" for a block that is code; `typed` what is typed while it
    runs. `language` is "indented" for a block without a fence, "check" for such a comment. Directives of the site
    ("{include}") are no blocks.
    """

    line: int
    language: str
    text: str
    indent: str = ""
    title: str = ""
    shown: str = ""
    typed: Tuple[str, ...] = ()


def blocks_of(page: str) -> Iterator[Block]:
    """The blocks of a page in their order, those in measured regions left out."""
    skipped = {
        number
        for _, start, end in regions_of(page)
        for number in range(page.count("\n", 0, start) + 1, page.count("\n", 0, end) + 2)
    }
    lines = page.splitlines()
    number, shown = 0, ""
    typed: Tuple[str, ...] = ()
    while number < len(lines):
        fence = _FENCE.match(lines[number])
        if fence is None:
            indented = _indented(lines, number)
            if indented and number + 1 not in skipped:
                yield Block(number + 1, "indented", "".join(line[4:] + "\n" for line in indented))
            if lines[number].strip():
                comment = _SHOWN.match(lines[number])
                check = _CHECK.match(lines[number])
                if check:
                    yield Block(number + 1, "check", check.group("expression"))
                answers = _TYPED.match(lines[number])
                typed = tuple(answers.group("answers").split("; ")) if answers else ()
                shown = comment.group("expression") if comment else ""
            number += max(1, len(indented))
            continue
        first, indent, language, title = number + 1, fence.group("indent"), fence.group("language"), ""
        if language.startswith("{code-block} "):
            language = language.split()[1]
            while lines[first].strip():
                caption = _CAPTION.match(lines[first])
                title = caption.group("title") if caption else title
                first += 1
            first += 1
        number = first
        while lines[number].strip() != fence.group("fence"):
            number += 1
        if first not in skipped and not language.startswith("{"):
            text = "".join(line[len(indent) :] + "\n" for line in lines[first:number])
            yield Block(first + 1, language, text, indent, title, shown, typed)
        number += 1
        shown, typed = "", ()


def regions_of(page: str) -> Iterator[Tuple[str, int, int]]:
    """Name, start and end of each measured region."""
    for match in _REGION.finditer(page):
        yield match.group("name"), match.start(), match.end()


def _indented(lines: List[str], number: int) -> List[str]:
    """The lines of an indented code block that begins at `number`: after a blank line, outside of a list."""
    if not lines[number].startswith("    ") or (number and lines[number - 1].strip()):
        return []
    before = next((line for line in reversed(lines[:number]) if line and not line.startswith(" ")), "")
    if _LIST_ITEM.match(before) or before.startswith("[^"):
        return []
    end = number
    while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
        end += 1
    while not lines[end - 1].strip():
        end -= 1
    return lines[number:end]
