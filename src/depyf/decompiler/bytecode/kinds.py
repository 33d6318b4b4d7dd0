"""The kind of definition that a code object was compiled from, by its fields."""

from __future__ import annotations

from ...errors import DecompilationError
from .code.raw_code import RawCode
from .code.slot_names import CONDITIONAL_ANNOTATIONS as CONDITIONAL_ANNOTATIONS
from .disassemble import known_instructions
from .instruction import Instruction

GENERIC = "<generic parameters of "
"""The prefix of the name of the function that makes type parameters and what they belong to."""

FORMAT = ".format"
"""The parameter of lazily evaluated functions: the format that the caller wants (3.14 on)."""

_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


def kind_of(raw: RawCode) -> str:
    """The kind of ``raw``: 'module', 'expression', 'class', 'lambda', 'comprehension', 'generic', 'annotations' or
    'function'.

    'expression' was compiled in mode 'eval'. 'generic' is the code that makes type parameters, and what they belong
    to; 'annotations' the code that returns the annotations of a function, class or module.
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
    """The mode of the compile() call that made ``raw``, the code of a module: 'exec', 'single' or 'eval'.

    Code of mode 'eval' returns its value, code of mode 'single' prints values; where it has none, 'exec' makes the
    same code. Kept with ``raw``: it is asked for again and again.
    """
    try:
        instructions = known_instructions(raw)
    except DecompilationError:
        return "exec"
    if raw.mode is None or raw.mode[0] is not instructions:
        raw.mode = instructions, _mode_of(instructions)
    return raw.mode[1]


def _mode_of(instructions: list[Instruction]) -> str:
    ends = {index for index, i in enumerate(instructions) if i.op == "RETURN_VALUE"}
    before = [instructions[index - 1] for index in ends if index]
    falls = len(before) == len(ends) and all(i.op == "CONST" and i.arg is None for i in before)
    if not falls or any(i.target in ends for i in instructions):
        return "eval"
    return "single" if any(i.op == "PRINT_EXPR" for i in instructions) else "exec"


def gives_annotations(raw: RawCode) -> bool:
    """Whether ``raw`` is the code of a function that the compiler made from annotations."""
    return (
        raw.name == "__annotate__"
        and raw.parameters == ("format",)
        and raw.posonlyargcount == 1
        and "NotImplementedError" not in raw.names  # the compiler loads that as a constant
    )


def is_late(raw: RawCode) -> bool:
    """Whether ``raw`` is the code of a lazily evaluated function that takes a format (3.14 on)."""
    return raw.parameters == (FORMAT,)


def compiled_with(raw: RawCode) -> str:
    """What ``raw`` is compiled as part of, if it has no source text of its own."""
    if kind_of(raw) == "annotations":
        return "the definition that has these annotations"
    return "the type parameter or type alias that has this value" if is_late(raw) else ""
