"""Tokenize a text written by the printer, by logical lines.

Python's own tokenizer can't be used: the text has the syntax of the code's version, not that of the running Python. The
printer writes neither comments between statements nor line continuations, so a few patterns suffice.
"""

from __future__ import annotations

import keyword
import re
from typing import Collection, NamedTuple, Sequence

OPENING, CLOSING = frozenset("([{"), frozenset(")]}")

_BODIES = {
    quote: re.compile(rf"(?:[^\\{quote[0]}]|\\.|{quote[0]}(?!{quote[1:]}))*?{quote}" if len(quote) == 3
                      else rf"(?:[^\\{quote}]|\\.)*{quote}", re.DOTALL)
    for quote in ("'", '"', "'''", '"""')
}  # fmt: skip
_TOKEN = re.compile(
    r"""(?:(?P<string>(?P<prefix>[A-Za-z]{0,2})(?P<quote>'''|\"\"\"|'|\"))"""
    r"|(?P<name>[^\W\d]\w*)"
    r"|(?P<number>0[xXoObB][\da-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?[\d_]+)?[jJ]?)"
    r"|(?P<op>\*\*=|//=|>>=|<<=|\.\.\.|->|:=|==|!=|<=|>=|\*\*|//|>>|<<|[-+*/%@&|^]="
    r"|[-+*/%@&|^~<>()\[\]{},:.;=!]))"
)
"""The beginning of a string literal, or another token."""
_BLANKS = re.compile(r"[ \t]*")
_ON_ONE_LINE = frozenset(("name", "number", "op"))
_FIRST_WORD = re.compile(r"\w+")

HEADERS = frozenset(
    "if elif else for while try except finally with def class match case async".split()
)

CLAUSES = frozenset(("elif", "else", "except", "finally", "case"))
"""The first words of clauses, which continue the statement before them."""


class CannotCut(Exception):
    """The text has something that the printer is not expected to write."""


class Token:
    """A token: its text and kind ('name', 'number', 'string', 'op'; in a formatted string also 'string_start',
    'string_end', and 'part' for literal text; 'statement' for a whole statement).

    ``line``, ``column``, ``end_line``, ``end_column``: its extent in the text, columns in bytes. ``space``: how many
    spaces precede it. ``is_glued``: nothing may be inserted before it.
    """

    __slots__ = ("text", "kind", "line", "column", "end_line", "end_column", "space", "is_glued", "in_string")

    def __init__(self, text: str, kind: str, space: int, is_glued: bool, in_string: bool) -> None:
        self.text, self.kind, self.space, self.is_glued, self.in_string = text, kind, space, is_glued, in_string
        self.line = self.column = self.end_line = self.end_column = 0

    @property
    def is_keyword(self) -> bool:
        """Whether it is a reserved word."""
        return keyword.iskeyword(self.text)

    def __repr__(self) -> str:
        return f"{self.text!r}@{self.line}:{self.column}"


class LogicalLine(NamedTuple):
    """A logical line: the tokens from ``start`` to ``end`` (excluded), indented ``depth`` times.

    ``is_header``: a block follows. ``parent`` is the index of the header of its block, -1 for none.
    """

    start: int
    end: int
    depth: int
    is_header: bool
    parent: int


class Logical(NamedTuple):
    """A logical line: its start in the text, after the indentation, and its end; its first and last line, its depth.

    ``is_cut``: it is always tokenized, as its positions alone do not determine its spelling: ``pass``, which may be
    absent, or backslashes, which may be in a raw string. ``tokens``: its tokens, if it had to be tokenized to find its
    end.
    """

    at: int
    end: int
    line: int
    end_line: int
    depth: int
    is_cut: bool
    tokens: list[Token] | None = None


class Tokens(NamedTuple):
    """The tokens of a text, and its logical lines."""

    tokens: list[Token]
    statements: list[LogicalLine]


class _Cutter:
    def __init__(self, text: str, free_fields: bool) -> None:
        self.text, self.free_fields = text, free_fields
        self.tokens: list[Token] = []
        self.at = 0
        self.line, self.line_start = 1, 0
        self.text_is_ascii = self.is_ascii = text.isascii()  # ``is_ascii``: the current line
        self.known_at = self.known_column = 0  # the column of one place in the current line
        self.is_template = False
        """Whether this is in a template string, which keeps the text of its fields."""

    def add(self, end: int, kind: str, space: int, glued: bool = False, in_string: bool = False) -> None:
        start = self.at
        text = self.text[start:end]
        token = Token(text, kind, space, glued, in_string)
        token.line, token.column = self.line, start - self.line_start if self.is_ascii else self.column(start)
        if kind not in _ON_ONE_LINE:
            lines = text.count("\n")
            if lines:
                self.line += lines
                self._begin_row(start + text.rindex("\n") + 1)
        self.at = end
        token.end_line, token.end_column = self.line, end - self.line_start if self.is_ascii else self.column(end)
        self.tokens.append(token)

    def begin(self, at: int, line: int) -> None:
        """Continue at offset ``at``, on this line of the text."""
        self.at, self.line = at, line
        self._begin_row(self.text.rfind("\n", 0, at) + 1)

    def _begin_row(self, at: int) -> None:
        self.line_start = self.known_at = at
        self.known_column = 0
        if not self.text_is_ascii:
            end = self.text.find("\n", at)
            self.is_ascii = self.text[at : end if end >= 0 else None].isascii()

    def statement(self) -> None:
        """Tokenize the logical line that begins here, up to its newline."""
        text, tokens, size = self.text, self.tokens, len(self.text)
        start, brackets, space = len(tokens), 0, 0
        while self.at < size:
            mark = text[self.at]
            if mark == "\n":
                if not brackets:
                    return
                self.at += 1
                self.line += 1
                self._begin_row(self.at)
            elif mark == "#":
                raise CannotCut(f"line {self.line}: a comment in a statement")
            else:
                found = _TOKEN.match(text, self.at)
                kind = found.lastgroup if found is not None else None
                if found is not None and kind is not None and kind in _ON_ONE_LINE:
                    self.add(found.end(), kind, space)
                    if kind == "op":
                        brackets += (mark in OPENING) - (mark in CLOSING)
                    space = self.blanks()
                    continue
                before = len(tokens)
                self.token(space)
                if before > start and tokens[before].kind == "string" == tokens[before - 1].kind:
                    self.merge()
            space = self.blanks()

    def merge(self) -> None:
        """Merge the last two tokens: adjacent literals are one string."""
        second = self.tokens.pop()
        first = self.tokens[-1]
        first.text += " " + second.text
        first.end_line, first.end_column = second.end_line, second.end_column

    def column(self, at: int) -> int:
        """Return the column of ``at``, which is in the current line behind all places asked for before."""
        piece = self.text[self.known_at : at]
        self.known_column += len(piece) if piece.isascii() else len(piece.encode("utf-8", "surrogatepass"))
        self.known_at = at
        return self.known_column

    def token(self, space: int, *, glued: bool = False, in_string: bool = False) -> None:
        """Add the token that begins here."""
        found = _TOKEN.match(self.text, self.at)
        if found is None:
            raise CannotCut(f"line {self.line}: {self.text[self.at : self.at + 20]!r}")
        kind = found.lastgroup
        assert kind is not None
        if kind != "string":
            self.add(found.end(), kind, space, glued, in_string)
            return
        prefix = found["prefix"].lower()
        if "f" in prefix or "t" in prefix:
            self.formatted(found, space, glued, in_string)
        else:
            self.add(self.end_of_string(found), "string", space, glued, in_string)

    def end_of_string(self, found: re.Match[str]) -> int:
        body = _BODIES[found["quote"]].match(self.text, found.end())
        if body is None:
            raise CannotCut(f"line {self.line}: a literal without an end")
        return body.end()

    def formatted(self, found: re.Match[str], space: int, glued: bool, in_string: bool) -> None:
        """Add the tokens of a formatted string; fields are tokenized like any expression.

        One with a newline in a field is one token: a template string keeps the text of its fields.
        """
        start, at, line = len(self.tokens), self.at, self.line
        quote, raw = found["quote"], "r" in found["prefix"].lower()
        before, self.is_template = self.is_template, self.is_template or "t" in found["prefix"].lower()
        self.add(found.end(), "string_start", space, glued, in_string)
        self.literal(quote, raw, in_specification=False)
        if not self.text.startswith(quote, self.at):
            raise CannotCut(f"line {self.line}: a formatted string without an end")
        self.is_template = before
        end = self.at + len(quote)
        if any(after.line > one.end_line for one, after in zip(self.tokens[start:], self.tokens[start + 1 :])):
            del self.tokens[start:]
            self.begin(at, line)
            self.add(end, "string", space, glued, in_string)
        else:
            self.add(end, "string_end", 0, True, in_string=True)

    def literal(self, quote: str, raw: bool, in_specification: bool) -> None:
        """Add literal text and fields, up to the quotes, or to the brace that ends the format specification."""
        text = self.text
        while self.at < len(text):
            end = self.at
            while end < len(text) and not text.startswith(quote, end):
                if text[end] == "\\" and not text.startswith(("\\N{"), end):
                    end += 1 if text[end + 1 : end + 2] in "{}" else 2
                elif text.startswith("\\N{", end) and not raw:
                    end = text.index("}", end) + 1
                elif text[end] in "{}" and not in_specification and text[end + 1 : end + 2] == text[end]:
                    end += 2
                elif text[end] in "{}":
                    break
                else:
                    end += 1
            if end > self.at:
                self.add(end, "part", 0, True, in_string=True)
            if not text.startswith("{", self.at):
                return
            self.field(quote, raw)

    def field(self, quote: str, raw: bool) -> None:
        self.add(self.at + 1, "op", 0, True, in_string=True)
        depth, first = 0, True
        while True:
            space = self.blanks()
            while self.text.startswith("\n", self.at):
                self.begin(self.at + 1, self.line + 1)
                space = self.blanks()
            mark = self.text[self.at : self.at + 1]
            following = self.text[self.at + 1 : self.at + 2]
            if not depth and (mark == "}" or mark == ":" or mark == "!" and following != "="):
                break
            if mark == "":
                raise CannotCut(f"line {self.line}: a field without an end")
            depth += (mark in OPENING) - (mark in CLOSING)
            self.token(space, glued=self.is_template or not self.free_fields, in_string=True)
            first = False
        if first:
            raise CannotCut(f"line {self.line}: an empty field")
        space = space if self.is_template else 0
        if mark == "!":
            self.add(self.at + 2, "part", space, True, in_string=True)
            space = 0
        if self.text.startswith(":", self.at):
            self.add(self.at + 1, "part", space, True, in_string=True)
            self.literal(quote, raw, in_specification=True)
            space = 0
        if not self.text.startswith("}", self.at):
            raise CannotCut(f"line {self.line}: a field without an end")
        self.add(self.at + 1, "op", space, True, in_string=True)

    def blanks(self) -> int:
        if self.text[self.at : self.at + 1] not in (" ", "\t"):
            return 0
        found = _BLANKS.match(self.text, self.at)
        assert found is not None
        self.at = found.end()
        return len(found[0])


def logical_lines(text: str, *, free_fields: bool) -> list[Logical]:
    """Return the logical lines of ``text``, tokenizing only those that may span lines. Raises CannotCut."""
    cutter = _Cutter(text, free_fields)
    found: list[Logical] = []
    at, line, size = 0, 1, len(text)
    while at < size:
        end = text.find("\n", at)
        end = end if end >= 0 else size
        row = text[at:end]
        code = row.lstrip(" \t")
        start, next_line = end - len(code), line + 1
        if code and code[0] != "#":
            tokens = None
            if _MAY_CONTINUE.search(code) is not None:
                tokens = cutter.tokens = []
                cutter.begin(start, line)
                cutter.statement()
                end, next_line = cutter.at, cutter.line + 1
            is_cut = code == "pass" or "\\\\" in code
            found.append(Logical(start, end, line, next_line - 1, (start - at) // 4, is_cut, tokens))
        at, line = end + 1, next_line
    return found


_MAY_CONTINUE = re.compile(r"\"\"\"|'''|#|\\$|[(\[{,]$")
"""In a line: its statement may continue on the next one, or there is a comment."""


def cut(
    text: str, *, free_fields: bool, logical: Sequence[Logical] | None = None, whole: Collection[int] = ()
) -> Tokens:
    """Tokenize ``text``; ``free_fields``: fields of formatted strings may be laid out too. Raises CannotCut.

    ``logical`` are its logical lines; those in ``whole`` become one token each, of kind 'statement'.
    """
    if logical is None:
        logical = logical_lines(text, free_fields=free_fields)
    cutter = _Cutter(text, free_fields)
    statements: list[LogicalLine] = []
    tokens = cutter.tokens
    headers: list[int] = []
    for number, one in enumerate(logical):
        start = len(tokens)
        if number not in whole and one.tokens is not None:
            tokens += one.tokens
        else:
            cutter.begin(one.at, one.line)
            if number in whole:
                cutter.add(one.end, "statement", 0)
            else:
                cutter.statement()
        _close(statements, tokens, start, one.depth, headers)
    return Tokens(tokens, statements)


def _close(
    statements: list[LogicalLine], tokens: list[Token], start: int, depth: int, headers: list[int]
) -> None:
    is_header = tokens[-1].text[-1] == ":"
    if is_header:
        first = _FIRST_WORD.match(tokens[start].text)
        is_header = first is not None and first[0] in HEADERS
    if depth > len(headers):
        raise CannotCut(f"line {tokens[start].line}: a deeper line without a header")
    del headers[depth:]
    statements.append(LogicalLine(start, len(tokens), depth, is_header, headers[-1] if headers else -1))
    if is_header:
        headers.append(len(statements) - 1)
