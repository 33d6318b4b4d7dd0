"""What the decompilation of a root shares with those of parts of it."""

from __future__ import annotations

from typing import NamedTuple

from ..bytecode import RawCode
from ..definitions.rewritten_asserts import has_short_form, is_of_rewriter, is_rewritten
from ..names.respelling import Respelling, respell
from ..syntax.grammar import Grammar, grammar_of
from .objects import Objects
from .refusals.partial import Partial
from .settings import COMPILER, Settings


class Shared(NamedTuple):
    """What holds for the whole text.

    Attributes:
        respelling: of names that no source can have.
        objects: constants that have no literal.
        grammar: what the text may be written in.
        is_rewritten: pytest has rewritten asserts in it.
        partials: what is shown of refused code.
    """

    settings: Settings
    respelling: Respelling
    objects: Objects
    grammar: Grammar
    is_rewritten: bool
    partials: dict[RawCode, Partial]


def shared_by(root: RawCode, settings: Settings) -> Shared:
    """What is shared by ``root`` and all that is nested in it."""
    folds = not settings.rewritten_asserts and any(map(has_short_form, root.walk()))
    kept = is_of_rewriter if folds else (lambda name: False)
    respelling = respell(root, own_name=settings.origin is COMPILER, kept=kept)
    is_of_pytest = any(map(is_rewritten, root.walk()))
    return Shared(settings, respelling, Objects(respelling.raw), grammar_of(root.version), is_of_pytest, {})
