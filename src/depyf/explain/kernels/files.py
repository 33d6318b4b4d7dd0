"""Inductor's generated modules: kernels and the wrapper that calls them, as a file which debuggers stop in.

Inductor writes its module under a name made of a hash, in a temporary directory, and loads it from there. That is left
as it is. The file in the dump has the same text, what changes from run to run made the same; the functions of the
loaded module get its name. Nothing that runs is changed.
"""

from __future__ import annotations

import ast
import re
import types
from dataclasses import dataclass
from typing import Any, Iterator

from ...decompiler.proof.compile_worker import syntax_tree

__all__ = ["KernelPart", "functions_of", "kernel_parts", "kernel_text", "point_functions_at_file"]

# What is different in each run, and what is written instead. Each hides a place or a hash, never an operation.
_CHANGING: list[tuple[re.Pattern[str], str]] = [
    (re.compile(r"(?:/[\w.+-]+)*/torchinductor_\w+"), "<inductor cache>"),
    (re.compile(r"(?:/[\w.+-]+)*/tmp\w{8}(?=/)"), "<temporary directory>"),
    (re.compile(r"(<inductor cache>(?:/[\w.+-]+)*/)c[a-z2-7]{20,}"), r"\1<hash>"),
    (re.compile(r"\b0x[0-9a-fA-F]{8,}\b"), "0x0"),
]

_TUNES = "= async_compile.triton("


@dataclass
class KernelPart:
    """The source of one kernel, which a wrapper has as a string."""

    name: str
    language: str  # "C++" | "Triton"
    source: str

    @property
    def suffix(self) -> str:
        """The end of its file's name."""
        return "cpp" if self.language == "C++" else "py"

    def text(self, about: list[str]) -> str:
        """The text of its file: `about` as comments in front."""
        sign = "//" if self.language == "C++" else "#"
        body = _the_same_in_every_run(self.source.strip("\n"))
        return "".join(f"{sign} {line}\n" for line in about) + body + "\n"


def kernel_text(source: str, about: list[str]) -> str:
    """The text for the dump: the lines of `about` as comments, then `source` with the same number of lines."""
    lines = ["# " + " ".join(line.split()) if at == 0 else "# " + line for at, line in enumerate(about)]
    return "\n".join([*lines, _the_same_in_every_run(source)])


def kernel_parts(source: str) -> list[KernelPart]:
    """The kernels which a wrapper hands to a compiler as strings, in order; none where the text is no Python.

    They have the form ``name = async_compile.cpp_pybinding(..., r'''...''')`` or ``async_compile.triton('name',
    '''...''')``; a wrapper in C++ is a string by itself. With one, the Triton kernels for a GPU are in the docstring,
    in code that has tuned them (2.11).
    """
    try:
        body = syntax_tree(source).body
    except SyntaxError:
        return []
    found: list[KernelPart] = []
    docstring = ast.get_docstring(ast.Module(body, []), clean=False) or ""
    if _TUNES in docstring:
        found += kernel_parts(docstring[docstring.index("import ") :])
    for statement in body:
        if not isinstance(statement, ast.Assign):
            continue
        if isinstance(statement.value, ast.Constant) and "#include" in str(statement.value.value):
            found.append(KernelPart(getattr(statement.targets[0], "id", "wrapper"), "C++", str(statement.value.value)))
        if not isinstance(statement.value, ast.Call):
            continue
        target, called = statement.targets[0], ast.dump(statement.value.func)
        texts = [ast.literal_eval(one) for one in statement.value.args if isinstance(one, ast.Constant)]
        texts = [one for one in texts if isinstance(one, str) and one.count("\n") > 1]
        if isinstance(target, ast.Name) and texts and "async_compile" in called:
            language = "Triton" if "triton" in called else "C++" if "#include" in texts[-1] else "Python"
            found.append(KernelPart(target.id, language, texts[-1]))
    return found


def _the_same_in_every_run(source: str) -> str:
    for changing, instead in _CHANGING:
        source = changing.sub(instead, source)
    return source


def point_functions_at_file(module: types.ModuleType, loaded_from: str, path: str, lines_added: int = 1) -> int:
    """Gives the functions of a loaded module the name of their file in the dump. Returns how many it changed.

    Args:
        module: what was loaded.
        loaded_from: the file it was loaded from; functions from elsewhere are left alone.
        path: its file in the dump, whose text begins `lines_added` lines later.
    """
    changed = 0
    for function in functions_of(module):
        if function.__code__.co_filename == loaded_from:
            function.__code__ = _moved(function.__code__, loaded_from, path, lines_added)
            changed += 1
    return changed


def functions_of(module: types.ModuleType) -> Iterator[types.FunctionType]:
    """The functions of a module, and those of its classes and their objects."""
    seen: dict[int, bool] = {}
    waiting: list[Any] = list(vars(module).values())
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen[id(thing)] = True
        if isinstance(thing, types.FunctionType):
            yield thing
        elif isinstance(thing, types.MethodType):
            waiting.append(thing.__func__)
        elif isinstance(thing, (staticmethod, classmethod)):
            waiting.append(thing.__func__)
        elif isinstance(thing, type) and thing.__module__ == module.__name__:
            waiting.extend(vars(thing).values())


def _moved(code: types.CodeType, loaded_from: str, path: str, lines: int) -> types.CodeType:
    if code.co_filename != loaded_from:
        return code
    constants = tuple(
        _moved(constant, loaded_from, path, lines) if isinstance(constant, types.CodeType) else constant
        for constant in code.co_consts
    )
    return code.replace(co_filename=path, co_firstlineno=code.co_firstlineno + lines, co_consts=constants)
