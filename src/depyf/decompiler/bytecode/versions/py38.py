"""CPython 3.8: its opcodes, as differences to 3.7. Numbers and names as in 3.8.18; a test asks every interpreter."""

from __future__ import annotations

from . import py37
from .table import Meaning, changed, make_table

NUMBERS: dict[str, int] = {
    **py37.NUMBERS,
    "ROT_FOUR": 6, "BEGIN_FINALLY": 53, "END_ASYNC_FOR": 54, "CALL_FINALLY": 162, "POP_FINALLY": 163,
}  # fmt: skip

MEANINGS: dict[str, Meaning] = changed(
    py37.MEANINGS,
    removed=[
        "BREAK_LOOP", "CONTINUE_LOOP", "SETUP_LOOP", "SETUP_EXCEPT",
    ],
    added={
        "ROT_FOUR": ("rotate", 4),
        "MAP_ADD": ("count", "MAP_ADD"),  # the key comes first, as in PEP 572
        "END_ASYNC_FOR": ("plain 0", "END_ASYNC_FOR"),
        "BEGIN_FINALLY": ("plain", "BEGIN_FINALLY"),
        "CALL_FINALLY": ("jump by", "CALL_FINALLY"),
        "POP_FINALLY": ("count", "POP_FINALLY"),
    },
)  # fmt: skip

BEHAVIOR = py37.BEHAVIOR.changed(
    tests_jump_on_line_of_statement=True,  # compile.c, compiler_visit_expr: restores the line, up or down
)

TABLE = make_table(
    version=(3, 8),
    meanings=MEANINGS,
    numbers=NUMBERS,
    comparisons=("<", "<=", "==", "!=", ">", ">=", "in", "not in", "is", "is not", "exception match"),
    jump_unit=1,
    behavior=BEHAVIOR,
)
