"""What a new CPython changed in its bytecode, and a draft of its opcode table.

    python3.16 lab/new_python_version.py [--against 3.15]

Run it with the new interpreter, from a checkout. It compares the interpreter's own lists with depyf's table of the
version before, prints every difference as a question to answer, and then the draft of ``versions/py3X.py``, in which
only the meanings of new opcodes are to be filled in. docs/new-python-version.md has the whole procedure.
"""

from __future__ import annotations

import argparse
import dis
import importlib.util
import opcode
import sys
from pathlib import Path
from typing import Iterator

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from depyf.decompiler.bytecode.decoding import rules
from depyf.decompiler.bytecode.versions import TABLES
from depyf.decompiler.bytecode.versions.table import OpcodeTable

VERSION = sys.version_info[:2]
KINDS = ("hasconst", "hasname", "haslocal", "hasfree", "hasjrel", "hasjabs", "hascompare", "hasarg")


def numbers() -> dict[str, int]:
    """Opcodes by name, without the compiler's pseudo instructions, which lie above one byte."""
    return {name: number for name, number in opcode.opmap.items() if number < 256}


def caches() -> dict[str, int]:
    """How many inline cache entries follow each opcode; empty before 3.11."""
    entries = getattr(opcode, "_inline_cache_entries", {})
    if not hasattr(entries, "items"):
        entries = {opcode.opname[number]: count for number, count in enumerate(entries)}
    return {name: count for name, count in entries.items() if count and name in numbers()}


def differences(table: OpcodeTable) -> Iterator[str]:
    """What is to be looked at, in words; ``table`` is that of the version before."""
    before = {row.name: (number, row) for number, row in table.rows.items()}
    now = numbers()
    for name in sorted(set(now) - set(before)):
        kind = next((kind for kind in KINDS if now[name] in getattr(opcode, kind, ())), "no argument of a known kind")
        yield f"new opcode {name} = {now[name]} ({kind}): give it a rule"
    for name in sorted(set(before) - set(now)):
        yield f"opcode {name} is gone: what stands for it now?"
    moved = [name for name in now if name in before and before[name][0] != now[name]]
    if moved:
        yield f"{len(moved)} opcodes have other numbers (the draft has them)"
    for name in sorted(now.keys() & before.keys()):
        if before[name][1].caches != caches().get(name, 0) and before[name][1].rule != "internal":
            yield f"{name} has {caches().get(name, 0)} inline caches, before {before[name][1].caches}"
    for what, mine, theirs in (
        ("comparison operators", table.comparisons, tuple(opcode.cmp_op)),
        ("binary operators", table.binary_operators, tuple(sign for _, sign in getattr(opcode, "_nb_ops", ()))),
        ("intrinsics of one operand", rules.INTRINSICS_1, _names("_intrinsic_1_descs", "INTRINSIC_")),
        ("intrinsics of two operands", rules.INTRINSICS_2, _names("_intrinsic_2_descs", "INTRINSIC_")),
        ("special methods", rules.SPECIAL_METHODS, _names("_special_method_names", "")),
    ):
        if theirs and tuple(mine) != theirs:
            yield f"{what} differ: {mine} before, {theirs} now"
    constants = getattr(opcode, "_common_constants", None)
    if constants is not None and len(constants) != len(table.common_constants):
        yield f"common constants: {table.common_constants} before, {constants} now"
    magic = int.from_bytes(importlib.util.MAGIC_NUMBER[:2], "little")
    yield f"magic number {magic}: is it that of the final release? then pyc.py gets it"
    yield f"code flags: {dis.COMPILER_FLAG_NAMES}: are there new ones?"


def _names(attribute: str, prefix: str) -> tuple[str, ...]:
    found = getattr(opcode, attribute, ())
    return tuple("" if name.endswith("_INVALID") else name[len(prefix) :] for name in found)


def draft(table: OpcodeTable) -> str:
    """The text of the new version's module, as differences to ``table``."""
    major, minor = VERSION
    before = f"py{table.version[0]}{table.version[1]}"
    old = {row.name for row in table.rows.values()}
    now = numbers()
    removed = sorted(old - set(now))
    added = sorted(name for name in set(now) - old if not name.startswith("INSTRUMENTED_"))
    lines = [
        f'"""CPython {major}.{minor}: its opcodes, as differences to {table.version[0]}.{table.version[1]}."""',
        "",
        "from __future__ import annotations",
        "",
        f"from . import {before}",
        "from .table import Meaning, changed, make_table",
        "",
        "NUMBERS: dict[str, int] = {",
        *(f'    "{name}": {number},' for name, number in sorted(now.items(), key=lambda item: item[1])),
        "}",
        "",
        "MEANINGS: dict[str, Meaning] = changed(",
        f"    {before}.MEANINGS,",
        f"    removed={removed},",
        "    added={",
        *(f'        "{name}": ("internal", ""),  # TODO' for name in added),
        "    },",
        ")",
        "",
        f"BEHAVIOR = {before}.BEHAVIOR.changed(",
        "    # TODO: run tests/bytecode/test_behavior.py, which shows each fact of Behavior with a snippet",
        ")",
        "",
        "TABLE = make_table(",
        f"    version=({major}, {minor}),",
        "    meanings=MEANINGS,",
        "    numbers=NUMBERS,",
        f"    caches={caches()},",
        f"    binary_operators={before}.TABLE.binary_operators,",
        f"    common_constants={before}.TABLE.common_constants,",
        "    behavior=BEHAVIOR,",
        ")",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Print the differences as comments, then the draft."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--against", metavar="3.X", help="compare with this version's table (default: the one before)")
    wanted = parser.parse_args().against
    earlier = [version for version in sorted(TABLES) if version < VERSION]
    chosen = tuple(int(part) for part in wanted.split(".")) if wanted else earlier[-1]
    table = TABLES[chosen[0], chosen[1]]
    for difference in differences(table):
        print(f"# {difference}")
    print()
    print(draft(table), end="")


if __name__ == "__main__":
    main()
