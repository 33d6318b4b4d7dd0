"""The decompiler, asked by the torch side: a code object as text with what was shown about it, never an exception."""

from __future__ import annotations

import dis
import io
from functools import partial
from types import CodeType
from typing import Any

from ..containment import in_words
from ..model import Decompiled
from ..names import stable, without_addresses
from ..time_limit import within_limit

__all__ = ["LISTINGS", "decompiled", "from_result", "listing_of"]

LISTINGS = (
    ("original_bytecode", "the function's instructions before Dynamo"),
    ("transformed_bytecode", "the instructions which Dynamo made"),
    ("decompiled_and_compiled_back_bytecode", "the instructions of our source, which run"),
)
"""Ends of files' names, and what is in each."""


def decompiled(code: CodeType, by_dynamo: bool = True) -> Decompiled:
    """`code` as text. A refusal, or a fault of the decompiler, is a `Decompiled` of level refused with the reason.

    `by_dynamo`: Dynamo made it. The user's own code keeps every name, and its author's layout.
    """
    try:
        from ...decompiler.driver.settings import COMPILER, Settings
        from ...decompiler.pipeline import analyze
        from .origin import DYNAMO

        settings = Settings(searches=False, origin=DYNAMO if by_dynamo else COMPILER)
        if not by_dynamo:
            settings = settings._replace(layout="author")
        found = from_result(within_limit(partial(analyze, settings=settings), code))
        if found.level == "refused" and found.listing.count("\n") < 2:
            found.listing = listing_of(code)
        return found
    except Exception as error:  # one artifact is lost and says why; the program and the page continue
        reason = without_addresses(stable(in_words(error)))
        return Decompiled(
            verdict="refused: " + reason,
            reasons=[reason],
            listing=stable(str(getattr(error, "instructions", "") or "")) or listing_of(code),
        )


def listing_of(code: CodeType) -> str:
    """The instructions of `code` as `dis` prints them, without what differs between runs."""
    out = io.StringIO()
    dis.dis(code, file=out)
    return without_addresses(stable(out.getvalue())).rstrip()


def from_result(result: Any) -> Decompiled:
    """What the decompiler's `Result` says, as plain data.

    That nobody reads the variables of its frame is taken for granted of nearly all code that Dynamo makes. The
    documentation of the pages says so once, and they do not repeat it.
    """
    from ...decompiler.proof.symbolic.prove import DIFFERING, UNSEEN

    verdict = result.verdict
    if UNSEEN in verdict.assumptions:
        verdict = verdict._replace(
            assumptions=tuple(one for one in verdict.assumptions if one != UNSEEN),
            reasons=tuple(one for one in verdict.reasons if not one.startswith(DIFFERING)),
        )
    level = str(verdict.level.value)
    if verdict.proven and not result.proven:
        level = "unproven"  # a nested function is not
    return Decompiled(
        source="" if level == "refused" else stable(str(result.source)),
        level=level,
        verdict=without_addresses(stable(str(verdict.describe()))),
        reasons=[without_addresses(stable(str(reason))) for reason in verdict.reasons],
        assumptions=[str(assumption) for assumption in verdict.assumptions],
        folded=int(getattr(result, "folded", 0) or 0),
        listing=_comments_of(stable(str(result.source))) if level == "refused" else "",
        constants=dict(result.constants),
    )


_HEAD = "depyf could not decompile"  # the first line of a refused result, which has the reason: shown elsewhere


def _comments_of(source: str) -> str:
    """What a refused result has instead of a body: its instructions, as comments."""
    lines = [line.strip() for line in source.splitlines() if _HEAD not in line]
    return without_addresses("\n".join(line[1:].rstrip() for line in lines if line.startswith("#")))
