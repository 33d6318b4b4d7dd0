"""What a version's opcode table holds, and how it is made from the version's differences to the one before."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Iterable, Mapping, NamedTuple, Tuple

Meaning = Tuple[str, Any]
"""(the rule of rules.py that decodes the opcode's argument, what the rule needs: mostly a canonical operation)"""

INTERNAL: Meaning = ("internal", "")
"""An opcode that the interpreter uses for itself; code objects as Python code sees them never hold it."""

BINARY_OPERATORS = (
    "+", "&", "//", "<<", "@", "*", "%", "|", "**", ">>", "-", "/", "^",
    "+=", "&=", "//=", "<<=", "@=", "*=", "%=", "|=", "**=", ">>=", "-=", "/=", "^=",
)  # fmt: skip
"""By the argument of BINARY_OP (3.11 on)."""

COMPARISONS = ("<", "<=", "==", "!=", ">", ">=")
"""By the argument of COMPARE_OP, its flags shifted away."""


class Row(NamedTuple):
    """One opcode: its raw name, the rule that decodes its argument, what the rule makes of it, its inline caches."""

    name: str
    rule: str
    op: Any = ""
    caches: int = 0


@dataclass(eq=False)
class OpcodeTable:
    """The opcodes of one CPython version and the operand tables that go with them.

    ``jump_unit`` is the number of bytes that jump arguments count, ``common_constants`` are the names or values
    behind LOAD_COMMON_CONSTANT. ``conditional_jumps_go_back``: whether a conditional jump may lead backward; where
    none does, the assembler inverts it over a JUMP. ``generators_start``: whether the code of a generator says so by
    an instruction, RETURN_GENERATOR. ``iterator_pairs``: whether an iterator takes two slots of the stack.
    ``delegation_is_told_by`` and ``close_is_told_by``: where ``throw`` and ``close`` look for what a yield is, in the
    "operand" of YIELD_VALUE or of the "resume" behind it; empty if nowhere (see dropped.py).
    ``exits_are_copied``: whether the compiler writes a copy of a short way out of the code, such as the return at the
    end of a function, in the place of a jump to it.
    """

    version: tuple[int, int]
    rows: dict[int, Row]
    binary_operators: tuple[str, ...]
    comparisons: tuple[str, ...]
    jump_unit: int
    common_constants: tuple[Any, ...]
    conditional_jumps_go_back: bool
    generators_start: bool
    iterator_pairs: bool
    exits_are_copied: bool
    delegation_is_told_by: str
    close_is_told_by: str

    @cached_property
    def opcodes(self) -> dict[str, int]:
        """The number of each opcode by its name."""
        return {row.name: number for number, row in self.rows.items()}

    @cached_property
    def handlers_are_last(self) -> bool:
        """Whether handlers stand behind all other code, which is so since awaits have one (CLEANUP_THROW)."""
        return any(row.op == "CLEANUP_THROW" for row in self.rows.values())

    @cached_property
    def has_resume(self) -> bool:
        """Whether code says by an instruction, RESUME, where a frame of it begins to be seen."""
        return "RESUME" in self.opcodes

    @cached_property
    def generator_expressions_iterate(self) -> bool:
        """Whether a generator expression asks its argument for an iterator by itself, before the generator is made, in
        a frame that is hidden until then: since iterators are pairs (3.15).
        """
        return self.iterator_pairs

    @cached_property
    def jumps_test_bools(self) -> bool:
        """Whether a conditional jump finds an exact bool on the stack, made by TO_BOOL, so that it never raises."""
        return any(row.op == "TO_BOOL" for row in self.rows.values())

    @cached_property
    def empty_slot_is_first(self) -> bool:
        """Whether the empty slot of a call lies below the callable; above it if not."""
        return all(row.rule != "global or null" for row in self.rows.values())

    @cached_property
    def generators_have_a_handler(self) -> bool:
        """Whether the compiler puts a generator's code into a handler of StopIteration (by this intrinsic)."""
        return any(row.rule == "intrinsic 1" for row in self.rows.values())

    @cached_property
    def drops_overwritten_stores(self) -> bool:
        """Whether of two stores to one variable in a row, on one line, the first only drops its value: since the
        compiler joins stores to one instruction (flowgraph.c, 3.13).
        """
        return any(row.name == "STORE_FAST_STORE_FAST" for row in self.rows.values())

    @cached_property
    def frames_are_left_before_their_call(self) -> bool:
        """Whether an exception that leaves a frame pushed by an instruction is looked up at the unit before that: since
        frames keep the instruction that they run, not the last unit of it (instr_ptr, 3.13).
        """
        return self.drops_overwritten_stores

    @cached_property
    def has_match_statements(self) -> bool:
        """Whether there are match statements (PEP 634, 3.10)."""
        return "MATCH_SEQUENCE" in self.opcodes

    @cached_property
    def folds_constant_tests(self) -> bool:
        """Whether `True and x` is compiled to x alone: since there is an optimizer of the flow graph, which came with
        match statements.
        """
        return self.has_match_statements

    @cached_property
    def asserts_have_lines_of_comparisons(self) -> bool:
        """Whether an assert statement raises on the line of the comparison that its test ends with: `compiler_jump_if`
        sets that place and does not set it back (compile.c of 3.10, the first with match statements, and of 3.11).
        """
        return self.has_match_statements and "LOAD_FAST_CHECK" not in self.opcodes

    @cached_property
    def cells_are_locals(self) -> bool:
        """Whether cells are numbered with the local variables, so that a variable which is both has one slot."""
        return any(row.name == "LOAD_DEREF" and row.rule == "local" for row in self.rows.values())

    @cached_property
    def asserts_read_a_global(self) -> bool:
        """Whether nothing but the global name gives an assert statement its AssertionError."""
        return "AssertionError" not in self.common_constants and all(
            row.op != "LOAD_ASSERTION_ERROR" for row in self.rows.values()
        )

    @cached_property
    def folds_percent_formats(self) -> bool:
        """Whether `"%s" % (x,)` is compiled as an f-string is: since the optimizer of the tree does so (bpo-28307),
        3.11, the first version whose code says where it may be resumed.
        """
        return any(row.name == "RESUME" for row in self.rows.values())

    @cached_property
    def mappings_are_copied(self) -> bool:
        """Whether ``**mapping`` is merged into a new dictionary, be it the only one: other keywords were written so."""
        return any(row.op == "DICT_MERGE" for row in self.rows.values())

    @cached_property
    def keeps_not(self) -> bool:
        """Whether `not a in b` is not made into `a not in b`: that was done in the tree, where constants were folded
        before the flow graph had small integers to fold.
        """
        return any(row.name == "LOAD_SMALL_INT" for row in self.rows.values())

    @cached_property
    def slices_are_constants(self) -> bool:
        """Whether a slice whose bounds were written as constants is one too: since the flow graph, behind that, folds
        what is computed of constants (codegen.c, 3.14).
        """
        return self.keeps_not

    @cached_property
    def loop_tests_are_copied(self) -> bool:
        """Whether a while loop has its test at the bottom too, which only ``continue`` does not go to: since short
        ways out are copied, until the flow graph has small integers.
        """
        return self.exits_are_copied and not self.keeps_not

    @cached_property
    def else_is_last(self) -> bool:
        """Whether an else clause of a try statement stands behind the handlers: while try is a block at run time."""
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
    """The meanings of the version before with some opcodes gone and some new or of another meaning."""
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
    exits_are_copied: bool = True,
    delegation_is_told_by: str = "",
    close_is_told_by: str = "",
) -> OpcodeTable:
    """The table of one version; numbers inherited from the version before are left out if the opcode is gone.

    Opcodes that monitoring puts in the place of others are internal.
    """
    caches = caches or {}
    rows = {}
    for name, number in numbers.items():
        meaning = INTERNAL if name.startswith("INSTRUMENTED_") else meanings.get(name)
        if meaning is not None:
            rows[number] = Row(name, *meaning, caches.get(name, 0))
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
        exits_are_copied,
        delegation_is_told_by,
        close_is_told_by,
    )
