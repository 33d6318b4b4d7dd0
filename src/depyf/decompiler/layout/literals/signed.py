"""Numbers after a minus sign, and complex numbers: constants of several tokens."""

from __future__ import annotations

import itertools
from typing import Iterable

from ..matching.folded import Folding
from ..matching.tokens import Token
from .expressions import begins_with, expressions, operators_of, powers_of_two
from .fallbacks import folded_somehow
from .numbers import after_minus
from .order import fits_order
from .strings import width_of
from .token_texts import TokenTexts
from .values import ARITHMETIC, BINDS_LESS, spellings, value_of


def spell_signed(found: TokenTexts, number: int, width: int, tokens: list[Token], origin: Folding) -> None:
    """Respell a number after a minus: both are one constant. ``origin``: what is known of how it was folded; its first
    literal is that after the minus.
    """
    first, room = origin.first, width - len("-")
    value = value_of(tokens[number].text)
    text: str | None = None
    if type(first) is int and value == first + 1 and room == len(str(first)):
        found.texts[number - 1], text = "~", str(first)
    elif first is not None:
        text = _after_minus_with(value, room, origin)
    elif width_of(tokens[number].text) != room:
        text = _after_minus(value, number, room, tokens, origin)
        text = text or _instead_of_minus(found, value, number, width, tokens, origin)
    if text is not None:
        found.texts[number] = text


def _after_minus(value: object, number: int, room: int, tokens: list[Token], origin: Folding) -> str | None:
    """Return what is ``value`` after a minus, of this width."""
    is_apart = _is_apart(tokens, number)
    texts: tuple[Iterable[str], ...] = (
        (one for one in spellings(tokens[number]) if not BINDS_LESS.search(one)),
        # The sign of a quotient is that of its dividend.
        (one for one in expressions(value, room) if [*operators_of(one)] == ["/"]),
        (one for one in (after_minus(value) if isinstance(value, int) else ()) if one[0] == "(" or is_apart),
        (one for one in (powers_of_two(value) if isinstance(value, int) and is_apart else ()) if "<<" in one),
    )
    fitting = (one for one in itertools.chain.from_iterable(texts) if width_of(one) == room)
    return next((one for one in fitting if fits_order(f"-{one}", origin)), None)


def _is_apart(tokens: list[Token], number: int) -> bool:
    """Whether no operator is beside the number and the minus before it."""
    beside = {one.text for one in (*tokens[max(0, number - 2) : number - 1], *tokens[number + 1 : number + 2])}
    return ARITHMETIC.isdisjoint(beside)


def _instead_of_minus(
    found: TokenTexts, value: object, number: int, width: int, tokens: list[Token], origin: Folding
) -> str | None:
    """Return the rest of an expression that begins with the minus, or one without it, of this width."""
    if not isinstance(value, (int, float)) or not _is_apart(tokens, number):
        return None
    text = next((one for one in expressions(-value, width) if fits_order(one, origin)), None)
    if text is not None and text[0] != "-":
        found.without.add(number - 1)
        return text
    return text[1:] if text is not None else None


def _after_minus_with(value: object, room: int, origin: Folding) -> str | None:
    """Return an expression that begins with the first literal and is ``value``, with the sign of its first operand
    changed if that changes the sign of the whole, or else in parentheses.
    """
    first = origin.first
    keeps_sign = (one for one in expressions(value, room, first) if {*operators_of(one)} in ({"*"}, {"/"}, {"<<"}))
    found = next(keeps_sign, None) or next((f"({one})" for one in expressions(value, room - 2, first)), None)
    if found is None and isinstance(value, int):
        found = next((one for one in after_minus(value) if len(one) == room and begins_with(one, first)), None)
    inner = folded_somehow(value, "'", room - 2, origin) if found is None else None
    return f"({inner})" if inner is not None else found


def spell_complex(found: TokenTexts, start: int, width: int, tokens: list[Token], first: object) -> None:
    """Respell a complex constant, which is written as a sum or a difference. ``first``: the first literal, if known."""
    inside = tokens[start : start + 3]
    if sum(width_of(one.text) + one.space for one in inside) - inside[0].space != width:
        value = value_of("".join(one.text for one in inside))
        if isinstance(value, complex):
            texts = [*expressions(value, width, first)]
            texts += (f"+({one})" for one in expressions(value, width - len("+()"), first))
            text = texts[0] if texts else None
            if text is not None:
                found.texts[start] = text
                found.expressions.add(start)
                found.without.update((start + 1, start + 2))
