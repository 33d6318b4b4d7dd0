"""Mutants of source: each edit changes one place of a syntax tree.

``edits(tree)`` lists all edits of all kinds that fit, as (kind, function that makes the edit). Trees are compiled, not
printed, so this works where ``ast.unparse`` is missing. An edit may make a tree that does not compile.
"""

from __future__ import annotations

import ast
import copy
import random
from typing import Any, Callable, Iterator, List, Optional, Tuple

Edit = Tuple[str, Callable[[], Any]]

_BINARY = (ast.Add, ast.Sub, ast.Mult, ast.Mod, ast.BitAnd, ast.BitOr, ast.FloorDiv, ast.Pow, ast.LShift, ast.MatMult)
_COMPARISONS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Is, ast.IsNot, ast.In, ast.NotIn)
_TRIES = tuple(kind for kind in (ast.Try, getattr(ast, "TryStar", None)) if kind is not None)
_LOOPS = (ast.For, ast.While, ast.AsyncFor)
_WITHS = (ast.With, ast.AsyncWith)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_BODIES = ("body", "orelse", "finalbody")


def mutant(tree: ast.Module, dice: random.Random) -> Optional[Tuple[str, ast.Module]]:
    """A copy of ``tree`` with one edit: first the kind is chosen, then the place. None if nothing fits."""
    changed = copy.deepcopy(tree)
    by_kind: dict[str, List[Edit]] = {}
    for edit in edits(changed):
        by_kind.setdefault(edit[0], []).append(edit)
    if not by_kind:
        return None
    kind, make = dice.choice(by_kind[dice.choice(sorted(by_kind))])
    make()
    return kind, ast.fix_missing_locations(_filled(changed))


def _filled(tree: ast.Module) -> ast.Module:
    """``tree``, in which no body is empty."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and not body and not isinstance(node, (ast.Module, ast.Expression)):
            body.append(ast.Pass())
    return tree


def texts(source: str, first: int, step: int) -> Iterator[Tuple[str, str]]:
    """(kind, text) for every ``step``-th edit of ``source``, from number ``first`` on, that makes another text."""
    tree = ast.parse(source)
    for number in range(first, len(list(edits(tree))), step):
        changed = copy.deepcopy(tree)
        kind, make = list(edits(changed))[number]
        make()
        text = ast.unparse(ast.fix_missing_locations(_filled(changed)))
        if text != ast.unparse(tree):
            yield kind, text


def edits(tree: ast.AST) -> Iterator[Edit]:
    """Every edit that fits somewhere in ``tree``."""
    for node in ast.walk(tree):
        for field in _BODIES:
            body = getattr(node, field, None)
            if isinstance(body, list) and not isinstance(node, ast.Module):
                yield from _in_body(node, field, body)
        for handler in _handlers(node):
            yield from _in_handler(node, handler)
        maker = _BY_TYPE.get(type(node))
        if maker is not None:
            yield from maker(node)


def _handlers(node: ast.AST) -> List[Any]:
    return list(getattr(node, "handlers", ()))


# Statements


def _in_body(owner: Any, field: str, body: List[Any]) -> Iterator[Edit]:
    for place, statement in enumerate(body):
        if isinstance(statement, (ast.Nonlocal, ast.Global)):
            yield "declaration dropped", lambda p=place: body.__setitem__(p, ast.Pass())
            continue
        if not isinstance(statement, ast.Pass):
            yield "statement dropped", lambda p=place: body.__setitem__(p, ast.Pass())
        yield "statement doubled", lambda p=place: body.insert(p, copy.deepcopy(body[p]))
        if place + 1 < len(body):
            yield "neighbours swapped", lambda p=place: _swap(body, p, p + 1)
        yield from _across_borders(body, place, statement)
        yield from _of_statement(body, place, statement)


def _across_borders(body: List[Any], place: int, statement: Any) -> Iterator[Edit]:
    """Code moved over the border of a compound statement, in both directions."""
    if not isinstance(statement, (ast.If, *_TRIES, *_LOOPS, *_WITHS)):
        return
    word = type(statement).__name__.lower()
    last = place + 1 < len(body)
    parts = [getattr(statement, f) for f in _BODIES if getattr(statement, f, None)]
    parts += [handler.body for handler in _handlers(statement)]
    for part in parts:
        if last:
            yield f"moved into {word}", lambda part=part: part.append(body.pop(place + 1))
        if place:
            yield f"moved into {word}", lambda part=part: part.insert(0, body.pop(place - 1))
        if len(part) > 1:
            yield f"moved out of {word}", lambda part=part: body.insert(place + 1, part.pop())
            yield f"moved out of {word}", lambda part=part: body.insert(place, part.pop(0))
        yield f"copied out of {word}", lambda part=part: body.insert(place + 1, copy.deepcopy(part[-1]))
    if getattr(statement, "orelse", None):
        yield "else moved after", lambda: _else_after(body, place, statement)
        yield "else into body", lambda: _else_into_body(statement)
    elif hasattr(statement, "orelse") and last:
        yield "rest moved into else", lambda: _rest_into_else(body, place, statement)
    for part in parts:
        for other in parts:
            if part is not other and len(part) > 1:
                yield "moved between parts", lambda a=part, b=other: b.insert(0, a.pop())
                yield "moved between parts", lambda a=part, b=other: b.append(a.pop(0))
    yield "unwrapped", lambda: body.__setitem__(slice(place, place + 1), statement.body)


def _else_after(body: List[Any], place: int, statement: Any) -> None:
    body[place + 1 : place + 1] = statement.orelse
    statement.orelse = []


def _else_into_body(statement: Any) -> None:
    statement.body.extend(statement.orelse)
    statement.orelse = []


def _rest_into_else(body: List[Any], place: int, statement: Any) -> None:
    statement.orelse = body[place + 1 :]
    del body[place + 1 :]


def _of_statement(body: List[Any], place: int, s: Any) -> Iterator[Edit]:
    def become(*new: Any) -> Callable[[], Any]:
        return lambda: body.__setitem__(slice(place, place + 1), list(new))

    if isinstance(s, (ast.If, ast.While)):
        yield "condition inverted", lambda: setattr(s, "test", ast.UnaryOp(ast.Not(), s.test))
        yield "condition constant", lambda: setattr(s, "test", ast.Constant(True))
    if isinstance(s, ast.If):
        yield "if and while", lambda: body.__setitem__(place, ast.While(s.test, s.body, s.orelse))
        if s.orelse:
            yield "arms exchanged", lambda: _exchange(s, "body", "orelse")
    if isinstance(s, ast.While):
        yield "if and while", lambda: body.__setitem__(place, ast.If(s.test, s.body, s.orelse))
    if isinstance(s, _TRIES):
        if s.finalbody and s.orelse:
            yield "finally and else", lambda: _exchange(s, "orelse", "finalbody")
        if s.finalbody and s.handlers:
            yield "finally after", lambda: _finally_after(body, place, s)
            yield "finally and else", lambda: (s.orelse.extend(s.finalbody), setattr(s, "finalbody", []))
        elif s.finalbody:
            yield "finally swallows", lambda: _swallow(s)
        if len(s.handlers) > 1:
            yield "handlers swapped", lambda: _swap(s.handlers, 0, 1)
            yield "handler dropped", lambda: s.handlers.pop()
        if s.handlers and not s.finalbody:
            yield "handlers made finally", lambda: become(ast.Try(s.body, [], [], s.handlers[0].body))()
    if isinstance(s, _WITHS) and len(s.items) > 1:
        yield "with items swapped", lambda: _swap(s.items, 0, 1)
    if isinstance(s, (*_WITHS, ast.For, ast.AsyncFor, *_FUNCTIONS)):
        yield "async or not", lambda: setattr(s, "__class__", _OTHER_COLOUR[type(s)])
    if isinstance(s, (ast.Break, ast.Continue)):
        yield "break and continue", become(ast.Continue() if isinstance(s, ast.Break) else ast.Break())
        yield "break and return", become(ast.Return(None))
    if isinstance(s, ast.Return):
        if s.value is not None:
            yield "return value dropped", lambda: setattr(s, "value", None)
            yield "return dropped", become(ast.Expr(s.value))
            yield "return and yield", become(ast.Expr(ast.Yield(s.value)))
            yield "return and raise", become(ast.Raise(s.value, None))
        else:
            yield "break and return", become(ast.Break())
    if isinstance(s, ast.Raise):
        if s.cause is not None:
            yield "cause dropped", lambda: setattr(s, "cause", None)
        elif s.exc is not None:
            yield "raise made bare", lambda: setattr(s, "exc", None)
            yield "cause None", lambda: setattr(s, "cause", ast.Constant(None))
    if isinstance(s, ast.AugAssign) and isinstance(s.target, ast.Name):
        value = ast.BinOp(ast.Name(s.target.id, ast.Load()), s.op, s.value)
        yield "augmented made plain", become(ast.Assign([s.target], value))
    if isinstance(s, ast.Assign):
        yield "store dropped", become(ast.Expr(s.value))
        if len(s.targets) > 1:
            yield "targets swapped", lambda: _swap(s.targets, 0, 1)
        elif isinstance(s.targets[0], ast.Name):
            yield "deleted after", lambda: body.insert(place + 1, ast.Delete([ast.Name(s.targets[0].id, ast.Del())]))
    if isinstance(s, ast.Delete):
        yield "delete made load", become(*[ast.Expr(_loaded(target)) for target in s.targets])
        if len(s.targets) > 1:
            yield "targets swapped", lambda: _swap(s.targets, 0, 1)
    if isinstance(s, ast.Expr) and isinstance(s.value, (ast.Yield, ast.YieldFrom)) and s.value.value is not None:
        yield "yield dropped", lambda: setattr(s, "value", s.value.value)
    if isinstance(s, ast.Assert):
        yield "assert inverted", lambda: setattr(s, "test", ast.UnaryOp(ast.Not(), s.test))
        yield "assert without its message", lambda: setattr(s, "msg", None)
    if isinstance(s, (ast.Expr, ast.Assign, ast.AugAssign, ast.Return)):
        passing = [ast.ExceptHandler(ast.Name("E", ast.Load()), None, [ast.Pass()])]
        yield "wrapped in try", become(ast.Try([s], passing, [], []))
        yield "wrapped in if", become(ast.If(ast.Name("Q", ast.Load()), [s], []))
        yield "wrapped in loop", become(ast.For(ast.Name("q", ast.Store()), ast.Name("Q", ast.Load()), [s], []))
    if isinstance(s, (ast.Import, ast.ImportFrom)):
        if isinstance(s, ast.ImportFrom):
            yield "level of import", lambda: setattr(s, "level", (s.level or 0) + 1)
            yield "import dropped", lambda: s.names.append(ast.alias("other", None))
        yield "import renamed", lambda: setattr(s.names[0], "asname", "renamed")


_OTHER_COLOUR = {
    ast.With: ast.AsyncWith, ast.AsyncWith: ast.With, ast.For: ast.AsyncFor, ast.AsyncFor: ast.For,
    ast.FunctionDef: ast.AsyncFunctionDef, ast.AsyncFunctionDef: ast.FunctionDef,
}  # fmt: skip


def _finally_after(body: List[Any], place: int, s: Any) -> None:
    body[place + 1 : place + 1] = s.finalbody
    s.finalbody = []


def _swallow(s: Any) -> None:
    s.handlers = [ast.ExceptHandler(ast.Name("BaseException", ast.Load()), None, s.finalbody)]
    s.finalbody = []


def _loaded(target: Any) -> Any:
    target = copy.deepcopy(target)
    for node in ast.walk(target):
        if isinstance(getattr(node, "ctx", None), ast.Del):
            node.ctx = ast.Load()  # type: ignore[attr-defined]
    return target


def _in_handler(owner: Any, h: Any) -> Iterator[Edit]:
    if h.name:
        yield "as dropped", lambda: setattr(h, "name", None)
        yield "as renamed", lambda: setattr(h, "name", h.name + "_x")
    elif h.type is not None:
        yield "as added", lambda: setattr(h, "name", "added")
    if isinstance(h.type, ast.Tuple):
        if len(h.type.elts) > 1:
            yield "exception types swapped", lambda: _swap(h.type.elts, 0, 1)
            yield "exception type dropped", lambda: h.type.elts.pop()
    elif h.type is not None and h is owner.handlers[-1]:
        yield "exception types dropped", lambda: (setattr(h, "type", None), setattr(h, "name", None))
    if h.type is not None:
        yield "other exception type", lambda: setattr(h, "type", ast.Name("OtherError", ast.Load()))


# Expressions


def _constant(node: Any) -> Iterator[Edit]:
    value = node.value
    others: List[Any] = []
    if value is True or value is False:
        others = [int(value), not value, None]
    elif isinstance(value, int):
        others = [float(value), bool(value), value + 1, str(value)] if abs(value) < 2**53 else [value + 1]
    elif isinstance(value, float):
        others = [-value, complex(value), int(value) if value == value and abs(value) < 1e30 else 0]
    elif isinstance(value, str):
        others = [value + "x", value.encode("utf-8", "surrogatepass"), None]
    elif isinstance(value, bytes):
        others = [value + b"x", value.decode("latin-1")]
    elif value is None:
        others = [False, 0, ...]
    for other in others:
        same = type(other) is type(value)
        yield ("constant" if same else "type of constant"), lambda other=other: setattr(node, "value", other)


def _call(node: Any) -> Iterator[Edit]:
    for place, argument in enumerate(node.args):
        yield "argument dropped", lambda p=place: node.args.pop(p)
        if isinstance(argument, ast.Starred):
            yield "star dropped", lambda p=place: node.args.__setitem__(p, node.args[p].value)
        else:
            yield "star added", lambda p=place: node.args.__setitem__(p, ast.Starred(node.args[p], ast.Load()))
            yield "argument named", lambda p=place: node.keywords.append(ast.keyword("named", node.args.pop(p)))
        if place:
            yield "arguments swapped", lambda p=place: _swap(node.args, p - 1, p)
    for place, keyword in enumerate(node.keywords):
        yield "keyword dropped", lambda p=place: node.keywords.pop(p)
        if keyword.arg:
            yield "other keyword", lambda k=keyword: setattr(k, "arg", k.arg + "_x")
            yield "keyword made positional", lambda p=place: node.args.append(node.keywords.pop(p).value)
        if place:
            yield "keywords swapped", lambda p=place: _swap(node.keywords, p - 1, p)


def _binary(node: Any) -> Iterator[Edit]:
    others = [kind for kind in _BINARY if not isinstance(node.op, kind)]
    yield "operator", lambda: setattr(node, "op", others[0]())
    yield "operator", lambda: setattr(node, "op", others[-1]())
    if isinstance(node, ast.BinOp):
        yield "operands swapped", lambda: _exchange(node, "left", "right")


def _compare(node: Any) -> Iterator[Edit]:
    for place, op in enumerate(node.ops):
        for kind in _COMPARISONS:
            if not isinstance(op, kind):
                yield "comparison", lambda p=place, kind=kind: node.ops.__setitem__(p, kind())
    if len(node.ops) == 1:
        yield "operands swapped", lambda: _swap_compared(node)
        yield "negated", lambda: setattr(node, "comparators", [ast.UnaryOp(ast.Not(), node.comparators[0])])
    else:
        yield "chain cut", lambda: (node.ops.pop(), node.comparators.pop())


def _swap_compared(node: Any) -> None:
    node.left, node.comparators[0] = node.comparators[0], node.left


def _boolean(node: Any) -> Iterator[Edit]:
    yield "and and or", lambda: setattr(node, "op", ast.And() if isinstance(node.op, ast.Or) else ast.Or())
    yield "operands swapped", lambda: _swap(node.values, 0, 1)
    yield "operand negated", lambda: node.values.__setitem__(0, ast.UnaryOp(ast.Not(), node.values[0]))
    if len(node.values) > 2:
        yield "operand dropped", lambda: node.values.pop()


def _unary(node: Any) -> Iterator[Edit]:
    other = ast.Not() if not isinstance(node.op, ast.Not) else ast.USub()
    yield "unary operator", lambda: setattr(node, "op", other)


def _conditional(node: Any) -> Iterator[Edit]:
    yield "arms exchanged", lambda: _exchange(node, "body", "orelse")
    yield "condition inverted", lambda: setattr(node, "test", ast.UnaryOp(ast.Not(), node.test))


def _name(node: Any) -> Iterator[Edit]:
    if isinstance(node.ctx, ast.Load):
        yield "another name", lambda: setattr(node, "id", "another")
    elif isinstance(node.ctx, ast.Store):
        yield "another target", lambda: setattr(node, "id", node.id + "_x")


def _attribute(node: Any) -> Iterator[Edit]:
    yield "another attribute", lambda: setattr(node, "attr", node.attr + "_x")


def _display(node: Any) -> Iterator[Edit]:
    if isinstance(node.ctx, ast.Load) if hasattr(node, "ctx") else True:
        other = {ast.List: ast.Tuple, ast.Tuple: ast.List, ast.Set: ast.List}[type(node)]
        if other is not ast.List or node.elts:
            yield "kind of display", lambda: (setattr(node, "__class__", other), setattr(node, "ctx", ast.Load()))
    if len(node.elts) > 1:
        yield "items swapped", lambda: _swap(node.elts, 0, 1)
        yield "item dropped", lambda: node.elts.pop()


def _dict(node: Any) -> Iterator[Edit]:
    if node.keys:
        yield "item dropped", lambda: (node.keys.pop(), node.values.pop())
    if len(node.keys) > 1:
        yield "items swapped", lambda: (_swap(node.keys, 0, 1), _swap(node.values, 0, 1))
        yield "values swapped", lambda: _swap(node.values, 0, 1)


def _comprehension(node: Any) -> Iterator[Edit]:
    kinds = [kind for kind in (ast.ListComp, ast.SetComp, ast.GeneratorExp) if kind is not type(node)]
    if not isinstance(node, ast.DictComp):
        yield "kind of comprehension", lambda: setattr(node, "__class__", kinds[0])
        yield "kind of comprehension", lambda: setattr(node, "__class__", kinds[1])
    for clause in node.generators:
        if clause.ifs:
            yield "filter dropped", lambda c=clause: c.ifs.pop()
            yield "filter negated", lambda c=clause: c.ifs.__setitem__(0, ast.UnaryOp(ast.Not(), c.ifs[0]))
        yield "filter added", lambda c=clause: c.ifs.append(ast.Name("Q", ast.Load()))
    if len(node.generators) > 1:
        yield "clauses swapped", lambda: _swap(node.generators, 0, 1)


def _yielding(node: Any) -> Iterator[Edit]:
    if isinstance(node, ast.YieldFrom):
        yield "yield from made yield", lambda: setattr(node, "__class__", ast.Yield)
    elif node.value is not None:
        yield "yield from made yield", lambda: setattr(node, "__class__", ast.YieldFrom)
        yield "yielded value dropped", lambda: setattr(node, "value", None)


def _await(node: Any) -> Iterator[Edit]:
    yield "await made call", lambda: (
        setattr(node, "__class__", ast.Call), setattr(node, "func", node.value),
        setattr(node, "args", []), setattr(node, "keywords", []),
    )  # fmt: skip


def _formatted(node: Any) -> Iterator[Edit]:
    for conversion in (115, 114, 97, -1):
        if conversion != node.conversion:
            yield "conversion", lambda c=conversion: setattr(node, "conversion", c)
    if node.format_spec is not None:
        yield "format dropped", lambda: setattr(node, "format_spec", None)


def _slice(node: Any) -> Iterator[Edit]:
    yield "slice bounds", lambda: _exchange(node, "lower", "upper")
    yield "slice bounds", lambda: _exchange(node, "upper", "step")


def _walrus(node: Any) -> Iterator[Edit]:
    yield "another target", lambda: setattr(node.target, "id", node.target.id + "_x")


# Functions and classes


def _function(node: Any) -> Iterator[Edit]:
    yield from _arguments(node.args)
    if node.decorator_list:
        yield "decorator dropped", lambda: node.decorator_list.pop()
    if len(node.decorator_list) > 1:
        yield "decorators swapped", lambda: _swap(node.decorator_list, 0, 1)
    yield "renamed", lambda: setattr(node, "name", node.name + "_x")
    if node.returns is not None:
        yield "annotation", lambda: setattr(node, "returns", None)
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(getattr(first.value, "value", None), str):
        yield "docstring", lambda: setattr(first.value, "value", "other")
    names = sorted({n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)})
    for name in names[:3]:
        yield "declared global", lambda n=name: node.body.insert(0, ast.Global([n]))
        yield "declared nonlocal", lambda n=name: node.body.insert(0, ast.Nonlocal([n]))
        yield "local renamed", lambda n=name: _rename(node, n, n + "_renamed")
    if len(names) > 1:
        yield "locals exchanged in part", lambda: _rename_first_load(node, names[0], names[1])
    yield "generator by dead code", lambda: node.body.append(ast.If(ast.Constant(0), [_yield_statement()], []))
    yield "local made cell", lambda: node.body.append(_closing_over(names or [a.arg for a in node.args.args]))


def _yield_statement() -> Any:
    return ast.Expr(ast.Yield(None))


def _closing_over(names: List[str]) -> Any:
    return ast.Expr(ast.Lambda(_no_arguments(), ast.Tuple([ast.Name(n, ast.Load()) for n in names[:1]], ast.Load())))


def _no_arguments() -> Any:
    return ast.arguments(posonlyargs=[], args=[], vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[])


def _arguments(a: Any) -> Iterator[Edit]:
    if a.args:
        yield "positional-only", lambda: a.posonlyargs.append(a.args.pop(0))
        yield "parameter dropped", lambda: (a.args.pop(), a.defaults.pop() if len(a.defaults) > len(a.args) else None)
        yield "parameter renamed", lambda: setattr(a.args[-1], "arg", a.args[-1].arg + "_x")
        if len(a.args) > len(a.defaults) and a.vararg is None:
            yield "keyword-only", lambda: _keyword_only(a)
        if a.vararg is None and not a.defaults:
            yield "parameter made star", lambda: setattr(a, "vararg", a.args.pop())
        if len(a.args) > 1:
            yield "parameters swapped", lambda: _swap(a.args, 0, 1)
        if len(a.args) + len(a.posonlyargs) > len(a.defaults):
            yield "default added", lambda: a.defaults.insert(0, ast.Constant(None))
    if a.posonlyargs:
        yield "positional-only", lambda: a.args.insert(0, a.posonlyargs.pop())
    if a.kwonlyargs:
        yield "keyword-only", lambda: (a.args.append(a.kwonlyargs.pop(0)), _move_default(a))
        default = None if a.kw_defaults[0] else ast.Constant(1)
        yield "keyword-only default", lambda: a.kw_defaults.__setitem__(0, default)
    if a.defaults:
        yield "default dropped", lambda: a.defaults.pop(0)
        if len(a.defaults) > 1:
            yield "defaults swapped", lambda: _swap(a.defaults, 0, 1)
    if a.vararg is not None:
        yield "star parameter dropped", lambda: setattr(a, "vararg", None)
        yield "kind of star", lambda: _exchange(a, "vararg", "kwarg")
    if a.kwarg is not None:
        yield "star parameter dropped", lambda: setattr(a, "kwarg", None)
        yield "parameter renamed", lambda: setattr(a.kwarg, "arg", a.kwarg.arg + "_x")
    if a.kwarg is None:
        yield "star parameter added", lambda: setattr(a, "kwarg", ast.arg("added", None))
    for argument in (*a.posonlyargs, *a.args, *a.kwonlyargs):
        if argument.annotation is not None:
            yield "annotation", lambda x=argument: setattr(x, "annotation", None)


def _keyword_only(a: Any) -> None:
    a.kwonlyargs.insert(0, a.args.pop())
    a.kw_defaults.insert(0, a.defaults.pop() if a.defaults else None)


def _move_default(a: Any) -> None:
    default = a.kw_defaults.pop(0)
    if default is not None or a.defaults:
        a.defaults.append(default or ast.Constant(None))


def _lambda(node: Any) -> Iterator[Edit]:
    yield from _arguments(node.args)


def _class(node: Any) -> Iterator[Edit]:
    yield "renamed", lambda: setattr(node, "name", node.name + "_x")
    if node.bases:
        yield "base dropped", lambda: node.bases.pop()
    if len(node.bases) > 1:
        yield "bases swapped", lambda: _swap(node.bases, 0, 1)
    if node.keywords:
        yield "keyword dropped", lambda: node.keywords.pop()


def _rename(function: Any, old: str, new: str) -> None:
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id == old:
            node.id = new


def _rename_first_load(function: Any, old: str, new: str) -> None:
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id == old and isinstance(node.ctx, ast.Load):
            node.id = new
            return


def _match_case(node: Any) -> Iterator[Edit]:
    if len(node.cases) > 1:
        yield "cases swapped", lambda: _swap(node.cases, 0, 1)
        yield "case dropped", lambda: node.cases.pop()
    for case in node.cases:
        if case.guard is not None:
            yield "guard dropped", lambda c=case: setattr(c, "guard", None)
        else:
            yield "guard added", lambda c=case: setattr(c, "guard", ast.Name("Q", ast.Load()))
        patterns = getattr(case.pattern, "patterns", None)
        if patterns and len(patterns) > 1:
            yield "patterns swapped", lambda p=patterns: _swap(p, 0, 1)
            yield "pattern dropped", lambda p=patterns: p.pop()
        if getattr(case.pattern, "rest", None):
            yield "rest dropped", lambda c=case: setattr(c.pattern, "rest", None)


def _swap(items: List[Any], a: int, b: int) -> None:
    items[a], items[b] = items[b], items[a]


def _exchange(node: Any, a: str, b: str) -> None:
    one, other = getattr(node, a), getattr(node, b)
    setattr(node, a, other)
    setattr(node, b, one)


_BY_TYPE: dict[Any, Callable[[Any], Iterator[Edit]]] = {
    ast.Constant: _constant, ast.Call: _call, ast.BinOp: _binary, ast.AugAssign: _binary, ast.Compare: _compare,
    ast.BoolOp: _boolean, ast.UnaryOp: _unary, ast.IfExp: _conditional, ast.Name: _name, ast.Attribute: _attribute,
    ast.List: _display, ast.Tuple: _display, ast.Set: _display, ast.Dict: _dict, ast.ListComp: _comprehension,
    ast.SetComp: _comprehension, ast.GeneratorExp: _comprehension, ast.DictComp: _comprehension,
    ast.Yield: _yielding, ast.YieldFrom: _yielding, ast.Await: _await, ast.FormattedValue: _formatted,
    ast.Slice: _slice, ast.NamedExpr: _walrus, ast.FunctionDef: _function, ast.AsyncFunctionDef: _function,
    ast.Lambda: _lambda, ast.ClassDef: _class,
}  # fmt: skip
if hasattr(ast, "Match"):
    _BY_TYPE[ast.Match] = _match_case
