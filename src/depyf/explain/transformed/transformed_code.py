"""Dynamo's new code as source: the text of a `__transformed_code_*` file and, where proven, the code to run instead."""

from __future__ import annotations

from dataclasses import dataclass
from types import CodeType
from typing import Any, Mapping, Sequence

from ..code_objects import CALLING, parameters_of, with_nested_of
from ..containment import in_words
from ..model import Decompiled
from ..names import file_name, identifier, stable, without_addresses
from ..time_limit import within_limit
from .decompiled import from_result, listing_of
from .global_names import with_names, with_own_name, without_uuids
from .user_lines import copied_apart, with_lines

__all__ = ["WHAT_RUNS", "TransformedCode", "decompile_transformed", "is_valid_python"]

WHAT_RUNS = "This is what runs: a breakpoint set in this file is hit."
_NOT_WHAT_RUNS = "Not what runs: Dynamo's own bytecode does."

EXCHANGES = True
"""Whether proven code may run in place of Dynamo's. `depyf run` says no: tracebacks of the program stay as they are."""


@dataclass
class TransformedCode:
    """What became of one code object of Dynamo's.

    `text` is the whole file, valid Python; `code` is what may run instead (its file name is that of the file), or None,
    and then `reason` says why Dynamo's code runs, "" if that was asked for.
    """

    decompiled: Decompiled
    text: str
    code: CodeType | None = None
    reason: str = ""


def decompile_transformed(
    new_code: CodeType,
    path: str,
    compile_id: str,
    result_names: Mapping[str, Sequence[str]] | None = None,
    original: CodeType | None = None,
) -> TransformedCode:
    """Decompiles `new_code` for the file `path`. Never raises: what fails is said in the result.

    Args:
        new_code: what Dynamo made.
        path: the file the text will be written to; debuggers look it up by this name.
        compile_id: Dynamo's number for the header.
        result_names: names of what each graph returns, by the graph's stable name.
        original: the code whose frames become frames of `new_code`.
    """
    try:
        real_name = without_uuids(new_code)
        clean = with_names(new_code, {real: name for name, real in real_name.items()})
        clean = with_own_name(clean, identifier(clean.co_name))
        found: TransformedCode = within_limit(
            _decompile, new_code, clean, real_name, path, compile_id, result_names or {}, original
        )
        return found
    except Exception as error:  # any bug of the decompiler: Dynamo's code runs, the listing is shown
        return _refused(new_code, compile_id, in_words(error))


def is_valid_python(text: str) -> bool:
    """Whether `text` compiles as a file."""
    try:
        compile(text, "<text>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _decompile(
    new_code: CodeType,
    clean: CodeType,
    real_name: Any,
    path: str,
    compile_id: str,
    result_names: Mapping[str, Sequence[str]],
    original: CodeType | None,
) -> TransformedCode:
    from ...decompiler.driver.settings import Settings
    from ...decompiler.pipeline import analyze, standalone_text
    from .origin import DYNAMO

    code = copied_apart(clean, original) if original is not None else clean
    result = analyze(code, settings=Settings(result_names=result_names, searches=False, origin=DYNAMO))
    decompiled = from_result(result)
    if not result.source.strip():
        return _refused(new_code, compile_id, "; ".join(decompiled.reasons) or decompiled.verdict, decompiled)
    body, line_map = standalone_text(result).printed
    if original is not None:
        body = with_lines(body, line_map, file_name(original.co_filename))
    if not result.proven:
        return _text_only(clean, compile_id, decompiled, body, "; ".join(decompiled.reasons) or decompiled.verdict)
    text = _header(clean, compile_id, decompiled, "") + body.rstrip("\n") + "\n"
    if not EXCHANGES:
        return TransformedCode(decompiled, _valid(text))
    try:
        from ...decompiler.recompile import recompile

        places = original.co_varnames if original is not None else ()
        ours = with_names(recompile(text, clean, path, places=places, known=result.raw), real_name)
        ours = with_nested_of(with_own_name(ours, new_code.co_name), new_code)
        problem = _difference_for_callers(ours, new_code, places)
    except Exception as error:
        return _text_only(clean, compile_id, decompiled, body, f"not recompiled: {error}")
    if problem:
        return _text_only(clean, compile_id, decompiled, body, problem)
    return TransformedCode(decompiled, text, ours)


def _text_only(code: CodeType, compile_id: str, decompiled: Decompiled, body: str, reason: str) -> TransformedCode:
    reason = without_addresses(stable(reason))
    text = _header(code, compile_id, decompiled, reason) + body.rstrip("\n") + "\n"
    return TransformedCode(decompiled, _valid(text), None, reason)


def _difference_for_callers(ours: CodeType, theirs: CodeType, places: Sequence[str] = ()) -> str:
    """What of `ours` a caller or Dynamo could not take for `theirs`; "" when nothing.

    Dynamo copies arguments, cells and free variables between frames by position (torch/csrc/dynamo/eval_frame.c), and
    asserts after the hooks that they are the same (convert_frame.py): a difference would end the user's program.
    Up to 2.2 it copies all variables, by name, bound or not: each of `places`, the original's, must be there (measured
    on 2.2.2 with Python 3.11: SystemError from longobject.c).
    """
    for name in ("co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_freevars", "co_cellvars"):
        if getattr(ours, name) != getattr(theirs, name):
            return f"recompiled, it has other {name} than Dynamo's code"
    if parameters_of(ours) != list(theirs.co_varnames[: len(parameters_of(ours))]):
        return "recompiled, its parameters have other names"
    if not set(places) <= {*ours.co_varnames, *ours.co_cellvars, *ours.co_freevars}:
        return "recompiled, it lacks variables of the original"
    kept = [constant for constant in theirs.co_consts if isinstance(constant, CodeType)]
    for constant in ours.co_consts:
        if isinstance(constant, CodeType) and "resume_in_" in constant.co_name and all(constant is not k for k in kept):
            return f"Dynamo would not know {constant.co_name} as its own: it has several of this name"
    if ours.co_flags & CALLING != theirs.co_flags & CALLING:
        return "recompiled, it would be called in another way"
    return ""


# ---- text


def _header(code: CodeType, compile_id: str, decompiled: Decompiled, not_run: str) -> str:
    lines = ["{} as Dynamo transformed it (compile id {}).".format(stable(code.co_name), compile_id or "unknown")]
    if decompiled.proven:
        verdict = "Proven {} to Dynamo's bytecode".format("equal" if decompiled.equal else "equivalent")
    else:
        verdict = f"Verdict: {decompiled.verdict or decompiled.level}"
    if decompiled.folded:
        operations = "operation" if decompiled.folded == 1 else "operations"
        verdict += f"; {decompiled.folded} {operations} on its own lists folded"
    lines.append(verdict + ".")
    lines += [f"Assumed: {one}" for one in decompiled.assumptions]
    if not_run:
        lines += [_NOT_WHAT_RUNS, f"Reason: {not_run}"]
    else:
        lines.append(WHAT_RUNS if EXCHANGES else _NOT_WHAT_RUNS)
    return _as_comment("\n".join(lines)) + "\n"


def _refused(code: CodeType, compile_id: str, reason: str, decompiled: Decompiled | None = None) -> TransformedCode:
    reason = without_addresses(stable(reason)) or "no source was found"
    decompiled = decompiled or Decompiled(level="refused", verdict="refused", reasons=[reason])
    decompiled.listing = decompiled.listing or listing_of(code)
    text = _header(code, compile_id, decompiled, reason) + "\n" + _as_comment(decompiled.listing)
    return TransformedCode(decompiled, text, None, reason)


def _valid(text: str) -> str:
    """`text`, or all of it as comments when it does not compile as a file of its own."""
    return text if is_valid_python(text) else _as_comment(text)


def _as_comment(text: str) -> str:
    lines: list[str] = [line.rstrip() for line in text.splitlines()]
    return "\n".join("# " + line if line else "#" for line in lines) + "\n"
