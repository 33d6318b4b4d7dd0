"""Files that somebody sent: opened only where they may be, read within bounds, their JSON checked against a shape.

A shape is written with Python's own types: ``str``, ``bool``, ``int`` (0 to 10 million), ``float`` (finite), ``object``
(anything; nobody looks into it), ``[shape]``, ``(shape, shape)`` for a list of two, a frozenset of the words that are
possible, ``{str: shape}`` for names of any kind, ``{"name": shape, "other?": shape}`` for an object. A field with ``?``
may be missing or null; a field that the shape does not name is passed over.
"""

from __future__ import annotations

import json
import math
import os
from typing import Any, BinaryIO

from ..errors import ReportError
from ..reading import open_regular, read_at_most

__all__ = ["WrongShape", "below", "check_json", "loads", "names_in", "open_file", "read_json"]

MOST_BYTES = 64 << 20
"""Of a file of JSON."""
_MOST_CONTAINERS = 1_000_000  # lists and objects: each takes some fifty bytes where the text has two
_LONGEST = 1_000_000  # characters of one text
_LARGEST = 10_000_000
_MOST_SECONDS = 1e10  # since 1970, which is in these files too
_ROUNDING = -1e-3  # differences of clocks
_PLAIN = (str, bool, int, float, object)
_WORDS = {str: "a text", bool: "true or false", int: f"a number from 0 to {_LARGEST}", float: "a finite number"}


class WrongShape(ValueError):
    """A value is not what it should be: the text names the field, what was expected and what was found."""


def open_file(path: str, inside: str = "") -> BinaryIO:
    """A regular file, opened to be read; with `inside`, only if it is below that folder, links followed.

    Raises:
        OSError: it can't be opened, or is a pipe, a device or a folder.
        ReportError: a link has led out of `inside`.
    """
    if inside and not below(path, inside):
        raise ReportError(f"{path} is a link that leads out of its folder: name the file itself")
    return open_regular(path)


def below(path: str, folder: str) -> bool:
    """Whether a file, wherever links lead, is below a folder."""
    real, above = os.path.realpath(path), os.path.realpath(folder)
    return real.startswith(os.path.join(above, ""))


def names_in(folder: str) -> list[str]:
    """The names in a folder. Raises ReportError if it can't be read."""
    try:
        return os.listdir(folder)
    except OSError as error:
        raise ReportError(f"{folder} can't be read: {error.strerror}") from error


def read_json(path: str, number: int, shape: Any, inside: str = "") -> Any:
    """What a file of JSON holds.

    Args:
        path: the file.
        number: its format, as its field "format" says.
        shape: see above.
        inside: as in `open_file`.

    Raises:
        FileNotFoundError: there is none.
        ReportError: it can't be read, or has not this shape; the text names the file and the field.
    """
    try:
        with open_file(path, inside) as file:
            data = read_at_most(file, MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise ValueError(f"it has more than {MOST_BYTES >> 20} MB")
        if data.count(b"[") + data.count(b"{") > _MOST_CONTAINERS:
            raise ValueError(f"it has more than {_MOST_CONTAINERS} lists and objects")
        found = loads(data.decode())
    except FileNotFoundError:
        raise
    except OSError as error:
        raise ReportError(f"{path} can't be read: {error.strerror}") from error
    except ValueError as error:
        raise ReportError(f"{path} can't be read: {error}") from error
    told = found.get("format") if isinstance(found, dict) else None
    if type(told) is not int or told != number:
        raise ReportError(f"{path} is of format {_shown(told)}, this depyf reads {number}")
    try:
        return check_json(found, shape)
    except WrongShape as error:
        raise ReportError(f"{path} is no report: {error}") from error


def loads(text: str) -> Any:
    """`json.loads` which raises ValueError for whatever is wrong: depth, and names that an object has twice, too."""
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise ValueError("lists and objects lie too deep in each other") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ValueError(f"an object has {_shown(twice)} twice")
    return found


def _number(digits: str) -> Any:
    """A number that is too large for any field becomes no number: `int` takes long for a million digits."""
    return int(digits) if len(digits) <= 20 else math.nan


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_int=_number)


def check_json(value: Any, shape: Any, field: str = "") -> Any:
    """`value`, without the fields that `shape` does not name. Raises WrongShape."""
    if shape in _PLAIN:
        return _plain(value, shape, field)
    if isinstance(shape, frozenset):
        if not isinstance(value, str) or value not in shape:
            raise _wrong(field, "one of " + ", ".join(sorted(shape)), value)
        return value
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            raise _wrong(field, "an object", value)
        return _fields(value, shape, field)
    if not isinstance(value, list):
        raise _wrong(field, "a list", value)
    if isinstance(shape, tuple):
        if len(value) != len(shape):
            raise _wrong(field, f"a list of {len(shape)}", value)
        return [check_json(one, wanted, f"{field}[{at}]") for at, (one, wanted) in enumerate(zip(value, shape))]
    return [check_json(one, shape[0], f"{field}[{at}]") for at, one in enumerate(value)]


def _fields(value: dict[str, Any], shape: dict[Any, Any], field: str) -> dict[str, Any]:
    dot = field + "." if field else ""
    if str in shape:
        return {
            check_json(name, str, f"a name in {field}"): check_json(one, shape[str], dot + _shown(name))
            for name, one in value.items()
        }
    found = {}
    for key, wanted in shape.items():
        name = key.rstrip("?")
        one = value.get(name)
        if one is not None:
            found[name] = check_json(one, wanted, dot + name)
        elif name is key:
            raise WrongShape(f"{dot}{name} is missing")
    return found


def _plain(value: Any, shape: Any, field: str) -> Any:
    if shape is object:
        return value
    if shape is float and type(value) in (int, float) and _ROUNDING <= value <= _MOST_SECONDS:
        return float(value)
    if type(value) is not shape or shape is float or shape is int and not 0 <= value <= _LARGEST:
        raise _wrong(field, _WORDS[shape], value)
    if shape is str:
        if len(value) > _LONGEST:
            raise WrongShape(f"{field} has more than {_LONGEST} characters")
        try:
            value.encode("utf-8", "surrogateescape")  # names of files may hold half characters of this kind
        except UnicodeEncodeError:
            raise WrongShape(f"{field} has half of a character, which is no text") from None
    return value


def _wrong(field: str, expected: str, found: Any) -> WrongShape:
    return WrongShape(f"{field or 'it'} should be {expected}, and is {_shown(found)}")


def _shown(value: Any) -> str:
    """A value in a message: its kind, where it is long."""
    if isinstance(value, (list, dict)):
        return "a list" if isinstance(value, list) else "an object"
    text = ascii(value)
    return text if len(text) <= 40 else text[:40] + "..."
