"""A call that can be made again: a function's code with its globals, arguments and free variables."""

from __future__ import annotations

import inspect
import types
from typing import Any, Mapping

from .left_behind import globals_of

__all__ = ["CalledFunction"]


class CalledFunction:
    """A call of a function: its code, its globals, its arguments, and cells of its free variables."""

    def __init__(self, code: types.CodeType, values: dict[str, Any], local: Mapping[str, Any],
                 cells: tuple[Any, ...] | None) -> None:  # fmt: skip
        self.code, self._globals, self._local = code, values, dict(local)
        self._cells = cells if cells is not None else tuple(
            types.CellType(local[name]) if name in local else types.CellType() for name in code.co_freevars
        )  # fmt: skip

    def __call__(self) -> Any:
        """Runs it as it is written."""
        code, local = self.code, self._local
        names = code.co_varnames
        keywords = names[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        rest = list(names[code.co_argcount + code.co_kwonlyargcount :])
        more = local[rest.pop(0)] if code.co_flags & inspect.CO_VARARGS else ()
        named = local[rest.pop(0)] if code.co_flags & inspect.CO_VARKEYWORDS else {}
        function = types.FunctionType(code, self._globals, code.co_name, None, self._cells)
        positional = [local[name] for name in names[: code.co_argcount]]
        return function(*positional, *more, **{name: local[name] for name in keywords}, **named)

    def roots(self) -> dict[str, Any]:
        """What it can change, by name."""
        names = self.code.co_varnames[: self.code.co_argcount + self.code.co_kwonlyargcount
                                      + bool(self.code.co_flags & inspect.CO_VARARGS)
                                      + bool(self.code.co_flags & inspect.CO_VARKEYWORDS)]  # fmt: skip
        found = {name: self._local[name] for name in names if name in self._local}
        for name, cell in zip(self.code.co_freevars, self._cells):
            try:
                found[name] = cell.cell_contents
            except ValueError:  # it is empty
                continue
        return {**dict(globals_of(self.code, self._globals)), **found}
