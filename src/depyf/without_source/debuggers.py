"""Debuggers that look for a file where there is only its compiled form. A part of `depyf.source`.

What they show they get from `linecache`; but they take a breakpoint only in a file that exists. Here they learn that a
compiled file beside it will do, and debugpy that code without a file has text. Nothing here imports a debugger: only
those are changed that are there already, as under ``python -m pdb`` and ``python -m debugpy``.
"""

from __future__ import annotations

import contextlib
import os
import sys
import types
from typing import Any, Callable


def change_debuggers(
    text_of: Callable[[types.CodeType], str | None], replace: Callable[[Any, str, Any], None]
) -> None:
    """``text_of`` gives the text of code that has no file; ``replace(owner, name, value)`` sets and remembers."""
    pdb = getattr(sys.modules.get("pdb"), "Pdb", None)
    if hasattr(pdb, "lookupmodule"):
        replace(pdb, "lookupmodule", _found_by_pdb(vars(pdb)["lookupmodule"]))
    api = sys.modules.get("_pydevd_bundle.pydevd_api")
    shown = getattr(api, "code_to_bytecode_representation", None)
    if shown is not None:
        replace(api, "code_to_bytecode_representation", _shown_by_debugpy(shown, text_of))
    files = sys.modules.get("pydevd_file_utils")
    exists = getattr(files, "exists", None)
    if exists is not None:
        replace(files, "exists", _exists_for_debugpy(exists))
        take_breakpoints_again()


def has_compiled(filename: str) -> bool:
    """Whether there is a compiled file where this file would be."""
    return filename.endswith(".py") and not os.path.exists(filename) and os.path.exists(filename + "c")


def _found_by_pdb(before: Callable[[Any, str], str | None]) -> Callable[[Any, str], str | None]:
    def lookupmodule(self: Any, filename: str) -> str | None:
        found = before(self, filename)
        if found is None:
            places = [filename, *(os.path.join(folder, filename) for folder in sys.path)]
            found = next((os.path.abspath(place) for place in places if has_compiled(place)), None)
        return found

    return lookupmodule


def _shown_by_debugpy(
    before: Callable[..., str], text_of: Callable[[types.CodeType], str | None]
) -> Callable[..., str]:
    def code_to_bytecode_representation(code: types.CodeType, *args: Any, **options: Any) -> str:
        text = text_of(code)
        return text if text is not None else before(code, *args, **options)

    return code_to_bytecode_representation


def _exists_for_debugpy(before: Callable[[str], bool]) -> Callable[[str], bool]:
    def exists(filename: str) -> bool:
        return before(filename) or has_compiled(filename)

    return exists


def take_breakpoints_again() -> None:
    """Those that debugpy has refused: their files were not there yet."""
    debugger = getattr(sys.modules.get("pydevd"), "get_global_debugger", lambda: None)()
    api = sys.modules.get("_pydevd_bundle.pydevd_api")
    if debugger is not None and api is not None:
        with contextlib.suppress(Exception):  # of another version of debugpy
            api.PyDevdAPI().reapply_breakpoints(debugger)
