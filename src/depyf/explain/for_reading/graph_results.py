"""A graph's results by name: Dynamo reads each with a subscript, a reader wants them unpacked."""

from __future__ import annotations

import ast
import builtins
import keyword
from typing import Callable, Mapping, Sequence

from .edits import FunctionText, plain_target

__all__ = ["settle_names", "unpack_results"]


def unpack_results(
    text: FunctionText, outputs: Mapping[str, Sequence[str]], is_temporary: Callable[[str], bool]
) -> int:
    """`g = graph(..); x = g[0]; y = g[1]; del g` becomes `x, y = graph(..)`; gives the number of subscripts gone.

    Args:
        text: the function; edits are added to it.
        outputs: names of what each graph returns, by the graph's stable name.
        is_temporary: tells made-up names from the program's, which are kept.
    """
    taken = 0
    claimed: set[str] = set()
    for statement in text.statements():
        target = plain_target(statement)
        if target is None or not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
            continue
        callee = statement.value.func
        if not isinstance(callee, ast.Name) or callee.id not in outputs or text.stores(target.id) != 1:
            continue
        taken += _unpack_one(text, statement, target.id, list(outputs[callee.id]), claimed, is_temporary)
    return taken


def settle_names(
    text: FunctionText, outputs: Mapping[str, Sequence[str]], is_temporary: Callable[[str], bool]
) -> None:
    """`loss_, = graph(..)` becomes `loss, = graph(..)` where the other `loss` was a copy that is gone by now."""
    for statement in text.statements():
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
            continue
        callee, target = statement.value.func, statement.targets[0]
        if not isinstance(callee, ast.Name) or callee.id not in outputs or not isinstance(target, ast.Tuple):
            continue
        for bound, wish in zip(target.elts, outputs[callee.id]):
            if not isinstance(bound, ast.Name) or not is_temporary(bound.id) or bound.id.rstrip("_") == bound.id:
                continue
            if bound.id != wish and bound.id.rstrip("_") == wish.rstrip("_") and _is_free(wish, text):
                for mention in text.mentions[bound.id]:
                    text.replace(mention, wish)


def _is_free(name: str, text: FunctionText) -> bool:
    parameters = {node.arg for node in ast.walk(text.function) if isinstance(node, ast.arg)}  # of those in it, too
    is_name = name.isidentifier() and not keyword.iskeyword(name) and not hasattr(builtins, name)
    return is_name and name not in text.mentions and name not in parameters


def _unpack_one(
    text: FunctionText,
    call: ast.Assign,
    name: str,
    wished: Sequence[str],
    claimed: set[str],
    is_temporary: Callable[[str], bool],
) -> int:
    uses: list[tuple[ast.Subscript, int]] = []
    subscripts = {id(n.value): n for n in ast.walk(text.function) if isinstance(n, ast.Subscript)}
    for mention in text.mentions[name]:
        if not isinstance(mention.ctx, ast.Load):
            continue
        subscript = subscripts.get(id(mention))
        index = _index(subscript)
        if subscript is None or index is None or not 0 <= index < len(wished):
            return 0
        uses.append((subscript, index))
    if not uses or len(wished) > 40:
        return 0
    block = text.block_of(call)
    adjacent = _adjacent_unpackings(block[block.index(call) + 1 :], uses, name)
    names: dict[int, str] = {}
    for index, statement in adjacent.items():
        bound = plain_target(statement)
        if bound is not None and text.stores(bound.id) == 1:
            if not is_temporary(bound.id) or bound.id == wished[index]:
                names[index] = bound.id  # the user's own name for it, or the graph's already
    renamed: dict[str, str] = {}
    for index, wish in enumerate(wished):
        names.setdefault(index, _free_name(wish, index, set(text.mentions) | set(text.parameters) | claimed))
        claimed.add(names[index])
    gone: list[ast.stmt] = []
    for index, statement in adjacent.items():
        bound = plain_target(statement)
        assert bound is not None
        if text.stores(bound.id) == 1:
            renamed[bound.id] = names[index]
            gone.append(statement)
    for subscript, index in uses:
        text.replace(subscript, names[index])
    for old, new in renamed.items():
        if old != new:
            for mention in text.mentions[old]:
                text.replace(mention, new)
    bound_names = ", ".join(names[i] for i in range(len(wished)))
    text.replace(call.targets[0], bound_names if len(wished) > 1 else f"({bound_names},)")
    text.remove(gone)
    return len(uses) + text.undelete({name})


def _adjacent_unpackings(
    following: Sequence[ast.stmt], uses: Sequence[tuple[ast.Subscript, int]], name: str
) -> dict[int, ast.stmt]:
    """The statements `x = g[i]` after the call, by index; `del`s and reads of other things may be between them."""
    by_node = {id(subscript): index for subscript, index in uses}
    found: dict[int, ast.stmt] = {}
    passed: set[str] = set()  # names in between: none of them may be bound earlier than it was
    for statement in following:
        if isinstance(statement, ast.Delete):
            continue
        bound = plain_target(statement)
        if bound is None or not isinstance(statement, ast.Assign) or bound.id in passed:
            break
        if id(statement.value) in by_node:
            found.setdefault(by_node[id(statement.value)], statement)
            continue
        if any(isinstance(node, ast.Call) for node in ast.walk(statement)):
            break
        passed |= {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
    return found


def _index(subscript: ast.Subscript | None) -> int | None:
    if subscript is None:
        return None
    node: ast.AST = subscript.slice
    node = getattr(node, "value", node) if type(node).__name__ == "Index" else node  # 3.8 wraps it
    value = getattr(node, "value", None)
    return value if isinstance(node, ast.Constant) and type(value) is int else None


def _free_name(wish: str, index: int, used: set[str]) -> str:
    name = wish if wish.isidentifier() and not keyword.iskeyword(wish) else f"result_{index}"
    while name in used:
        name += "_"
    return name
