"""A graph's results by name: Dynamo reads each with a subscript, a reader wants them unpacked."""

from __future__ import annotations

import ast
import builtins
import keyword
from typing import Mapping, Optional, Sequence

from .edits import FunctionText, plain_target

__all__ = ["settle_names", "unpack_results"]

_MOST = 40
_Reads = Sequence[Optional[ast.Subscript]]


def unpack_results(text: FunctionText, outputs: Mapping[str, Sequence[str]], made: dict[str, str]) -> int:
    """`g = graph(..); f(g[0], g[1])` becomes `x, y = graph(..); f(x, y)`; gives the number of subscripts gone.

    Args:
        text: the function; edits are added to it.
        outputs: names of what each graph returns, by the graph's stable name.
        made: gets the names that are new, and what is wished for each.
    """
    taken = 0
    claimed = set(text.parameters)
    subscripts = {id(n.value): n for n in text.nodes if isinstance(n, ast.Subscript)}
    for name, statement in text.bound_once():
        callee = statement.value.func if isinstance(statement.value, ast.Call) else None
        wished = outputs.get(callee.id, ()) if isinstance(callee, ast.Name) else ()
        uses = [(subscripts.get(id(one)), _index(subscripts.get(id(one)))) for one in text.loads(name)]
        if not uses or len(wished) > _MOST or not all(0 <= index < len(wished) for _, index in uses):
            continue
        names: list[str] = []
        for index, wish in enumerate(wished):
            reads = [one for one, at in uses if at == index]
            names.append(_name(text, wish, f"result_{index}", claimed, reads, text.block_of(statement)))
            claimed.add(names[-1])
            made.update({} if names[-1] in text.mentions else {names[-1]: wish})
        bound = {id(subscript): names[index] for subscript, index in uses}
        for subscript, index in uses:
            assert subscript is not None
            text.replace(subscript, names[index])
        text.remove(s for s in text.statements for target in [plain_target(s)]
                    if target is not None and bound.get(id(getattr(s, "value", None))) == target.id)  # fmt: skip
        text.replace(statement.targets[0], ", ".join(names) if len(names) > 1 else f"({names[0]},)")
        text.undelete([name])
        taken += len(uses)
    return taken


def settle_names(text: FunctionText, made: Mapping[str, str]) -> None:
    """`loss_, = graph(..)` becomes `loss, = graph(..)` where the other `loss` was a copy that is gone by now."""
    parameters = {node.arg for node in text.nodes if isinstance(node, ast.arg)}  # of those in it, too
    taken = {*parameters, *text.mentions, *dir(builtins)}
    for name, wish in made.items():
        if name != wish and name.rstrip("_") == wish.rstrip("_") and wish not in taken:
            taken.add(wish)
            for mention in text.mentions.get(name, ()):
                text.replace(mention, wish)


def _name(
    text: FunctionText, wish: str, otherwise: str, claimed: set[str], reads: _Reads, block: list[ast.stmt]
) -> str:
    found = wish if wish.isidentifier() and not keyword.iskeyword(wish) else otherwise
    while found in claimed or not _is_free(text, found, reads, block):
        found += "_"
    return found


def _is_free(text: FunctionText, name: str, reads: _Reads, block: list[ast.stmt]) -> bool:
    """Whether nothing has this name, or only this result, from a statement of the block on."""
    first = min(text.mentions.get(name, ()), key=lambda one: (one.lineno, one.col_offset), default=None)
    bound = next((s for s in block if plain_target(s) is first), None)
    is_this = isinstance(bound, ast.Assign) and any(bound.value is one for one in reads)
    return first is None or is_this and text.stores(name) == 1


def _index(subscript: ast.Subscript | None) -> int:
    """The constant in a subscript; -1 for none."""
    node: ast.AST | None = None if subscript is None else subscript.slice
    node = getattr(node, "value", node) if type(node).__name__ == "Index" else node  # 3.8 wraps it
    value = getattr(node, "value", None)
    return value if isinstance(node, ast.Constant) and type(value) is int else -1
