"""The type of a version's opcode table, made from the differences from the previous version."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Iterable, Mapping, NamedTuple, Tuple

from .behavior import Behavior

Meaning = Tuple[str, Any]
"""(the rule of rules.py that decodes the opcode's argument, the rule's parameter: mostly a canonical operation)"""

INTERNAL: Meaning = ("internal", "")
"""An opcode internal to the interpreter, which code objects never show to Python code."""

BINARY_OPERATORS = (
    "+", "&", "//", "<<", "@", "*", "%", "|", "**", ">>", "-", "/", "^",
    "+=", "&=", "//=", "<<=", "@=", "*=", "%=", "|=", "**=", ">>=", "-=", "/=", "^=",
)  # fmt: skip
"""By the argument of BINARY_OP (3.11 on)."""

_PYPY = frozenset(range(201, 206))
"""LOOKUP_METHOD, CALL_METHOD, BUILD_LIST_FROM_ARG and others (PyPy's lib-python/3/opcode.py, "pypy modification")."""

COMPARISONS = ("<", "<=", "==", "!=", ">", ">=")
"""By the argument of COMPARE_OP, its flags shifted out."""


class OpcodeRow(NamedTuple):
    """One opcode: its raw name, the rule that decodes its argument, the rule's parameter, its inline caches."""

    name: str
    rule: str
    op: Any = ""
    caches: int = 0


@dataclass(eq=False)
class OpcodeTable:
    """The opcodes of one CPython version and the operand tables that go with them.

    ``jump_unit`` is the number of bytes per unit of a jump argument, ``common_constants`` are the names or values
    that LOAD_COMMON_CONSTANT pushes. ``conditional_jumps_go_back``: whether a conditional jump may go backward; where
    it may not, the assembler inverts it over a JUMP. ``generators_start``: whether the code of a generator starts
    with RETURN_GENERATOR. ``iterator_pairs``: whether an iterator takes two stack slots. ``behavior``: facts that no
    opcode implies. The properties are derived from the opcodes.
    """

    version: tuple[int, int]
    rows: dict[int, OpcodeRow]
    binary_operators: tuple[str, ...]
    comparisons: tuple[str, ...]
    jump_unit: int
    common_constants: tuple[Any, ...]
    conditional_jumps_go_back: bool
    generators_start: bool
    iterator_pairs: bool
    behavior: Behavior

    @cached_property
    def opcodes(self) -> dict[str, int]:
        """The number of each opcode by its name."""
        return {row.name: number for number, row in self.rows.items()}

    @cached_property
    def has_resume(self) -> bool:
        """Whether a RESUME instruction marks where the frame becomes visible."""
        return "RESUME" in self.opcodes

    @cached_property
    def has_caches(self) -> bool:
        """Whether instructions have inline caches, which the interpreter writes, and specialised forms.

        A compiler stores neither: caches are empty, and ``rows`` has one opcode for each instruction. A file with
        others is refused. A live code object can't show others: CPython's ``co_code`` puts these in their place.
        """
        return any(row.caches for row in self.rows.values())

    @cached_property
    def of_pypy(self) -> frozenset[int]:
        """Numbers that are opcodes only in PyPy; from 3.11 on CPython uses them."""
        return frozenset() if self.has_resume else _PYPY

    @cached_property
    def jumps_test_bools(self) -> bool:
        """Whether a conditional jump expects an exact bool on the stack (see TO_BOOL), so that it never raises."""
        return any(row.op == "TO_BOOL" for row in self.rows.values())

    @cached_property
    def empty_slot_is_first(self) -> bool:
        """Whether the empty slot of a call is below the callable; otherwise it is above."""
        return all(row.rule != "global or null" for row in self.rows.values())

    @cached_property
    def has_match_statements(self) -> bool:
        """Whether there are match statements (PEP 634, 3.10)."""
        return "MATCH_SEQUENCE" in self.opcodes

    @cached_property
    def cells_are_locals(self) -> bool:
        """Whether cells are numbered among the locals, so that a variable that is both has one slot."""
        return any(row.rule == "cell slot" for row in self.rows.values())

    @cached_property
    def classes_store_their_line(self) -> bool:
        """Whether the body of a class stores its first line, and the attributes that its methods store (3.13)."""
        return "SET_FUNCTION_ATTRIBUTE" in self.opcodes

    @cached_property
    def asserts_read_a_global(self) -> bool:
        """Whether an assert statement loads AssertionError as a global."""
        return "AssertionError" not in self.common_constants and all(
            row.op != "LOAD_ASSERTION_ERROR" for row in self.rows.values()
        )

    @cached_property
    def has_block_stack(self) -> bool:
        """Whether try and with statements push a block at run time, which an instruction pops."""
        return any(row.name == "SETUP_FINALLY" for row in self.rows.values())

    @cached_property
    def loops_are_blocks(self) -> bool:
        """Whether loops are on the block stack, so that return, break and continue unwind it."""
        return any(row.name == "SETUP_LOOP" for row in self.rows.values())

    def number(self, name: str) -> int:
        """The opcode called ``name``. Raises KeyError if this version has none."""
        for number, row in self.rows.items():
            if row.name == name:
                return number
        raise KeyError(f"CPython {self.version[0]}.{self.version[1]} has no opcode {name}")


def changed(
    before: Mapping[str, Meaning], *, removed: Iterable[str] = (), added: Mapping[str, Meaning]
) -> dict[str, Meaning]:
    """The meanings of the previous version with some opcodes removed and some added or changed."""
    after = dict(before)
    for name in removed:
        del after[name]
    after.update(added)
    return after


def make_table(
    *,
    version: tuple[int, int],
    meanings: Mapping[str, Meaning],
    numbers: Mapping[str, int],
    caches: Mapping[str, int] | None = None,
    binary_operators: tuple[str, ...] = BINARY_OPERATORS,
    comparisons: tuple[str, ...] = COMPARISONS,
    jump_unit: int = 2,
    common_constants: tuple[Any, ...] = (),
    iterator_pairs: bool = False,
    behavior: Behavior,
) -> OpcodeTable:
    """The table of one version; numbers inherited from the previous version are dropped if the opcode is gone.

    Opcodes that monitoring substitutes for others are internal.
    """
    caches = caches or {}
    rows = {}
    for name, number in numbers.items():
        meaning = INTERNAL if name.startswith("INSTRUMENTED_") else meanings.get(name)
        if meaning is not None:
            rows[number] = OpcodeRow(name, *meaning, caches.get(name, 0))
    return OpcodeTable(
        version,
        rows,
        binary_operators,
        comparisons,
        jump_unit,
        common_constants,
        any(row.op == "POP_JUMP_IF_TRUE" and row.rule in ("jump back", "jump to") for row in rows.values()),
        any(row.rule == "generator start" for row in rows.values()),
        iterator_pairs,
        behavior,
    )
