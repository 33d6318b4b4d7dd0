"""Expressions that the compiler folds to a given constant, by their width."""

from __future__ import annotations

import functools
import itertools
import re
from typing import Iterator

from ...proof.constants import constant_key
from ..matching.folded import Folding
from .operation import Literal, Operand, Operation, is_negative, literals, results
from .operations import operations
from .strings import in_quotes, in_usual_quotes, width_of

_UNKNOWN = Folding(None)
_TOKEN = re.compile(
    r"""[bBrRuU]{0,2}(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|0[xX]\w+|\.?\d[\w.]*(?:(?<=[eE])[-+]\d+)?|(?P<operator>\*\*|<<|[-+*/%|~])|."""
)
"""A literal, an operator, or a parenthesis."""
_LEVELS = {"|": 6, "&": 8, "<<": 9, ">>": 9, "+": 10, "-": 10, "*": 11, "/": 11, "//": 11, "%": 11, "**": 13}
_UNARY, _TIGHTEST = 12, 14
_SPACED: tuple[frozenset[str], ...] = (
    frozenset(_LEVELS) - {"**"}, frozenset(), frozenset(_LEVELS), frozenset(("+", "-", "|", "<<"))
)  # fmt: skip
"""The operators with blanks around them, the usual ones first."""
_FREE = 3
"""The literals that may each be spelled in another way."""
_SPELLINGS = 6
"""The spellings of an operand that are looked at."""


def expressions(
    value: object, width: int | None, origin: Folding = _UNKNOWN, quote: str = "'", likely: bool | None = None
) -> Iterator[str]:
    """Yield expressions of this width that have the value, the likeliest first; None: of any width.

    ``origin``: what is known of how the constant was folded. ``quote``: for strings where either needs no escape.
    ``likely``: only those that people write, or only the others.
    """
    if not isinstance(value, (int, float, complex, str, bytes)) or isinstance(value, bool):
        return
    keys = tuple(map(constant_key, (value, origin.first, *origin.operands)))
    for is_likely in (True, False) if likely is None else (likely,):
        found = _operations(keys, value, origin.first, origin.operands, is_likely)
        fitting = [one for one in found if origin.allows(literals(one), [*results(one)][:-1])]
        if origin.is_folded:  # the compiler would come to the constant as to a literal
            fitting = [one for one in fitting if keys[0] not in map(constant_key, literals(one))]
        known = set(keys[2:])
        tiers: dict[int, list[Operation]] = {}
        for one in fitting:
            tiers.setdefault(sum(constant_key(each) in known for each in literals(one)) if known else 0, []).append(one)
        for _, tier in sorted(tiers.items(), reverse=True):
            yield from _in_styles(tier, width, quote)


def _in_styles(tier: list[Operation], width: int | None, quote: str) -> Iterator[str]:
    """Yield the texts of this width, those of the usual styles first."""
    styles = [(one, _styles(one)) for one in tier]
    for is_usual in (True, False):
        spelled = [(one, own, _spelled(one, quote, is_usual)) for one, own in styles]
        for style in itertools.product((False, True), _SPACED):
            for one, own, ways in spelled:
                for literals_of_one in ways if style in own else ():
                    text, _ = _text(one, iter(literals_of_one), *style)
                    if width is None or width_of(text) == width:
                        yield text


def any_expression(value: object, quote: str, width: int, origin: Folding) -> str | None:
    """Return an expression of this width, with blanks where that takes some, or of another one if there is none.

    It is no guess of what the author wrote: what counts is that the constant comes where folded ones do.
    """
    found = [*expressions(value, None, origin, quote)]
    narrow = [one for one in found if width_of(one) <= width]
    if not narrow:
        return min(found, key=width_of, default=None)
    widest = max(narrow, key=width_of)
    at = 0
    for token in _TOKEN.finditer(widest):
        if token["operator"] and token.start():
            at = token.end()
            break
    return widest[:at] + " " * (width - width_of(widest)) + widest[at:] if at else widest


@functools.lru_cache(maxsize=64)
def _operations(
    keys: tuple[object, ...], value: Literal, first: object, operands: tuple[Literal, ...], likely: bool
) -> tuple[Operation, ...]:
    """Return the operations; ``keys`` keep values apart that are equal, as 0, -0.0 and 0j."""
    return tuple(operations(value, first, operands, likely=likely))


@functools.lru_cache(maxsize=4096)
def _styles_of_signs(signs: frozenset[str], is_nested: bool) -> frozenset[tuple[bool, frozenset[str]]]:
    """Return the styles, parentheses and operators with blanks, that differ for these operators."""
    spaced = {one & signs: one for one in reversed(_SPACED)}.values()
    return frozenset(itertools.product((False, True) if is_nested else (False,), spaced))


def _styles(one: Operation) -> frozenset[tuple[bool, frozenset[str]]]:
    inner = [*_signs(one)]
    return _styles_of_signs(frozenset(inner), len(inner) > 1)


def _signs(operand: Operand | None) -> Iterator[str]:
    """Yield the operators."""
    if isinstance(operand, Operation):
        yield operand.sign
        yield from _signs(operand.left)
        yield from _signs(operand.right)


def _spelled(one: Operation, quote: str, is_usual: bool) -> list[tuple[str, ...]]:
    """Return the texts of the literals: as `repr` writes them, or others."""
    leaves = [*_leaves(one, quote, is_usual)]
    if is_usual:
        return [tuple(each[0] for each in leaves)]
    if len(leaves) > _FREE:  # all in the same way
        return [*zip(*(each * (_SPELLINGS // len(each) + 1) for each in leaves))]
    ranked = itertools.product(*map(enumerate, leaves))
    return [tuple(text for _, text in each) for each in sorted(ranked, key=lambda each: sum(rank for rank, _ in each))]


def _leaves(operand: Operand, quote: str, is_usual: bool, is_bits: bool = False) -> Iterator[list[str]]:
    """Yield the spellings of each literal; those of integers are the usual ones, but for operands of bit operations."""
    if not isinstance(operand, Operation):
        yield [*_spellings(operand, quote, is_usual or isinstance(operand, int) and not is_bits)]
        return
    for side in (operand.left, operand.right):
        if side is not None:
            is_bits = operand.sign in ("|", "&", "~") or operand.sign == "<<" and side is operand.left
            yield from _leaves(side, quote, is_usual, is_bits)


def _text(operand: Operand, leaves: Iterator[str], in_parentheses: bool, spaced: frozenset[str]) -> tuple[str, int]:
    """Return the text and how tightly it binds. ``in_parentheses``: also operations that need none are."""
    if not isinstance(operand, Operation):
        text = next(leaves)
        return (f"-{text}", _UNARY) if is_negative(operand) else (text, _TIGHTEST)
    sign = operand.sign
    if operand.left is None:
        return f"{sign}{_inside(operand.right, leaves, in_parentheses, spaced, _UNARY)}", _UNARY
    level = _LEVELS.get(sign, _TIGHTEST)
    left = _inside(operand.left, leaves, in_parentheses, spaced, level)
    if sign == "[]":
        return f"{left}[{next(leaves)}]", _TIGHTEST
    right = _inside(operand.right, leaves, in_parentheses, spaced, level + 1 if sign != "**" else _UNARY)
    blank = " " if sign in spaced else ""
    return f"{left}{blank}{sign}{blank}{right}", level


def _inside(operand: Operand, leaves: Iterator[str], in_parentheses: bool, spaced: frozenset[str], least: int) -> str:
    text, level = _text(operand, leaves, in_parentheses, spaced)
    is_closed = level < least or isinstance(operand, Operation) and (in_parentheses or operand.sign == "<<")
    return f"({text})" if is_closed else text


def _spellings(literal: Literal, quote: str, is_usual: bool) -> Iterator[str]:
    if isinstance(literal, (str, bytes)):
        usual = in_usual_quotes(literal, quote)
        yield from (usual,) if is_usual else itertools.islice(in_quotes(literal, quote), _SPELLINGS)
        return
    text = repr(literal).lstrip("-").replace("e+", "e")
    yield text
    if is_usual:
        return
    if isinstance(literal, complex):
        yield from (f"{literal.imag!r}j", text.replace("0.", ".", 1))
    elif isinstance(literal, int) and literal > 1:
        yield from dict.fromkeys((f"{literal:#x}", f"{literal:#o}", f"{literal:_}"))
    elif isinstance(literal, float):
        if text.endswith(".0"):
            yield text[:-1]
        elif text.startswith("0."):
            yield text[1:]


def is_operation(text: str) -> bool:
    """Whether the text of a constant is an expression with an operator."""
    return any(operators_of(text[1:-1] if text[0] == "(" else text))


def operators_of(text: str) -> Iterator[str]:
    """Yield the operators of the expression that are outside of parentheses."""
    depth = 0
    for match in _TOKEN.finditer(text):
        depth += (match[0] == "(") - (match[0] == ")")
        if match["operator"] and not depth:
            yield match[0]
