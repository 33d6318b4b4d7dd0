"""The class that earlier releases of depyf offered; others import it: ``Decompiler(code).decompile()``.

A thin cover over the pipeline. New code calls ``depyf.decompile`` or ``depyf.analyze``.
"""

from __future__ import annotations

import re
import types
from typing import Any, Callable

from .pipeline import decompile
from .recompile import recompile


class Decompiler:
    """Decompiles ``code``, a code object or anything that has one (function, method, class, module)."""

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
        """The code decompiled and compiled again so that it can take the place of ``reference_code``.

        ``filepath_template`` with one '%s' (the function's name) says where to write the source, so that a debugger
        finds it. Raises DecompilationError.
        """
        name = reference_code.co_name
        source = Decompiler(code_to_decompile).decompile(indentation, temp_prefix, overwite_fn_name=name)
        filename = "<decompiled>"
        if filepath_template is not None:
            filename = filepath_template % name
            with open(filename, "w", encoding="utf-8") as file:
                file.write(source)
        return recompile(source, reference_code, filename, name)
