"""A code object of any CPython version as plain data: the decompiler's input."""

from __future__ import annotations

import types
from typing import Any, Iterator, NamedTuple

from ....errors import DecompilationError
from ....escapes import printable
from ..instruction import Instruction, Position
from ..versions import TABLES
from ..versions.table import OpcodeTable
from .flags import CO_OPTIMIZED, CO_VARARGS, CO_VARKEYWORDS, docstring_flag, future_annotations_flag
from .formats import FORMATS


class ExceptionEntry(NamedTuple):
    """One row of the exception table; byte offsets, ``end`` excluded."""

    start: int
    end: int
    target: int
    depth: int
    lasti: bool


class RawCode:
    """A code object as plain data.

    ``consts`` holds nested code objects as RawCode. ``code`` is the live code object it was read from, or None if
    it came from a file. ``version`` is the (major, minor) of the bytecode, not of the host. ``notes`` lists what
    could not be read but is not needed. ``stored`` holds fields of a file in their stored form, which the other
    fields repeat or leave out. ``renamed`` maps changed names of local variables to those of the code object, where
    two slots have the same name. ``other_cells`` are its ``cellvars`` where instructions make cells of other variables.
    ``written``: by the offset of the instruction that loads it, what is written for a constant that is a name or names.
    ``is_value``: no function is made of it, it is a constant like others. ``is_compiled_here``: a compiler has just
    made ``code``, so CPython's own reading of its tables can be trusted.
    """

    __slots__ = (
        "version", "name", "qualname", "filename", "firstlineno", "argcount", "posonlyargcount", "kwonlyargcount",
        "flags", "bytecode", "consts", "names", "varnames", "cellvars", "freevars", "localsplus", "exception_table",
        "stacksize", "linetable", "code", "notes", "renamed", "stored", "disassembled", "operations", "unclear",
        "doubt", "mode", "kind", "is_value", "other_cells", "written", "is_compiled_here", "_positions",
        "_nested",
    )  # fmt: skip

    version: tuple[int, int]
    name: str
    qualname: str
    filename: str
    firstlineno: int
    argcount: int
    posonlyargcount: int
    kwonlyargcount: int
    flags: int
    bytecode: bytes
    consts: tuple[Any, ...]
    names: tuple[str, ...]
    varnames: tuple[str, ...]
    cellvars: tuple[str, ...]
    freevars: tuple[str, ...]
    localsplus: tuple[str, ...]
    exception_table: tuple[ExceptionEntry, ...]
    stacksize: int
    linetable: bytes
    notes: list[str]
    code: types.CodeType | None
    doubt: tuple[list[Instruction], str] | None
    mode: tuple[list[Instruction], str] | None
    kind: str | None
    disassembled: tuple[tuple[Any, ...], list[Instruction] | DecompilationError, bool] | None
    operations: tuple[list[Instruction], frozenset[str]] | None

    def __init__(self) -> None:
        self.renamed: dict[str, str] = {}
        self.stored: dict[str, Any] = {}
        self.other_cells: tuple[str, ...] | None = None
        self.written: dict[int, Any] = {}
        self.disassembled = self.operations = None  # kept by disassemble
        self.unclear = ""  # by decoding/decode.py: why the instructions may mean something else
        self.doubt = None  # kept by proof/prove.py
        self.mode = self.kind = None  # kept by kinds.py, like the next
        self.is_value = False
        self.is_compiled_here = False
        self._positions = None
        self._nested: tuple[tuple[Any, ...], list[RawCode]] | None = None

    def __repr__(self) -> str:
        return printable(f"<RawCode {self.qualname} {self.version[0]}.{self.version[1]}>")

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of all parameters in CPython's order: positional, keyword-only, ``*args``, ``**kwargs``."""
        count = self.argcount + self.kwonlyargcount
        count += bool(self.flags & CO_VARARGS) + bool(self.flags & CO_VARKEYWORDS)
        return self.varnames[:count]

    @property
    def is_function(self) -> bool:
        """Whether its locals are fast locals: a function, lambda or comprehension, not a class or module body."""
        return bool(self.flags & CO_OPTIMIZED)

    @property
    def docstring(self) -> str | None:
        """The ``__doc__`` of a function with this code; None for a comprehension and for anything but a function."""
        first = self.consts[0] if self.consts else None
        if not isinstance(first, str) or not self.is_function or self.parameters == (".0",):
            return None
        flag = docstring_flag(self.version)
        return None if flag and not self.flags & flag else first

    @property
    def table(self) -> OpcodeTable:
        """The opcode table of its version, with the facts about its compiler."""
        return TABLES[self.version]

    @property
    def finally_calls(self) -> list[str]:
        """The operations that call, fall into, end and jump out of ``finally`` subroutines (3.8), in order.

        Neither copies of a subroutine show them, nor code after one that never returns. A constant before
        SETUP_FINALLY counts too: it reserves a stack slot for a ``return`` in the subroutine, even a dead one.
        """
        number = self.table.opcodes
        names = {number[name]: name for name in _OF_SUBROUTINES if name in number}
        if not names:
            return []
        room = number["LOAD_CONST"], number["SETUP_FINALLY"]
        operations = [operation for operation in self.bytecode[::2] if operation != number["EXTENDED_ARG"]]
        return [
            names.get(operation, "LOAD_CONST")
            for operation, following in zip(operations, [*operations[1:], None])
            if operation in names or (operation, following) == room
        ]

    @property
    def returned_after_finally_calls(self) -> list[Any]:
        """The constants returned right after calls of ``finally`` subroutines (3.8), as by ``try: return 1``.

        Where the subroutine never returns, no instruction of ``known_instructions`` has them.
        """
        number = self.table.opcodes
        if "CALL_FINALLY" not in number:
            return []
        operations, operands = self.bytecode[::2], self.bytecode[1::2]
        pop, leave = bytes([number["POP_TOP"]]), bytes([number["LOAD_CONST"], number["RETURN_VALUE"]])
        found: list[Any] = []
        for index in [at for at, operation in enumerate(operations) if operation == number["CALL_FINALLY"]]:
            rest = operations[index + 1 :].lstrip(pop)
            if rest.startswith(leave):
                operand = operands[len(operations) - len(rest)]
                found += self.consts[operand : operand + 1]  # compiled code always has one there
        return found

    @property
    def has_future_annotations(self) -> bool:
        """Whether it was compiled with ``from __future__ import annotations``: annotations are strings."""
        return bool(self.flags & future_annotations_flag(self.version))

    @property
    def nested(self) -> list[RawCode]:
        """Code objects among the constants, in order."""
        if self._nested is None or self._nested[0] is not self.consts:
            self._nested = self.consts, [constant for constant in self.consts if constant.__class__ is RawCode]
        return self._nested[1]

    def walk(self) -> Iterator[RawCode]:
        """This code object and, depth first, all nested ones."""
        todo = [self]
        while todo:
            raw = todo.pop()
            yield raw
            todo += raw.nested[::-1]

    def same_as(self, other: RawCode) -> bool:
        """Whether both do the same and have the same source location: a compiler may emit one code object twice."""
        if self is other:
            return True
        return all(getattr(self, field) == getattr(other, field) for field in _COMPARED) and (
            len(self.consts) == len(other.consts) and all(map(_same_constant, self.consts, other.consts))
        )

    def positions(self) -> tuple[Position, ...]:
        """Source positions, one for each two-byte code unit; empty if they were stripped or can't be read."""
        if self._positions is None and self.is_compiled_here and hasattr(self.code, "co_positions"):
            assert self.code is not None
            self._positions = tuple(self.code.co_positions())
        if self._positions is None:
            decode = FORMATS[self.version].line_table
            try:
                self._positions = tuple(decode(self.linetable, self.firstlineno, len(self.bytecode) // 2))
            except ValueError as error:
                self._positions = ()
                self.notes.append(str(error))
        return self._positions

    _positions: tuple[Position, ...] | None


_OF_SUBROUTINES = ("BEGIN_FINALLY", "CALL_FINALLY", "END_FINALLY", "POP_FINALLY")

_COMPARED = (
    "version", "name", "firstlineno", "argcount", "posonlyargcount", "kwonlyargcount", "flags", "bytecode", "names",
    "varnames", "cellvars", "freevars", "localsplus", "exception_table",
)  # fmt: skip


def _same_constant(left: Any, right: Any) -> bool:
    if isinstance(left, RawCode) and isinstance(right, RawCode):
        return left.same_as(right)
    return type(left) is type(right) and repr(left) == repr(right)
