"""Source text -> a code object that may stand in the place of another one.

The text is compiled as it is (its lines keep their numbers, so a debugger finds them in the file), inside a scaffold
that binds the free variables. Then what has no spelling in Python is put back: constants that are no literals, names
that are no identifiers (see events/spelling.py).
"""

from __future__ import annotations

import ast
import types
import warnings
from typing import Any

from ..errors import DecompilationError
from .bytecode import load
from .bytecode.code_flags import place_flags
from .bytecode.interpreters import HOST_VERSION
from .events.spelling import Spelling, identifier, is_name
from .proof.compile_worker import FUTURE_FLAGS

_MARK = "\0depyf constant {}"
_SCAFFOLD = "_depyf_scaffold"
_ORDERED = "_depyf_free_{:04}_{}"


def recompile(source: str, like: types.CodeType, filename: str, name: str | None = None) -> types.CodeType:
    """The code of the function ``name`` (default: that of ``like``) in ``source``, fit to replace ``like``.

    It has the parameters, the free variables (in their order), the name and the qualified name of ``like``, and the
    constants and names of ``like`` that the text can't spell. ``filename`` is where the text is, or will be.
    That it does the same is for ``proof`` to show.
    Raises DecompilationError if the text does not compile, lacks the function, or takes other arguments.
    """
    return _Recompiler(like, filename).run(source, name)


class _Recompiler:
    def __init__(self, like: types.CodeType, filename: str) -> None:
        self.like = like
        self.filename = filename
        self.spelling = Spelling(load(like))
        self.renamed: dict[str, str] = {}  # names given to free variables for their order -> their own
        self.constants: dict[str, Any] = {}  # mark in the text -> the constant it stands for

    def error(self, reason: str) -> DecompilationError:
        return DecompilationError(reason, stage="recompile", where=self.like.co_name)

    def run(self, source: str, name: str | None) -> types.CodeType:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a mark in the place of a function is a string that is called
            try:
                tree = ast.parse(source, self.filename)
                function = self.find(tree, name)
                _PlaceConstants(self).visit(function)
                code = self.compile(function)
            except SyntaxError as error:
                raise self.error(f"the text does not compile: {error.msg} (line {error.lineno})") from error
            except (RecursionError, MemoryError, ValueError) as error:
                raise self.error(f"the text can't be compiled: {error}") from error
        code = self.put_back(code)
        return self.as_like(code)

    def find(self, tree: ast.Module, name: str | None) -> ast.FunctionDef | ast.AsyncFunctionDef:
        """The function in the text: the outermost one of that name, else the last one."""
        wanted = name or self.like.co_name
        if not is_name(wanted):
            wanted = identifier(wanted, "function")  # as events/ writes it
        level: list[ast.AST] = list(tree.body)
        last: Any = None
        while level:
            functions = [node for node in level if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
            for function in functions:
                if function.name == wanted:
                    return function
            if functions and last is None:
                last = functions[-1]
            level = [child for node in level for child in ast.iter_child_nodes(node)]
        if last is None or name is not None:
            raise self.error(f"the text has no function {wanted}")
        return last  # type: ignore[no-any-return]

    def compile(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> types.CodeType:
        """Compile the function inside one that binds its free variables."""
        original = {name: text for text, name in self.spelling.variables.items()}
        free = [original.get(name, name) for name in self.like.co_freevars]
        scaffold = ast.parse(f"def {_SCAFFOLD}({', '.join(free)}): pass").body[0]
        assert isinstance(scaffold, ast.FunctionDef)
        code = self.compile_in(scaffold, function)
        missing = [name for name in free if name not in code.co_freevars]
        if missing:
            # The original holds on to variables that nothing reads: a mention in dead code keeps them.
            mention = ast.parse("if 0: (" + "".join(f"{name}, " for name in missing) + ")").body[0]
            function.body.append(ast.copy_location(mention, function.body[-1]))
            ast.fix_missing_locations(function)
            code = self.compile_in(scaffold, function)
        cells = [original.get(name, name) for name in self.like.co_cellvars]
        unshared = [name for name in cells if name not in code.co_cellvars and name in code.co_varnames]
        if unshared:
            # The original keeps variables in cells that no inner function reads (Dynamo inlined it), and Dynamo asserts
            # that the cells are the same: an inner function in dead code makes them.
            mention = ast.parse("if 0: (lambda: (" + "".join(f"{name}, " for name in unshared) + "))").body[0]
            function.body.append(ast.copy_location(mention, function.body[-1]))
            ast.fix_missing_locations(function)
            code = self.compile_in(scaffold, function)
        if code.co_freevars != tuple(free) and sorted(code.co_freevars) == sorted(free):
            # The compiler sorts them by name, and who calls binds them by position: names in the wanted order.
            new = {name: _ORDERED.format(place, name) for place, name in enumerate(free)}
            _Rename(new).visit(function)
            self.renamed = {text: self.spelling.variables.get(name, name) for name, text in new.items()}
            scaffold.args = ast.arguments([], [ast.arg(text) for text in new.values()], None, [], [], None, [])
            code = self.compile_in(scaffold, function)
        return code

    def compile_in(self, scaffold: ast.FunctionDef, function: ast.FunctionDef | ast.AsyncFunctionDef) -> types.CodeType:
        function.decorator_list = []
        shared = {argument.arg for argument in scaffold.args.args}
        declare: list[ast.stmt] = [] if function.name in shared else [ast.Global(names=[function.name])]
        scaffold.body = [*declare, function]
        module = ast.fix_missing_locations(ast.Module(body=[scaffold], type_ignores=[]))
        flags = self.like.co_flags & FUTURE_FLAGS
        outer = compile(module, self.filename, "exec", flags, dont_inherit=True)
        inner = next(c for c in outer.co_consts if isinstance(c, types.CodeType))
        return next(c for c in inner.co_consts if isinstance(c, types.CodeType) and c.co_name == function.name)

    def put_back(self, code: types.CodeType) -> types.CodeType:
        """The constants and names that the text could not spell."""
        names = {**self.spelling.names, **self.renamed}
        variables = {**self.spelling.variables, **self.renamed}
        changes: dict[str, Any] = {
            "co_consts": tuple(self.constant(value) for value in code.co_consts),
            "co_names": tuple(names.get(name, name) for name in code.co_names),
            "co_varnames": tuple(variables.get(name, name) for name in code.co_varnames),
            "co_cellvars": tuple(variables.get(name, name) for name in code.co_cellvars),
            "co_freevars": tuple(variables.get(name, name) for name in code.co_freevars),
            "co_name": self.renamed.get(code.co_name, code.co_name),
        }
        if self.renamed and hasattr(code, "co_qualname"):
            parts = code.co_qualname.split(".")
            changes["co_qualname"] = ".".join(self.renamed.get(part, part) for part in parts)
        same = all(getattr(code, attribute) is value or getattr(code, attribute) == value
                   for attribute, value in changes.items() if attribute != "co_consts")  # fmt: skip
        if same and not self.constants:
            return code
        return code.replace(**changes)

    def constant(self, value: Any) -> Any:
        if isinstance(value, types.CodeType):
            return self.put_back(value)
        if type(value) is tuple:
            return tuple(self.constant(item) for item in value)
        return self.constants.get(value, value) if type(value) is str else value

    def as_like(self, code: types.CodeType) -> types.CodeType:
        """Name, qualified name and order of free variables of the original."""
        like = self.like
        changes: dict[str, Any] = {"co_filename": self.filename, "co_name": like.co_name}
        qualname = getattr(like, "co_qualname", None)
        if qualname is not None:
            before = code.co_qualname
            code = _move(code, before, qualname)
            changes["co_qualname"] = qualname
        place = place_flags(HOST_VERSION)
        changes["co_flags"] = code.co_flags & ~place | like.co_flags & place
        code = code.replace(**changes)
        if code.co_freevars != like.co_freevars:
            raise self.error(f"free variables {code.co_freevars} in the place of {like.co_freevars}")
        kind = 0x04 | 0x08 | 0x20 | 0x80 | 0x200
        for what in ("co_argcount", "co_posonlyargcount", "co_kwonlyargcount"):
            if getattr(code, what) != getattr(like, what):
                raise self.error(f"{what} is {getattr(code, what)} in the place of {getattr(like, what)}")
        if code.co_flags & kind != like.co_flags & kind:
            raise self.error("the text is a function of another kind (generator, *args, **kwargs)")
        return code


def _move(code: types.CodeType, before: str, after: str) -> types.CodeType:
    """``code`` with the qualified names of all in it below ``after`` where they were below ``before``."""

    def renamed(value: Any) -> Any:
        if not isinstance(value, types.CodeType):
            return value
        name: str = value.co_qualname
        if not name.startswith(before + "."):
            return value
        return _move(value.replace(co_qualname=after + name[len(before) :]), before, after)

    return code.replace(co_consts=tuple(renamed(value) for value in code.co_consts))


class _PlaceConstants(ast.NodeTransformer):
    """Puts a mark, a string constant, wherever the text names a constant that has no literal."""

    def __init__(self, recompiler: _Recompiler) -> None:
        self.recompiler = recompiler
        self.wanted = recompiler.spelling.constants

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self.mark(node, node.id) or node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        path = _path_of(node)
        return (path is not None and self.mark(node, path)) or self.generic_visit(node)

    def mark(self, node: ast.expr, path: str) -> ast.AST | None:
        if path not in self.wanted:
            return None
        text = _MARK.format(path)
        self.recompiler.constants[text] = self.wanted[path]
        return ast.copy_location(ast.Constant(text), node)


class _Rename(ast.NodeTransformer):
    """Gives variables other names, wherever a name is written."""

    def __init__(self, new: dict[str, str]) -> None:
        self.new = new

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self.new.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.arg = self.new.get(node.arg, node.arg)
        return self.generic_visit(node)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler)):
            if node.name is not None:
                node.name = self.new.get(node.name, node.name)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            node.names = [self.new.get(name, name) for name in node.names]
        elif isinstance(node, ast.alias):
            bound = node.asname or node.name.split(".")[0]
            if bound in self.new and "." not in node.name:
                node.asname = self.new[bound]
        return super().generic_visit(node)


def _path_of(node: ast.expr) -> str | None:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])
