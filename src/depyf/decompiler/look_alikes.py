"""Warnings about a text that does not read as it runs: Trojan Source (CVE-2021-42574, CVE-2021-42694).

A name that looks like another one is reported, an ordinary name of another language is not: each of its letters that is
not ASCII must look like one that is, and it must have ASCII letters too, or look like a name that is in use.
"""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata
from functools import lru_cache
from typing import Iterable

from ..escapes import INVISIBLE, printable
from .layout.matching.tokens import CannotCut, Token, cut

__all__ = ["warnings_in", "with_warnings"]


def _pairs(text: str) -> dict[str, str]:
    return dict(zip(text[::2], text[1::2]))


# Letters, each before the ASCII letter that it looks like: from confusables.txt of Unicode 14 (UTS #39), without what
# NFKC, which Python applies to names, replaces, and without letters that look alike in few fonts.
_ALIKE = _pairs(
    "аaАAВBсcСCԁdеeҽeЕEԌGһhНHіiІIꙇiјjЈJКKӏlӀlМMоoОOрpРPԛqѕsЅSТTѵvѴVѡwԝwԜWхxХXуyүyУYҮYЗ3"  # Cyrillic
    "ΑAΒBΕEϜFΗHΙIϳjͿJΚKΜMϺMΝNοoΟOΡPΤTΧXΥYΖZ"  # Greek
    "ɑaᴄcɡgᴏoꬽoꭇrꜱsᴜuꭎuᴠvᴡwᴢzꞲJꞳXꞘFꞴBǃ!ǀ|ꞌ'ː:ꓽ:"  # Latin and punctuation, of phonetics
    "քfցgհhոnռnօoՕOգqզqՏSսuՍUաwჿoყyⴹEⵏlⵔOⵕQⴸVⵝX"  # Armenian, Georgian, Tifinagh
    "ᎪAᏏbᏴBꮯcᏟCᏧdᎠDᎬEᏀGᏳGᏂhᎻHꭵiᎥiᎫJᏦKᏞLᎷMᏢPꮁrᎡRᏒRꮪsᏕSᏚSᎢTꮩvᏙVꮃwᎳWᏔWᎩYᎽYꮓzᏃZ"  # Cherokee
    "ꓮAꓐBꓚCꓒdꓓDꓰEꓝFꓖGꓧHꓙJꓗKꓲlꓡLꓟMꓠNꓳOꓑPꓣRꓢSꓔTꓴUꓦVꓪWꓫXꓬYꓜZ"  # Lisu
    "ᗅAᑲbᖯbᗷBᑯdᗞDᗪDᖴFᕼHᒍJᒪLᗰMᑭPᖇRᑌUᐯVᕁxᕽxⲥcⲤCⲎHⲔKⲒlⳐLⲘMⲚNⲟoⲞOⲣpⲢPⲅrⲦTⲬXⲨY"  # Canadian syllabics, Coptic
    "𐊂B𐊆E𐊇F𐊊l𐊒O𐊕P𐊖S𐊗T𐊐X𐊠A𐊡B𐊢C𐊥F𐋏H𐊰M𐊫O𐊱T𐊴X𐊲Y𐌁B𐌂C𐌉l𐌑M𐌕T𐌗X𐐽c𐐕C𐐛L𐐬o𐐄O𐑈s𐐠SᛕKᛁlᛖMᚷX"  # scripts of history
)

# Letters of formulas and of other Latin alphabets: the name must be several letters long and look like one in use.
_SIMILAR = _pairs("αaγyηnιiκkνvρpσoτtυuχxωwкkıiɩiɪiꞁlɣyʏyʋvƽsƍgƖl")

_CONTROLS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_ESCAPED = re.compile(r"(?<!\\)(?:\\\\)*\\u(202[a-e]|206[6-9])")
_WORD = re.compile(r"(?:[A-Za-z_]|[^\x00-\x7f])(?:[A-Za-z0-9_]|[^\x00-\x7f])*")
_PREFIX = re.compile("[A-Za-z]*")
_MODULES = """abc ast asyncio base64 code codeop codecs collections copy csv ctypes decimal dis functools hashlib hmac
html http importlib inspect io itertools json logging marshal math opcode os pathlib pickle platform posix pwd pydoc
random re sched secrets shelve shutil signal site smtplib socket sqlite3 ssl string struct subprocess sys tempfile
threading time types typing urllib uuid wave zipfile"""
_MOST_NAMES, _MOST_LINES, _LONGEST = 20, 5, 60


def with_warnings(text: str) -> str:
    """The text with its warnings as comments at the end, where they move no line."""
    found = warnings_in(text)
    end = "\n" if found and not text.endswith("\n") else ""
    return text + end + "".join(f"# warning: {warning}\n" for warning in found)


def warnings_in(text: str) -> list[str]:
    """A sentence for each name that looks like another one or has invisible characters, and one for all strings with
    controls that change the direction of text."""
    if text.isascii() and "\\u20" not in text:
        return []
    suspects = {word for word in set(_WORD.findall(text)) if not word.isascii() and _looks(word)}
    if not suspects and _ESCAPED.search(text) is None and _CONTROLS.search(text) is None:
        return []
    try:
        tokens = cut(text, free_fields=False).tokens
    except CannotCut:  # words in strings are taken for names then
        lines = enumerate(text.split("\n"), 1)
        tokens = [_token(one[0], "name", number) for number, line in lines for one in [*_WORD.finditer(line)]]
        tokens += [_token(line, "part", number) for number, line in enumerate(text.split("\n"), 1)]
    words = [(word, token.line) for token in tokens for word in _words(token)]
    in_use = {word for word, _ in words if word.isascii()} | _names_of_python()
    places: dict[str, list[int]] = {}
    for word, line in words:
        if word in suspects and _is_double(word, in_use):
            places.setdefault(word, []).append(line)
    found = [f"{_lines(lines)}: the name {word[:_LONGEST]!r} {_looks(word)}" for word, lines in places.items()]
    found = [printable(one) for one in found]
    if len(found) > _MOST_NAMES:
        found[_MOST_NAMES:] = [f"and {len(found) - _MOST_NAMES} more such names"]
    return found + _turned(text, tokens)


def _token(text: str, kind: str, line: int) -> Token:
    token = Token(text, kind, 0, False, False)
    token.line = line
    return token


def _words(token: Token) -> Iterable[str]:
    if token.kind == "name":
        return [token.text]
    prefix = _PREFIX.match(token.text)
    is_formatted = token.kind == "string" and prefix is not None and not {"f", "t"}.isdisjoint(prefix[0].lower())
    return _WORD.findall(token.text) if is_formatted else ()


def _looks(word: str) -> str:
    """In words, what its characters that are not ASCII pretend; '' if one of them is an ordinary letter."""
    others = dict.fromkeys(char for char in word if not char.isascii())
    hidden = [char for char in others if char in INVISIBLE]
    if not word.isidentifier() or not hidden and any(char not in _ALIKE and char not in _SIMILAR for char in others):
        return ""
    shown = ", ".join(f"U+{ord(char):04X} {unicodedata.name(char, '')}".strip() for char in [*(hidden or others)][:3])
    return f"has the invisible {shown}" if hidden else f"looks like {_ascii(word)[:_LONGEST]!r} but has {shown}"


def _is_double(word: str, in_use: set[str]) -> bool:
    if not all(char.isascii() or char in _ALIKE for char in word) and INVISIBLE.isdisjoint(word):
        runs = re.split("[_0-9]+", word)
        is_mixed = any(len(run) > 2 and any(map(str.isascii, run)) and not run.isascii() for run in runs)
        return is_mixed and _ascii(word) in in_use
    return any(char.isascii() and char.isalpha() for char in word) or _ascii(word) in in_use or (
        not _ascii(word).isidentifier() or not INVISIBLE.isdisjoint(word)
    )


def _ascii(word: str) -> str:
    return "".join(_ALIKE.get(char) or _SIMILAR.get(char, char) for char in word)


@lru_cache(maxsize=None)
def _names_of_python() -> frozenset[str]:
    return frozenset([*dir(builtins), *keyword.kwlist, *_MODULES.split(), "self", "cls"])


def _turned(text: str, tokens: list[Token]) -> list[str]:
    """The warning about text whose direction is changed: by controls, or by their escapes in literals."""
    found = [(line, mark) for line, row in enumerate(text.split("\n"), 1) for mark in _CONTROLS.findall(row)]
    is_raw = False
    for token in tokens:
        if token.kind in ("string", "string_start"):
            prefix = _PREFIX.match(token.text)
            is_raw = prefix is not None and "r" in prefix[0].lower()
        if token.kind in ("string", "part") and not is_raw:
            found += [(token.line, chr(int(digits, 16))) for digits in _ESCAPED.findall(token.text)]
    if not found:
        return []
    marks = ", ".join(f"U+{ord(mark):04X}" for mark in sorted({mark for _, mark in found}))
    return [f"{_lines(sorted({line for line, _ in found}))}: controls that change the direction of text ({marks})"]


def _lines(numbers: list[int]) -> str:
    shown = [*dict.fromkeys(numbers)]
    listed = ", ".join(map(str, shown[:_MOST_LINES])) + (", ..." if len(shown) > _MOST_LINES else "")
    return f"line {listed}" if len(shown) == 1 else f"lines {listed}"
