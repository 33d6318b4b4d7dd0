"""What a code object is the code of, as its fields tell."""

from __future__ import annotations

from ...errors import DecompilationError
from .code.raw_code import RawCode
from .disassemble import known_instructions

GENERIC = "<generic parameters of "
"""How the name of the function begins that makes type parameters and what they belong to."""

FORMAT = ".format"
"""The parameter of functions that are evaluated late: the form in which the caller wants the value (3.14 on)."""

_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


def kind_of(raw: RawCode) -> str:
    """What ``raw`` is the code of: 'module', 'expression', 'class', 'lambda', 'comprehension', 'generic', 'annotations'
    or 'function'.

    'expression' is what was compiled to be evaluated. 'generic' is the code that makes type parameters, and what they
    belong to; 'annotations' the code that gives the annotations of a function, class or module.
    """
    if is_comprehension(raw):
        return "comprehension"
    if raw.name == "<lambda>":
        return "lambda"
    if raw.name.startswith(GENERIC):
        return "generic"
    if gives_annotations(raw):
        return "annotations"
    if raw.is_function:
        return "function"
    if raw.name != "<module>":
        return "class"
    return "expression" if mode_of(raw) == "eval" else "module"


def is_comprehension(raw: RawCode) -> bool:
    """Whether ``raw`` is the code of a comprehension or generator expression."""
    return raw.name in _COMPREHENSIONS


def mode_of(raw: RawCode) -> str:
    """How compile() was called that made ``raw``, the code of a module: 'exec', 'single' or 'eval'.

    What was compiled to be evaluated returns its value, what was compiled as a line of a session prints values;
    where there is none, 'exec' makes the same code.
    """
    try:
        instructions = known_instructions(raw)
    except DecompilationError:
        return "exec"
    ends = {index for index, i in enumerate(instructions) if i.op == "RETURN_VALUE"}
    before = [instructions[index - 1] for index in ends if index]
    falls = len(before) == len(ends) and all(i.op == "CONST" and i.arg is None for i in before)
    if not falls or any(i.target in ends for i in instructions):
        return "eval"
    return "single" if any(i.op == "PRINT_EXPR" for i in instructions) else "exec"


def gives_annotations(raw: RawCode) -> bool:
    """Whether ``raw`` is the code of a function that the compiler made of annotations."""
    return (
        raw.name == "__annotate__"
        and raw.parameters == ("format",)
        and raw.posonlyargcount == 1
        and "NotImplementedError" not in raw.names  # the compiler loads that as a constant
    )


def is_late(raw: RawCode) -> bool:
    """Whether ``raw`` is the code of a late evaluated function that is asked for a format (3.14 on)."""
    return raw.parameters == (FORMAT,)


def compiled_with(raw: RawCode) -> str:
    """What ``raw`` is compiled with, if it has no text of its own."""
    if kind_of(raw) == "annotations":
        return "the definition that has these annotations"
    return "the type parameter or type alias that has this value" if is_late(raw) else ""
