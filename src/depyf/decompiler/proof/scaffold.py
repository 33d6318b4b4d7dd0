"""Compiles printed source in the context its original had.

What the compiler knew besides the text: which names are free variables, the class whose private names are mangled,
the functions around (they make the qualified name and the flag "nested"), the future statements, the level
of optimisation.
The text is parsed and its tree put into a scaffold, so no line of it is indented or moved.
"""

from __future__ import annotations
import __future__

import ast
import keyword
import warnings
from typing import Any

from ...errors import DecompilationError
from ..bytecode import RawCode, load

CO_NESTED = 0x10
CO_GENERATOR = 0x20
CO_ITERABLE_COROUTINE = 0x100
LOCALS = "<locals>"
SCAFFOLD = "_depyf_scaffold"

FUTURE_FLAGS = 0
for _feature in __future__.all_feature_names:
    FUTURE_FLAGS |= getattr(__future__, _feature).compiler_flag
FUTURE_FLAGS &= ~0x1FFF  # nested_scopes and generators share their bits with the kind of code

_COMPREHENSIONS = {
    ast.ListComp: "<listcomp>",
    ast.SetComp: "<setcomp>",
    ast.DictComp: "<dictcomp>",
    ast.GeneratorExp: "<genexpr>",
}
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def compile_module(
    source: str, like: RawCode | None = None, *, filename: str = "<depyf>", optimize: int = 0
) -> RawCode:
    """``source`` compiled as a module, with the future statements that ``like`` was compiled with.

    Raises DecompilationError if it does not compile: wrong syntax, too deep, or too big.
    """
    where = like.qualname if like is not None else filename
    return load(_compile(source, where, filename, _future(like), optimize))


def compile_unit(
    source: str,
    raw: RawCode,
    *,
    enclosing_class: str | None = None,
    name: str | None = None,
    freevars: tuple[str, ...] | None = None,
    filename: str = "<depyf>",
    optimize: int = 0,
) -> RawCode:
    """The code of the one definition (or lambda, or comprehension) in ``source``, compiled as ``raw`` was.

    ``name`` chooses among several definitions (default: that of ``raw``, else the last one). ``enclosing_class``
    mangles private names; the default is the class that ``raw.qualname`` names. ``freevars`` default to those of
    ``raw``; each gets a binding in an outer function. What stands before the last dot of the qualified name, and
    whether the definition is nested, is not in the text: they are taken from ``raw``.
    Raises DecompilationError if the text does not compile or has no such definition.
    """
    where = raw.qualname
    unit, code_name, before = _find_unit(_parse(source, where, filename), name or raw.name, where)
    bound = raw.freevars if freevars is None else freevars
    tree, path = _build(unit, before, raw, bound, enclosing_class)
    code = _pick(load(_compile(tree, where, filename, _future(raw), optimize)), path, code_name, unit, where)
    missing = [free for free in bound if free not in code.freevars]
    if missing and isinstance(unit, (ast.FunctionDef, ast.AsyncFunctionDef)):
        # The original holds on to free variables that nothing reads: a mention in dead code keeps them.
        mentions = ast.parse("if 0: (" + "".join(f"{free}, " for free in missing) + ")").body
        unit.body.extend(ast.copy_location(mention, unit.body[-1]) for mention in mentions)
        ast.fix_missing_locations(unit)
        code = _pick(load(_compile(tree, where, filename, _future(raw), optimize)), path, code_name, unit, where)
    _put_below(code, raw.qualname)
    code.flags = code.flags & ~CO_NESTED | raw.flags & CO_NESTED
    if raw.flags & CO_ITERABLE_COROUTINE and code.flags & CO_GENERATOR:
        code.flags |= CO_ITERABLE_COROUTINE  # set by types.coroutine when the program runs, never by a compiler
    return code


def _future(like: RawCode | None) -> int:
    return like.flags & FUTURE_FLAGS if like is not None else 0


def _parse(source: str, where: str, filename: str) -> ast.Module:
    tree = _compile(source, where, filename, ast.PyCF_ONLY_AST, 0)
    assert isinstance(tree, ast.Module)
    return tree


def _compile(source: Any, where: str, filename: str, flags: int, optimize: int) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return compile(source, filename, "exec", flags, dont_inherit=True, optimize=optimize)
    except SyntaxError as error:
        line = f" (line {error.lineno})" if error.lineno else ""
        raise _error(f"the decompiled source does not compile: {error.msg}{line}", where) from error
    except (RecursionError, MemoryError, OverflowError) as error:
        raise _error(f"the decompiled source is too deep or too big to compile: {error}", where) from error
    except (ValueError, TypeError) as error:
        raise _error(f"the decompiled source can't be compiled: {error}", where) from error


def _error(reason: str, where: str) -> DecompilationError:
    return DecompilationError(reason, stage="recompile", where=where)


def _find_unit(tree: ast.Module, name: str, where: str) -> tuple[ast.stmt, str, list[ast.stmt]]:
    """The statement of the unit, the name of its code object, and the statements before it (imports and the like)."""
    definitions = [statement for statement in tree.body if isinstance(statement, _DEFINITIONS)]
    chosen: Any = next((d for d in definitions if d.name == name), definitions[-1] if definitions else None)
    if chosen is not None:
        return chosen, chosen.name, tree.body[: tree.body.index(chosen)]
    last = tree.body[-1] if tree.body else None
    value = getattr(last, "value", None)
    if last is not None and isinstance(value, ast.Lambda):
        return last, "<lambda>", tree.body[:-1]
    if last is not None and type(value) in _COMPREHENSIONS:
        return last, _COMPREHENSIONS[type(value)], tree.body[:-1]
    raise _error("the decompiled source has no definition, lambda or comprehension", where)


def _build(
    unit: ast.stmt, before: list[ast.stmt], raw: RawCode, freevars: tuple[str, ...], enclosing_class: str | None
) -> tuple[ast.Module, list[str]]:
    """The scaffold with the unit in its innermost body, and the names of the code objects from the module to there."""
    levels = _levels(raw.qualname)
    if enclosing_class is not None and (not levels or levels[-1] != ("class", enclosing_class)):
        levels.append(("class", enclosing_class))
    if raw.flags & CO_NESTED and not any(kind == "def" for kind, _ in levels):
        levels.insert(0, ("def", SCAFFOLD))
    needed = [free for free in freevars if free != "__class__" or not levels or levels[-1][0] != "class"]
    if needed and not any(kind == "def" for kind, _ in levels):
        levels.insert(0, ("def", SCAFFOLD))
    body: list[ast.stmt] = [*before, unit]
    for depth in range(len(levels) - 1, -1, -1):
        kind, name = levels[depth]
        first_function = kind == "def" and not any(k == "def" for k, _ in levels[:depth])
        parameters = ", ".join(needed) if first_function else ""
        wrapper: Any = ast.parse(f"def {name}({parameters}): pass" if kind == "def" else f"class {name}: pass").body[0]
        if name == SCAFFOLD:
            # What the scaffold holds is no local of it, unless the original had it as a free variable.
            inner = [s.name for s in body if isinstance(s, _DEFINITIONS) and s.name not in needed]
            body = [ast.Global(names=inner), *body] if inner else body
        wrapper.body = body
        body = [ast.fix_missing_locations(wrapper)]
    return ast.Module(body=body, type_ignores=[]), [name for _, name in levels]


def _levels(qualname: str) -> list[tuple[str, str]]:
    """The functions and classes around, from the outside, if the qualified name says which; else none."""
    parts = qualname.split(".")[:-1]
    levels: list[tuple[str, str]] = []
    for part in parts:
        if part == LOCALS and levels and levels[-1][0] == "class":
            levels[-1] = ("def", levels[-1][1])
        elif part.isidentifier() and not keyword.iskeyword(part):
            levels.append(("class", part))
        else:
            return []
    return levels


def _put_below(code: RawCode, qualname: str) -> None:
    """Give ``code`` and all nested in it the place that ``qualname`` has: all that stands before its last dot."""
    wanted, actual = qualname.rpartition(".")[0], code.qualname.rpartition(".")[0]
    if wanted == actual:
        return
    own = code.qualname
    for nested in code.walk():
        if nested is code or nested.qualname.startswith(own + "."):
            rest = nested.qualname[len(actual) + 1 :] if actual else nested.qualname
            nested.qualname = f"{wanted}.{rest}" if wanted else rest


def _pick(module: RawCode, path: list[str], name: str, unit: ast.stmt, where: str) -> RawCode:
    """The unit's code object: down the scaffold, then the one of that name."""
    raw = module
    for step in path:
        raw = next(nested for nested in raw.nested if nested.name == step)
    found = [nested for nested in raw.nested if nested.name == name]
    if not found:
        raise _error(f"the compiler made no code for {name}", where)
    # Lambdas among the defaults of a lambda come before it; comprehensions in the first iterable of one, after it.
    return found[-1] if name == "<lambda>" or isinstance(unit, _DEFINITIONS) else found[0]
