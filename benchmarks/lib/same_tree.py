"""Is the syntax tree of what was decompiled the one that the author wrote?

Functions are compared one by one, nested ones as a part of the outer one and by themselves, after what no bytecode
can tell apart is spelled one way on both sides: indentation of docstrings, folded constants, and

    annotations of local names, ``global`` where it stands     statements after one that leaves
    ``pass`` and constants that stand alone                    ``continue`` at the end of a loop's body
    ``return None`` and ``return``, at the end and not          ``else`` behind a body that leaves
    ``if a: if b:`` and ``if a and b:``                        ``with a: with b:`` and ``with a, b:``
    ``import a, b`` and ``del a, b`` on one line or two        ``not a in b`` and ``a not in b``
    ``not (a or b)`` and ``not a and not b`` as a test          ``while 1`` and ``while True``
    lists and tuples that are gone through or searched         ``[a, b] = x`` and ``a, b = x``
    the order of constants in a set that is a constant
    from 3.11 on, ``'%s' % (x,)`` and the formatted string made of it

A strict comparison forgives the first line of this alone: indentation of docstrings, and folded constants.

A test (tests/benchmarks/test_same_tree.py) shows for each that the compiler makes the same of both.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import operator
import sys
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LEAVE = (ast.Return, ast.Raise, ast.Continue, ast.Break)
OPPOSITE: Dict[type, type] = {
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
FOLDED: Dict[type, Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.LShift: operator.lshift,
    ast.RShift: operator.rshift, ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert, ast.Not: operator.not_,
}  # fmt: skip
FORMATS_PERCENT = sys.version_info >= (3, 11)
"""Whether the compiler makes a formatted string of ``'%s' % (x,)``."""
FOLDS_SETS = sys.version_info >= (3, 9)
"""Whether a set of three or more constants is a constant wherever it stands, not only where something is searched."""
BIGGEST = 4096
"""Bits, characters or elements of a folded constant: the compiler's limits are near, and both sides have the same."""


class Trees(NamedTuple):
    """How many functions were compared, how many have the author's tree; the others by name, and where they part."""

    functions: int = 0
    same: int = 0
    differences: Tuple[Tuple[str, str], ...] = ()


def compare(author: bytes, ours: str, *, is_strict: bool = False) -> Trees:
    """The functions of two texts of one module, by qualified name and order; one that is missing is not the same."""
    spell = strict if is_strict else plain
    differences = []
    functions = 0
    for name, function, other in _pairs(author, ours):
        functions += 1
        difference = _difference(spell(function), spell(other)) if other is not None else "missing"
        if difference:
            differences.append((name, difference))
    return Trees(functions, functions - len(differences), tuple(differences))


def different_texts(author: bytes, ours: str) -> Iterator[Tuple[str, str]]:
    """The functions that `compare` finds to be strictly different, as ``ast.unparse`` writes them (3.9 on)."""
    for _, function, other in _pairs(author, ours):
        if other is None:
            yield _text(strict(function), author.decode()), ""
        elif _difference(strict(function), strict(other)):
            yield _text(strict(function), author.decode()), _text(strict(other), ours)


def _text(function: ast.AST, source: str) -> str:
    if sys.version_info >= (3, 9):
        return ast.unparse(ast.fix_missing_locations(function))
    return ast.get_source_segment(source, function) or ""


def _pairs(author: bytes, ours: str) -> Iterator[Tuple[str, ast.AST, Optional[ast.AST]]]:
    """Each function of the author with ours: by qualified name and order."""
    mine: Dict[str, List[ast.AST]] = {}
    for name, function in _functions(ast.parse(ours), ""):
        mine.setdefault(name, []).append(function)
    for name, function in _functions(ast.parse(author), ""):
        others = mine.get(name)
        yield name, function, others.pop(0) if others else None


def _functions(node: ast.AST, path: str) -> Iterator[Tuple[str, ast.AST]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (*FUNCTIONS, ast.ClassDef)):
            name = f"{path}{child.name}"
            if isinstance(child, FUNCTIONS):
                yield name, child
            yield from _functions(child, name + ".")
        else:
            yield from _functions(child, path)


def plain(function: ast.AST) -> ast.AST:
    """A copy in which everything is spelled the one way."""
    result: ast.AST = _Plain().visit(copy.deepcopy(function))
    return result


def strict(function: ast.AST) -> ast.AST:
    """A copy in which docstrings have no indentation, and constants are folded."""
    result: ast.AST = _Strict().visit(copy.deepcopy(function))
    return result


def _difference(left: Any, right: Any, inside: str = "") -> str:
    """Where two trees part, '' if nowhere."""
    if isinstance(left, ast.AST) and type(left) is type(right):
        here = type(left).__name__
        for name, value in ast.iter_fields(left):
            found = _difference(value, getattr(right, name, None), f"{here}.{name}")
            if found:
                return found
        return ""
    if isinstance(left, list) and isinstance(right, list):
        for one, other in zip(left, right):
            found = _difference(one, other, inside)
            if found:
                return found
        if len(left) == len(right):
            return ""
        longer, words = (left, "lost") if len(left) > len(right) else (right, "added")
        return f"{inside}: {words} {_named(longer[min(len(left), len(right))])}"
    same = left == right and (type(left) is int or repr(left) == repr(right))  # of a long int there is no repr
    if type(left) is type(right) and (same or _same_number(left, right)):
        return ""
    return f"{inside}: {_named(left)} became {_named(right)}"


def _same_number(left: Any, right: Any) -> bool:
    return isinstance(left, (float, complex)) and repr(left) == repr(right)


def _named(node: Any) -> str:
    return type(node).__name__ if isinstance(node, ast.AST) else type(node).__name__ + " value"


class _Strict(ast.NodeTransformer):
    """Takes indentation off docstrings, and folds constants."""

    def docstring(self, node: Any) -> Optional[str]:
        """The docstring of a definition whose parts it visits, which then stands there without indentation."""
        self.generic_visit(node)
        text = ast.get_docstring(node)
        if text is not None:
            node.body[0].value = ast.Constant(text)
        return text

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        self.docstring(node)
        return node

    def visit_FunctionDef(self, node: Any) -> Any:
        self.docstring(node)
        return node

    def visit_AsyncFunctionDef(self, node: Any) -> Any:
        return self.visit_FunctionDef(node)

    def visit_For(self, node: Any) -> Any:
        self.generic_visit(node)
        node.iter = _as_constant(node.iter)
        return node

    visit_AsyncFor: Any = visit_For
    visit_comprehension: Any = visit_For

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        for place, op in enumerate(node.ops):
            if isinstance(op, (ast.In, ast.NotIn)):
                node.comparators[place] = _as_constant(node.comparators[place])
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        self.generic_visit(node)
        return _folded(node, type(node.op), [node.operand])

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        return _folded(node, type(node.op), [node.left, node.right])

    def visit_Tuple(self, node: ast.Tuple) -> Any:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load) and all(isinstance(one, ast.Constant) for one in node.elts):
            return _constant_tuple(node.elts)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        self.generic_visit(node)
        if isinstance(node.value, ast.Constant) and isinstance(node.slice, ast.Constant):
            with contextlib.suppress(Exception):  # stays as it is, on both sides
                return ast.Constant(node.value.value[node.slice.value])  # type: ignore[index]
        return node

    def visit_Set(self, node: ast.Set) -> Any:
        self.generic_visit(node)
        return _ordered(node) if FOLDS_SETS and len(node.elts) > 2 else node

    def visit_Constant(self, node: ast.Constant) -> Any:
        return ast.Constant(node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> Any:
        self.generic_visit(node)
        return _joined(node.values)


class _Plain(_Strict):
    """Spells one way what compiles to the same code."""

    def visit(self, node: ast.AST) -> Any:
        node = super().visit(node)
        if isinstance(node, ast.stmt) or isinstance(node, (ast.ExceptHandler, getattr(ast, "match_case", ast.stmt))):
            for name in ("body", "orelse", "finalbody"):
                body = getattr(node, name, None)
                if isinstance(body, list):
                    setattr(node, name, _block(body, is_first=name == "body"))
        return node

    def visit_FunctionDef(self, node: Any) -> Any:
        text = self.docstring(node)
        declarations = [one for one in _own(node) if isinstance(one, (ast.Global, ast.Nonlocal))]
        declared = sorted({name for one in declarations for name in one.names})
        node.body = node.body[:1] * (text is not None) + _without_end(
            _block([_local(one) for one in node.body[text is not None :]], is_first=False), ast.Return
        )
        node.body += [ast.Global(declared)] if declared else []
        return node

    def visit_Global(self, node: Any) -> Any:
        return ast.Pass()

    visit_Nonlocal = visit_Global

    def visit_For(self, node: Any) -> Any:
        self.generic_visit(node)
        node.iter = _as_tuple(node.iter)
        node.body = _without_end(_block(node.body, is_first=False), ast.Continue)
        return node

    visit_AsyncFor = visit_For

    def visit_While(self, node: ast.While) -> Any:
        self.generic_visit(node)
        node.test = _test(node.test)
        if isinstance(node.test, ast.Constant):
            node.test = ast.Constant(bool(node.test.value))
        node.body = _without_end(_block(node.body, is_first=False), ast.Continue)
        return node

    def visit_If(self, node: ast.If) -> Any:
        self.generic_visit(node)
        node.test = _test(node.test)
        node.body, node.orelse = _block(node.body, is_first=False), _block(node.orelse, is_first=False)
        inner = node.body[0]
        if len(node.body) == 1 and isinstance(inner, ast.If) and not node.orelse and not inner.orelse:
            node.test = _flat(ast.And(), [node.test, inner.test])
            node.body = inner.body
        return node

    def visit_With(self, node: Any) -> Any:
        self.generic_visit(node)
        inner = node.body[0]
        if len(node.body) == 1 and type(inner) is type(node):
            node.items += inner.items
            node.body = inner.body
        return node

    visit_AsyncWith = visit_With

    def visit_Assert(self, node: ast.Assert) -> Any:
        self.generic_visit(node)
        node.test = _test(node.test)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        self.generic_visit(node)
        node.test = _test(node.test)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        self.generic_visit(node)
        node.iter = _as_tuple(node.iter)
        tests = [_test(one) for one in node.ifs]
        node.ifs = [_flat(ast.And(), tests)] if tests else []
        return node

    def visit_Return(self, node: ast.Return) -> Any:
        self.generic_visit(node)
        if isinstance(node.value, ast.Constant) and node.value.value is None:
            node.value = None
        return node

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        for place, op in enumerate(node.ops):
            if isinstance(op, (ast.In, ast.NotIn)):
                node.comparators[place] = _as_tuple(node.comparators[place])
        return node

    def visit_List(self, node: ast.List) -> Any:
        self.generic_visit(node)
        return ast.Tuple(node.elts, node.ctx) if isinstance(node.ctx, ast.Store) else node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        node = super().visit_UnaryOp(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) and isinstance(node.operand, ast.Compare):
            opposite = OPPOSITE.get(type(node.operand.ops[0])) if len(node.operand.ops) == 1 else None
            if opposite is not None:
                return ast.Compare(node.operand.left, [opposite()], node.operand.comparators)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        folded = super().visit_BinOp(node)
        text = node.left.value if isinstance(node.left, ast.Constant) else None
        if isinstance(node.op, ast.Mod) and isinstance(text, str) and isinstance(node.right, ast.Tuple):
            return _formatted(text, node.right.elts) or folded
        return folded


def _block(body: List[ast.stmt], is_first: bool) -> List[ast.stmt]:
    """A body without what does nothing, with what could stand on a line of its own on one."""
    found: List[ast.stmt] = []
    for place, one in enumerate(body):
        docstring = is_first and not place and isinstance(one, ast.Expr) and _is_text(one.value)
        idle = isinstance(one, ast.Pass) or isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)
        if idle and not docstring:
            continue
        if isinstance(one, ast.Import):
            found += [ast.Import([name]) for name in one.names]
        elif isinstance(one, ast.Delete):
            found += [ast.Delete([target]) for target in _targets(one.targets)]
        else:
            found.append(one)
        if isinstance(one, LEAVE):
            break
        if isinstance(one, ast.If) and one.orelse and _leaves(one.body):
            behind, one.orelse = one.orelse, []
            return found + _block(behind + body[place + 1 :], is_first=False)
    return found or [ast.Pass()] * bool(body)


def _targets(targets: List[ast.expr]) -> List[ast.expr]:
    parts = [_targets(one.elts) if isinstance(one, (ast.Tuple, ast.List)) else [one] for one in targets]
    return [target for part in parts for target in part]


def _leaves(body: List[ast.stmt]) -> bool:
    last = body[-1] if body else None
    if isinstance(last, ast.If):
        return bool(last.orelse) and _leaves(last.body) and _leaves(last.orelse)
    return isinstance(last, LEAVE)


def _without_end(body: List[ast.stmt], kind: type) -> List[ast.stmt]:
    """A body without the statements that only say that it is at its end."""
    last = body[-1] if body else None
    if isinstance(last, kind) and getattr(last, "value", None) is None:
        return _without_end(body[:-1], kind) or [ast.Pass()]
    if isinstance(last, ast.If):
        last.body = _without_end(last.body, kind)
        last.orelse = _without_end(last.orelse, kind) if last.orelse else []
    return body


def _local(statement: ast.stmt) -> ast.stmt:
    """A statement of a function's body without annotations of its names, which nothing keeps."""
    for node in [statement, *_own(statement)]:
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list) and not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                setattr(node, name, [_unannotated(one) for one in body])
    return _unannotated(statement)


def _unannotated(one: Any) -> ast.stmt:
    if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and one.simple:
        return ast.Assign([one.target], one.value) if one.value is not None else ast.Pass()
    statement: ast.stmt = one
    return statement


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """What stands in the scope of a function, without what is nested in other functions and classes."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, (*FUNCTIONS, ast.ClassDef, ast.Lambda)):
            yield from _own(child)


def _test(test: Any, negated: bool = False) -> Any:
    """A condition with ``not`` as far inside as it goes."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _test(test.operand, not negated)
    if isinstance(test, ast.BoolOp):
        is_and = isinstance(test.op, ast.And) != negated
        return _flat(ast.And() if is_and else ast.Or(), [_test(one, negated) for one in test.values])
    if negated and isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in OPPOSITE:
        return ast.Compare(test.left, [OPPOSITE[type(test.ops[0])]()], test.comparators)
    return ast.UnaryOp(ast.Not(), test) if negated else test


def _flat(op: ast.boolop, values: List[Any]) -> Any:
    if len(values) == 1:
        return values[0]
    parts = [part for one in values for part in (one.values if _is_bool(one, op) else [one])]
    return ast.BoolOp(op, parts)


def _is_bool(node: Any, op: ast.boolop) -> bool:
    return isinstance(node, ast.BoolOp) and type(node.op) is type(op)


def _as_tuple(node: Any) -> Any:
    """What is only gone through or looked up in: a list or set of constants is a constant."""
    if isinstance(node, ast.List) and all(isinstance(one, ast.Constant) for one in node.elts):
        return _constant_tuple(node.elts)
    if isinstance(node, ast.List):
        return ast.Tuple(node.elts, ast.Load())
    return _ordered(node) if isinstance(node, ast.Set) else node


def _as_constant(node: Any) -> Any:
    """What is only gone through or looked up in, if it is a constant then."""
    found = _as_tuple(node)
    return found if isinstance(found, (ast.Constant, ast.Set)) else node


def _ordered(node: ast.Set) -> ast.Set:
    """A set of constants in an order that does not depend on the text."""
    if not all(isinstance(one, ast.Constant) for one in node.elts):
        return node
    return ast.Set(sorted(node.elts, key=lambda one: repr(one.value)))  # type: ignore[attr-defined]


def _constant_tuple(elements: List[Any]) -> ast.Constant:
    values: Any = tuple(one.value for one in elements)
    return ast.Constant(values)


def _is_text(node: Optional[ast.AST]) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _folded(node: Any, op: type, operands: List[Any]) -> Any:
    if op not in FOLDED or not all(isinstance(one, ast.Constant) for one in operands):
        return node
    values = [one.value for one in operands]
    repeats = op is ast.Mult and any(isinstance(one, (str, bytes, tuple)) for one in values)
    if repeats or op in (ast.Pow, ast.LShift):
        if any(isinstance(one, int) and abs(one) > BIGGEST for one in values[0 if repeats else 1 :]):
            return node
    try:
        return ast.Constant(FOLDED[op](*values))
    except Exception:  # 1 / 0 stays as it is, on both sides
        return node


def _formatted(text: str, values: List[Any]) -> Any:
    """``'%s %r' % (a, b)`` as the compiler rewrites it; None where it does not."""
    if not FORMATS_PERCENT:
        return None
    parts: List[Any] = []
    rest = list(values)
    pieces = text.split("%")
    parts.append(ast.Constant(pieces[0]))
    index = 1
    while index < len(pieces):
        piece = pieces[index]
        if not piece and index + 1 < len(pieces):
            parts.append(ast.Constant("%" + pieces[index + 1]))
            index += 2
            continue
        if piece[:1] not in ("s", "r", "a") or not piece or not rest or isinstance(rest[0], ast.Starred):
            return None
        parts.append(ast.FormattedValue(rest.pop(0), ord(piece[0]), None))
        parts.append(ast.Constant(piece[1:]))
        index += 1
    return None if rest else _joined(parts)


def _joined(values: List[Any]) -> Any:
    """A formatted string whose neighbouring texts are one."""
    parts: List[Any] = []
    for one in values:
        if _is_text(one) and parts and _is_text(parts[-1]):
            parts[-1] = ast.Constant(parts[-1].value + one.value)
        elif not (_is_text(one) and not one.value):
            parts.append(one)
    if len(parts) == 1 and _is_text(parts[0]):
        return parts[0]
    return ast.JoinedStr(parts)
