"""Dynamo's attempts to compile, and how each version tells what came of them: facts as those of `torch_behavior.py`.

Probed, each with its evidence; the logic elsewhere never looks at a version number. Importing this imports no torch.
"""

from __future__ import annotations

import re
import sys
import types
from typing import Any

from ...owners import is_of_program
from .torch_behavior import MissingHook, find, is_there

__all__ = [
    "backward_that_failed",
    "calling_frame",
    "calls_of_compile",
    "code_asked_about",
    "code_to_run",
    "current_attempt",
    "has_code",
    "has_one_engine",
    "has_stances",
    "is_called_by_compiler",
    "is_of_compiled_callable",
    "tells_skip_reasons",
]

_COMPILES = re.compile(
    r"/torch/(?:_inductor|_functorch|fx|_dynamo/(?:variables|symbolic_convert|output_graph|compiled_autograd))\b"
)
_PASSED_THROUGH = (
    "/_dynamo/convert_frame.py",
    "/comparing/session.py",
    "/explain/recording/outcome_hooks.py",
    "/torch/_utils_internal.py",
)


def code_asked_about() -> types.CodeType | None:
    """The code of the frame for which Dynamo is called, before it begins to compile; None outside of that.

    A local, `code`, of `_convert_frame_assert` (2.2) or of `ConvertFrameAssert.__call__` in convert_frame.py.
    """
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename.replace("\\", "/").endswith("/_dynamo/convert_frame.py"):
            code = frame.f_locals.get("code")
            if isinstance(code, types.CodeType):
                return code
        frame = frame.f_back
    return None


def current_attempt() -> int:
    """How often Dynamo has begun to trace the function anew in this compilation: `CompileContext.attempt`, from 2.2."""
    try:
        context = find("torch._guards", "CompileContext").try_get()
    except (MissingHook, AttributeError):
        return 0
    return int(getattr(context, "attempt", 0) or 0)


def has_code(result: Any) -> bool:
    """Whether what `_compile` returned is code to run: a `GuardedCode`, from 2.6 in a `ConvertFrameReturn`, which has
    none where the frame is skipped; before, that is None."""
    return getattr(result, "guarded_code", result) is not None


def has_one_engine() -> bool:
    """Whether every backward pass runs through `_engine_run_backward`, 2.3 and later."""
    return is_there(find, "torch.autograd.graph", "_engine_run_backward")


def has_stances() -> bool:
    """Whether there is `torch.compiler.set_stance`, 2.6 and later."""
    return is_there(find, "torch._dynamo.eval_frame", "_callback_from_stance")


def backward_that_failed(error: BaseException) -> str | None:
    """The compilation whose backward graph could not be compiled, if that is the error; "" where torch does not tell.

    `_wrapped_bw_compiler` of _dynamo/backends/common.py is on its traceback (2.2 to 2.15), and the function that calls
    it has `saved_compile_context`.
    """
    context = None
    traceback = error.__traceback__
    while traceback is not None:
        context = traceback.tb_frame.f_locals.get("saved_compile_context", context)
        if traceback.tb_frame.f_code.co_name == "_wrapped_bw_compiler":
            return str(getattr(context, "compile_id", None) or "")
        traceback = traceback.tb_next
    return None


def calls_of_compile(error: BaseException | None) -> list[types.TracebackType]:
    """The calls that led to `torch.compile`, the innermost first, where the error is one of that function itself; []
    where it is none: so of modes, options and backends that it does not know."""
    code = getattr(getattr(sys.modules.get("torch"), "compile", None), "__code__", None)
    calls: list[types.TracebackType] = []
    traceback = error.__traceback__ if error is not None else None
    while traceback is not None:
        if traceback.tb_frame.f_code is code:
            return calls[::-1]
        calls.append(traceback)
        traceback = traceback.tb_next
    return []


def code_to_run(result: Any) -> types.CodeType | None:
    """The code that `_compile` returned, as in `has_code`; None where the frame is skipped."""
    code = getattr(getattr(result, "guarded_code", result), "code", None)
    return code if isinstance(code, types.CodeType) else None


def calling_frame() -> types.FrameType | None:
    """The frame that calls the function about which Dynamo is asked.

    Dynamo is entered by `CatchErrorsWrapper.__call__` of convert_frame.py, up to 2.3 by `catch_errors` of
    eval_frame.py.
    """
    frame: types.FrameType | None = sys._getframe(1)
    entered = None
    while frame is not None:
        file, name = frame.f_code.co_filename.replace("\\", "/"), frame.f_code.co_name
        if name == "catch_errors" or name == "__call__" and file.endswith("/_dynamo/convert_frame.py"):
            entered = frame
        elif entered is not None and not file.endswith(_PASSED_THROUGH):
            break
        frame = frame.f_back
    return None if entered is None else entered.f_back


def is_of_compiled_callable(code: types.CodeType) -> bool:
    """Whether Dynamo is asked about the function that was given to torch.compile, not about one which that calls, nor
    about an audit hook of the program's, for which the interpreter stops anywhere.

    What calls it is then a wrapper of eval_frame.py; between them, for a module, are methods of module.py.
    """
    frame = caller = calling_frame()
    while frame is not None and frame.f_code.co_filename.replace("\\", "/").endswith("/nn/modules/module.py"):
        frame = frame.f_back
    if frame is None or not frame.f_code.co_filename.replace("\\", "/").endswith("/_dynamo/eval_frame.py"):
        return False
    if "fn" not in frame.f_locals:  # of `_fn`, from 2.14 on of `compile_wrapper`: what they call
        return False
    given = frame.f_locals["fn"]
    given = given.__func__ if isinstance(given, types.MethodType) else given
    return frame is not caller or not isinstance(given, types.FunctionType) or given.__code__ is code


def is_called_by_compiler(code: types.CodeType) -> bool:
    """Whether a function about which Dynamo is asked is none of the program's, and called by torch's compiler itself,
    as sympy's are: compiled autograd compiles in the middle of the program's functions, where Dynamo is asked about
    all that is called."""
    frame = calling_frame() if not is_of_program(code.co_filename) else None
    while frame is not None and not is_of_program(frame.f_code.co_filename):
        if _COMPILES.search(frame.f_code.co_filename.replace("\\", "/")):
            return True
        frame = frame.f_back
    return False


def tells_skip_reasons() -> bool:
    """Whether Dynamo says why it leaves a frame to Python: `CatchErrorsWrapper._handle_skip`, 2.13 and later."""
    return is_there(find, "torch._dynamo.convert_frame", "CatchErrorsWrapper._handle_skip")
