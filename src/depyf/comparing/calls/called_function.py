"""A call that can be made again: a function's code with its globals, arguments and free variables."""

from __future__ import annotations

import inspect
import types
from typing import Any, Mapping

from ...explain.code_objects import cell_contents, parameters_of
from .left_behind import globals_of

__all__ = ["CalledFunction"]


class CalledFunction:
    """A call of a function: its code, its globals, its arguments, and cells of its free variables."""

    def __init__(self, code: types.CodeType, values: dict[str, Any], local: Mapping[str, Any],
                 cells: tuple[Any, ...] | None) -> None:  # fmt: skip
        self.code, self._globals, self._local = code, values, dict(local)
        named = parameters_of(code)[-1] if code.co_flags & inspect.CO_VARKEYWORDS else ""
        if named in local:  # the call's own dictionary, which nobody sees change; what is in it is shared
            self._local[named] = dict(local[named])
        if cells is None:
            known = ([local[name]] if name in local else [] for name in code.co_freevars)
            cells = tuple(types.CellType(*one) for one in known)
        self._function = types.FunctionType(code, values, code.co_name, None, cells)

    def __call__(self) -> Any:
        """Runs it as it is written."""
        code, local = self.code, self._local
        names = parameters_of(code)
        named = local[names.pop()] if code.co_flags & inspect.CO_VARKEYWORDS else {}
        more = local[names.pop()] if code.co_flags & inspect.CO_VARARGS else ()
        positional = [local[name] for name in names[: code.co_argcount]]
        return self._function(*positional, *more, **{name: local[name] for name in names[code.co_argcount :]}, **named)

    def roots(self) -> dict[str, Any]:
        """What it can change, by name."""
        given = {name: self._local[name] for name in parameters_of(self.code) if name in self._local}
        return {**globals_of(self.code, self._globals), **given, **cell_contents(self._function)}
