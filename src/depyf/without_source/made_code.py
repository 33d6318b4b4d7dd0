"""Text for code that has none: of modules without source, of strings that ran, of files that are gone. A part of
`depyf.source`.

Such code often shares its file's name, ``<string>``, with other code, or names the file of another module: `linecache`,
which knows names alone, can't tell them apart. Those that have the code look here: `inspect.findsource`, the
summaries that `traceback` makes of frames, and debugpy. `linecache` gives what a name means if one module claims it.
"""

from __future__ import annotations

import contextlib
import inspect
import linecache
import logging
import os
import sys
import threading
import traceback
import types
from typing import Any, Callable, Hashable, Iterable, Iterator

from . import modules
from .debuggers import change_debuggers

log = logging.getLogger("depyf")

MARK = "  # depyf: perhaps another line"
_BUDGET = 50_000
"""Half a second: a traceback must not wait longer."""
_MOST_LINES = 200_000
"""Before the first one: only line tables that lie have more of them."""
_MOST_KEPT = 500

_at_work = threading.local()
_kept: dict[Hashable, list[str] | None] = {}


def installed(undo: contextlib.ExitStack) -> None:
    """Asks whoever has code to look here; ``undo`` ends it."""
    _replace(undo, inspect, "findsource", _found_by_inspect(inspect.findsource))
    name = "_extract_from_extended_frame_gen"
    name = name if hasattr(traceback.StackSummary, name) else "extract"
    before = vars(traceback.StackSummary)[name]
    _replace(undo, traceback.StackSummary, name, classmethod(_with_lines(before.__func__)))
    _replace(undo, linecache, "getlines", _lines_by_name(linecache.getlines))
    for name, nothing in (("lazycache", False), ("_make_lazycache_entry", None)):  # the second is of 3.14
        if hasattr(linecache, name):
            _replace(undo, linecache, name, _not_by_loader(getattr(linecache, name), nothing))
    change_debuggers(_text, lambda owner, name, value: _replace(undo, owner, name, value))
    undo.callback(_kept.clear)
    undo.callback(modules.forget)


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
    from ..decompiler.pipeline import analyze

    lines = marked_lines(analyze(code, layout="author"))
    return "".join(lines) if lines is not None else None


def lines_of_module(module: modules.Sourceless) -> list[str]:
    """The lines of a module's text; none if it has none, or is being decompiled in this thread. Never raises."""
    if module.lines is None:
        with at_work() as free:  # and no lock: whoever waits for it may hold one that an import here waits for
            if not free:
                return []
            try:
                text = text_of_module(module.code)
            except Exception as error:
                log.debug("no text for %s: %r", module.compiled, error)
                text = None
        module.lines = cut(text) if text is not None else []
    return module.lines


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
    lines = cut(result.source)
    for number in (line - moved for line in others - certain):
        if 0 < number <= len(lines) and lines[number - 1].strip():
            lines[number - 1] = lines[number - 1].rstrip("\n") + MARK + "\n"
    return lines


def _with_the_same_lines(result: Any, moved: int) -> set[int]:
    """The ids of code whose instructions have the same lines, though it is not the same to the byte.

    Calls of a module's functions are other instructions where the module is not imported above them (the compiler
    looks for that from 3.11 on): those of a function by itself never are.
    """
    from ..decompiler.bytecode import known_instructions
    from ..decompiler.bytecode.kinds import kind_of
    from ..decompiler.proof import compile_unit
    from ..errors import DecompilationError

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


def cut(text: str) -> list[str]:
    """Its lines as a file has them: `str.splitlines` cuts at form feeds too."""
    lines = text.split("\n")
    return [line + "\n" for line in (lines[:-1] if not lines[-1] else lines)]


def has_none(code: types.CodeType) -> bool:
    """Whether there is no file, and no other text, for the code, so that it may have one from here."""
    name = code.co_filename
    if name.startswith("<frozen ") or code.co_name.startswith("<") and code.co_name not in ("<module>", "<lambda>"):
        return False
    return not os.path.exists(name)


def _lines(code: types.CodeType, of: Any = None) -> list[str] | None:
    """The lines of the code by itself, blank where others would be; None if it has none."""
    if of is not None and of is not code:
        return lines_of(of, code)
    key = modules.key_of(code)
    if key not in _kept:
        if getattr(_at_work, "on", False):
            return None
        if len(_kept) >= _MOST_KEPT:
            _kept.clear()
        _kept[key] = lines_of(code)
    return _kept.get(key)


def lines_of(of: Any, code: types.CodeType | None = None) -> list[str] | None:
    """As `_lines`, of a function with what it is defined with, too. Never raises."""
    code = code if code is not None else of
    first = code.co_firstlineno if code.co_name != "<module>" else 1
    with at_work() as free:
        if not free or not 1 <= first <= _MOST_LINES:
            return None
        try:
            from ..decompiler.pipeline import analyze

            result = analyze(of, layout="author", budget=_BUDGET)
            if result.form == "refused":
                return None
            # Who asks for a function's source, asks for no line by its number.
            lines = marked_lines(result) if of is code else cut(result.source)
        except Exception as error:
            log.debug("no text for %r: %r", of, error)
            return None
    return ["\n"] * (first - 1) + lines if lines is not None else None


def lines_in_cache(code: types.CodeType) -> list[str] | None:
    """What `linecache` has for the code's file name, if the code comes from it: others may have the same name."""
    lines = linecache.getlines(code.co_filename)
    return lines if lines and modules.compiles_to(lines, code) else None


def owner_of(code: types.CodeType, names: dict[str, Any] | None) -> tuple[modules.Sourceless | None, bool]:
    """The module without source that the code is of, and whether what is found by its file's name may be another's.

    ``names`` are the global variables that it runs with, None if that is not known.
    """
    module = modules.of_globals(names) if names is not None else modules.of_code(code)
    if module is not None and code in module:
        return module, not module.has_file(code)
    if module is None and os.path.exists(code.co_filename):
        return None, False
    return None, modules.is_claimed(code.co_filename) or module is not None and _has_file_of_another(code)


def is_of_another_file(of: Any) -> bool:
    """Whether `inspect` would take its source from a file that it does not come from."""
    code, names = _parts_of(of)
    if code is None:
        return _is_disguised(of)
    module, by_code = owner_of(code, names)
    if by_code or module is not None or names is None:
        return by_code
    own = names.get("__file__")
    if isinstance(own, str) and modules.same_file(own) == modules.same_file(code.co_filename):
        return False
    return _has_file_of_another(code)


def _has_file_of_another(code: types.CodeType) -> bool:
    return os.path.exists(code.co_filename) and lines_in_cache(code) is None


def _lines_of_owned(code: types.CodeType, module: modules.Sourceless | None, of: Any = None) -> list[str]:
    """The lines of code whose file's name says nothing; none if there is no text."""
    return (lines_of_module(module) if module is not None else []) or _lines(code, of) or []


def _parts_of(of: Any) -> tuple[types.CodeType | None, dict[str, Any] | None]:
    """The code of a method, function, traceback, frame or code object, and its global variables if they are known."""
    if isinstance(of, types.MethodType):
        of = of.__func__
    if isinstance(of, types.TracebackType):
        of = of.tb_frame
    if isinstance(of, types.FunctionType):
        return of.__code__, of.__globals__
    if isinstance(of, types.FrameType):
        return of.f_code, of.f_globals
    return (of, None) if isinstance(of, types.CodeType) else (None, None)


def _found_by_inspect(before: Callable[[Any], tuple[list[str], int]]) -> Callable[[Any], tuple[list[str], int]]:
    def findsource(object: Any) -> tuple[list[str], int]:
        code, names = _parts_of(object)
        module, by_code = owner_of(code, names) if code is not None else (None, _is_disguised(object))
        if not by_code:
            try:
                return before(object)
            except OSError:
                if code is None or not has_none(code):
                    raise
        found = _by_code(object, code, module) if code is not None else None
        if found is None:
            raise OSError("could not get source code")
        return found

    return findsource


def _by_code(of: Any, code: types.CodeType, module: modules.Sourceless | None) -> tuple[list[str], int] | None:
    """What `inspect.findsource` gives."""
    of = getattr(of, "__func__", of)
    of = of if isinstance(of, types.FunctionType) else code
    lines = lines_of_module(module) if module is not None else []
    if not lines or not modules.compiles_to(lines, code):  # the lines of another part of the module
        lines = _lines(code, of) or []
    first = code.co_firstlineno - 1 if code.co_name != "<module>" else 0
    return (lines, first) if 0 <= first < len(lines) else None


def _is_disguised(of: Any) -> bool:
    """Whether it is a class with functions of a module without source that says that it is of another module."""
    if not isinstance(of, type):
        return False
    own = getattr(sys.modules.get(of.__module__), "__dict__", None)
    functions = [one for one in vars(of).values() if isinstance(one, types.FunctionType)]
    return any(one.__globals__ is not own and modules.of_globals(one.__globals__) is not None for one in functions)


def _lines_by_name(before: Callable[..., list[str]]) -> Callable[..., list[str]]:
    """`linecache.getlines` that knows modules without source."""

    def getlines(filename: str, module_globals: Any = None) -> list[str]:
        try:
            module = modules.of_globals(module_globals)
            if module is not None and filename in module.names and not module.has_file(module.code):
                return lines_of_module(module) if modules.still_runs(module_globals, module) else []
            lines = before(filename, module_globals)
        except ValueError:  # a name that no file can have
            return []
        if lines:
            return lines
        module = modules.of_name(filename)
        return lines_of_module(module) if module is not None else []

    return getlines


def _not_by_loader(before: Callable[..., Any], nothing: Any) -> Callable[..., Any]:
    """Keeps the text of a module without source from any name that its code claims: `getlines` knows the right ones."""

    def lazycache(filename: str, module_globals: Any) -> Any:
        return nothing if modules.of_globals(module_globals) is not None else before(filename, module_globals)

    return lazycache


def _with_lines(before: Callable[..., Any]) -> Callable[..., Any]:
    """The method of StackSummary that makes summaries of frames, with lines for those that have none."""

    def extract(cls: Any, frame_gen: Iterable[Any], *, lookup_lines: bool = True, **options: Any) -> Any:
        frames: list[Any] = []

        def seen() -> Iterator[Any]:
            for one in frame_gen:
                frames.append(one[0])
                yield one

        stack = before(cls, seen(), lookup_lines=lookup_lines, **options)
        for summary, frame in zip(reversed(stack), reversed(frames)):
            try:
                _fill(summary, frame, lookup_lines)
            except Exception as error:  # what the program prints comes first
                log.debug("no line for %r: %r", summary, error)
        return stack

    return extract


def _fill(summary: Any, frame: types.FrameType, lookup_lines: bool) -> None:
    """Sets the line of a summary that has none, or that of other code with this file name."""
    code, number = frame.f_code, summary.lineno
    module, by_code = owner_of(code, frame.f_globals)
    if number is None or not (by_code or lookup_lines and not summary.line and has_none(code)):
        return
    lines = _lines_of_owned(code, module)
    shown = lines[number - 1] if 0 < number <= len(lines) else ""
    if not shown and not by_code:
        return
    if hasattr(summary, "_lines"):  # 3.13: all of the expression
        summary._lines = "".join(lines[number - 1 : summary.end_lineno or number]) if shown else ""
        summary._lines_dedented = None
    elif hasattr(summary, "colno"):  # 3.11: with its blanks, which columns count
        summary._line = shown
    else:
        summary._line = shown.strip()


def _text(code: types.CodeType) -> str | None:
    module, by_code = owner_of(code, None)
    lines = _lines_of_owned(code, module) if by_code or has_none(code) else []
    return "".join(lines) if lines else None
