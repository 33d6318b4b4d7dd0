"""How far the opcodes of the running interpreter come, measured on the programs of constructs.txt.

The opcodes come from the version's table, how far they come from decompiling the programs: each chunk of the file
that this interpreter compiles; the others are in the syntax of a newer one.
"""

from __future__ import annotations

import os
import types
import warnings

from ..decompiler.bytecode import RawCode
from ..decompiler.bytecode.reading.load import HOST_VERSION
from ..decompiler.bytecode.versions import TABLES
from ..decompiler.pipeline import analyze

STAGES = ("internal", "not met", "not handled", "read", "lifted", "structured", "proven")
"""Of an opcode: no code object holds it; no program has it; and how far the best code object that has it came: its
instructions could not be read; were read; became expressions; became statements; became source with a proof."""

REACHED = {
    "load": "not handled",
    "disassemble": "not handled",
    "lift": "read",
    "structure": "lifted",
    "polish": "structured",
    "print": "structured",
    "prove": "structured",
}
"""How far code came that was refused in a stage."""


def measure() -> dict[str, str]:
    """The stage of every opcode of the running interpreter, by the opcode's name."""
    rows = TABLES[HOST_VERSION].rows
    found = {row.name: "internal" if row.rule == "internal" else "not met" for row in rows.values()}
    for code in programs():
        for result in analyze(code).walk():
            if result.raw is None:
                continue
            stage = "proven" if result.verdict.proven else REACHED.get(result.verdict.method, "structured")
            for name in opcodes(result.raw):
                found[name] = max(found[name], stage, key=STAGES.index)
    return found


def chunks() -> list[str]:
    """The parts of constructs.txt that the running interpreter compiles, each a module by itself."""
    with open(os.path.join(os.path.dirname(__file__), "constructs.txt"), encoding="utf-8") as file:
        found = file.read().split("\n\n\n")
    return [chunk for chunk in found if _compiled(chunk) is not None]


def programs() -> list[types.CodeType]:
    """Code of the chunks, and of a line typed at a prompt."""
    codes = [_compiled(chunk) for chunk in chunks()]
    codes.append(compile("a; print(a)", "constructs.txt", "single", dont_inherit=True))
    return [code for code in codes if code is not None]


def _compiled(chunk: str) -> types.CodeType | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            code: types.CodeType = compile(chunk, "constructs.txt", "exec", dont_inherit=True)
    except SyntaxError:
        return None
    return code


def opcodes(raw: RawCode) -> set[str]:
    """Names of the opcodes in the code object itself, nested ones not looked into."""
    rows = TABLES[raw.version].rows
    return {rows[number].name for number in set(raw.bytecode[::2]) if number in rows}
