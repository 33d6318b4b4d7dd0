"""Bytecode in a notation that is the same for every CPython version, and its text.

A program is a list of labels and operations. The operations are the canonical instructions (see
``depyf.decompiler.bytecode.instruction``) with these differences, for what versions do not agree upon:

* Entries of the stack have kinds (see flow.py), and an entry counts as one whatever room a version gives it: what is
  called together with its empty slot, an iterator, the exit function of a with statement, an exception.
* ``CALLABLE`` makes the value on top ready to be called, ``LOAD_GLOBAL_CALLABLE`` and ``LOAD_METHOD`` load something
  that is; ``NULL`` before the value makes ``CALLABLE`` one that compilers would write. ``CALL`` needs one.
* ``GET_ITER`` or, for what is an iterator, ``ITERATOR`` makes what FOR_ITER needs.
* Where handlers are in force is said as 3.8 to 3.10 say it: ``SETUP_FINALLY handler``, ``SETUP_WITH handler`` and
  ``POP_BLOCK``. A handler begins with the exception on the stack, above the one handled before, which ``POP_EXCEPT``
  takes away. ``COPY_EXC``, a class and ``JUMP_IF_NOT_MATCH`` are an except clause's test; ``WITH_EXCEPT`` is all that
  the handler of a with statement does, ``EXIT_WITH`` calls the exit function when nothing happened.
* ``MAKE_FUNCTION (code, cells)`` makes a closure.
* ``MATCH_CLASS (count, names)`` gives the attributes, or None and on 3.10 the subject; ``MATCHES_CLASS`` whether there
  are any. ``MATCH_KEYS keys target`` is all that a mapping pattern does, and leaves the subject and the values.

Its text has an operation a line, labels end in a colon:

    program('''
    function(a, b) locals(x) cells(c) free(d) generator
        LOAD_FAST a
        POP_JUMP_IF_FALSE end
        CALL 2
    end:
        CONST None
        RETURN_VALUE
    ''')
"""

from __future__ import annotations

import ast
import re
from typing import Any, Dict, List, NamedTuple, Tuple, Union


class Op(NamedTuple):
    """One operation: its operand, the label that it leads to ('' if to none) and its line (0: its place)."""

    op: str
    arg: Any = None
    target: str = ""
    line: int = 0


class Label(NamedTuple):
    """A place in a program."""

    name: str


class Program(NamedTuple):
    """A function: its parameters, other locals, cells, free variables, and what it does."""

    items: Tuple[Union[Op, Label], ...]
    parameters: Tuple[str, ...] = ()
    locals: Tuple[str, ...] = ()
    cells: Tuple[str, ...] = ()
    free: Tuple[str, ...] = ()
    generator: bool = False
    name: str = "function"

    @property
    def ops(self) -> List[Op]:
        return [item for item in self.items if isinstance(item, Op)]

    @property
    def labels(self) -> Dict[str, int]:
        """Label -> the index in ``ops`` of what comes next."""
        found: Dict[str, int] = {}
        count = 0
        for item in self.items:
            if isinstance(item, Label):
                if item.name in found:
                    raise ValueError(f"two labels {item.name}")
                found[item.name] = count
            else:
                count += 1
        return found


JUMPS = frozenset(
    {"JUMP", "POP_JUMP_IF_FALSE", "POP_JUMP_IF_TRUE", "POP_JUMP_IF_NONE", "POP_JUMP_IF_NOT_NONE", "FOR_ITER",
     "JUMP_IF_FALSE_OR_POP", "JUMP_IF_TRUE_OR_POP", "JUMP_IF_NOT_MATCH", "MATCH_KEYS"}
)  # fmt: skip
SETUPS = frozenset({"SETUP_FINALLY", "SETUP_WITH"})
NO_FALL_THROUGH = frozenset({"JUMP", "RETURN_VALUE", "RAISE_VARARGS", "RERAISE"})


class Thing:
    """A class that code may hold as a constant, though it has no literal."""


THINGS: Dict[str, Any] = {"Thing": Thing, "int": int, "dict": dict, "object": object}
"""Constants that are no literals, by their names in the text."""


def listing(program: Program) -> str:
    """The text of ``program``."""
    head = f"{program.name}({', '.join(program.parameters)})"
    for word in ("locals", "cells", "free"):
        names = getattr(program, word)
        head += f" {word}({', '.join(names)})" if names else ""
    lines = [head + (" generator" if program.generator else "")]
    for item in program.items:
        if isinstance(item, Label):
            lines.append(f"{item.name}:")
            continue
        operand = "" if item.arg is None and item.op != "CONST" else f" {_operand(item.arg)}"
        lines.append(f"    {item.op}{operand}{' ' if item.target else ''}{item.target}")
    return "\n".join(lines) + "\n"


def _operand(value: Any) -> str:
    for name, thing in THINGS.items():
        if thing is value:
            return "@" + name
    return repr(value)


_HEAD = re.compile(r"(\w+)\(([^)]*)\)")


def program(text: str) -> Program:
    """The program that ``text`` lists. Operands are literals; names may stand without quotes."""
    lines = [line.split("#")[0].rstrip() for line in text.strip().splitlines()]
    head = _HEAD.findall(lines[0])
    words = {name: tuple(n.strip() for n in names.split(",") if n.strip()) for name, names in head[1:]}
    items: List[Union[Op, Label]] = []
    for line in lines[1:]:
        text = line.strip()
        if text.endswith(":"):
            items.append(Label(text[:-1]))
        elif text:
            items.append(_read(text))
    parameters = tuple(n.strip() for n in head[0][1].split(",") if n.strip())
    return Program(tuple(items), parameters, generator="generator" in lines[0].split(), name=head[0][0], **words)


def _read(text: str) -> Op:
    op, _, rest = text.partition(" ")
    rest, target = rest.strip(), ""
    if op in JUMPS or op in SETUPS:
        rest, _, target = rest.rpartition(" ")
    if not rest:
        return Op(op, None, target)
    if rest.startswith("@"):
        return Op(op, THINGS[rest[1:]], target)
    try:
        return Op(op, ast.literal_eval(rest), target)
    except (ValueError, SyntaxError):
        return Op(op, rest, target)
