"""The decompiler: CPython's compiler in reverse. Start with ``pipeline.py``.

Takes a code object (or anything that has one); gives source with a verdict. Does not import PyTorch. Users import the
modules next to this one; the rooms are shown in ARCHITECTURE.md, each imports only those below it.
The names that upstream users import from here are loaded on first use, so that a room can be imported alone.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ..lazy import submodule

if TYPE_CHECKING:
    from ..errors import DecompilationError
    from .classic import Decompiler
    from .pipeline import decompile

__all__ = ["decompile", "Decompiler", "DecompilationError"]

_HOME = {"decompile": ".pipeline", "Decompiler": ".classic", "DecompilationError": "..errors"}


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        home = _HOME.get(name)
        value = submodule(__name__, name) if home is None else getattr(importlib.import_module(home, __name__), name)
        if value is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value
        return value
