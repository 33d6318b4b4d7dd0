"""Code as HTML: coloured where pygments is at hand, escaped always, with line numbers and links.

Takes text; gives an HTML fragment that needs no script. Line numbers are in attributes, so that what a reader copies
is the code alone. The C++ and Triton sources which Inductor's Python modules hold in strings are coloured as such.
"""

from __future__ import annotations

import html
import re
from typing import Any, Iterable, Iterator, Mapping, Tuple

__all__ = ["IN_FULL", "code_html", "has_colours", "lines_html"]

IN_FULL = "to_html(path) writes all of it"

_CLASSES = (  # name of a token type of pygments, as far as it goes -> CSS class; the first that fits
    ("Comment.Preproc", "p"),
    ("Comment", "c"),
    ("Keyword.Type", "t"),
    ("Keyword", "k"),
    ("Operator.Word", "k"),
    ("Literal.String", "s"),
    ("Literal.Number", "n"),
    ("Name.Builtin", "b"),
    ("Name.Function", "f"),
    ("Name.Class", "f"),
    ("Name.Decorator", "d"),
)
_LINKED = re.compile(r"[\w.\-]+\.\w+:\d+|In\[\d+\]:\d+|[A-Za-z_]\w*")  # a place in a file, or a name
_CPP = re.compile(r"#include|extern \"C\"")
_TRITON = re.compile(r"^[ \t]*import triton\b", re.MULTILINE)
_MOST = 200_000  # characters of a text in colours
_Piece = Tuple[str, str]


def has_colours() -> bool:
    """Whether pygments is installed; without it code is shown in one colour."""
    try:
        import pygments  # noqa: F401
    except ImportError:
        return False
    return True


def code_html(
    text: str,
    language: str = "python",
    links: Mapping[str, str] | None = None,
    first_line: int = 1,
    anchor: str = "",
    marked: Iterable[int] = (),
    most_lines: int = 0,
    in_full: str = IN_FULL,
) -> str:
    """`text` as a ``<pre>`` with line numbers.

    Args:
        text: the code.
        language: a name that pygments knows; "text" for none.
        links: names, or places such as ``toy.py:4``, with the fragment that a click on one leads to.
        first_line: number of the first line.
        anchor: where given, line 4 gets the id ``<anchor>4``.
        marked: numbers of the highlighted lines.
        most_lines: how many lines to show; 0 for all. What is left out is said.
        in_full: what has all of them.
    """
    lines = _lines(_pieces(text.rstrip("\n"), language))
    left_out = len(lines) - most_lines if most_lines else 0
    if left_out > 0:
        lines = lines[:most_lines]
    shown = set(marked)
    out: list[str] = []
    for number, pieces in enumerate(lines, first_line):
        name = f' id="{html.escape(anchor)}{number}"' if anchor else ""
        mark = " m" if number in shown else ""
        body = "".join(_piece(css, part, links or {}) for css, part in pieces)
        out.append(f'<span class="l{mark}"{name}><i data-n="{number}"></i>{body}\n</span>')
    width = len(str(first_line + len(lines)))
    note = ""
    if left_out > 0:
        words = f"{left_out} more lines are left out here" + (": " + in_full if in_full else "")
        note = f'<p class="note">{html.escape(words)}.</p>'
    return '<pre class="code w{}"><code>{}</code></pre>{}'.format(min(max(width, 2), 5), "".join(out), note)


def lines_html(text: str, language: str = "python") -> list[str]:
    """Each line of `text` as HTML."""
    return ["".join(_piece(css, part, {}) for css, part in pieces) for pieces in _lines(_pieces(text, language))]


def _piece(css: str, text: str, links: Mapping[str, str]) -> str:
    """One token, escaped; the names in it that lead somewhere are links."""
    parts: list[str] = []
    at = 0
    for match in _LINKED.finditer(text) if links and css != "s" else ():
        target = links.get(match.group())
        if target is not None:
            parts.append(html.escape(text[at : match.start()]))
            parts.append(f'<a href="#{html.escape(target)}">{html.escape(match.group())}</a>')
            at = match.end()
    parts.append(html.escape(text[at:]))
    body = "".join(parts)
    return f'<span class="{css}">{body}</span>' if css else body


def _lines(pieces: Iterable[_Piece]) -> list[list[_Piece]]:
    lines: list[list[_Piece]] = [[]]
    for css, text in pieces:
        first, *others = text.split("\n")
        if first:
            lines[-1].append((css, first))
        lines += [[(css, other)] if other else [] for other in others]
    return lines


def _pieces(text: str, language: str) -> Iterator[_Piece]:
    """The tokens of `text` with their classes; one piece where nobody knows the language."""
    lexer = _lexer(language) if len(text) <= _MOST else None
    if lexer is None:
        yield "", text
        return
    string: list[str] = []  # pygments gives a string in several tokens
    for kind, part in _with_end(lexer.get_tokens(text)):
        if kind.startswith("Token.Literal.String"):
            string.append(part)
            continue
        if string:
            yield from _string("".join(string))
            string = []
        css = next((css for name, css in _CLASSES if kind.startswith("Token." + name)), "")
        if part:
            yield css, part


def _string(text: str) -> Iterator[_Piece]:
    """A string; the source of a kernel in it is coloured in its own language."""
    match = re.match(r"""(?s)([A-Za-z]*('''|\"\"\"))(.*)(\2)$""", text)
    language = ""
    if match:
        inner = match.group(3)
        language = "cpp" if _CPP.search(inner) else "python" if _TRITON.search(inner) else ""
    if not match or not language:
        yield "s", text
        return
    yield "s", match.group(1)
    yield from _pieces(match.group(3), language)
    yield "s", match.group(4)


def _with_end(tokens: Iterable[tuple[Any, str]]) -> Iterator[tuple[str, str]]:
    for kind, part in tokens:
        yield str(kind), part
    yield "", ""


_lexers: dict[str, Any] = {}


def _lexer(language: str) -> Any:
    if language not in _lexers:
        try:
            from pygments.lexers import get_lexer_by_name

            _lexers[language] = get_lexer_by_name(language, stripnl=False, ensurenl=False)
        except (ImportError, ValueError):  # ValueError: ClassNotFound
            _lexers[language] = None
    return _lexers[language]
