"""A cache entry's guards as an expression that runs; checks of layers that differ in a number alone as one loop."""

from __future__ import annotations

import re

from .repeats import Alike, alike, is_index, only_indices

__all__ = ["returned"]

_LOOKS_INSIDE = re.compile(r"\bL\['\w+'\][.\[]|\bG\['\w+'\]\[|\blen\(")
_VARIABLE = "n"
_LAYER = "one"


def returned(conditions: list[str]) -> list[str]:
    """The body of a function that returns whether all conditions over ``L`` and ``G`` hold, line by line."""
    if not conditions:
        return ["    return True"]
    operands = _operands(conditions)
    lines = [f"    return {operands[0][0]}"]
    if len(operands) > 1 or len(operands[0]) > 1:
        lines = ["    return ("]
        for at, operand in enumerate(operands):
            lines.append("        {}{}".format("and " if at else "", operand[0]))
            lines += ["        " + line for line in operand[1:]]
        lines.append("    )")
    if any(_LOOKS_INSIDE.search(text) for text in conditions):  # what is not there does not fit
        lines = ["    try:", *("    " + line for line in lines)]
        lines += ["    except (LookupError, AttributeError, TypeError):", "        return False"]
    return lines


def _operands(conditions: list[str]) -> list[list[str]]:
    """Operands of ``and``, each in its lines; conditions in one loop are put where the first of them was."""
    found: list[list[str]] = []
    loops: dict[tuple[int, ...], list[str]] = {}
    where: dict[tuple[int, ...], int] = {}
    for one in alike(conditions, _is_spelled):
        if not one.places:
            found.append([_operand(conditions[one.first])])
            continue
        if one.numbers not in loops:
            where[one.numbers] = len(found)
            found.append([])
        loops.setdefault(one.numbers, []).append(_operand(_written(one)))
    for numbers, inner in loops.items():
        found[where[numbers]] = _loop(numbers, inner)
    return found


def _loop(numbers: tuple[int, ...], conditions: list[str]) -> list[str]:
    """``all(... for n in range(24))``, what all conditions look into as a variable of its own."""
    over = f"range({len(numbers)})" if list(numbers) == list(range(len(numbers))) else repr(numbers)
    layer = _common_layer(conditions)
    if layer:
        conditions = [condition.replace(layer, _LAYER) for condition in conditions]
    lines = ["all("]
    lines += ["    {}{}".format("and " if at else "", condition) for at, condition in enumerate(conditions)]
    lines.append(f"    for {_VARIABLE} in {over}")
    if layer:
        lines.append(f"    for {_LAYER} in [{layer}]")
    return [*lines, ")"]


def _common_layer(conditions: list[str]) -> str:
    """The path up to the number that comes in most of the conditions: ``L['self']._modules['h']._modules[str(n)]``."""
    paths: dict[str, int] = {}
    for condition in conditions:
        for path in set(re.findall(r"\bL\['\w+'\](?:\.\w+|\[(?:'\w+'|\d+)\])*\[(?:str\(n\)|n)\]", condition)):
            paths[path] = paths.get(path, 0) + 1
    best = max(paths, key=lambda path: paths[path], default="")
    return best if paths.get(best, 0) > 2 else ""


def _is_spelled(parts: tuple[str, ...], places: tuple[int, ...]) -> bool:
    """Whether a number can be a variable: an index or a key, and what is compared with."""
    return only_indices(parts, places, lambda parts, place: _is_key(parts, place) or is_index(parts, place))


def _is_key(parts: tuple[str, ...], place: int) -> bool:
    return parts[place].endswith("['") and parts[place + 1].startswith("']")


def _written(one: Alike) -> str:
    """The condition with the variable for the number; a key is text: ``['3']`` becomes ``[str(n)]``."""
    key = f"'+str({_VARIABLE})+'"
    text = one.written(lambda place: key if _is_key(one.parts, place) else _VARIABLE)
    return text.replace("'" + key + "'", f"str({_VARIABLE})")


def _operand(text: str) -> str:
    return f"({text})" if " or " in text or " if " in text or "lambda" in text else text
