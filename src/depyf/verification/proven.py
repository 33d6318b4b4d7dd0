"""Whether code that differs does the same, all the same: as that of another release of the same CPython may.

The proof (decompiler/proof) leaves out what a program can't see: dead code, names and constants that nothing loads, the
size of the stack. Somebody who wants to hide something puts it there, so here that counts as a difference.
"""

from __future__ import annotations

from collections import Counter
from typing import List, Sequence, Tuple

from ..decompiler.bytecode import RawCode, reached
from ..decompiler.bytecode.decoding.decode import Decoder
from ..decompiler.proof.constants import constant_key
from ..decompiler.proof.prove import prove_all
from ..errors import DecompilationError
from .comparison import LINES, CodeDifference

_TOLERATED = frozenset({
    LINES, "code", "exception table", "constants", "order of constants", "names", "order of names",
})  # fmt: skip
"""Fields in which code may differ that does the same, if the proof says so; in all others it must be equal."""


def doubts(ours: RawCode, source: RawCode, found: Sequence[CodeDifference]) -> List[str]:
    """Why two codes that differ in ``found`` may not do the same; none if they were shown to do it."""
    reasons: List[str] = []
    for difference in found:
        reasons += [f"{difference.where}: {words}" for words in _hidden(difference)]
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
        elif verdict.assumptions:
            reasons.append(f"{raw.qualname}: proven only if {'; '.join(verdict.assumptions)}")
    return reasons


def _hidden(difference: CodeDifference) -> List[str]:
    """What differs in one code object and is no matter of the proof."""
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
        try:
            if _never_reached(left) != _never_reached(right):
                reasons.append("other code that is never reached")
        except DecompilationError as error:
            reasons.append(error.reason)
    return reasons


def _are_lines(raw: RawCode, extra: Counter[object]) -> bool:
    """Whether the constants are what a class stores as its first line (from 3.13 on)."""
    return "__firstlineno__" in raw.names and set(extra) <= {constant_key(raw.firstlineno)}


def _never_reached(raw: RawCode) -> Tuple[List[Tuple[str, object]], bytes]:
    """The instructions that are never reached, and the bytes behind the last one. Raises DecompilationError."""
    decoder = Decoder(raw)
    instructions = decoder.run()
    live = set(map(id, reached(instructions)))
    dead = [(i.op, constant_key(i.arg)) for i in instructions if id(i) not in live]
    last = max((i.offset for i in instructions), default=0)
    row = decoder.table.rows[raw.bytecode[last]]
    return dead, raw.bytecode[last + 2 * (1 + row.caches) :]
