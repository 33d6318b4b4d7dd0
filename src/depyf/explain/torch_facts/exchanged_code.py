"""A hook on a function of torch's that several modules import by name: its code object is exchanged.

The function stays the same object wherever it is. The code put in place runs with torch's globals: it can reach nothing
but what it imports, by absolute names.
"""

from __future__ import annotations

import contextlib
import types
from typing import Any, Tuple

from .torch_behavior import MissingHook

__all__ = ["Heard", "listen"]

Heard = Tuple[Any, types.FunctionType]  # a recorder, None when there is none any more; the original as a function


def listen(recorder: Any, function: Any, instead: Any, heard: list[Heard], undo: contextlib.ExitStack) -> None:
    """Puts the code of `instead` into `function`.

    Args:
        recorder: who is to hear of the calls.
        heard: gets the recorder and the original. It stays when the recorder goes: another thread may just be inside
            the code put in place.
        undo: gets what takes the exchange back.

    Raises MissingHook for a closure: code without cells can't replace it.
    """
    code = function.__code__
    if code.co_freevars:
        raise MissingHook(f"{function.__name__} has become a closure")
    original = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__)
    original.__kwdefaults__ = function.__kwdefaults__
    undo.callback(heard.__setitem__, slice(None), [(None, original)])
    heard[:] = [(recorder, original)]
    undo.callback(setattr, function, "__code__", code)
    function.__code__ = instead.__code__
