"""Text for code that never had a file: what exec() made of a string, or a file that is gone. A part of `depyf.source`.

Such code often shares its file's name, ``<string>``, with other code: `linecache`, which knows names alone, can't tell
them apart. Those that have the code itself are asked to look here if they find nothing: `inspect.findsource`, the
summaries that `traceback` makes of frames, and debugpy.
"""

from __future__ import annotations
import __future__

import contextlib
import inspect
import linecache
import logging
import os
import threading
import traceback
import types
from typing import Any, Callable, Iterable, Iterator

from .source_in_debuggers import change_debuggers

log = logging.getLogger("depyf")

MARK = "  # depyf: perhaps another line"
_BUDGET = 50_000
"""Half a second: a traceback must not wait longer."""
_MOST_LINES = 200_000
"""Before the first one: only line tables that lie have more of them."""
_MOST_KEPT = 500

_at_work = threading.local()
_kept: dict[types.CodeType, list[str] | None] = {}


def installed(undo: contextlib.ExitStack) -> None:
    """Asks whoever has code to look here; ``undo`` ends it."""
    _replace(undo, inspect, "findsource", _found_by_inspect(inspect.findsource))
    name = "_extract_from_extended_frame_gen"
    name = name if hasattr(traceback.StackSummary, name) else "extract"
    before = vars(traceback.StackSummary)[name]
    _replace(undo, traceback.StackSummary, name, classmethod(_with_lines(before.__func__)))
    change_debuggers(_text, lambda owner, name, value: _replace(undo, owner, name, value))
    undo.callback(_kept.clear)


def _replace(undo: contextlib.ExitStack, owner: Any, name: str, value: Any) -> None:
    before = vars(owner)[name]

    def put_back() -> None:
        if vars(owner)[name] is value:
            setattr(owner, name, before)

    setattr(owner, name, value)
    undo.callback(put_back)


@contextlib.contextmanager
def at_work() -> Iterator[bool]:
    """True, unless the decompiler is at work in this thread already: then it has a traceback to print itself."""
    if getattr(_at_work, "on", False):
        yield False
        return
    _at_work.on = True
    try:
        yield True
    finally:
        _at_work.on = False


def text_of_module(code: types.CodeType) -> str | None:
    """The text of a module's code on the lines of the original; None if there is none. Raises what `analyze` does."""
    from .decompiler.pipeline import analyze

    lines = marked_lines(analyze(code, layout="author"))
    return "".join(lines) if lines is not None else None


def marked_lines(result: Any) -> list[str] | None:
    """The lines of a text; those that may not be on the line of the original say so. None if it is not laid out."""
    if not result.text.is_laid_out:
        return None
    moved = next((original - line for line, original in result.line_map.items()), 0)
    certain: set[int] = set()
    others: set[int] = set()
    parts = list(result.walk())
    known = {id(part.raw) for part in parts if part.verdict.lines}
    if len(known) < len(parts):
        known |= _with_the_same_lines(result, moved)
    for part in parts:
        places = part.raw.positions() if part.raw is not None else ()
        (certain if id(part.raw) in known else others).update(line for line, *_ in places if line)
    lines = _cut(result.source)
    for number in (line - moved for line in others - certain):
        if 0 < number <= len(lines) and lines[number - 1].strip():
            lines[number - 1] = lines[number - 1].rstrip("\n") + MARK + "\n"
    return lines


def _with_the_same_lines(result: Any, moved: int) -> set[int]:
    """The ids of code whose instructions have the same lines, though it is not the same to the byte.

    Calls of a module's functions are other instructions where the module is not imported above them (the compiler
    looks for that from 3.11 on): those of a function by itself never are.
    """
    from .decompiler.bytecode import known_instructions
    from .decompiler.bytecode.kinds import kind_of
    from .decompiler.proof import compile_unit
    from .errors import DecompilationError

    if result.raw is None or kind_of(result.raw) != "function":
        return set()

    def lines(raw: Any, moved: int) -> list[Any]:
        found = [one for one in known_instructions(raw) if one.op != "NULL"]  # whose place differs
        return [(one.op, one.line and one.line - moved) for one in found]

    try:
        other = compile_unit(result.source, result.raw)
        pairs = zip(result.raw.walk(), other.walk())
        return {id(one) for one, again in pairs if lines(one, moved) == lines(again, 0)}
    except DecompilationError:
        return set()


def _cut(text: str) -> list[str]:
    """Its lines as a file has them: `str.splitlines` cuts at form feeds too."""
    lines = text.split("\n")
    return [line + "\n" for line in (lines[:-1] if not lines[-1] else lines)]


def has_none(code: types.CodeType) -> bool:
    """Whether there is no file, and no other text, for the code, so that it may have one from here."""
    name = code.co_filename
    if name.startswith("<frozen ") or code.co_name.startswith("<") and code.co_name not in ("<module>", "<lambda>"):
        return False
    return not os.path.exists(name)


def _lines(code: types.CodeType) -> list[str] | None:
    """Lines of the file that the code could come from; blank where others would be. None if it has none."""
    if code not in _kept:
        if getattr(_at_work, "on", False):
            return None
        if len(_kept) >= _MOST_KEPT:
            _kept.clear()
        _kept[code] = lines_of(code)
    return _kept.get(code)


def lines_of(of: Any, code: types.CodeType | None = None) -> list[str] | None:
    """As `_lines`, of a function with what it is defined with, too. Never raises."""
    code = code if code is not None else of
    first = code.co_firstlineno if code.co_name != "<module>" else 1
    with at_work() as free:
        if not free or not 1 <= first <= _MOST_LINES:
            return None
        try:
            from .decompiler.pipeline import analyze

            result = analyze(of, layout="author", budget=_BUDGET)
            if result.form == "refused":
                return None
            # Who asks for a function's source, asks for no line by its number.
            lines = marked_lines(result) if of is code else _cut(result.source)
        except Exception as error:
            log.debug("no text for %r: %r", of, error)
            return None
    return ["\n"] * (first - 1) + lines if lines is not None else None


def lines_in_cache(code: types.CodeType) -> list[str] | None:
    """What `linecache` has for the code's file name, if the code comes from it: others may have the same name."""
    lines = linecache.getlines(code.co_filename)
    flags = code.co_flags & sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
    try:
        waiting = [compile("".join(lines), code.co_filename, "exec", flags, dont_inherit=True)]
    except Exception as error:  # of another text, or none
        log.debug("the text of %r is not its own: %r", code, error)
        return None
    for one in waiting:
        if one == code:
            return lines
        waiting.extend(constant for constant in one.co_consts if isinstance(constant, types.CodeType))
    return None


def _found_by_inspect(before: Callable[[Any], tuple[list[str], int]]) -> Callable[[Any], tuple[list[str], int]]:
    def findsource(object: Any) -> tuple[list[str], int]:
        try:
            return before(object)
        except OSError:
            found = _of_object(object)
            if found is None:
                raise
            return found

    return findsource


def _of_object(of: Any) -> tuple[list[str], int] | None:
    """What `inspect.findsource` gives for a method, function, traceback, frame or code object."""
    if isinstance(of, types.MethodType):
        of = of.__func__
    if isinstance(of, types.TracebackType):
        of = of.tb_frame
    if isinstance(of, types.FrameType):
        of = of.f_code
    code = of.__code__ if isinstance(of, types.FunctionType) else of
    if not isinstance(code, types.CodeType) or not has_none(code):
        return None
    lines = _lines(code) if of is code else lines_of(of, code)
    return (lines, code.co_firstlineno - 1 if code.co_name != "<module>" else 0) if lines is not None else None


def _with_lines(before: Callable[..., Any]) -> Callable[..., Any]:
    """The method of StackSummary that makes summaries of frames, with lines for those that have none."""

    def extract(cls: Any, frame_gen: Iterable[Any], *, lookup_lines: bool = True, **options: Any) -> Any:
        frames: list[Any] = []

        def seen() -> Iterator[Any]:
            for one in frame_gen:
                frames.append(one[0])
                yield one

        stack = before(cls, seen(), lookup_lines=lookup_lines, **options)
        if lookup_lines:
            for summary, frame in zip(reversed(stack), reversed(frames)):
                try:
                    _fill(summary, frame.f_code)
                except Exception as error:  # what the program prints comes first
                    log.debug("no line for %r: %r", summary, error)
        return stack

    return extract


def _fill(summary: Any, code: types.CodeType) -> None:
    if summary.line or summary.lineno is None or not has_none(code):
        return
    lines = _lines(code) or []
    if summary.lineno > len(lines):
        return
    if hasattr(summary, "_lines"):  # 3.13: all of the expression
        summary._lines = "".join(lines[summary.lineno - 1 : summary.end_lineno or summary.lineno])
        summary._lines_dedented = None
    elif hasattr(summary, "colno"):  # 3.11: with its blanks, which columns count
        summary._line = lines[summary.lineno - 1]
    else:
        summary._line = lines[summary.lineno - 1].strip()


def _text(code: types.CodeType) -> str | None:
    lines = _lines(code) if has_none(code) else None
    return "".join(lines) if lines is not None else None
