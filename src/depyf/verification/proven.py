"""Whether code that differs does the same, as that of another release of the same CPython may.

The proof (decompiler/proof) ignores what a program can't observe: dead code, names and constants that nothing loads,
the size of the stack. These could hide something, so here they count as differences.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Iterator, Sequence

from ..decompiler.bytecode import RawCode, reached
from ..decompiler.bytecode.decoding.decode import Decoder
from ..decompiler.proof.constants import constant_key
from ..decompiler.proof.prove import prove_all
from ..decompiler.proof.verdict import ITER
from ..errors import DecompilationError
from .comparison import LINES, CodeDifference

_TOLERATED = frozenset({
    LINES, "code", "exception table", "constants", "order of constants", "names", "order of names",
})  # fmt: skip
"""Fields that may differ if the proof shows the same behaviour; all others must be equal."""


_INDEX_RULES = frozenset({
    "attribute or method", "cell", "cell slot", "common constant", "const", "extended", "global or null",
    "import with bits", "jump back", "jump by", "jump to", "keyword names", "local", "make cell", "method", "name",
    "null or global", "return const", "slot", "small int", "super attribute", "two locals",
})  # fmt: skip
"""Rules (bytecode/decoding/rules.py) whose operand is an index into a table or the code: the proof compares the entry.
The operands of all others are numbers, or unused."""
_LAYOUT = re.compile("JUMP|EXTENDED_ARG|CACHE|NOT_TAKEN|NOP|POP_TOP|COPY|SWAP|RETURN|LOAD_CONST")
"""Instructions that another release may emit more often."""


def doubts(ours: RawCode, source: RawCode, found: Sequence[CodeDifference]) -> list[str]:
    """Why two codes that differ in ``found`` may not do the same; empty if they were shown to do the same."""
    reasons: list[str] = []
    for difference in found:
        reasons += [f"{difference.where}: {text}" for text in _hidden(difference)]
    if reasons:
        return reasons
    try:
        proofs = prove_all(ours, source)
    except (DecompilationError, RecursionError) as error:
        return [str(error) or type(error).__name__]
    for raw, (verdict, _) in proofs.items():
        if not verdict.proven:
            reasons += [reason if reason.startswith(raw.qualname) else f"{raw.qualname}: {reason}"
                        for reason in verdict.reasons[:1]]  # fmt: skip
        elif assumptions := [one for one in verdict.assumptions if one != ITER or not _iterates_twice(raw)]:
            reasons.append(f"{raw.qualname}: proven only if {'; '.join(assumptions)}")
    return reasons


def _hidden(difference: CodeDifference) -> list[str]:
    """The differences in one code object that the proof ignores."""
    left, right = difference.ours, difference.source
    if left is None or right is None:
        return ["there is no such code on the other side"]
    reasons = [f"other {field}" for field in difference.fields if field not in _TOLERATED]
    if "code" not in difference.fields and "exception table" in difference.fields:
        reasons.append("other exception table for the same code")
    extra = Counter(map(constant_key, left.consts)) - Counter(map(constant_key, right.consts))
    if extra and not _are_lines(left, extra):
        reasons.append("constants that the source has not")
    if Counter(left.names) - Counter(right.names):
        reasons.append("names that the source has not")
    if "code" in difference.fields and not reasons:
        more = _more(left, right)
        reasons += [f"more of {', '.join(more)} than the source has"] if more else []
        try:
            if _never_reached(left) != _never_reached(right):
                reasons.append("other code that is never reached")
            if _stored_lines(left) != _stored_lines(right):
                reasons.append("another line in __firstlineno__ than that of the code")
        except DecompilationError as error:
            reasons.append(error.reason)
    return reasons


def _are_lines(raw: RawCode, extra: Counter[object]) -> bool:
    """Whether the constants are first lines stored by classes (from 3.13 on)."""
    return "__firstlineno__" in raw.names and set(extra) <= {constant_key(raw.firstlineno)}


def _more(left: RawCode, right: RawCode) -> list[str]:
    """The names of instructions that are more frequent than in the source's code, even if they do nothing.

    This finds changed unused operands, and additional loads that would leave references uncounted.
    """
    extra = Counter(_raw(left)) - Counter(_raw(right))
    names = {name for name, operand in extra if operand or not _LAYOUT.search(name)}
    return sorted(names - {"GET_ITER"} if _iterates_twice(left) else names)


def _iterates_twice(raw: RawCode) -> bool:
    """Whether another release may have made one GET_ITER more."""
    return raw.table.behavior.some_releases_iterate_twice


def _raw(raw: RawCode) -> Iterator[tuple[str, int]]:
    """The raw instructions, with the operands that are not indices."""
    for operation, operand in zip(raw.bytecode[::2], raw.bytecode[1::2]):
        row = raw.table.rows.get(operation)
        name = row.name if row is not None else str(operation)
        yield name, 0 if row is not None and row.rule in _INDEX_RULES else operand


def _stored_lines(raw: RawCode) -> list[object]:
    """What is stored as ``__firstlineno__``, by its distance from the first line. Raises DecompilationError."""
    instructions = Decoder(raw).run()
    stored = (one for one, store in zip(instructions, instructions[1:]) if store.arg == "__firstlineno__")
    return [one.arg - raw.firstlineno if type(one.arg) is int else one.op for one in stored]


def _never_reached(raw: RawCode) -> tuple[list[tuple[str, object]], bytes]:
    """The unreachable instructions, and the bytes after the last one. Raises DecompilationError."""
    decoder = Decoder(raw)
    instructions = decoder.run()
    live = set(map(id, reached(instructions)))
    dead = [(i.op, constant_key(i.arg)) for i in instructions if id(i) not in live]
    last = max((i.offset for i in instructions), default=0)
    row = decoder.table.rows[raw.bytecode[last]]
    return dead, raw.bytecode[last + 2 * (1 + row.caches) :]
