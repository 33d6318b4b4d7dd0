"""Modules of a package that are imported when they are first used as its attributes."""

from __future__ import annotations

import importlib
from types import ModuleType

__all__ = ["submodule"]


def submodule(package: str, name: str) -> ModuleType | None:
    """The module ``name`` of ``package``, imported; None if there is none. Raises what its import raises.

    Names that begin with an underscore are none: importing ``__main__`` would run it.
    """
    if name.startswith("_"):
        return None
    try:
        return importlib.import_module(f"{package}.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"{package}.{name}":
            raise
        return None
