"""``depyf disasm``: instructions as they are stored, beside the canonical ones that the decompiler sees.

No name of an operation is looked up in this interpreter: code of every version that depyf reads can be shown.
"""

from __future__ import annotations

import subprocess
import types
from typing import Any, Iterator, NamedTuple

from ..decompiler.bytecode import RawCode, load
from ..decompiler.bytecode.disassemble import disassemble
from ..decompiler.bytecode.instruction import Instruction
from ..decompiler.bytecode.interpreters import on_path
from ..decompiler.bytecode.versions import TABLES
from ..decompiler.flowgraph import build_flowgraph
from ..decompiler.live.objects import target_of
from ..errors import DecompilationError, DepyfError
from ..escapes import printable

__all__ = ["DrawnBlock", "ListedInstruction", "dot", "graph", "heading", "listing", "raw_code", "rows", "svg"]

_RAW = 34  # columns
_SECONDS = 300
"""That drawing may take; dot needs long for thousands of blocks."""


def raw_code(target: Any) -> RawCode:
    """The code of what a target of the command line means. Raises DepyfError if it has none of its own."""
    if isinstance(target, RawCode):
        return target
    found = target_of(target)
    code = getattr(found, "code", found)
    if not isinstance(code, types.CodeType):
        raise DepyfError(f"{target!r} has no code of its own: name one of its functions")
    return load(code)


def listing(raw: RawCode) -> list[str]:
    """The code object and those nested in it: for each instruction its line, its offset, what is stored, and the
    canonical instructions that come of it, in basic blocks."""
    lines: list[str] = []
    for one in raw.walk():
        lines += ["", *_of_one(one)] if lines else _of_one(one)
    return lines


class DrawnBlock(NamedTuple):
    """A basic block: the index of its first instruction, the instructions as text, and which blocks follow.

    An edge is a label ("", "jump" or "raises") and the start of a block.
    """

    start: int
    instructions: tuple[str, ...]
    edges: tuple[tuple[str, int], ...]


def graph(raw: RawCode) -> list[DrawnBlock]:
    """The control flow graph of one code object. Raises DecompilationError for code without canonical instructions."""
    blocks = []
    for block in build_flowgraph(disassemble(raw)).blocks:
        found = (("", block.fall), ("jump", block.target), ("raises", block.handler_block))
        edges = tuple((label, other.start) for label, other in found if other is not None)
        blocks.append(DrawnBlock(block.start, tuple(map(repr, block.instructions)), edges))
    return blocks


def dot(raw: RawCode) -> list[str]:
    """The control flow graph of each code object, in the language of Graphviz; dashed where an exception leads.

    Raises DecompilationError for code that has no canonical instructions.
    """
    lines = ["digraph code {", '  node [shape=box fontname="monospace"];']
    for number, one in enumerate(raw.walk()):
        lines.append(f"  subgraph cluster_{number} {{")
        lines.append(f'    label="{_escaped(one.qualname)}";')
        for block in graph(one):
            text = "\\l".join([*map(_escaped, block.instructions), ""])
            lines.append(f'    "{number}.{block.start}" [label="{text}"];')
            for label, start in block.edges:
                style = " style=dashed" if label == "raises" else ""
                lines.append(f'    "{number}.{block.start}" -> "{number}.{start}" [label="{label}"{style}];')
        lines.append("  }")
    return [*lines, "}"]


def svg(raw: RawCode) -> str:
    """The same graph as SVG, drawn by Graphviz. Raises DepyfError if its program ``dot`` is not on PATH, or fails."""
    program = next(on_path("dot"), None)
    if program is None:
        raise DepyfError("SVG is drawn by the program dot of Graphviz, which is not on PATH; --cfg prints its input")
    text = "\n".join(dot(raw)) + "\n"
    try:
        done = subprocess.run([program, "-Tsvg"], input=text.encode(), capture_output=True, timeout=_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DepyfError(f"{program} failed: {error}") from error
    if done.returncode:
        raise DepyfError(f"{program} failed: {done.stderr.decode('utf-8', 'replace').strip()[:300]}")
    return done.stdout.decode("utf-8", "replace")


class ListedInstruction(NamedTuple):
    """A stored instruction and the first canonical one that comes of it; the others have rows of their own, without
    ``offset`` and ``stored``. ``line`` is that of the source, None if unknown."""

    line: int | None
    offset: int | None
    stored: str
    canonical: str


def heading(raw: RawCode) -> list[str]:
    """What a listing of one code object begins with."""
    version = ".".join(map(str, raw.version))
    return [
        f"{raw.qualname}: CPython {version}, {raw.filename}:{raw.firstlineno}",
        f"  parameters and variables: {', '.join(raw.localsplus) or 'none'}",
    ]


def rows(raw: RawCode) -> tuple[list[ListedInstruction], str]:
    """The instructions of one code object, and why it has no canonical ones, '' if it has."""
    by_offset: dict[int, list[tuple[int, Instruction]]] = {}
    starts: set[int] = set()
    failure = ""
    try:
        instructions = disassemble(raw)
        for index, instruction in enumerate(instructions):
            by_offset.setdefault(instruction.offset, []).append((index, instruction))
        starts = {block.start for block in build_flowgraph(instructions).blocks}
    except DecompilationError as error:
        failure = f"no canonical instructions: {error.reason}"
    made: list[ListedInstruction] = []
    for offset, text in _stored(raw):
        found = by_offset.pop(offset, [])
        line = next((one.line for _, one in found if one.line is not None), None)
        texts = [_canonical(index, one, starts) for index, one in found] or [""]
        made.append(ListedInstruction(line, offset, text, texts[0]))
        made += [ListedInstruction(line, None, "", more) for more in texts[1:]]
    for left in by_offset.values():  # of no stored instruction: what a pass has put in
        made += [ListedInstruction(one.line, None, "", _canonical(index, one, starts)) for index, one in left]
    return made, failure


def _of_one(raw: RawCode) -> list[str]:
    lines = heading(raw)
    lines.append(f"  {'line':>5} {'offset':>6}  {'stored':{_RAW}} canonical")
    found, failure = rows(raw)
    before = None
    for row in found:
        is_new = row.offset is not None and row.line is not None and row.line != before
        before = row.line if is_new else before
        shown = str(row.line) if is_new else ""
        offset = "" if row.offset is None else row.offset
        lines.append(f"  {shown:>5} {offset:>6}  {row.stored:{_RAW}} {row.canonical}".rstrip())
    return [*lines, "  " + failure] if failure else lines


def _stored(raw: RawCode) -> Iterator[tuple[int, str]]:
    """Offset and text of each instruction; inline caches are passed over."""
    rows = TABLES[raw.version].rows if raw.version in TABLES else {}
    code, offset, extended = raw.bytecode, 0, 0
    while offset + 1 < len(code):
        row = rows.get(code[offset])
        argument = code[offset + 1] | extended
        name = row.name if row is not None else f"<{code[offset]}>"
        yield offset, f"{name} {argument}"
        extended = argument << 8 & 0xFFFFFFFF if row is not None and row.rule == "extended" else 0
        offset += 2 + 2 * (row.caches if row is not None else 0)
    if offset < len(code):
        yield offset, "half an instruction"


def _canonical(index: int, instruction: Instruction, starts: set[int]) -> str:
    handler = instruction.handler
    raises = f"  (raises to {handler.target}, depth {handler.depth})" if handler is not None else ""
    return f"{'>' if index in starts else ' '}{index:4} {instruction!r}{raises}"


def _escaped(text: str) -> str:
    """For a label of Graphviz: it has escapes of its own, and reads entities of HTML."""
    return printable(text).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
