"""Small functions made by a dice: dense control flow, so that many mutants do the same and the proof has to judge."""

from __future__ import annotations

import ast
import random
from typing import Any, List

from depyf.decompiler.proof.compile_worker import syntax_tree

VARIABLES = ("a", "b", "c")


def function(dice: random.Random) -> ast.Module:
    """A module with one function of a few nested statements over its variables."""
    body = block(dice, 3, False)
    parameters = "a, b" if dice.random() < 0.7 else "a, b=1, *, c=None"
    module = syntax_tree(f"def f({parameters}): pass")
    module.body[0].body = body  # type: ignore[attr-defined]
    return ast.fix_missing_locations(module)


def block(dice: random.Random, depth: int, in_loop: bool) -> List[Any]:
    statements: List[Any] = []
    for _ in range(dice.choice((1, 2, 2, 3))):
        statements.append(statement(dice, depth, in_loop))
    return statements


def statement(dice: random.Random, depth: int, in_loop: bool) -> Any:
    if depth and dice.random() < 0.6:
        return _COMPOUND[dice.choice(sorted(_COMPOUND))](dice, depth - 1, in_loop)
    choices = [
        lambda: f"{name(dice)} = {name(dice)}({dice.randrange(3)})", lambda: f"{name(dice)}({dice.randrange(3)})",
        lambda: f"{name(dice)} = {name(dice)}", lambda: f"{name(dice)} = None", lambda: f"del {name(dice)}",
        lambda: f"return {name(dice)}", lambda: "return", lambda: "raise", lambda: f"raise {name(dice)}",
        lambda: "pass", lambda: f"{name(dice)} += 1", lambda: f"return {name(dice)}({name(dice)})",
    ]  # fmt: skip
    if in_loop:
        choices += [lambda: "break", lambda: "continue"] * 2
    return syntax_tree(dice.choice(choices)()).body[0]


def name(dice: random.Random) -> str:
    return dice.choice(VARIABLES)


def test(dice: random.Random) -> Any:
    one, other = name(dice), name(dice)
    text = dice.choice(
        (one, f"not {one}", f"{one} and {other}", f"{one} or {other}", f"{one} is None", f"{one} is not {other}",
         f"{one} in {other}", f"{one} < {other} < 3", f"{one}()", f"({one} if {other} else a)")
    )  # fmt: skip
    return syntax_tree(text, mode="eval").body


def _if(dice: random.Random, depth: int, in_loop: bool) -> Any:
    other = block(dice, depth, in_loop) if dice.random() < 0.5 else []
    return ast.If(test(dice), block(dice, depth, in_loop), other)


def _while(dice: random.Random, depth: int, in_loop: bool) -> Any:
    other = block(dice, depth, in_loop) if dice.random() < 0.3 else []
    return ast.While(test(dice), block(dice, depth, True), other)


def _for(dice: random.Random, depth: int, in_loop: bool) -> Any:
    other = block(dice, depth, in_loop) if dice.random() < 0.3 else []
    loop: Any = syntax_tree(f"for {name(dice)} in {name(dice)}: pass").body[0]
    loop.body, loop.orelse = block(dice, depth, True), other
    return loop


def _with(dice: random.Random, depth: int, in_loop: bool) -> Any:
    text = f"with {name(dice)}: pass" if dice.random() < 0.5 else f"with {name(dice)} as {name(dice)}: pass"
    made: Any = syntax_tree(text).body[0]
    made.body = block(dice, depth, in_loop)
    return made


def _try(dice: random.Random, depth: int, in_loop: bool) -> Any:
    handlers: List[Any] = []
    for _ in range(dice.choice((0, 1, 1, 2))):
        kind = ast.Name("E", ast.Load()) if dice.random() < 0.8 else None
        caught = name(dice) if kind is not None and dice.random() < 0.4 else None
        handlers.append(ast.ExceptHandler(kind, caught, block(dice, depth, in_loop)))
    handlers.sort(key=lambda handler: handler.type is None)
    handlers = handlers[:1] if handlers and handlers[0].type is None else handlers
    final = block(dice, depth, in_loop) if not handlers or dice.random() < 0.3 else []
    other = block(dice, depth, in_loop) if handlers and dice.random() < 0.3 else []
    return ast.Try(block(dice, depth, in_loop), handlers, other, final)


_COMPOUND = {"if": _if, "while": _while, "for": _for, "with": _with, "try": _try}
