"""Finds the code of a live object, and adds what only the object has: default values, a class's members."""

from __future__ import annotations

import copy
import functools
import types
from typing import Any, Callable, NamedTuple, Union

from ...errors import DecompilationError
from ..bytecode.interpreters import HOST_VERSION
from ..definitions.resolve import arguments_of
from ..driver.result import Result, ResultText
from ..names.dynamo import COMPILED_FROM
from ..names.spelling import is_literal
from ..printing.printer import print_tree, print_with_lines
from ..proof import Level, Verdict
from ..syntax import nodes
from ..syntax.grammar import grammar_of
from ..syntax.node import Statement


class FunctionTarget(NamedTuple):
    """A function object and its code."""

    function: types.FunctionType
    code: types.CodeType


_NO_WRAPPING = 1 << 30
_DEFINES = (nodes.FunctionDef, nodes.AsyncFunctionDef, nodes.Lambda)

Target = Union[types.CodeType, FunctionTarget, type]

_RUNNING_CODE: dict[type, Callable[[Any], types.CodeType]] = {
    types.GeneratorType: lambda generator: generator.gi_code,
    types.CoroutineType: lambda coroutine: coroutine.cr_code,
    types.AsyncGeneratorType: lambda generator: generator.ag_code,
}

_HIDDEN = frozenset({"__dict__", "__weakref__", "__module__", "__doc__", "__qualname__", "__firstlineno__",
                     "__static_attributes__"})  # fmt: skip


def target_of(x: Any) -> Target:
    """The code object, function, or class that ``x`` is or wraps.

    Raises DecompilationError if there is none.
    """
    original = x
    for _ in range(100):
        if isinstance(x, (types.CodeType, type)):
            return x
        if isinstance(x, types.FunctionType):
            inner = x.__dict__.get(COMPILED_FROM)
            if inner is None:
                return FunctionTarget(x, x.__code__)
            x = inner
        elif isinstance(x, functools.partial):
            x = x.func
        elif isinstance(x, (types.MethodType, staticmethod, classmethod)):
            x = x.__func__
        elif isinstance(x, property):
            x = x.fget
        elif isinstance(x, types.ModuleType):
            return _module_code(x)
        elif isinstance(getattr(x, "__code__", None), types.CodeType):
            return x.__code__  # type: ignore[no-any-return]
        elif getattr(x, "__wrapped__", None) is not None:
            x = x.__wrapped__
        elif isinstance(x, (types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType)):
            return _RUNNING_CODE[type(x)](x)
        elif "__call__" in dir(type(x)) and isinstance(type(x).__call__, types.FunctionType):
            x = type(x).__call__
        else:
            break
    raise DecompilationError(
        f"{_describe(original)} has no Python bytecode; give a function, method, class, module or code object",
        stage="load",
    )


def _describe(x: Any) -> str:
    name = getattr(x, "__qualname__", None) or getattr(x, "__name__", None)
    kind = type(x).__name__
    return f"{name} (a {kind}, implemented in C)" if name and callable(x) else f"an object of type {kind}"


def _module_code(module: types.ModuleType) -> types.CodeType:
    loader = getattr(getattr(module, "__spec__", None), "loader", None) or getattr(module, "__loader__", None)
    get_code = getattr(loader, "get_code", None)
    try:
        code = get_code(module.__name__) if get_code is not None else None
    except ImportError as error:
        raise DecompilationError(
            f"the code of module {module.__name__} can't be loaded: {error}", stage="load"
        ) from error
    if code is None:
        raise DecompilationError(
            f"module {module.__name__} has no Python code (built in, an extension, or made by hand)", stage="load"
        )
    return code  # type: ignore[no-any-return]


def decorate(result: Result, target: FunctionTarget) -> Result:
    """``result`` with the default values of the live function. A value without a literal is shown as ``...``."""
    function: Any = target.function
    tree = result.tree
    defined = tree.value if isinstance(tree, nodes.Expr) else tree
    if not isinstance(defined, _DEFINES) or result.raw is None:
        return result
    defaults, keyword_defaults = function.__defaults__ or (), function.__kwdefaults__ or {}
    if not defaults and not keyword_defaults:
        return result
    opaque: list[str] = []
    names = result.raw.parameters[result.raw.argcount - len(defaults) : result.raw.argcount]
    values = [_default(name, value, opaque) for name, value in zip(names, defaults)]
    keywords = {name: _default(name, value, opaque) for name, value in keyword_defaults.items()}
    before = _header(defined)
    defined.args = arguments_of(result.raw, values, keywords, {})
    if opaque:
        tree.comments = [
            f"the default of {name} is no literal: {kind}" for name, kind in (o.split("=", 1) for o in opaque)
        ]
    if result.text.is_laid_out:
        after = _header(defined)
        text = ResultText(lambda: _with_header(result, tree, before, after), result.verdict, is_laid_out=True)
    else:
        text = ResultText(lambda: print_with_lines(tree, grammar=grammar_of(HOST_VERSION)), result.verdict)
    return result._replace(text=text, tree=tree)


def _with_header(result: Result, tree: Statement, before: str, after: str) -> tuple[str, dict[int, int]]:
    """The text of ``result`` with another header, and its line map, which does not change."""
    text, lines = result.text.printed
    if not text.startswith(before):  # a text that compiles to the body alone may begin differently
        return print_with_lines(tree, grammar=grammar_of(HOST_VERSION))
    rest = text[len(before) :]
    blanks = len(rest) - len(rest.lstrip(" "))  # of a body on the same line, where the default values were
    rest = rest[max(0, min(len(after) - len(before), blanks - 1)) :]
    return after + rest + "".join(f"# {comment}\n" for comment in tree.comments), lines


def _header(defined: nodes.FunctionDef | nodes.AsyncFunctionDef | nodes.Lambda) -> str:
    """The line up to the colon, whatever its length."""
    bare: Any = copy.copy(defined)
    if isinstance(bare, nodes.Lambda):
        bare.body = nodes.Name("body")
        bare = nodes.Expr(bare)
    else:
        bare.body, bare.comments = [nodes.Pass()], []
    text = print_tree(bare, width=_NO_WRAPPING, grammar=grammar_of(HOST_VERSION)).split("\n")[0]
    return text[: -len(" body")] if isinstance(defined, nodes.Lambda) else text


def _default(name: str, value: Any, opaque: list[str]) -> nodes.Expression:
    if is_literal(value):
        return nodes.Constant(value)
    opaque.append(f"{name}=an object of type {type(value).__qualname__}")
    return nodes.Constant(...)


def rebuild_class(cls: type, analyze: Callable[[Any], Result]) -> Result:
    """A live class from its members: the code of its body no longer exists, nor do decorators and computed values.

    Raises DecompilationError for a class that is implemented in C.
    """
    if not cls.__flags__ & 1 << 9:  # Py_TPFLAGS_HEAPTYPE: made by a class statement or by type()
        raise DecompilationError(f"class {cls.__qualname__} is implemented in C", stage="load")
    body: list[Statement] = []
    nested: list[Result] = []
    if isinstance(cls.__doc__, str) and cls.__dict__.get("__doc__") is not None:
        body.append(nodes.Expr(nodes.Constant(cls.__doc__)))
    for name, member in cls.__dict__.items():
        if name not in _HIDDEN:
            body += _member(name, member, analyze, nested, cls)
    bases = [nodes.Raw(_path(base)) for base in cls.__bases__ if base is not object]
    keywords = [nodes.keyword("metaclass", nodes.Raw(_path(type(cls))))] if type(cls) is not type else []
    tree = nodes.ClassDef(cls.__name__, list(bases), keywords, body or [nodes.Pass()])
    tree.comments = [f"class {cls.__qualname__}, put together from the live object: the code of its body is gone,"]
    tree.comments += ["so decorators and computed attributes are not shown as they were written."]
    text = ResultText(lambda: print_with_lines(tree, grammar=grammar_of(HOST_VERSION)))
    if all(result.verdict.proven for result in nested):
        verdict = Verdict(Level.UNPROVEN, "", ("a live class has no code of its body to compare with",))
    else:
        verdict = Verdict(Level.UNPROVEN, "", ("some of its functions are not proven",))
    return Result(
        cls.__name__, cls.__qualname__, text, verdict, None, None, tuple(nested), form="rebuilt", tree=tree
    )


def _path(cls: type) -> str:
    return cls.__qualname__ if "<locals>" not in cls.__qualname__ else cls.__name__


def _member(
    name: str, member: Any, analyze: Callable[[Any], Result], nested: list[Result], cls: type
) -> list[Statement]:
    decorators: list[nodes.Expression] = []
    function = member
    if isinstance(member, (staticmethod, classmethod)):
        decorators.append(nodes.Name(type(member).__name__))
        function = member.__func__
    if isinstance(member, property):
        found: list[Statement] = []
        for accessor, decorator in (
            (member.fget, "property"),
            (member.fset, f"{name}.setter"),
            (member.fdel, f"{name}.deleter"),
        ):
            if isinstance(accessor, types.FunctionType):
                found += _function(accessor, [nodes.Raw(decorator)], analyze, nested)
        return found
    if isinstance(function, types.FunctionType):
        return _function(function, decorators, analyze, nested)
    if isinstance(member, type) and member.__qualname__ == f"{cls.__qualname__}.{name}":
        result = analyze(member)
        nested.append(result)
        return [result.tree]
    if is_literal(member):
        return [nodes.Assign([nodes.Name(name)], nodes.Constant(member))]
    note = nodes.Pass()
    note.comments = [f"{name} = an object of type {type(member).__qualname__}"]
    return [note]


def _function(
    function: types.FunctionType,
    decorators: list[nodes.Expression],
    analyze: Callable[[Any], Result],
    nested: list[Result],
) -> list[Statement]:
    result = analyze(function)
    nested.append(result)
    tree = result.tree
    if isinstance(tree, (nodes.FunctionDef, nodes.AsyncFunctionDef)):
        tree.decorator_list = decorators
        return [tree]
    note = nodes.Pass()
    note.comments = result.source.splitlines()
    return [note]
