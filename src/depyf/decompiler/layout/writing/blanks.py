"""The blanks between the items of a row."""

from __future__ import annotations

from .item import Item


def stretch(items: list[Item], blanks: list[int], least: list[int], missing: int) -> None:
    """Adjust ``blanks``, the spaces before each item, by ``missing`` in total; if that is negative, to no less than
    ``least``.
    """
    last = len(items) - 1
    if missing >= 2 and last > 1 and items[last - 1].text == "=" and not blanks[last]:  # of an argument
        blanks[-2:] = [1, 1]
        missing -= 2
    elif missing == 2 and last == 1 and not any(blanks) and not (items[0].is_glued or items[1].is_glued):
        blanks[:] = [1, 1]
        missing = 0
    if missing > 0:
        index = next((n for n, one in enumerate(items) if one.symbol == "=" and blanks[n]), last)
        while index > 0 and items[index].is_glued:
            index -= 1
        if not items[index].is_glued:
            blanks[index] += missing
    for number in range(len(items)):
        if missing < 0:
            less = min(-missing, blanks[number] - least[number])
            blanks[number] -= less
            missing += less


def required_spaces(before: str, item: Item) -> int:
    """Return how many spaces the syntax requires between these two."""
    if item.is_glued or not before:
        return 0
    last, first = before[-1], item.text[0]
    is_word = last.isalnum() or last == "_" or not last.isascii()
    if is_word and (first.isalnum() or first in "_\"'" or not first.isascii()):
        return 1
    if last in "\"'" and first in "\"'":
        return 1
    return 0
