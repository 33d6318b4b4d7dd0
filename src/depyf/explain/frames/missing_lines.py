"""The text of lines whose file is gone: decompiled on the lines of the original, from the functions that are alive."""

from __future__ import annotations

import dataclasses
import os
from types import CodeType, FunctionType
from typing import Any, Iterator

from ..model import Frame, Session, SourceLine

__all__ = ["fill_in_lines"]

_MOST_FUNCTIONS = 200


def fill_in_lines(session: Session) -> None:
    """Gives the lines of files that are gone their text, as far as functions of these files tell it."""
    gone = {frame.filename for frame in session.frames if _is_gone(frame)}
    if not gone:
        return
    texts: dict[str, dict[int, str]] = {filename: {} for filename in gone}
    for count, code in enumerate(_codes(session.frames, gone)):
        if count == _MOST_FUNCTIONS:
            break
        for line, text in _lines(code).items():
            texts[code.co_filename].setdefault(line, text)
    _fill(session.frames, texts)


def _is_gone(frame: Frame) -> bool:
    return not frame.source and not frame.is_resume and not os.path.exists(frame.filename)


def _codes(frames: list[Frame], gone: set[str]) -> Iterator[CodeType]:
    """The code of the frames, and of the functions and methods that their modules hold; each once."""
    found: dict[int, CodeType] = {}
    for frame in frames:
        if frame.code is not None and not frame.is_resume:
            found[id(frame.code)] = frame.code
        for value in list((frame.globals or {}).values()):
            for one in list(vars(value).values()) if isinstance(value, type) else [value]:
                if isinstance(one, FunctionType):
                    found[id(one.__code__)] = one.__code__
    return (code for code in found.values() if code.co_filename in gone)


def _lines(code: CodeType) -> dict[int, str]:
    from ...without_source.made_code import MARK, lines_of

    found = enumerate(lines_of(code) or [], 1)
    return {line: text.strip() for line, text in found if text.strip() and not text.rstrip().endswith(MARK.strip())}


def _fill(holder: Any, texts: dict[str, dict[int, str]]) -> None:
    """Replaces the lines without text in lists and in the fields of the model."""
    if isinstance(holder, list):
        for place, value in enumerate(holder):
            holder[place] = _filled(value, texts)
    elif isinstance(holder, dict):
        for key, value in holder.items():
            holder[key] = _filled(value, texts)
    else:
        for one in dataclasses.fields(holder):
            if not one.metadata.get("live"):
                before = getattr(holder, one.name)
                after = _filled(before, texts)
                if after is not before:
                    setattr(holder, one.name, after)


def _filled(value: Any, texts: dict[str, dict[int, str]]) -> Any:
    if isinstance(value, SourceLine):
        text = texts.get(value.filename, {}).get(value.line, "") if not value.text else ""
        return dataclasses.replace(value, text=text) if text else value
    if isinstance(value, (list, dict)) or _is_noun(value):
        _fill(value, texts)
    return value


def _is_noun(value: Any) -> bool:
    """Whether its fields can be set: what is frozen holds no lines."""
    parameters = getattr(type(value), "__dataclass_params__", None)
    return parameters is not None and not parameters.frozen
