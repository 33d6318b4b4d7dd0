"""bytecode/: code object -> RawCode (plain data) -> canonical instructions. Versions end here.

Takes a live code object, or a .pyc file or marshalled code of CPython 3.7 to 3.15; gives ``list[Instruction]`` in
which jump targets and handlers are indices, operands are names, constants and operators, and these rules hold:

* Inline caches, RESUME, PRECALL, cell prologues and generator prologues are gone; NOP stays, as evidence of lines.
* ``CALL (n, names)`` takes two slots and n arguments. If one of the two slots is NULL the other is the callable;
  if neither is, the lower one is the callable and the upper one its first argument (3.11: decorators,
  comprehensions, the message of ``assert``, and ``__exit__``). LOAD_METHOD is LOAD_ATTR, NULL.
* ``CALL_EX`` takes NULL and the callable (from 3.13 on the callable and NULL), an iterable, and a mapping if its
  operand is true.
* The exit function of a with statement and an iterator each take one stack entry, though 3.14 and 3.15 use two.
  RETURN_GENERATOR appears only where something runs before the generator is made (3.15's generator expressions).
* LOAD_CLOSURE reads a cell's slot (the cell), LOAD_DEREF its content.
* ``SEND`` loops are YIELD_FROM; the ``__anext__`` of ``async for`` is ASYNC_FOR_ITER, which jumps when exhausted.
* The block stacks of 3.7 to 3.10 are handlers in 3.11's shape, their three stack entries for an exception one; the
  ``finally`` subroutines of 3.7 and 3.8 are copies; where there are blocks, unreachable code is left out.
* The handler of each instruction is the innermost one; the handler of ``instructions[handler.target]`` encloses it.

Imports ``passes/``.
"""

from __future__ import annotations

from .canonical.conditions import OPPOSITE, fold_continues
from .canonical.hidden_locals import comprehension_variables, inside_any_comprehension, inside_comprehensions
from .code.raw_code import RawCode
from .disassemble import disassemble, known_instructions, operations_of, readable_instructions
from .instruction import (
    CONDITIONAL_JUMPS,
    EXITS,
    LOADS,
    NEVER_RAISES,
    NO_FALL_THROUGH,
    PATTERN_OPERATIONS,
    Handler,
    Instruction,
    reached,
    stack_use,
    unbound_name,
)
from .reading.load import load
from .reading.pyc import read_code, read_pyc, read_pyc_bytes

__all__ = [
    "CONDITIONAL_JUMPS",
    "EXITS",
    "NEVER_RAISES",
    "NO_FALL_THROUGH",
    "OPPOSITE",
    "LOADS",
    "PATTERN_OPERATIONS",
    "Handler",
    "Instruction",
    "RawCode",
    "comprehension_variables",
    "disassemble",
    "fold_continues",
    "inside_any_comprehension",
    "inside_comprehensions",
    "known_instructions",
    "load",
    "reached",
    "operations_of",
    "readable_instructions",
    "read_code",
    "read_pyc",
    "read_pyc_bytes",
    "stack_use",
    "unbound_name",
]
