"""Modules in transformed code by their own names: Dynamo makes a global for each that the code of a library reads."""

from __future__ import annotations

import re
import sys
import types
from typing import Any, Collection, Mapping

from ...names import real_name

__all__ = ["with_module_names"]

_DYNAMOS = re.compile(r"\b(?:__import_|___module_)\w+\b")


def with_module_names(
    source: str, module_globals: Mapping[str, Any], local: Collection[str]
) -> tuple[str, set[str]]:
    """``collections.OrderedDict`` for ``___module_collections_c0.OrderedDict``, and the modules to import.

    Args:
        source: of one function.
        module_globals: of the function; a module whose package has another meaning there keeps Dynamo's name.
        local: the function's own names.
    """
    found: set[str] = set()

    def own_name(match: re.Match[str]) -> str:
        value = module_globals.get(real_name(match.group()))
        name = value.__name__ if isinstance(value, types.ModuleType) else "__main__"
        package = name.partition(".")[0]
        is_free = module_globals.get(package, sys.modules.get(package)) is sys.modules.get(package)
        if name not in sys.modules or name == "__main__" or package in local or not is_free:
            return match.group()
        found.add(name)
        return name

    return _DYNAMOS.sub(own_name, source), found
