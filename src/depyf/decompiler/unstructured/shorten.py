"""Rewrites statements into equivalent shorter ones, without a change of evaluation order.

    del a / del b                       ->  del a, b
    t = x.a / u = x.b                   ->  t, u = x.a, x.b        (variables of ours)
    if c: t = a / else: t = b           ->  t = a if c else b      (variables of ours)
    if c: nothing / else: s             ->  if not c: s
    t = x.a / t += b / x.a = t          ->  x.a += b               (a variable of ours)
    t = a / if t: u = b / else: u = t   ->  u = a and b            (variables of ours)
    t = a if c else b / f(t)            ->  f(a if c else b)       (a variable of ours)
    t = a / return t                    ->  return a               (a variable of ours)
    return None at the end              ->  nothing
"""

from __future__ import annotations

from collections import Counter
from typing import Collection

from ..printing.printer import print_tree
from ..syntax import nodes as n
from ..syntax.traverse import bodies
from .polish import negate_empty_arms

_MAX_TARGETS = 3
_MAX_LENGTH = 94
_READS = (n.Name, n.Attribute, n.Subscript, n.Constant)
_FUNCTIONS = (n.FunctionDef, n.AsyncFunctionDef, n.ClassDef)


def shorten(body: list[n.Statement], ours: Collection[str], variables: Collection[str] = ()) -> None:
    """Shorten the body of a function in place.

    ``ours`` are the variables that the original does not have, ``variables`` the local ones that it has.
    """
    handling = [part for node in n.walk(body) if isinstance(node, n.Try) for part in (*node.handlers, *node.finalbody)]
    handled = {node.id for node in n.walk(handling) if isinstance(node, n.Name)}
    uses = Counter(node.id for node in n.walk(body) if isinstance(node, n.Name))
    for block in reversed(bodies(body, _FUNCTIONS)):
        while _augment(block, ours, uses):
            pass
        _hoist_deletions(block)
        for index in range(len(block) - 2, -1, -1):
            if index + 1 < len(block):
                _to_bool_op(block, index, ours, uses)
        negate_empty_arms(block)
        for index in range(len(block)):
            _to_conditional(block, index, ours, uses)
        _inline_conditionals(block, ours, uses, {*ours, *variables})
        _inline_return(block, {name for name in ours if name not in handled})
        _merge(block, ours)
    last = body[-1] if body else None
    value = last.value if isinstance(last, n.Return) else last
    if len(body) > 1 and (value is None or isinstance(value, n.Constant) and value.value is None):
        if not isinstance(body[-2], n.Expr) or not isinstance(body[-2].value, n.Constant):
            body.pop()


def _merge(block: list[n.Statement], ours: Collection[str]) -> None:
    """Merge adjacent deletions, and adjacent assignments that only read."""
    merged: list[n.Statement] = []
    for statement in block:
        before = merged[-1] if merged else None
        if isinstance(statement, n.Delete):
            targets = statement.targets
            if isinstance(before, n.Delete):
                targets = [*before.targets, *targets]
                merged.pop()
            merged += _deletions(targets, statement.line)
            continue
        both = _joined(before, statement, ours)
        if both is not None:
            merged[-1] = both
        else:
            merged.append(statement)
    block[:] = merged


def _deletions(targets: list[n.Expression], line: int | None) -> list[n.Statement]:
    """Return statements that delete ``targets``: one, if it is not too long."""
    found: list[n.Statement] = []
    some: list[n.Expression] = []
    for target in targets:
        if some and len(print_tree(n.Delete([*some, target])).strip()) > _MAX_LENGTH:
            found.append(n.Delete(some, line=line))
            some = []
        some.append(target)
    return [*found, n.Delete(some, line=line)]


def _joined(first: n.Statement | None, second: n.Statement, ours: Collection[str]) -> n.Statement | None:
    """Return two assignments as one, if that is short and both only read."""
    if not isinstance(first, n.Assign) or not isinstance(second, n.Assign):
        return None
    targets, values = _parts(first)
    more, other = _parts(second)
    names = [target.id for target in [*targets, *more] if isinstance(target, n.Name)]
    if len(names) != len(targets) + len(more) or len(set(names)) < len(names) or len(names) > _MAX_TARGETS:
        return None
    if not all(name in ours for name in names) or len(more) != 1 or not all(map(_only_reads, [*values, *other])):
        return None
    signs = len(" = ") + len(", ") * 2 * (len(names) - 1)
    if signs + sum(map(len, names)) + sum(map(_min_length, [*values, *other])) > _MAX_LENGTH:
        return None
    if {node.id for value in other for node in n.walk(value) if isinstance(node, n.Name)} & set(names):
        return None
    both = n.Assign([n.Tuple([*targets, *more])], n.Tuple([*values, *other]), line=first.line)
    return both if len(print_tree(both).strip()) <= _MAX_LENGTH else None


def _parts(statement: n.Assign) -> tuple[list[n.Expression], list[n.Expression]]:
    if len(statement.targets) != 1:
        return [], []
    [target] = statement.targets
    if isinstance(target, n.Tuple) and isinstance(statement.value, n.Tuple):
        if len(target.elts) == len(statement.value.elts):
            return target.elts, statement.value.elts
    return [target], [statement.value]


def _only_reads(value: n.Expression) -> bool:
    return all(isinstance(node, _READS) for node in n.walk(value))


def _min_length(value: n.Expression) -> int:
    """Return a lower bound of the length of an expression that only reads: cheaper than printing it."""
    return sum(map(_min_length_of_node, n.walk(value)))


def _min_length_of_node(node: n.Node) -> int:
    if isinstance(node, n.Name):
        return len(node.id)
    if isinstance(node, n.Attribute):
        return len(".") + len(node.attr)
    if isinstance(node, n.Subscript):
        return len("[]")
    return len(node.value) + len("''") if isinstance(node, n.Constant) and isinstance(node.value, str) else 1


def _to_conditional(block: list[n.Statement], index: int, ours: Collection[str], uses: Counter[str]) -> None:
    """Turn an ``if`` statement whose arms only assign the same variable of ours into a conditional expression."""
    statement = block[index]
    if not isinstance(statement, n.If) or len(statement.body) != 1 or len(statement.orelse) != 1:
        return
    first, second = statement.body[0], statement.orelse[0]
    if not isinstance(first, n.Assign) or not isinstance(second, n.Assign) or first.targets != second.targets:
        return
    if len(first.targets) != 1 or not isinstance(first.targets[0], n.Name) or first.targets[0].id not in ours:
        return
    chosen = n.Assign(first.targets, n.IfExp(statement.test, first.value, second.value), line=statement.line)
    if len(print_tree(chosen).strip()) <= _MAX_LENGTH:
        block[index] = chosen
        uses[first.targets[0].id] -= 1


def _inline_conditionals(
    block: list[n.Statement], ours: Collection[str], uses: Counter[str], variables: Collection[str]
) -> None:
    """Move a conditional expression into the next statement, if only that uses it, before any other effect."""
    for index in range(len(block) - 2, -1, -1):
        first, user = block[index : index + 2]
        if not isinstance(first, n.Assign) or not isinstance(first.value, (n.IfExp, n.BoolOp)):
            continue
        if len(first.targets) != 1:
            continue
        target = first.targets[0]
        if not isinstance(user, (n.Assign, n.Expr, n.Return)) or not isinstance(target, n.Name) or user.value is None:
            continue
        deletions = [s for s in block[index + 2 :] if isinstance(s, n.Delete) and target in s.targets]
        if target.id not in ours or uses[target.id] != 2 + len(deletions):
            continue
        if not _is_read_first(user.value, target.id, variables):
            continue
        replaced = type(user)(*[getattr(user, field) for field in user.fields], line=user.line)
        replaced.value = _replaced(user.value, target.id, first.value)
        if len(print_tree(replaced).strip()) > _MAX_LENGTH:
            continue
        block[index : index + 2] = [replaced]
        _remove_deletions(block, target, deletions)


def _remove_deletions(block: list[n.Statement], target: n.Name, deletions: list[n.Delete]) -> None:
    for deletion in deletions:
        deletion.targets.remove(target)
    block[:] = [statement for statement in block if not isinstance(statement, n.Delete) or statement.targets]


def _is_read_first(value: n.Expression, name: str, variables: Collection[str]) -> bool | None:
    """Whether the variable is read before any effect; None if there is no effect and no read."""
    if isinstance(value, n.Name):
        return True if value.id == name else None if value.id in variables else False
    if isinstance(value, n.Constant):
        return None
    if isinstance(value, n.Call):
        parts = [value.func, *value.args]
        has_effect = True
    elif isinstance(value, (n.Tuple, n.List)):
        parts, has_effect = list(value.elts), False
    elif isinstance(value, n.BinOp):
        parts, has_effect = [value.left, value.right], True
    elif isinstance(value, n.Attribute):
        parts, has_effect = [value.value], True
    elif isinstance(value, n.Subscript):
        parts, has_effect = [value.value, value.slice], True
    else:
        return False
    for part in parts:
        found = _is_read_first(part, name, variables)
        if found is not None:
            return found
    return False if has_effect else None


def _replaced(value: n.Expression, name: str, new: n.Expression) -> n.Expression:
    """Return ``value`` with the variable replaced by ``new``; its ancestors are copied."""
    if isinstance(value, n.Name):
        return new if value.id == name else value
    if not any(isinstance(node, n.Name) and node.id == name for node in n.walk(value)):
        return value
    copy = type(value)(*[getattr(value, field) for field in value.fields])
    for field in value.fields:
        part = getattr(copy, field)
        if isinstance(part, n.Expression):
            setattr(copy, field, _replaced(part, name, new))
        elif isinstance(part, list):
            setattr(copy, field, [_replaced(one, name, new) if isinstance(one, n.Expression) else one for one in part])
    return copy


def _augment(block: list[n.Statement], ours: Collection[str], uses: Counter[str]) -> bool:
    """Write an in-place operation without the variable of ours that only it uses. Return whether there was one."""
    for index in range(len(block) - 3, -1, -1):
        read, change, stored = block[index : index + 3]
        if not isinstance(read, n.Assign) or not isinstance(change, n.AugAssign) or not isinstance(stored, n.Assign):
            continue
        target, reference = change.target, read.value
        if not isinstance(target, n.Name) or target.id not in ours or len(stored.targets) != 1:
            continue
        deletions = [s for s in block[index + 3 :] if isinstance(s, n.Delete) and target in s.targets]
        if read.targets != [target] or stored.value != target or stored.targets != [reference]:
            continue
        if _is_simple(reference) and uses[target.id] == 3 + len(deletions):
            block[index : index + 3] = [n.AugAssign(reference, change.op, change.value, line=read.line)]
            _remove_deletions(block, target, deletions)
            return True
    return False


def _is_simple(reference: n.Expression) -> bool:
    """Whether an in-place operation on ``reference`` has the same effects, in order, as a load and a store of it."""
    if isinstance(reference, n.Subscript):
        return isinstance(reference.value, n.Name) and isinstance(reference.slice, (n.Name, n.Constant))
    return isinstance(reference.value if isinstance(reference, n.Attribute) else reference, n.Name)


def _inline_return(block: list[n.Statement], ours: Collection[str]) -> None:
    """``t = a`` and ``return t`` at the end of a block -> ``return a``."""
    if len(block) < 2:
        return
    assigned, returned = block[-2:]
    if isinstance(assigned, n.Assign) and isinstance(returned, n.Return) and assigned.targets == [returned.value]:
        if isinstance(returned.value, n.Name) and returned.value.id in ours:
            block[-2:] = [n.Return(assigned.value, line=assigned.line)]


def _to_bool_op(block: list[n.Statement], index: int, ours: Collection[str], uses: Counter[str]) -> None:
    """Turn a test of a value that selects between it and another one into ``and`` or ``or``."""
    first, statement = block[index : index + 2]
    if not isinstance(first, n.Assign) or not isinstance(statement, n.If) or len(first.targets) != 1:
        return
    target, test, true, false = first.targets[0], statement.test, statement.body, statement.orelse
    if isinstance(test, n.UnaryOp) and test.op == "not":
        test, true, false = test.operand, false, true
    if not isinstance(target, n.Name) or target.id not in ours or test != target or not true or not false:
        return
    deletions = [s for s in block[index + 2 :] if isinstance(s, n.Delete) and target in s.targets]
    for op, kept, other in (("and", false, true), ("or", true, false)):
        found = _other_value(target, kept, other, ours)
        if found is None:
            continue
        result, value, deleted = found
        if uses[target.id] != 3 + deleted + len(deletions) or target in n.walk(value):
            continue
        uses[result.id] -= 1
        more = value.values if isinstance(value, n.BoolOp) and value.op == op else [value]
        block[index : index + 2] = [n.Assign([result], n.BoolOp(op, [first.value, *more]), line=first.line)]
        _remove_deletions(block, target, deletions)
        return


def _other_value(
    target: n.Name, kept: list[n.Statement], other: list[n.Statement], ours: Collection[str]
) -> tuple[n.Name, n.Expression, bool] | None:
    """Return the variable that one arm assigns ``target`` to, the value that the other arm assigns to it, and whether
    that arm deletes ``target``; None if the arms do anything else."""
    rest = [statement for statement in other if statement != n.Delete([target])]
    deleted = len(rest) < len(other)
    if len(kept) != 1 or len(rest) != 1 or not isinstance(kept[0], n.Assign) or not isinstance(rest[0], n.Assign):
        return None
    result, value = kept[0].targets, rest[0].value
    if kept[0].value != target or rest[0].targets != result or len(result) != 1:
        return None
    if not isinstance(result[0], n.Name) or result[0].id not in ours or result[0] == target:
        return None
    return result[0], value, deleted


def _hoist_deletions(block: list[n.Statement]) -> None:
    """Move a common ``del`` at the beginning of both arms before the ``if``, unless the test uses its targets."""
    for index in range(len(block) - 1, -1, -1):
        statement = block[index]
        if not isinstance(statement, n.If) or not statement.body:
            continue
        leaves = isinstance(statement.body[-1], (n.Return, n.Raise)) and not statement.orelse
        other = block[index + 1 :] if leaves else statement.orelse
        first, second = statement.body[0], other[0] if other else None
        if not isinstance(first, n.Delete) or first != second or len(statement.body) < 2:
            continue
        if any(node in first.targets for node in n.walk(statement.test)):
            continue
        del statement.body[0]
        if leaves:
            del block[index + 1]
        else:
            del statement.orelse[0]
        block.insert(index, first)
