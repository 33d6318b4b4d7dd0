"""The name of a compiled file -> that of its source, its version and level of optimisation.

CPython's rule is in Lib/importlib/_bootstrap_external.py, ``cache_from_source`` and ``source_from_cache`` (PEP 3147
and 488): ``__pycache__/NAME.TAG.pyc``, ``__pycache__/NAME.TAG.opt-N.pyc``, and ``NAME.pyc`` beside the source.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

CACHE = "__pycache__"
SUFFIXES = (".pyc", ".pyo")
PYTEST = "-pytest-"
"""Part of the tag of files that pytest writes."""
_TAG = re.compile(r"cpython-3(\d+)\Z")
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]"
)
"""Characters that HFS+ and ext4's folders without case leave out (Unicode's Default_Ignorable_Code_Point)."""
_SHORT = re.compile(r"(?:\A|/)[^/.~]{1,6}~[0-9]{1,6}(?:\.[^/.]{0,3})?(?=/|\Z)")
"""Windows' short form of another name, ``PROGRA~1.TXT``."""


class PycName(NamedTuple):
    """The parts of a name; names have ``/`` between folders, whatever the system has.

    ``source`` is the name of the source file, ``tag`` the interpreter's cache tag ('' outside of ``__pycache__``),
    ``optimization`` the part after ``opt-`` ('' if there is none).
    """

    source: str
    tag: str
    optimization: str

    @property
    def cached(self) -> bool:
        """Whether it is in ``__pycache__``, with a tag."""
        return bool(self.tag)

    @property
    def version(self) -> tuple[int, int] | None:
        """The version of CPython that looks for this name; None if the tag is not CPython's."""
        found = _TAG.match(self.tag)
        return (3, int(found.group(1))) if found else None

    @property
    def optimize(self) -> int | None:
        """The argument of compile(); None for a name that is none of CPython's. ``-OOO`` compiles as ``-OO`` does."""
        if not self.optimization:
            return 0
        return min(int(self.optimization), 2) if self.optimization.isdecimal() else None


def parse(name: str) -> PycName:
    """The parts of the name of a compiled file."""
    folder, slash, base = name.rpartition("/")
    stem = base[:-4] if is_compiled(base) else base
    parent, _, last = folder.rpartition("/")
    if last != CACHE:
        return PycName(folder + slash + stem + ".py", "", "")
    rest, dot, end = stem.rpartition(".")
    optimization = ""
    if dot and end.lower().startswith("opt-"):  # in any case, as the suffix
        stem, optimization = rest, end[len("opt-") :] or "?"
    version = stem.find(PYTEST)  # its own version has dots
    module, dot, tag = (stem[:version] if version >= 0 else stem).rpartition(".")
    tag += stem[version:] if version >= 0 else ""
    if not dot:
        module, tag = stem, "?"
    return PycName(f"{parent}/{module}.py" if parent else f"{module}.py", tag or "?", optimization)


def is_compiled(name: str) -> bool:
    """Whether the name is that of a compiled file, in any case, for case-insensitive file systems."""
    return name.lower().endswith(SUFFIXES)


def is_python(name: str) -> bool:
    """Whether the name is that of a source or a compiled file."""
    return name.endswith((".py", ".pyw")) or is_compiled(name)


def spelling(name: str) -> str:
    """A text that is the same for two names if some file system takes one for the other.

    File systems leave out case (NTFS, APFS, ext4), compose or decompose letters (HFS+, APFS), leave out invisible ones
    (HFS+, ext4), or dots and spaces at the end (Windows), where a colon begins the name of a stream.
    """
    if name.isascii():
        text = name.lower()
    else:
        text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", name)).upper().casefold()
        text = unicodedata.normalize("NFKC", text)
    if ":" in text or " " in text or "./" in text or text.endswith("."):
        text = "/".join(part.partition(":")[0].rstrip(" .") for part in text.split("/"))
    return text


def misspelled(name: str, spelled: str) -> str:
    """How some file system takes the name of a Python file for another one, '' if none does."""
    if is_compiled(spelled) and not is_compiled(name):
        return "is the name of a compiled file on some file systems"
    if CACHE in spelled.split("/")[:-1] and spelled.split("/").count(CACHE) != name.split("/").count(CACHE):
        return f"is in {CACHE} on some file systems"
    if _SHORT.search(name):
        return "is the short form of another name on Windows"
    return ""
