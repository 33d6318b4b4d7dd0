"""Names that keep Dynamo's order of events and mean nothing to a reader, taken out of text that is only read.

Text that runs must evaluate each thing when the bytecode did, so it is full of names for values used once. Here a read
(no call) may move down past other reads, under the axiom of `bookkeeping`; a call never moves past anything.
"""

from __future__ import annotations

import ast
import re
from typing import Callable, Sequence

from .edits import FunctionText, plain_target

__all__ = ["IsTemporary", "copies", "deletions", "inlined_once", "later_names", "temporary"]

IsTemporary = Callable[[str], bool]
_MADE_UP = re.compile(r"tmp_\d+|_\d+|out_\d+")  # Dynamo's, and the decompiler's where the bytecode's names are unknown
_ATOMS = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Constant, ast.List, ast.Tuple, ast.Dict)
_CATCHES = (ast.Try, ast.With, ast.AsyncWith, *([ast.TryStar] if hasattr(ast, "TryStar") else []))
_LONGEST_STATEMENT = 120
_NEVER = (1 << 60, 0)  # no line is that far down


def temporary(known: frozenset[str] | None) -> IsTemporary:
    """Tells temporaries from the program's names.

    Args:
        known: local names of the bytecode; what the text has beyond them is the decompiler's. None if unknown.
    """
    return lambda name: bool(_MADE_UP.fullmatch(name)) or (known is not None and name not in known)


def copies(text: FunctionText, is_temporary: IsTemporary) -> int:
    """`t = x; g(t)` becomes `g(x)`, where neither name is bound again and `x` lives as long."""
    taken: set[str] = set()
    for statement in text.statements():
        target = plain_target(statement)
        if target is None or not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Name):
            continue
        name, original = target.id, statement.value.id
        if not is_temporary(name) or text.stores(name) != 1 or name in text.parameters or original in taken:
            continue
        if text.stores(original) > (0 if original in text.parameters else 1):
            continue
        last = max(mention.lineno for mention in text.mentions[name])
        if any(isinstance(m.ctx, ast.Del) and m.lineno <= last for m in text.mentions[original]):
            continue
        for mention in text.mentions[name]:
            if isinstance(mention.ctx, ast.Load):
                text.replace(mention, original)
        text.remove([statement])
        taken.add(name)
    return len(taken) + text.undelete(taken)


def later_names(text: FunctionText, is_temporary: IsTemporary) -> int:
    """`t = f(); g(t); x = t; h(x)` becomes `x = f(); g(x); h(x)`, where `x` is mentioned nowhere before; `x = x` of a
    parameter goes."""
    declared = {name for s in text.statements() if isinstance(s, (ast.Global, ast.Nonlocal)) for name in s.names}
    # What catches an exception raised in between would see the new value, not the previous one.
    caught = {id(inner) for s in text.statements() if isinstance(s, _CATCHES) for inner in ast.walk(s)}
    taken: set[str] = set()
    gone = 0
    for statement in text.statements():
        target = plain_target(statement)
        if target is None or not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Name):
            continue
        name, made = target.id, statement.value.id
        if name == made and name in text.parameters:
            text.remove([statement])
            gone += 1
        if is_temporary(name) or not is_temporary(made) or {name, made} & (taken | declared | set(text.parameters)):
            continue
        if id(statement) in caught:
            continue
        if text.stores(name) != 1 or text.stores(made) != 1 or not _may_be_named(text, statement, target, made):
            continue
        for mention in text.mentions[made]:
            if not isinstance(mention.ctx, ast.Del):
                text.replace(mention, name)
        text.remove([statement])
        taken |= {name, made}
        gone += 1
    text.undelete({made for made in taken if is_temporary(made)})
    return gone


def _may_be_named(text: FunctionText, statement: ast.Assign, target: ast.Name, made: str) -> bool:
    """Whether the value that `made` is bound to, before and in the same block, can have the target's name at once."""
    others = [one for one in text.mentions[target.id] if one is not target]
    if any(isinstance(one.ctx, ast.Del) or one.lineno <= statement.lineno for one in others):
        return False
    block = text.block_of(statement)
    (stored,) = [one for one in text.mentions[made] if isinstance(one.ctx, ast.Store)]
    bound = text.in_block(stored, block)
    return isinstance(bound, ast.Assign) and text.place_of(bound) < text.place_of(statement)


def inlined_once(text: FunctionText, is_temporary: IsTemporary) -> int:
    """`t = x.y; f(t)` becomes `f(x.y)`, where `t` is used once, further down in the same block.

    One round: a value which holds another temporary of the round waits for the next.
    """
    taken: set[str] = set()
    may_pass = _Passing()
    busy: set[int] = set()  # statements that change in this round
    for statement in reversed(list(text.statements())):  # so that what was evaluated last moves first
        target = plain_target(statement)
        if target is None or not isinstance(statement, ast.Assign) or not is_temporary(target.id):
            continue
        uses = [m for m in text.mentions[target.id] if isinstance(m.ctx, ast.Load)]
        if text.stores(target.id) != 1 or len(uses) != 1 or target.id in text.parameters:
            continue
        user = _user_of(text, statement, uses[0], may_pass)
        if user is None or id(statement) in busy or id(user) in busy:
            continue
        value = text.text(statement.value)
        if "\n" in value or len(text.text(user)) + len(value) > _LONGEST_STATEMENT:
            continue
        text.replace(uses[0], value if isinstance(statement.value, _ATOMS) else f"({value})")
        text.remove([statement])
        busy.update((id(statement), id(user)))
        taken.add(target.id)
    text.undelete(taken)
    return len(taken)


def deletions(text: FunctionText, is_temporary: IsTemporary) -> int:
    """`del tmp_4` frees a tensor early, which matters to what runs alone."""
    return text.undelete({name for name in text.mentions if is_temporary(name)})


def _user_of(text: FunctionText, statement: ast.stmt, use: ast.Name, may_pass: _Passing) -> ast.stmt | None:
    """The statement which uses the name, if the value may move there."""
    block = text.block_of(statement)
    user = text.in_block(use, block)
    if user is None or not _evaluates(user, use):
        return None
    between = block[text.place_of(statement) + 1 : text.place_of(user)]
    return user if may_pass(statement, between) and not may_pass.follows_a_call(use, user) else None


def _evaluates(statement: ast.stmt, use: ast.Name) -> bool:
    """Whether the name is in the part of a statement that is evaluated once, when the statement begins."""
    if isinstance(statement, ast.If):
        return any(node is use for node in ast.walk(statement.test))
    return isinstance(statement, (ast.Assign, ast.Expr, ast.Return, ast.AugAssign))


class _Passing:
    """Whether a value may move down past other statements; what each of them does is worked out once."""

    def __init__(self) -> None:
        self.known: dict[int, tuple[set[str], set[str] | None, tuple[int, int]]] = {}

    def __call__(self, statement: ast.stmt, between: Sequence[ast.stmt]) -> bool:
        read, _, ended = self.facts(statement)
        for other in between:
            _, bound, other_ended = self.facts(other)
            if bound is None or other_ended < _NEVER or bound & read:
                return False
            if ended < _NEVER and not isinstance(other, ast.Delete):
                return False
        return True

    def follows_a_call(self, use: ast.Name, statement: ast.stmt) -> bool:
        """Whether a call in the statement is over before the name is read."""
        return self.facts(statement)[2] <= (use.lineno, use.col_offset)

    def facts(self, statement: ast.stmt) -> tuple[set[str], set[str] | None, tuple[int, int]]:
        """Names that a statement mentions; those that it binds or deletes, None if it is another kind of statement;
        where the first call in it ends."""
        if id(statement) not in self.known:
            nodes = list(ast.walk(statement))
            target = plain_target(statement)
            bound = {target.id} if target is not None else None
            if isinstance(statement, ast.Delete):
                bound = {t.id for t in statement.targets if isinstance(t, ast.Name)}
                nodes = [node for node in nodes if isinstance(node, ast.Name)]
            calls = [(n.end_lineno or 0, n.end_col_offset or 0) for n in nodes if isinstance(n, (ast.Call, ast.Await))]
            names = {node.id for node in nodes if isinstance(node, ast.Name)}
            self.known[id(statement)] = names, bound, min(calls, default=_NEVER)
        return self.known[id(statement)]
