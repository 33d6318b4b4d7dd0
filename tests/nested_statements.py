"""Statements nested in each other, as lines of text that any Python reads."""

from __future__ import annotations

import itertools
from typing import Iterator

SHAPES = (
    "if", "while", "for", "else", "for-else", "try-except", "except", "try-else", "try-finally", "finally", "with",
    "match",
)  # fmt: skip


def indent(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


def way_out(exit: str, number: int) -> list[str]:
    if exit == "fall":
        return [f"t({number})"]
    statements = {
        "return": f"return {number}", "return-value": f"return t({number + 2})", "raise": f"raise KeyError({number})",
    }  # fmt: skip
    statement = statements.get(exit, exit)
    return [f"if t({number}):", f"    {statement}", f"t({number + 1})"]


def shape(kind: str, body: list[str], number: int) -> list[str]:
    inner = indent(body)
    after = [f"    t({number + 1})"]
    return {
        "if": [f"if t({number}):", *inner],
        "while": [f"while t({number}):", *inner],
        "for": [f"for x in items({number}):", *inner],
        "else": [f"if t({number}):", *after, "else:", *inner],
        "for-else": [f"for x in items({number}):", *after, "else:", *inner],
        "except": ["try:", *after, "except ValueError as error:", *inner],
        "try-else": ["try:", *after, "except ValueError:", f"    t({number + 2})", "else:", *inner],
        "finally": ["try:", *after, "finally:", *inner],
        "match": [f"match t({number}):", "    case True:", *indent(inner), "    case _:", *indent(after)],
        "try-except": ["try:", f"    t({number})", *inner, "except ValueError as error:", *after],
        "try-finally": ["try:", f"    t({number})", *inner, "finally:", *after],
        "with": [f"with manager({number}):", *inner],
        "endless": ["while True:", *inner],
    }[kind]


def outside_functions() -> Iterator[tuple[str, str]]:
    """Names and texts of modules, and of modules with one class: two statements in each other, and where they stand."""
    shapes = (*SHAPES, "endless")
    for outer, inner, exit in itertools.product(shapes, shapes, ("fall", "break", "continue", "raise")):
        for place in ("bare", "in-loop", "in-endless"):
            body = shape(outer, shape(inner, way_out(exit, 50), 30), 10)
            if place != "bare":
                body = shape("while" if place == "in-loop" else "endless", body, 1)
            name = f"{inner} in {outer}, {exit}, {place}"
            yield name, "\n".join(body)
            if place == "bare":
                yield f"class: {name}", "\n".join(["class C:", *indent(body)])
