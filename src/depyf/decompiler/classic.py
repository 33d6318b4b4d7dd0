"""The class of earlier depyf releases, which other projects import: ``Decompiler(code).decompile()``.

A thin wrapper around the pipeline. New code calls ``depyf.decompile`` or ``depyf.analyze``.
"""

from __future__ import annotations

import itertools
import os
import re
import types
from typing import Any, Callable

from ..errors import DecompilationError
from ..writing import write_file
from .driver.result import Result
from .pipeline import analyze, decompile, standalone
from .recompile import recompile


class Decompiler:
    """Decompiles ``code``. New code calls `depyf.decompile`.

    Args:
        code: a code object or anything that has one (function, method, class, module).

    Example:
        >>> print(depyf.Decompiler(compile("x = 1", "one.py", "exec")).decompile(), end="")
        x = 1
    """

    def __init__(self, code: types.CodeType | Callable[..., Any]) -> None:
        self.code = code

    def decompile(self, indentation: int = 4, temp_prefix: str = "__temp_", overwite_fn_name: str | None = None) -> str:
        """The source. ``overwite_fn_name`` (spelt as it always was) gives the function another name.

        ``indentation`` and ``temp_prefix`` are accepted and ignored: the text is indented by four, and temporaries get
        names that are free in the code. Raises DecompilationError if the code is refused.
        """
        source = decompile(self.code)
        if overwite_fn_name is None:
            return source
        return re.sub(r"^(\s*(?:async )?def )\w+", rf"\g<1>{overwite_fn_name}", source, count=1, flags=re.MULTILINE)

    @staticmethod
    def decompile_and_compile_like(
        code_to_decompile: types.CodeType,
        reference_code: types.CodeType,
        indentation: int = 4,
        temp_prefix: str = "__temp_",
        filepath_template: str | None = None,
    ) -> types.CodeType:
        """Decompile ``code_to_decompile`` and recompile it, as code that can replace ``reference_code``.

        ``filepath_template``, with one '%s', says where to write the source, so that a debugger finds it: the '%s' is
        the first number for which there is no file yet, or one with this very function, and the function gets the
        file's name. Without it nothing is written and the function is called as ``reference_code``.
        Raises DecompilationError if the code is refused, or can't replace ``reference_code``.
        """
        result = analyze(code_to_decompile)
        if not result.proven:
            raise DecompilationError(result.verdict.describe(), where=result.qualname)
        name, filename = reference_code.co_name, "<decompiled>"
        source = standalone(result, name)
        if filepath_template is not None:
            filename, name, source = _write(filepath_template, result)
        code = recompile(source, code_to_decompile, filename, name, reference_code.co_varnames)
        if code.co_freevars != reference_code.co_freevars:
            reason = f"free variables {code.co_freevars} in the place of {reference_code.co_freevars}"
            raise DecompilationError(reason, stage="recompile", where=result.qualname)
        return code.replace(co_name=name)


def _write(template: str, result: Result) -> tuple[str, str, str]:
    """Write the source to the first file of ``template`` that is not another function's: its path, name and text."""
    for number in itertools.count():
        path = template % number
        name = os.path.basename(path).partition(".")[0]
        source = standalone(result, name)
        try:
            write_file(path, source, new=True)
            return path, name, source
        except FileExistsError:
            with open(path, encoding="utf-8") as file:
                if file.read() == source:
                    return path, name, source
    raise AssertionError("the numbers have no end")
