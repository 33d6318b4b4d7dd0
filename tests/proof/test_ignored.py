"""The table of what proofs ignore is the one that the documentation shows, and the only one."""

from __future__ import annotations

import re
from pathlib import Path

from depyf.decompiler.bytecode import NEVER_RAISES
from depyf.decompiler.bytecode.instruction import OPERATIONS
from depyf.decompiler.proof.ignored import CANNOT_RAISE, DROPPED, IGNORED

DOCS = Path(__file__).parents[2] / "docs" / "proof.md"


def shown(name):
    text = DOCS.read_text(encoding="utf-8")
    return re.search(rf"<!-- {name} -->\n(.*?)<!-- /{name} -->", text, re.DOTALL).group(1)


def test_the_documentation_shows_the_table():
    rows = "".join(f"| {row.what} | {row.reason} |\n" for row in IGNORED)
    assert shown("ignored") == "| ignored | why |\n|---|---|\n" + rows


def test_the_documentation_says_what_can_not_raise():
    reasons: dict[str, list[str]] = {}
    for op, reason in CANNOT_RAISE.items():
        reasons.setdefault(reason, []).append(f"`{op}`")
    rows = "".join(f"| {', '.join(ops)} | {reason} |\n" for reason, ops in reasons.items())
    assert shown("cannot raise") == "| operation | why |\n|---|---|\n" + rows


def test_operations_are_canonical_and_what_is_dropped_does_nothing():
    assert set(CANNOT_RAISE) <= set(OPERATIONS)
    assert set(CANNOT_RAISE) <= NEVER_RAISES
    assert DROPPED <= set(CANNOT_RAISE)
    assert DROPPED == {"NOP", "JUMP", "NULL"}
