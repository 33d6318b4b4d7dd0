"""The table of what proofs ignore, each with the reason why no program can observe it. docs/proof.md shows it.

Everything not listed here is compared.
"""

from __future__ import annotations

from typing import NamedTuple


class Ignored(NamedTuple):
    """Something that may differ. ``operations`` are the canonical operations that are dropped for it."""

    what: str
    reason: str
    operations: frozenset[str] = frozenset()


IGNORED = (
    # Gone when the instructions are read (bytecode/)
    Ignored("inline caches, EXTENDED_ARG, RESUME, NOT_TAKEN, PRECALL", "they do nothing that a program sees"),
    Ignored("superinstructions, borrowed loads, small integers, common constants", "spellings of other instructions"),
    Ignored(
        "the checked form of a load (LOAD_FAST_CHECK)",
        "the proof finds out by itself which loads may be unbound, and treats these as operations that raise",
    ),
    Ignored("whether a jump polls for signals", "asynchronous exceptions are outside every proof"),
    # Gone in the normal form (lockstep/normalize.py)
    Ignored("NOP", "it does nothing; it only carries a line", frozenset({"NOP"})),
    Ignored("unconditional jumps and the layout of the code", "each step knows what follows it", frozenset({"JUMP"})),
    Ignored(
        "the empty slot of a call, and so the method form of an attribute",
        "both forms look up the same attribute in the same order and call the same object with the same arguments",
        frozenset({"NULL"}),
    ),
    Ignored("code that is never reached", "it never runs; nested code that only it mentions is never made"),
    Ignored("the numbering and doubles of constants, names and local variables", "operands are compared by value"),
    Ignored("the size reserved for the stack", "the interpreter's own need"),
    Ignored(
        "lines, columns, the file's name and the first line (also as `__firstlineno__` of a class)",
        "decompiled source is at another place",
    ),
    Ignored("the order of `__static_attributes__` of a class", "the language promises none"),
    Ignored("the order of local variables, in code that names none of `locals`, `vars`, `dir`, `eval` and `exec`",
            "only these show it; where they are named it is compared, and another order is an assumption"),
    Ignored(
        "the order of a constant frozenset that something is looked for in, or that has text or bytes in it",
        "a membership test has no order; hashes of text and bytes differ in every run, and so does the order",
    ),
    Ignored("a cell that is handed to nobody", "only the code itself reaches it, as it would a local variable"),
    Ignored("the order of cell variables", "cells are told apart by name, and the order of free variables is compared"),
    # Gone when tests are paired (lockstep/steps.py)
    Ignored(
        "the sense of a conditional jump, `not` before it, `is not`, `not in`, a comparison with None",
        "successors are paired by the truth of the test; negating an exact bool runs no code",
    ),
    Ignored(
        "a kept copy of a tested value that is dropped on one edge", "what JUMP_IF_FALSE_OR_POP and its twin do in one"
    ),
    Ignored("the handler of an operation that can't raise", "no exception comes from there: see CANNOT_RAISE"),
    Ignored(
        "the handler of a load that one side shows to be bound", "locals of both sides are equal where they are paired"
    ),
    # Flags
    Ignored("the flags NOFREE and HAS_DOCSTRING", "they repeat what is compared: free variables, the docstring"),
    # The symbolic proof
    Ignored(
        "which variables hold values that are not needed any more",
        "compared at every event, or the verdict assumes that no callee reads them; always compared where the code "
        "calls locals, vars, dir, eval or exec, refused where it mentions a frame; the first parameter counts where it "
        "mentions super",
    ),
    Ignored(
        "whether equal constants, tuples built of constants, and slices are the same object",
        "the compiler shares constants and folds tuples as it likes; nothing else can be done with their identity",
    ),
    # Axioms
    Ignored(
        "when an object that nobody holds any more is destroyed",
        "the order of last references is no promise of the language; what `__del__` raises is not propagated",
    ),
    Ignored("tracing, profiling, and frames as seen from outside", "they show every instruction"),
)

DROPPED = frozenset(op for row in IGNORED for op in row.operations)
"""Operations that are in no normal form."""

_STACK = "moves entries of the stack"
_NEW = "makes a new object of what is on the stack, and asks the items for nothing"
_VARIABLE = "binds a variable of this frame; the old value's end is an axiom"
_STATE = "changes which exception is being handled"

CANNOT_RAISE = {
    "NOP": "does nothing", "JUMP": "does nothing", "NULL": _STACK, "POP": _STACK, "COPY": _STACK, "SWAP": _STACK,
    "CONST": "pushes an object that exists", "LOAD_CLOSURE": "pushes the cell, not its content",
    "STORE_FAST": _VARIABLE, "STORE_DEREF": _VARIABLE,
    "BUILD_TUPLE": _NEW, "BUILD_LIST": _NEW, "BUILD_SLICE": _NEW, "MAKE_FUNCTION": _NEW,
    "LIST_TO_TUPLE": "copies a list that the compiler made", "LIST_APPEND": "appends to a list that the compiler made",
    "IS_OP": "compares identities", "POP_JUMP_IF_NONE": "compares identities",
    "POP_JUMP_IF_NOT_NONE": "compares identities",
    "LOAD_ASSERTION_ERROR": "pushes an object that exists",
    "PUSH_EXC_INFO": _STATE, "POP_EXCEPT": _STATE, "RETURN_VALUE": "leaves the code",
}  # fmt: skip
"""Why an operation never raises, apart from memory errors. All others are assumed to raise, including
LOAD_BUILD_CLASS, which does if the function has been removed from the builtins."""
