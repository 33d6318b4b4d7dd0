"""Compiles source in the context of its original; needs only the standard library of CPython 3.7 to 3.15.

depyf imports it for source of the running version. For other versions it is the script that another CPython runs
(started by compiler_pool.py), so the text is parsed by the version it is for.

The context besides the text: which names are free variables, the class whose private names are mangled, the enclosing
functions (for the qualified name and the flag "nested"), the future statements, the level of optimisation. The text is
parsed and its tree put into a scaffold, so no line of it is indented or moved.
"""

from __future__ import annotations
import __future__

import ast
import gc
import keyword
import marshal
import opcode
import os
import sys
import threading
import types
import warnings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Any

_FOLDER = os.path.dirname(os.path.abspath(__file__))  # no longer available once the main thread of a script has ended
LOCALS = "<locals>"
SCAFFOLD = "_depyf_scaffold"
ORDERED = "_depyf_free_{:04}_"
"""The prefix of a free variable whose index differs from the compiler's, which sorts them by name."""
ENVELOPE = 2
"""The marshal version of requests, which all supported CPythons read."""

CO_COROUTINE = 0x80
FUTURE_FLAGS = 0
for _feature in __future__.all_feature_names:
    FUTURE_FLAGS |= getattr(__future__, _feature).compiler_flag
FUTURE_FLAGS &= ~0x1FFF  # nested_scopes and generators share bits with flags for the kind of code

_COMPREHENSIONS = {
    ast.ListComp: "<listcomp>", ast.SetComp: "<setcomp>", ast.DictComp: "<dictcomp>", ast.GeneratorExp: "<genexpr>",
}  # fmt: skip
_DEFINITIONS: Any = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, getattr(ast, "TypeAlias", ast.ClassDef))


class CompileFailure(Exception):
    """The source has no code of the requested kind; the message says why."""


def compile_request(request: dict[str, Any]) -> types.CodeType:
    """The code object described by ``request``.

    ``source``, ``filename``, ``optimize``, ``mode`` (for a module only): as for compile(). ``flags``: those of the code
    object that it is compared with.
    ``unit``: None for a module, else ``name``, ``qualname``, ``nested``, ``freevars`` and ``enclosing_class`` of the
    requested definition, lambda or comprehension. Optional: ``cellvars`` that it keeps in cells even if no inner
    function reads them, ``locals`` that it has even if unused (3.8 and 3.9 drop them nevertheless), ``generic``: the
    code that makes its type parameters is requested, ``inner_freevars``: names of functions in it -> their free
    variables, if not sorted as by a compiler, ``marks``: dotted names in the text -> the string constant to compile
    instead, and ``imports``: names that the enclosing module imports. ``asserts``, optional: how pytest has rewritten
    the asserts of the original (arguments of ``rewrite_module``); those of the text are rewritten alike. ``slices``,
    optional: calls of ``slice`` stand for slices that are built without a call, which no text has outside of brackets.
    ``called``, optional: the name of the source in messages. ``twice``, optional: `serve` answers with the result of
    `marshalled_twice`.
    A free variable with the prefix ``ORDERED`` has it to determine its index. Raises CompileFailure.
    """
    unit = request["unit"]
    if unit is None:
        source, mode = request["source"], request.get("mode", "exec")
        if mode == "single":  # compile() would accept only one line of the text
            source = ast.Interactive(_compile(source, dict(request, flags=0, optimize=0), ast.PyCF_ONLY_AST).body)
        elif request.get("asserts") or request.get("slices") or request.get("marks"):
            source = _parse(request, request["flags"], mode)
        if request.get("marks"):
            _InsertMarks(request["marks"]).visit(source)
        return _compile(source, request, mode=mode)  # type: ignore[no-any-return]
    try:
        return _compile_in_scaffold(unit, request)
    except SyntaxError as error:  # of the scaffold: an invalid name
        raise CompileFailure(f"the source around the decompiled one does not compile: {error.msg}") from error
    except CompileFailure as error:
        # CPython compiles text nested deeper than the trees it accepts: here a function needs no scaffold.
        if not isinstance(error.__cause__, RecursionError) or unit["freevars"] or unit["nested"] or unit.get("marks"):
            raise
        if unit["enclosing_class"] is not None or "." in unit["qualname"]:
            raise
        return _pick(_compile(request["source"], request), [], unit["name"], None)


def marshalled(request: dict[str, Any]) -> bytes:
    """The code described by ``request``, as CPython writes it into a compiled file. Raises CompileFailure.

    The format marks objects with more than one reference, and CPython's writer has two to the code object.
    """
    code = compile_request(request)
    held = [code, code]
    return marshal.dumps(held[0])


def marshalled_twice(request: dict[str, Any]) -> tuple[bytes, bytes]:
    """The same, and also in format 2, which has no references. Raises CompileFailure."""
    code = compile_request(request)
    held = [code, code]
    return marshal.dumps(held[0]), marshal.dumps(code, 2)


def _compile_in_scaffold(unit: dict[str, Any], request: dict[str, Any]) -> types.CodeType:
    tree = _parse(request, 0)
    statement, code_name, before = _find_unit(tree, unit["name"])
    code_name = unit.get("called", "{}").format(code_name)
    if unit.get("marks"):
        _InsertMarks(unit["marks"]).visit(statement)
    code = _compile_unit(statement, before, code_name, unit, request)
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        free = unit["freevars"]
        missing = [name for name in free if name not in code.co_freevars]
        known = (*code.co_varnames, *code.co_cellvars, *free)
        cells = [name for name in unit.get("cellvars", ()) if name not in code.co_cellvars and name.isidentifier()]
        unshared = [name for name in cells if name in code.co_varnames or name not in (*known, *code.co_names)]
        unused = [name for name in dict.fromkeys((*unit.get("locals", ()), *unshared)) if name not in known]
        if missing or unshared or unused:
            # The original has free variables that nothing reads, keeps variables in cells that no inner function reads
            # (it was inlined, as all that binds them may be), and has unused locals: a mention in dead code gives all.
            _mention(statement, missing, "if 0: ({})")
            _mention(statement, unshared, "if 0: (lambda: ({}))")
            _mention(statement, unused, "if 0: ({}) = None")
            code = _compile_unit(statement, before, code_name, unit, request)
        for name, order in unit.get("inner_freevars", {}).items():
            code = _with_inner_permuted(code, name, order)
        if code.co_freevars != tuple(free) and sorted(code.co_freevars) == sorted(free):
            # Callers bind them by position.
            permuted = _permuted(code, tuple(free))
            if permuted is not None:
                return permuted
            ordered = {name: ORDERED.format(number) + name for number, name in enumerate(free)}
            _Rename(ordered).visit(statement)
            code_name = ordered.get(code_name, code_name)
            code = _compile_unit(statement, before, code_name, dict(unit, freevars=tuple(ordered.values())), request)
    return code


def _parse(request: dict[str, Any], flags: int, mode: str = "exec") -> Any:
    """The tree of the source, with asserts and slices as the original's."""
    tree = _compile(request["source"], dict(request, flags=flags, optimize=0), ast.PyCF_ONLY_AST, mode)
    if request.get("asserts") or request.get("slices"):
        if __name__ == "__main__":  # a script in another Python, which has no path but its own library's
            sys.path.insert(0, _FOLDER)
            from rewriting import rewrite  # type: ignore[import-not-found]

            del sys.path[0]
        else:
            from .rewriting import rewrite
        rewrite(tree, request)
    return tree


def _permuted(code: types.CodeType, free: tuple[str, ...]) -> types.CodeType | None:
    """``code`` with its free variables in the order of ``free``; None if changing operands does not suffice.

    Functions in it keep their order, sorted by the compiler. Where loading a cell for a closure looks like loading a
    local variable (from 3.13 on there is no ``LOAD_CLOSURE`` instruction), the operands are ambiguous.
    """
    if opcode.opmap.get("LOAD_CLOSURE", 256) > 255 or not hasattr(code, "replace"):
        return None
    first = len(code.co_cellvars)
    if "MAKE_CELL" in opcode.opmap:  # from 3.11 on all variables are in one table, a parameter that is a cell only once
        first = len({*code.co_varnames, *code.co_cellvars})
    new_index = {first + old: first + free.index(name) for old, name in enumerate(code.co_freevars)}
    result, argument = bytearray(code.co_code), 0
    for at in range(0, len(result), 2):
        argument = argument << 8 | result[at + 1]
        if result[at] == opcode.EXTENDED_ARG:
            continue
        if result[at] in opcode.hasfree and argument in new_index:
            if max(argument, new_index[argument]) > 255:
                return None
            result[at + 1] = new_index[argument]
        argument = 0
    return code.replace(co_code=bytes(result), co_freevars=free)


def _with_inner_permuted(code: types.CodeType, name: str, free: tuple[str, ...]) -> types.CodeType:
    """``code`` with the free variables of its function ``name`` in the order of ``free``, if that is possible.

    The cells are loaded in order and built into a tuple, followed by the function's code.
    """
    result, consts = bytearray(code.co_code), list(code.co_consts)
    load = opcode.opmap.get("LOAD_CLOSURE", -1)
    for number, inner in enumerate(consts):
        if not isinstance(inner, types.CodeType) or inner.co_name != name or sorted(inner.co_freevars) != sorted(free):
            continue
        permuted, old = _permuted(inner, free), inner.co_freevars
        head = bytes([opcode.opmap["BUILD_TUPLE"], len(free), opcode.opmap["LOAD_CONST"], number & 255])
        at = result.find(head)
        cells = result[at - 2 * len(free) : at]
        if permuted is None or number > 255 or at < 2 * len(free) or set(cells[::2]) != {load}:
            continue
        consts[number] = permuted
        for free_index, variable in enumerate(free):
            result[at - 2 * (len(free) - free_index) + 1] = cells[2 * old.index(variable) + 1]
    return code.replace(co_code=bytes(result), co_consts=tuple(consts)) if consts != list(code.co_consts) else code


def _compile_unit(
    statement: ast.stmt, before: list[ast.stmt], code_name: str, unit: dict[str, Any], request: dict[str, Any]
) -> types.CodeType:
    scaffold, path = _build(statement, before, unit)
    return _pick(_compile(scaffold, request), path, code_name, statement)


def _mention(function: Any, names: list[str], text: str) -> None:
    if names:
        mentions = syntax_tree(text.format("".join(name + ", " for name in names))).body
        function.body.extend(ast.copy_location(mention, function.body[-1]) for mention in mentions)


class _InsertMarks(ast.NodeTransformer):
    """Replaces dotted names of constants without literals by string constants."""

    def __init__(self, marks: dict[str, str]) -> None:
        self.marks = marks

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self.mark(node, node.id) or node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        parts: list[str] = []
        owner: ast.expr = node
        while isinstance(owner, ast.Attribute):
            parts.append(owner.attr)
            owner = owner.value
        path = ".".join([owner.id, *reversed(parts)]) if isinstance(owner, ast.Name) else ""
        return self.mark(node, path) or self.generic_visit(node)

    def mark(self, node: ast.expr, path: str) -> ast.AST | None:
        return ast.copy_location(ast.Constant(self.marks[path]), node) if path in self.marks else None


class _Rename(ast.NodeTransformer):
    """Renames variables everywhere in a tree."""

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


def _compile(source: Any, request: dict[str, Any], extra: int = 0, mode: str = "exec") -> Any:
    flags = request["flags"] & FUTURE_FLAGS | extra
    if request["unit"] is None and request["flags"] & CO_COROUTINE:  # as in a notebook; new in 3.8
        flags |= getattr(ast, "PyCF_ALLOW_TOP_LEVEL_AWAIT", 0)
    called = request.get("called", "the decompiled source")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return undisturbed(
                lambda: compile(
                    source, _possible(request["filename"]), mode, flags, dont_inherit=True, optimize=request["optimize"]
                )
            )
    except SyntaxError as error:
        line = f" (line {error.lineno})" if error.lineno else ""
        raise CompileFailure(f"{called} does not compile: {error.msg}{line}") from error
    except (RecursionError, MemoryError, OverflowError) as error:
        raise CompileFailure(f"{called} is too deep or too big to compile: {error}") from error
    except (ValueError, TypeError, SystemError) as error:
        raise CompileFailure(f"{called} can't be compiled: {error}") from error


def _possible(filename: str) -> str:
    """The name, or another one if no file can be called that; a compiled file may name any."""
    try:
        return filename if b"\0" not in os.fsencode(filename) else "<no name>"
    except UnicodeEncodeError:
        return "<no name>"


_DISTURBED = ("recursion depth mismatch", "during ast construction")


def undisturbed(make: Any) -> Any:
    """Return ``make()``, which makes a syntax tree; retry without garbage collection if a collection disturbed it.

    CPython 3.11 counts the depth of the tree in process-wide state. A collection while it makes a tree may run code of
    the program: a finalizer, or pytest's hook for an exception in one, which formats a traceback. If that parses
    something, or another thread does meanwhile, the count is wrong afterwards and the tree is discarded ("AST
    constructor recursion depth mismatch"). Nothing else runs code of the program there.
    """
    try:
        return make()
    except (SystemError, RecursionError) as error:
        if not any(message in str(error) for message in _DISTURBED):
            raise
    was_on = gc.isenabled()
    gc.disable()
    try:
        return make()
    finally:
        if was_on:
            gc.enable()


def syntax_tree(source: str, mode: str = "exec") -> Any:
    """`ast.parse`, undisturbed."""
    return undisturbed(lambda: ast.parse(source, mode=mode))


def _find_unit(tree: ast.Module, name: str) -> tuple[ast.stmt, str, list[ast.stmt]]:
    """The statement of the unit, the name of its code object, and the statements before it (imports and the like)."""
    level: list[Any] = list(tree.body)
    while level:
        for statement in level:
            if isinstance(statement, _DEFINITIONS) and statement.name == name:
                before = tree.body[: tree.body.index(statement)] if statement in tree.body else []
                return statement, name, before
        level = [child for statement in level for child in ast.iter_child_nodes(statement)]
    definitions = [statement for statement in tree.body if isinstance(statement, _DEFINITIONS)]
    if definitions:
        found: Any = definitions[-1]
        return found, getattr(found.name, "id", found.name), tree.body[: tree.body.index(found)]
    last = tree.body[-1] if tree.body else None
    value = getattr(last, "value", None)
    if last is not None and isinstance(value, ast.Lambda):
        return last, "<lambda>", tree.body[:-1]
    if last is not None and type(value) in _COMPREHENSIONS:
        return last, _COMPREHENSIONS[type(value)], tree.body[:-1]
    raise CompileFailure("the decompiled source has no definition, lambda or comprehension")


def _build(statement: ast.stmt, before: list[ast.stmt], unit: dict[str, Any]) -> tuple[ast.Module, list[str]]:
    """The scaffold with the unit in its innermost body, and the names of the code objects on the path to it."""
    levels = _levels(unit["qualname"])
    enclosing_class = unit["enclosing_class"]
    if enclosing_class is not None and (not levels or levels[-1] != ("class", enclosing_class)):
        levels.append(("class", enclosing_class))
    if unit["nested"]:
        _need_function(levels)
    needed = [free for free in unit["freevars"] if free.isidentifier()]
    if levels and levels[-1][0] == "class":
        needed = [free for free in needed if free != "__class__"]
    awaits = type(getattr(statement, "value", None)) in _COMPREHENSIONS and any(map(_awaits, ast.walk(statement)))
    if needed or awaits:
        _need_function(levels)
    body: list[ast.stmt] = [*before, statement]
    for depth in range(len(levels) - 1, -1, -1):
        kind, name = levels[depth]
        first_function = kind == "def" and not _has_function(levels[:depth])
        parameters = ", ".join(needed) if first_function else ""
        head = f"{'async ' * awaits}def {name}({parameters})" if kind == "def" else f"class {name}"
        if name == SCAFFOLD:
            body = [*_globals(body, needed), *body]
        wrapper = syntax_tree(f"{head}: pass").body[0]
        wrapper.body = body
        body = [wrapper]
    module = syntax_tree("")
    module.body = [*body, *_imports(unit.get("imports", ()))]
    return module, [name for _, name in levels]


def _imports(names: tuple[str, ...]) -> list[ast.stmt]:
    """Imports of a module: calls of their attributes are not method calls. They may follow the functions."""
    return list(syntax_tree("import {}".format(", ".join(names))).body) if names else []


def _has_function(levels: list[tuple[str, str]]) -> bool:
    return any(kind == "def" for kind, _ in levels)


def _need_function(levels: list[tuple[str, str]]) -> None:
    """Add an outer function to ``levels`` if there is none among them."""
    if not _has_function(levels):
        levels.insert(0, ("def", SCAFFOLD))


def _globals(body: list[ast.stmt], needed: list[str]) -> list[ast.stmt]:
    """A global declaration: names bound in the scaffold are not its locals, unless the original had them free."""
    inner = {getattr(s.name, "id", s.name) for s in body if isinstance(s, _DEFINITIONS)}.difference(needed)
    return list(syntax_tree("global {}".format(", ".join(sorted(inner)))).body) if inner else []


def _awaits(node: ast.AST) -> bool:
    """Whether a comprehension with ``node`` in it is only allowed in an async function."""
    return isinstance(node, ast.Await) or isinstance(node, ast.comprehension) and bool(node.is_async)


def _levels(qualname: str) -> list[tuple[str, str]]:
    """The enclosing functions and classes, outermost first, if the qualified name shows them; otherwise empty."""
    levels: list[tuple[str, str]] = []
    for part in qualname.split(".")[:-1]:
        if part == LOCALS and levels and levels[-1][0] == "class":
            levels[-1] = ("def", levels[-1][1])
        elif part.isidentifier() and not keyword.iskeyword(part):
            levels.append(("class", part))
        else:
            return []
    return levels


def _pick(module: types.CodeType, path: list[str], name: str, unit: ast.stmt | None) -> types.CodeType:
    """The unit's code object: the one of that name below the scaffold's."""
    code = module
    for step in path:
        code = next(nested for nested in _nested(code) if nested.co_name == step)
    found = [nested for nested in _nested(code) if nested.co_name == name]
    if not found:
        raise CompileFailure(f"the compiler made no code for {name}")
    # Lambdas among the defaults of a lambda come before it; comprehensions in the first iterable of one, after it.
    return found[-1] if name == "<lambda>" or unit is None or isinstance(unit, _DEFINITIONS) else found[0]


def _nested(code: types.CodeType) -> list[types.CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]


# As a script: reads requests and writes answers. Only requests are unmarshalled: depyf has made them.


def write_message(pipe: IO[bytes], *parts: bytes) -> None:
    """Send ``parts``: their number in a byte, and for each its length in four."""
    pipe.write(b"".join([bytes([len(parts)]), *(len(part).to_bytes(4, "big") + part for part in parts)]))
    pipe.flush()


def read_message(pipe: IO[bytes]) -> list[bytes]:
    """Receive the parts of a message from the other side. Raises EOFError if it is gone."""
    return [_read(pipe, int.from_bytes(_read(pipe, 4), "big")) for _ in range(_read(pipe, 1)[0])]


def _read(pipe: IO[bytes], size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = pipe.read(size - len(data))
        if not more:
            raise EOFError("the other side closed the pipe")
        data += more
    return data


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Answer requests with b"code" and marshalled code, once or twice, or b"error" and a reason, until none comes."""
    while True:
        try:
            request = marshal.loads(read_message(requests)[0])
        except EOFError:
            return
        reason = None
        try:
            codes = marshalled_twice(request) if request.get("twice") else (marshalled(request),)
        except CompileFailure as error:
            reason = str(error)
        except Exception as error:
            reason = f"the compiler failed: {type(error).__name__}: {error}"
        if reason is None:
            write_message(answers, b"code", *codes)
        else:
            write_message(answers, b"error", reason.encode("utf-8", "surrogatepass"))


def limit_memory(most: int) -> None:
    """Limit the memory of this process to that many bytes, where the system supports it."""
    try:
        import resource
    except ImportError:  # on Windows
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = min(most, *(limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY), most)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
    except (ValueError, OSError):
        pass  # unsupported on this system; a text is then bounded only by its size


MOST_MEMORY = 4 << 30

if __name__ == "__main__":
    limit_memory(MOST_MEMORY)
    sys.setrecursionlimit(10_000)  # as where the text was made (limits/deep_stack.py, which can't be imported here)
    threading.stack_size(128 << 20)
    threading.Thread(target=serve, args=(sys.stdin.buffer, sys.stdout.buffer)).start()
