"""A function in which a breakpoint is set runs as it was written.

What runs in the place of a compiled function has other lines and other variables, so no debugger can stop in the
user's line there and show what belongs to it. A call of such a function runs its own code instead, and that of all
which it calls; other functions run compiled. A breakpoint in a function which Dynamo inlined counts for the one it was
inlined into: only if that one runs as written is it called at all.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import gc
import inspect
import re
import types
from dataclasses import dataclass, field
from types import CodeType
from typing import Any, Callable, Iterable, Iterator

from ...decompiler.proof.compile_worker import syntax_tree
from ..code_objects import RETURNS_AT_ONCE
from ..torch_facts import torch_behavior, torch_debugging
from .debuggers import Breakpoints, Extent, extent_of

__all__ = ["Followed", "code_as_written", "run_as_written"]

_TRACE_LINE = re.compile(r'^\s*File "(.*)", line (\d+), in ', re.MULTILINE)


@dataclass
class Followed:
    """A compiled function and what Dynamo followed from it.

    `codes` is torch's list of the functions it inlined; where torch keeps none, `traces` are the stack traces of the
    graph's operations, which name a line of each.
    """

    code: CodeType | None = None
    codes: list[CodeType] = field(default_factory=list)
    traces: set[str] = field(default_factory=set)

    @classmethod
    def by(cls, graph_module: Any) -> Followed:
        """What Dynamo follows now, to be asked when it has just captured a graph."""
        codes = torch_debugging.traced_code()
        if codes is not None:
            return cls(codes=codes)
        return cls(traces={str(node.meta.get("stack_trace") or "") for node in graph_module.graph.nodes})

    def stops(self, breakpoints: Breakpoints) -> list[str]:
        """Places of breakpoints in the function or in what was inlined into it."""
        return breakpoints.within(self._extents()) if breakpoints else []

    def _extents(self) -> Iterator[Extent]:
        for code in [*([self.code] if self.code is not None else []), *self.codes]:
            yield extent_of(code)
        for file, line in {(file, int(line)) for trace in self.traces for file, line in _TRACE_LINE.findall(trace)}:
            extents = [(file, first, last) for first, last in _functions_in(file) if first <= line <= last]
            if extents:
                yield max(extents)  # the innermost begins last


@functools.lru_cache(maxsize=None)
def _functions_in(file: str) -> list[tuple[int, int]]:
    """First and last lines of the functions in a file; none when it cannot be read as Python."""
    try:
        with open(file, encoding="utf-8") as opened:
            tree = syntax_tree(opened.read())
    except (OSError, SyntaxError, ValueError):
        return []
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    return [(one.lineno, one.end_lineno or one.lineno) for one in ast.walk(tree) if isinstance(one, functions)]


def run_as_written(compiled: Iterable[Followed], breakpoints: Breakpoints) -> Callable[[], None]:
    """Makes the functions with breakpoints run as written, whatever was compiled for them; returns what ends that."""
    undo = contextlib.ExitStack()
    done: list[CodeType] = []
    for one in compiled:
        if one.code is None or any(one.code is code for code in done) or not one.stops(breakpoints):
            continue
        done.append(one.code)
        instead = code_as_written(one.code)
        torch_behavior.never_compile(instead)
        for function in _functions_of(one.code):
            function.__code__ = instead
            undo.callback(setattr, function, "__code__", one.code)
    return undo.close


def _functions_of(code: CodeType) -> list[types.FunctionType]:
    return [one for one in gc.get_referrers(code) if isinstance(one, types.FunctionType) and one.__code__ is code]


# ---- code which calls what was written

_CALL = """\
def outer({free}):
    def function({parameters}):
        if 0:
            {cells}
        def __written({parameters}):
            if 0:
                ({free})
        __run = "run"
        return __run(__written, {arguments})
"""


def code_as_written(code: CodeType) -> CodeType:
    """A code object that can replace that of a function: it calls `code`, with Dynamo off in that call.

    It has the parameters, cells and free variables of `code`, as Dynamo wants them of what it is to run. Where that
    cannot be had (generators, coroutines, parameters without a name) it is a copy of `code`: Dynamo then compiles what
    it calls.
    """
    own = code.replace()  # another object: Dynamo has compiled nothing for it
    parameters, arguments = _parameters_of(code)
    names = {"parameters": ", ".join(parameters), "arguments": ", ".join(arguments)}
    names["free"] = "".join(name + ", " for name in code.co_freevars)
    cells = "".join(name + ", " for name in code.co_cellvars)
    names["cells"] = f"{cells} = lambda: ({cells})" if cells else "pass"
    if code.co_flags & RETURNS_AT_ONCE:
        return own
    try:
        found: CodeType = compile(_CALL.format(**names), __file__, "exec", dont_inherit=True)
    except SyntaxError:
        return own
    call = _inner(_inner(found))
    torch_behavior.never_compile(torch_behavior.with_dynamo_off.__code__)
    constants = {"run": torch_behavior.with_dynamo_off, _inner(call): own}
    instead = call.replace(
        co_name=code.co_name,
        co_consts=tuple(constants.get(one, one) if isinstance(one, (str, CodeType)) else one for one in call.co_consts),
    )
    alike = ("co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_freevars", "co_cellvars")
    alike_too = _inner(call).co_freevars == code.co_freevars
    return instead if alike_too and all(getattr(instead, name) == getattr(code, name) for name in alike) else own


def _inner(code: CodeType) -> CodeType:
    return next(one for one in code.co_consts if isinstance(one, CodeType) and one.co_name != "<lambda>")


def _parameters_of(code: CodeType) -> tuple[list[str], list[str]]:
    """The parameters of a function as they are in its header, and the arguments that pass them all on."""
    names, count, keywords = list(code.co_varnames), code.co_argcount, code.co_kwonlyargcount
    header, passed = names[:count], names[:count]
    if code.co_posonlyargcount:
        header.insert(code.co_posonlyargcount, "/")
    others = names[count + keywords :]
    if code.co_flags & inspect.CO_VARARGS:
        others_name = "*" + others.pop(0)
        header.append(others_name)
        passed.append(others_name)
    elif keywords:
        header.append("*")
    header += names[count : count + keywords]
    passed += [f"{name}={name}" for name in names[count : count + keywords]]
    if code.co_flags & inspect.CO_VARKEYWORDS:
        header.append("**" + others[0])
        passed.append("**" + others[0])
    return header, passed
