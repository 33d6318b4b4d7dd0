"""Spellings of strings and bytes, the most common first."""

from __future__ import annotations

import functools
import re
import unicodedata
from typing import Callable, Dict, Iterator, Optional, Sequence

_QUOTES = ("'", '"', "'''", '"""')
_NAMES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\a": "\\a", "\b": "\\b", "\f": "\\f", "\v": "\\v"}
_SHORT = re.compile(r"(?<!\\)((?:\\\\)*)\\x(07|08|0b|0c)")
OF_LITERAL = re.compile(r"(?P<prefix>[A-Za-z]*)(?P<quote>'''|\"\"\"|'|\")")


OTHER_QUOTE = {"'": '"', '"': "'"}


def quote_of(text: str) -> str:
    """Return the quote of the literal ``text``, a single one if that is in triple quotes."""
    match = OF_LITERAL.match(text)
    return match["quote"] if match is not None and len(match["quote"]) == 1 else "'"


def width_of(text: str) -> int:
    """Return the width of ``text`` in bytes."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def spellings_of_string(value: str | bytes, text: str) -> Iterator[str]:
    """Yield the usual spellings of this value; ``text`` has the preferred quotes."""
    quotes = _quotes(text)
    has_backslash = (b"\\" if isinstance(value, bytes) else "\\") in value  # type: ignore[operator]
    yield from _literals(value, quotes[:2], _USUAL, raw=has_backslash)
    yield from _literals(value, quotes[2:], (), raw=has_backslash)
    yield from _literals(value, quotes[2:], _USUAL, raw=False)


def rare_spellings_of_string(value: str | bytes, text: str, width: int | None = None) -> Iterator[str]:
    """Yield spellings that fewer people write; ``width``: others are of no use."""
    quotes = _quotes(text)
    mark = _mark(quotes)
    has_backslash = (b"\\" if isinstance(value, bytes) else "\\") in value  # type: ignore[operator]
    yield from _literals(value, quotes, _RARE, raw=not has_backslash)
    if isinstance(value, str):
        yield from ("u" + text for text in in_quotes(value, mark, _USUAL) if not text.startswith("r"))
    yield from _halves(value, mark, width)
    if isinstance(value, str) and "{" not in value and "}" not in value:
        yield from ("f" + text for text in in_quotes(value, mark, _USUAL) if text.isprintable())


def _literals(value: str | bytes, quotes: list[str], escapes: Sequence[Escape], *, raw: bool) -> Iterator[str]:
    """Yield literals in these ``quotes``, with each of the ``escapes``, then raw ones."""
    for escape in escapes:
        for one in quotes:
            yield from in_quotes(value, one, (escape,), raw=False)
    for one in quotes if raw else ():
        yield from in_quotes(value, one, ())


def _quotes(text: str) -> list[str]:
    """Return all quotes, those most like the ones of the literal ``text`` first."""
    match = OF_LITERAL.match(text)
    quote = match["quote"] if match is not None else "'"
    return sorted(_QUOTES, key=lambda one: (len(one) != len(quote), one != quote, one == "'''"))


def _mark(quotes: list[str]) -> str:
    return next(one for one in quotes if len(one) == 1)


def _halves(value: str | bytes, mark: str, width: int | None) -> Iterator[str]:
    """Yield two adjacent halves."""
    half = len(value) // 2
    seconds = [*in_quotes(value[half:], mark)] if half else []
    for first in in_quotes(value[:half], mark) if half else ():
        room = width - width_of(first) if width is not None else None
        for second in seconds:
            yield from (f"{first}{' ' * blanks}{second}" for blanks in (1, 0)
                        if room is None or width_of(second) + blanks == room)  # fmt: skip


def in_quotes(
    value: str | bytes, quote: str, escapes: Sequence[Escape] | None = None, *, raw: bool = True
) -> Iterator[str]:
    """Yield literals of this value, on one line or, in triple quotes, with its own newlines."""
    prefix = "b" if isinstance(value, bytes) else ""
    text = value.decode("latin-1") if isinstance(value, bytes) else value
    seen = set()
    for escape in _ESCAPES if escapes is None else escapes:
        body = escape(text, quote, bool(prefix))
        if body is not None and body not in seen:
            seen.add(body)
            yield prefix + quote + body + quote
    if raw and _may_be_raw(text, quote, bool(prefix)):
        yield "r" + prefix + quote + text + quote


def in_usual_quotes(value: str | bytes, quote: str) -> str:
    """Return the usual literal of this value, in the other quotes if only ``quote`` would need an escape."""
    text = value.decode("latin-1") if isinstance(value, bytes) else value
    other = OTHER_QUOTE[quote]
    return next(in_quotes(value, other if quote in text and other not in text else quote))


def _may_be_raw(text: str, quote: str, is_bytes: bool) -> bool:
    rest = re.sub(r"\\.", "", text, flags=re.DOTALL)
    if quote in rest or rest.endswith((quote[0], "\\")) or is_bytes and not text.isascii():
        return False
    return all(char.isprintable() or char == "\n" and len(quote) == 3 for char in text)


def _named(text: str, quote: str, is_bytes: bool) -> str:
    """Also use the short escapes that `repr` does not."""
    return _SHORT.sub(lambda found: found[1] + _NAMES[chr(int(found[2], 16))], plain(text, quote, is_bytes))


def with_short_escapes(value: str | bytes, text: str) -> str | None:
    """Return the literal ``text`` of this value with escapes as short as possible; None if it has no longer ones."""
    match = OF_LITERAL.match(text)
    short = next(in_quotes(value, match["quote"] if match is not None else "'", (_named_octal,), raw=False))
    return short if short != text else None


def _wide(text: str, quote: str, is_bytes: bool) -> str | None:
    return None if is_bytes else _escaped(text, quote, False, ascii_only=True, form="u")


def _character_names(text: str, quote: str, is_bytes: bool) -> str | None:
    if is_bytes or text.isascii():
        return None
    try:
        named = {
            char: f"\\N{{{unicodedata.name(char)}}}" if char > "\x7f" else plain(char, quote, is_bytes)
            for char in {*text}
        }
        return "".join(map(named.__getitem__, text))
    except ValueError:  # a character without a name
        return None


def _all_wide(text: str, quote: str, is_bytes: bool) -> str | None:
    if is_bytes or max(text, default="") > "\uffff":
        return None
    digits = text.encode("utf-16-be", "surrogatepass").hex(" ", 2)
    return "\\u" + digits.replace(" ", "\\u") if text else ""


def _all_hexadecimal(text: str, quote: str, is_bytes: bool) -> str | None:
    try:
        digits = text.encode("latin-1").hex(" ")
    except UnicodeEncodeError:
        return None
    return "\\x" + digits.replace(" ", "\\x") if text else ""


def _hexadecimal_behind(text: str, quote: str, is_bytes: bool) -> str | None:
    """Write everything from the first character on that needs a number escape as number escapes."""
    start = next((at for at, char in enumerate(text) if not char.isprintable() or char > "~"), 0)
    rest = _all_hexadecimal(text[start:], quote, is_bytes)
    return plain(text[:start], quote, is_bytes) + rest if start and rest is not None else None


def _single_backslashes(text: str, quote: str, is_bytes: bool) -> str | None:
    """Do not double backslashes that begin no escape."""
    body = re.sub(r"\\\\(?![\\'\"abfnrtvxuUN0-7\n])", r"\\", plain(text, quote, is_bytes))
    return body if not body.endswith("\\") else None


def _all_quotes(text: str, quote: str, is_bytes: bool) -> str:
    return re.sub(r"(?<!\\)(['\"])", r"\\\1", plain(text, quote, is_bytes))


def _one_line(text: str, quote: str, is_bytes: bool) -> str:
    return plain(text, quote, is_bytes).replace("\n", "\\n")


def _raw_characters(text: str, quote: str, is_bytes: bool) -> str | None:
    """Write tabs and spaces of other widths unescaped, but no controls, whatever the columns say: people read the text,
    on a terminal."""
    if "\\" in text or quote in text or text.endswith(quote[0]):
        return None
    if not all(char.isprintable() or char == "\t" or unicodedata.category(char) == "Zs" for char in text):
        return None
    return None if is_bytes and not text.isascii() else text


@functools.lru_cache(maxsize=128)
def _escaped(
    text: str, quote: str, is_bytes: bool, *, ascii_only: bool = False, form: str = "x", names: bool = True,
    short: bool = False,
) -> str:
    escapes = _table(quote, is_bytes, ascii_only or is_bytes, form, names, short)
    if form in ("o", "oo") and _OCTAL_DIGIT.search(text) or len(quote) > 1 and quote[0] in text:
        return _MAY_BE_ESCAPED.sub(functools.partial(_escape_in, text, quote, escapes), text)
    return text.translate(escapes)


plain = _escaped
ascii_only = functools.partial(_escaped, ascii_only=True)
_no_names = functools.partial(_escaped, names=False)
_octal = functools.partial(_escaped, form="o")
_named_octal = functools.partial(_escaped, form="o", short=True)
_octal_in_ascii = functools.partial(_escaped, form="o", ascii_only=True)
_padded_octal = functools.partial(_escaped, form="ooo")
_two_octal = functools.partial(_escaped, form="oo")
Escape = Callable[[str, str, bool], Optional[str]]
"""(text, quotes, is bytes) -> the body between the quotes, or None."""
_USUAL: tuple[Escape, ...] = (
    plain, _named, _single_backslashes, _octal, _named_octal, _padded_octal, ascii_only, _wide, _one_line, _no_names,
    _raw_characters,
)  # fmt: skip
_RARE: tuple[Escape, ...] = (
    _octal_in_ascii, _all_hexadecimal, _hexadecimal_behind, _character_names, _all_wide, _two_octal,
    _all_quotes,
)  # fmt: skip
_ESCAPES = (*_USUAL, *_RARE)


class _Escapes(Dict[int, str]):
    """How each character is written that does not depend on what is around it, made as it is needed."""

    def __init__(self, quote: str, is_bytes: bool, ascii_only: bool, form: str, names: bool, short: bool) -> None:
        self.quote, self.ascii_only, self.form, self.short = quote, ascii_only, form, short
        self.usual = "\n\t\r" if names or is_bytes else "\n\r"

    def __missing__(self, number: int) -> str:
        self[number] = found = self.made(chr(number))
        return found

    def made(self, char: str) -> str:
        if char == "\\":
            return "\\\\"
        if char == "\n" and len(self.quote) == 3:
            return char
        if char == self.quote:
            return "\\" + char
        if char in _NAMES and (self.short or char in self.usual):
            return _NAMES[char]
        if char.isprintable() and (char.isascii() or not self.ascii_only):
            return char
        return _number_escape(char, self.form)


_table = functools.lru_cache(maxsize=64)(_Escapes)


def _escape_in(text: str, quote: str, escapes: _Escapes, found: re.Match[str]) -> str:
    char, number = found[0], found.start()
    if char == quote[0] and len(quote) > 1:
        is_last = number == len(text) - 1
        return "\\" + char if is_last or text.startswith(quote, number) else char
    usual = escapes[ord(char)]
    if escapes.form in ("o", "oo") and usual[1:2].isdigit() and "0" <= text[number + 1 : number + 2] <= "7":
        return _number_escape(char, "x")  # the digit would be part of the escape
    return usual


def forget() -> None:
    """Forget the texts escaped so far, which a search asks for again and again."""
    _escaped.cache_clear()
    _table.cache_clear()


_MAY_BE_ESCAPED = re.compile(r"[\\'\"]|[^ -~]")
_OCTAL_DIGIT = re.compile("[0-7]")


def _number_escape(char: str, form: str) -> str:
    number = ord(char)
    if form == "ooo" and number < 256:
        return f"\\{number:03o}"
    if form == "oo" and number < 64:
        return f"\\{number:02o}"
    if form == "o" and number < 256:
        return f"\\{number:o}"
    if number > 0xFFFF:
        return f"\\U{number:08x}"
    if number > 255 or form == "u":
        return f"\\u{number:04x}"
    return f"\\x{number:02x}"
