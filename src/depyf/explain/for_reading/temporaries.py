"""Names that keep Dynamo's order of events and mean nothing to a reader, taken out of text that is only read.

Text that runs must evaluate each thing when the bytecode did, so it is full of names for values used once. Here a read
(no call) may move down past other reads, under the axiom of `bookkeeping`; a call never moves past anything.
"""

from __future__ import annotations

import ast
import builtins
import re
from typing import Callable, Optional, Set, Tuple

from .edits import FunctionText, plain_target

__all__ = ["IsTemporary", "deletions", "inlined_once", "later_names", "other_names", "temporary", "unread"]

IsTemporary = Callable[[str], bool]
_MADE_UP = re.compile(r"tmp_\d+|_\d+|out_\d+")  # Dynamo's, and the decompiler's where the bytecode's names are unknown
_MODULE = r"__import_torch_dot_(_dynamo_dot_utils|autograd_dot_profiler)"
_HELPER = r"\.(call_|record_|_is_)\w+"
_OF_DYNAMO = re.compile(
    rf"(__compiled_fn|__resume_at|__comprehension)_\w+|closed_over\(__\w+(, \w+=\w+)+\)|{_MODULE}{_HELPER}"
)
_ATOMS = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Constant, ast.List, ast.Tuple, ast.Dict)
_CALLS = (ast.Call, ast.Await)
_CATCHES = (ast.Try, ast.With, ast.AsyncWith, *([ast.TryStar] if hasattr(ast, "TryStar") else []))
_COMPOUND = (ast.If, ast.While, ast.For, ast.AsyncFor, *_CATCHES)
_LONGEST_STATEMENT = 120
_NEVER = (1 << 60, 0)  # no line is that far down
_SIMPLE = (ast.Assign, ast.Expr, ast.Return, ast.AugAssign)
_Facts = Tuple[Set[str], Optional[Set[str]], Tuple[int, int]]


def temporary(known: frozenset[str] | None) -> IsTemporary:
    """Tells temporaries from the program's names.

    Args:
        known: local names of the bytecode; what the text has beyond them is the decompiler's. None if unknown.
    """
    return lambda name: bool(_MADE_UP.fullmatch(name)) or (known is not None and name not in known)


def deletions(text: FunctionText, is_temporary: IsTemporary) -> int:
    """`del tmp_4` frees a tensor early, which matters to what runs alone."""
    names = {name for name in text.mentions if is_temporary(name)}
    text.undelete(names)
    return sum(isinstance(one.ctx, ast.Del) for name in names for one in text.mentions[name])


def unread(text: FunctionText, is_temporary: IsTemporary) -> int:
    """Reads for names that nobody reads any more, such as that of a tuple of cells."""
    found = [(s, list(ast.walk(s))) for name, s in text.bound_once() if not text.loads(name) and (
        is_temporary(name) or "__closure__" in text.text(s))]  # fmt: skip
    return text.remove(one for one, nodes in found if not any(isinstance(node, _CALLS) for node in nodes))


def other_names(text: FunctionText, is_temporary: IsTemporary) -> int:
    """Names for what has a name that is as good wherever they are read: Dynamo's functions; for temporaries also a name
    that is not bound again and lives as long, and a method of a builtin class, which nothing can change."""
    taken: set[str] = set()
    written: set[str] = set()  # names in what takes their places
    for name, statement in text.bound_once():
        value = statement.value
        names = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
        if name in written or names & taken:
            continue  # the next time
        if _is_of_dynamo(text, name, text.text(value)) or is_temporary(name) and (
            _is_method(value, text) or isinstance(value, ast.Name) and _lives_on(text, value.id, name)
        ):
            text.inline(name, statement, text.text(value))
            taken.add(name)
            written |= names
    return len(taken)


def _is_of_dynamo(text: FunctionText, name: str, value: str) -> bool:
    if re.fullmatch(_MODULE, value):  # a name is longer than what is read of it
        return not re.search(rf"\b{name}\b(?!{_HELPER}| =)", text.source)
    return bool(_OF_DYNAMO.fullmatch(value))


def _is_method(value: ast.expr, text: FunctionText) -> bool:
    owner = value.value if isinstance(value, ast.Attribute) else None
    if not isinstance(owner, ast.Name) or text.stores(owner.id) or owner.id in text.parameters:
        return False
    found = getattr(builtins, owner.id, None)
    return isinstance(found, type) and hasattr(found, value.attr)  # type: ignore[attr-defined]


def _lives_on(text: FunctionText, original: str, name: str) -> bool:
    if text.stores(original) > (0 if original in text.parameters else 1):
        return False
    last = max(mention.lineno for mention in text.mentions[name])
    return not any(isinstance(one.ctx, ast.Del) and one.lineno <= last for one in text.mentions[original])


def later_names(text: FunctionText, is_temporary: IsTemporary) -> int:
    """`t = f(); g(t); x = t; h(x)` becomes `x = f(); g(x); h(x)`, if `x` can have the value at once. `x = x` of a
    parameter goes."""
    taken: set[str] = set()
    gone = 0
    for statement in text.statements:
        target, value = plain_target(statement), getattr(statement, "value", None)
        if target is None or not isinstance(value, ast.Name) or {target.id, value.id} & taken:
            continue
        if target.id != value.id:
            is_copy = is_temporary(value.id) and not is_temporary(target.id)
            if not is_copy or not _may_be_named(text, statement, target, value):
                continue
            for mention in text.mentions[value.id]:
                text.replace(mention, target.id)
        elif target.id not in text.parameters:
            continue
        gone += text.remove([statement])
        taken |= {target.id, value.id}
    return gone


def _may_be_named(text: FunctionText, statement: ast.stmt, target: ast.Name, made: ast.Name) -> bool:
    """Whether the value that `made` is bound to, before and in the same block, can have the target's name at once."""
    block = text.block_of(statement)
    stored = [one for one in text.mentions[made.id] if isinstance(one.ctx, ast.Store)]
    bound = text.in_block(stored[0], block) if len(stored) == 1 else None
    if not isinstance(bound, ast.Assign) or made.id in text.parameters or text.stores(target.id) != 1:
        return False
    others = [one for one in text.mentions[target.id] if one is not target]
    last = max(one.lineno for one in text.mentions[made.id])
    if any(isinstance(one.ctx, ast.Del) and one.lineno <= last for one in others):
        return False
    between = [node for one in block[text.place_of(bound) + 1 : text.place_of(statement)] for node in ast.walk(one)]
    if not any(isinstance(node, (*_CALLS, *_COMPOUND)) or node in others for node in between):
        return True
    # What catches an exception raised in between would see the new value, not the previous one.
    is_seen = target.id in text.declared or target.id in text.parameters or any(
        isinstance(one, _CATCHES) and statement in ast.walk(one) for one in text.statements)
    return not is_seen and all(one.lineno > statement.lineno for one in others)


def inlined_once(text: FunctionText, is_temporary: IsTemporary) -> int:
    """`t = x.y; f(t)` becomes `f(x.y)`, where `t` is used once, further down in the same block.

    One round: a value which holds another temporary of the round waits for the next.
    """
    busy: set[int] = set()  # statements that change in this round
    known: dict[int, _Facts] = {}
    for name, statement in reversed(list(text.bound_once())):  # so that what was evaluated last moves first
        uses = text.loads(name)
        if len(uses) != 1 or not is_temporary(name):
            continue
        user = _user_of(text, statement, uses[0], known)
        if user is None or id(statement) in busy or id(user) in busy:
            continue
        value = text.text(statement.value)
        if "\n" not in value and len(text.text(user)) + len(value) <= _LONGEST_STATEMENT:
            text.inline(name, statement, value if isinstance(statement.value, _ATOMS) else f"({value})")
            busy.update((id(statement), id(user)))
    return len(busy) // 2


def _user_of(text: FunctionText, statement: ast.Assign, use: ast.Name, known: dict[int, _Facts]) -> ast.stmt | None:
    """The statement which uses the name, if the value may move there; `known` keeps what is worked out."""
    block = text.block_of(statement)
    user = text.in_block(use, block)
    if not isinstance(user, _SIMPLE) and not (isinstance(user, ast.If) and use in ast.walk(user.test)):
        return None  # it is not evaluated once, when the statement begins
    read, _, ended = _facts(statement, known)
    for other in block[text.place_of(statement) + 1 : text.place_of(user)]:
        _, bound, called = _facts(other, known)
        if bound is None or bound & read or called < _NEVER or ended < _NEVER and not isinstance(other, ast.Delete):
            return None
    return None if _facts(user, known)[2] <= (use.lineno, use.col_offset) else user


def _facts(statement: ast.stmt, known: dict[int, _Facts]) -> _Facts:
    """Names in a statement; those that it binds or deletes, None if it is another kind; where the first call ends."""
    if id(statement) not in known:
        nodes = list(ast.walk(statement))
        calls = [(one.end_lineno or 0, one.end_col_offset or 0) for one in nodes if isinstance(one, _CALLS)]
        names = [one for one in nodes if isinstance(one, ast.Name)]
        bound = {one.id for one in names if not isinstance(one.ctx, ast.Load)}
        is_other = plain_target(statement) is None and not isinstance(statement, ast.Delete)
        known[id(statement)] = {one.id for one in names}, None if is_other else bound, min(calls, default=_NEVER)
    return known[id(statement)]
