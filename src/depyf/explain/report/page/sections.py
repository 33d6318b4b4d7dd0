"""The parts of a page: transformed code folded for reading, the function that dispatches, the original."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from types import CodeType, FunctionType
from typing import Any, Iterator

from ....decompiler.proof.compile_worker import syntax_tree
from ...code_objects import parameters_of
from ...for_reading.bookkeeping import FRAME_PARAMETERS, Folded, fold, hides_frame_parameters, passes_frame_lists
from ...for_reading.edits import FunctionText
from ...model import CacheEntry, Decompiled, Frame, ResumeFunction
from ...names import file_name, identifier, stable
from ...transformed.decompiled import decompiled
from ..tree import count
from ..why import side_effect_words
from .below import Below
from .guard_text import guard_function_name, number_of
from .module_names import with_module_names
from .repeats import as_an_earlier
from .shortened import FETCHED, shortened, without_fetches

_WIDTH = 116
_INNER = "return next(one for one in function.__code__.co_consts if hasattr(one, 'co_code'))"
_INDENT = "    "
_IN_EXPRESSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")  # they iterate over the name `iterable`
_NOTHING = lambda: None  # noqa: E731
_MORE_ARGUMENTS = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
_MOST_DOCSTRING = 8  # lines of the original's that a page shows
_OPENED = re.compile(r"[rRuU]?(?P<quotes>\"\"\"|''').*")  # its first line

__all__ = [
    "code_constant",
    "comment",
    "comprehension_function",
    "dispatcher",
    "folded_code",
    "original_function",
    "original_name",
    "resume_dispatcher",
    "transformed_function",
    "valid_or_comment",
]


def comment(text: str) -> str:
    """`text` with every line a comment."""
    return "\n".join(("# " + line).rstrip() for line in text.rstrip().splitlines()) + "\n"


def valid_or_comment(text: str, why: str = "not Python by itself, so shown as a comment") -> str:
    """`text` if it compiles, else the same text as a comment which says why."""
    try:
        compile(text, "<page>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        reason = getattr(error, "msg", None) or str(error)
        return f"# ({why}: {reason})\n{comment(text)}"
    return text


# ---- transformed code


def folded_code(entry: CacheEntry, in_full: bool = False) -> Folded:
    """The transformed code without Dynamo's bookkeeping, its graphs' results by the names they have in the graph; if it
    is long and not asked for in full, without what fetches parameters."""
    outputs = {graph.name: graph.results for graph in entry.graphs}
    code = entry.original_code
    known = None
    if code is not None and not (entry.runs_decompiled and code is entry.code):
        known = frozenset(code.co_varnames + code.co_cellvars + code.co_freevars)
    source = entry.transformed.source if in_full else without_fetches(entry.transformed.source)
    idle = frozenset(name for name, value in entry.transformed.constants.items() if _does_nothing(value))
    return fold(source, {name: names for name, names in outputs.items() if names}, known, idle)


def _does_nothing(value: Any) -> bool:
    """Whether this is `lambda: None`, which Dynamo calls to be rid of a NULL on the stack."""
    if not isinstance(value, FunctionType) or value.__code__.co_argcount or value.__code__.co_flags & _MORE_ARGUMENTS:
        return False
    nothing = _NOTHING.__code__
    return value.__code__.co_code == nothing.co_code and value.__code__.co_consts == nothing.co_consts


def transformed_function(entry: CacheEntry, frame: Frame, below: Below) -> str:
    """The transformed code for the page; when no source is proven, the text says so before anything else.

    Args:
        entry: the cache entry.
        frame: its frame.
        below: gets the whole where the page shows less.
    """
    one = entry.transformed
    if not one.source:
        return _refused(one, entry.transformed_name)
    folded = folded_code(entry)
    notes = [f"What runs for {frame.title} when guard {number_of(entry)} holds. {_verdict_words(one)}"]
    text, modules = with_module_names(folded.source, frame.globals or {}, _local_names(entry))
    text = _renamed(text, entry.transformed_name)
    below.modules |= modules
    shown, gone = shortened(text)
    is_short = bool(gone or FETCHED in shown)
    told = _by_differences(shown, entry.transformed_name, below) if is_short else ""
    in_full = lambda: _renamed(folded_code(entry, True).source, entry.transformed_name)  # noqa: E731
    effects = side_effect_words(entry) if entry.side_effects else ""
    if effects and not (told and effects in below.effects):
        notes.append(effects)
        below.effects.add(effects)
    if told:
        where = below.transformed(entry, told, in_full)
        notes[0] = f"{entry.transformed_name}: what runs when guard {number_of(entry)} holds  (in full: {where})"
        return comment("\n".join([*notes, f"{_verdict_words(one)[:-1]}; {told}"]))
    lists = [count(one.folded, "operation") + " on Dynamo's internal lists"] if one.folded else []
    if folded.count or lists:
        notes.append("Folded for reading: {}.".format(", ".join([folded.describe()] * bool(folded.count) + lists)))
    if is_short:
        gone = one.source.count("\n") - shown.count("\n")
        where = below.transformed(entry, shown, in_full)
        notes.append("Shortened by {}; what runs is the whole: {}".format(count(gone, "line"), where))
    elif folded.count and below.in_dump and entry.transformed_path:
        notes.append(f"All of it: {file_name(entry.transformed_path)}")
    return comment("\n".join(notes)) + shown


def _local_names(entry: CacheEntry) -> set[str]:
    codes = [code for code in (entry.code, entry.original_code) if code is not None]
    return {name for code in codes for name in code.co_varnames + code.co_cellvars + code.co_freevars}


def _by_differences(shown: str, name: str, below: Below) -> str:
    """Shortened code that is much like an earlier one's: what is different; else ""."""
    lines = shown.rstrip("\n").partition(":\n")[2].split("\n")
    told = as_an_earlier(lines, below.codes)
    below.codes[name] = lines
    if told is None:
        return ""
    return "\n".join(textwrap.wrap(told[0], _WIDTH, break_long_words=False, break_on_hyphens=False) + told[1])


def _verdict_words(one: Decompiled) -> str:
    words = one.verdict.strip().rstrip(".")
    if one.proven:
        assumed = "; assumed: {}".format("; ".join(one.assumptions)) if one.assumptions else ""
        return "Proven {} to Dynamo's bytecode{}.".format("equal" if one.equal else "equivalent", assumed)
    return f"NOT PROVEN to do what Dynamo's bytecode does ({words or one.level}); the bytecode is what runs."


def _refused(one: Decompiled, name: str) -> str:
    reason = "; ".join(one.reasons) or one.verdict or "no reason given"
    text = comment(f"{name} has no proven source: {reason}\nIts instructions:\n{one.listing}")
    header = f"def {name}(*args, **kwargs):\n"
    return text + header + "    raise NotImplementedError({!r})\n".format("no proven source: " + reason.splitlines()[0])


def _renamed(source: str, name: str) -> str:
    """The function under another name, valid at module level: free variables become globals of the page."""
    try:
        text = FunctionText(source)
    except (SyntaxError, ValueError):
        return source
    for node, scopes in _nonlocals(text.function):
        free = [one for one in node.names if not any(_binds(scope, one) for scope in scopes)]
        if free:
            kept = ["nonlocal " + ", ".join(one for one in node.names if one not in free)] if free != node.names else []
            words = ["global " + ", ".join(free)]
            text.replace(node, "; ".join(kept + words) + "  # cells of the enclosing function")
    source = text.apply()
    return re.sub(r"^((?:async )?def )[^\s(]+", lambda match: match.group(1) + name, source, count=1, flags=re.M)


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def _nonlocals(function: ast.FunctionDef) -> Iterator[tuple[ast.Nonlocal, list[Any]]]:
    """Every `nonlocal` statement, and the functions around the one that it is in, as far as the text has them."""
    waiting: list[tuple[ast.AST, list[Any]]] = [(function, [])]
    for node, around in waiting:  # it grows
        if isinstance(node, ast.Nonlocal):
            yield node, around[:-1]
        inside = [*around, node] if isinstance(node, _FUNCTIONS) else around
        waiting += [(child, inside) for child in ast.iter_child_nodes(node)]


def _binds(function: Any, name: str) -> bool:
    """Whether `name` is a local variable of this function: a parameter, or bound in it and declared nowhere."""
    waiting: list[ast.AST] = list(ast.iter_child_nodes(function))
    bound = False
    for node in waiting:  # it grows
        if isinstance(node, (ast.Nonlocal, ast.Global)) and name in node.names:
            return False
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            bound = bound or getattr(node, "name", "") == name
            continue
        bound = bound or isinstance(node, ast.arg) and node.arg == name
        bound = bound or isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
        bound = bound or isinstance(node, (ast.ExceptHandler, ast.alias)) and name in (
            getattr(node, "asname", None), node.name)
        waiting += ast.iter_child_nodes(node)
    return bound


def code_constant(name: str, code: CodeType) -> str:
    """Defines `name` as the code of a function that Dynamo makes of it and of cells."""
    one = decompiled(code)
    head = f"# {name}: the code of {code.co_name}, which Dynamo makes the function of\n"
    if not one.proven:
        return head + comment("not proven: " + "; ".join(one.reasons))
    if code.co_name in _IN_EXPRESSIONS:  # the code of an expression is a constant of the function around it
        body = f"function = lambda iterable: {one.source.strip()}\n{_INNER}"
    elif re.search("^class ", one.source, re.M):  # so is that of a class's body
        body = f"def function():\n{textwrap.indent(one.source.strip(), _INDENT)}\n{_INNER}"
    else:
        body = _as_statement(one.source, "function")
        function = re.search(r"^(?:async )?def (\w+)", body, re.M)
        body += "return {}.__code__".format(function.group(1) if function else "function")
    parameters = ", ".join(f"{free}=None" for free in code.co_freevars)
    indented = "".join("    " + line if line.strip() else line for line in body.splitlines(keepends=True))
    return f"{head}def __make_{name}({parameters}):\n{indented}\n\n{name} = __make_{name}()\n"


def comprehension_function(name: str, code: CodeType, callers: list[str]) -> str:
    """A comprehension that Dynamo has made a function of: it runs it as it is, with breaks in it or after it."""
    one = ResumeFunction(name, name, code=code, original=decompiled(code))
    head = f"---- {name}: the comprehension at line {code.co_firstlineno}, which Dynamo leaves to Python by itself"
    if not one.original.proven:
        return comment(head) + "\n\n" + _refused(one.original, name)
    return comment(head) + "\n\n" + resume_dispatcher(one, not hides_lists(one, callers))


# ---- what a call does now


def dispatcher(frame: Frame) -> str:
    """The function as a call of it behaves now: the first compilation whose guard holds, else the original."""
    signature, names = _source_signature(frame)
    again = f"return {original_name(frame)}({_pass_on(frame)})"
    return _dispatcher(frame, identifier(frame.name), signature, names, again, "compiled again for these inputs")


def resume_dispatcher(resume: ResumeFunction, keep_frame_lists: bool) -> str:
    """A resume function in the same form."""
    frame = resume.frame
    name = resume.name if resume.name.isidentifier() else identifier(resume.name)
    if frame is None or frame.code is None or not frame.entries:
        original = resume.original
        if not original.proven:
            return f"def {name}(*args):\n    compile_again({resume.name!r})\n"
        source = original.source if keep_frame_lists else fold(original.source).source
        return _renamed(source, name)
    names = parameters_of(frame.code)
    hide = () if keep_frame_lists else FRAME_PARAMETERS
    signature = _code_signature(frame.code, hide)
    names = [name for name in names if name not in hide]
    again = f"return compile_again({frame.name!r})"
    return _dispatcher(frame, name, signature, names, again, "not compiled for these inputs so far")


def hides_lists(resume: ResumeFunction, callers: list[str]) -> bool:
    """Whether every caller on the page, and the function itself, do without the two frame lists."""
    frame = resume.frame
    code = resume.code if frame is None else frame.code
    if code is None:
        return True
    names = parameters_of(code)
    if tuple(names[:2]) != FRAME_PARAMETERS:
        return False
    entries = frame.entries if frame is not None else []
    sources = [entry.transformed.source for entry in entries if entry.transformed.source]
    if not entries:
        sources = [resume.original.source]
    if not all(hides_frame_parameters(one) for one in sources):
        return False
    return not any(passes_frame_lists(source, resume.name) for source in callers)


def _dispatcher(frame: Frame, name: str, signature: str, names: list[str], again: str, why: str) -> str:
    free = list(frame.code.co_freevars) if frame.code is not None else []
    lines = _wrapped(f"def {name}(", signature, "):", 0)
    if frame.entries:
        local = ", ".join(f"{one!r}:\0{one}" for one in names + [f for f in free if f not in names])
        lines += _wrapped("L = {", local, "}", 4)
    if any("of_program(" in graph.source for entry in frame.entries for graph in entry.graphs):
        lines.append("    of_program.L = L  # the graphs call modules of the program")
    backends = dict.fromkeys(entry.backend for entry in frame.entries)
    if len(backends) > 1:
        lines.append("    # of several backends Dynamo takes the call's, this page the first that fits")
    newest_first = frame.entries[::-1]
    for entry in sorted(newest_first, key=lambda entry: (not entry.state, entry.tried)):
        lines.append(f"    if {guard_function_name(entry, frame)}(L, globals()):")
        passed = ", ".join(_code_arguments(entry, names))
        lines += _wrapped(f"return {entry.transformed_name}(", passed, ")", 8)
    called, _, rest = again.partition("(")
    lines += _wrapped(called + "(", rest[:-1], ")  # " + why, 4)
    return "\n".join(lines) + "\n"


def _wrapped(start: str, items: str, end: str, indent: int) -> list[str]:
    """``start items end`` in one line, or its items in as many lines as they need; at a null byte no line ends."""
    space = " " * indent
    line = space + start + items + end
    has_text = ('"' in items or "'" in items) and "\0" not in items  # a default: no line may end in it
    if len(line) <= _WIDTH + 4 or has_text:
        return [line.replace("\0", " ")]
    inner = " " * (indent + 4)
    filled = textwrap.wrap(items, _WIDTH, initial_indent=inner, subsequent_indent=inner, break_long_words=False,
                           break_on_hyphens=False)  # fmt: skip
    comma = "" if re.search(r"\*\w*$", items) and start.startswith("def") else ","
    filled[-1] += comma
    return [space + start, *(line.replace("\0", " ") for line in filled), space + end]


def _code_arguments(entry: CacheEntry, names: list[str]) -> list[str]:
    """The arguments, spelled for the transformed code: it has the frame's own parameters."""
    code = entry.code
    if code is None:
        return names
    positional = code.co_argcount
    only = code.co_kwonlyargcount
    every = list(code.co_varnames[: positional + only])
    at = positional + only
    words = [name for name in every[:positional] if name in names or name not in FRAME_PARAMETERS]
    if code.co_flags & inspect.CO_VARARGS:
        words.append("*" + code.co_varnames[at])
        at += 1
    words += [f"{name}={name}" for name in every[positional:]]
    if code.co_flags & inspect.CO_VARKEYWORDS:
        words.append("**" + code.co_varnames[at])
    return words


def _pass_on(frame: Frame) -> str:
    if frame.code is None:
        return "*args, **kwargs"
    return ", ".join(_code_arguments(CacheEntry(code=frame.code), parameters_of(frame.code)))


def _code_signature(code: CodeType, hidden: object = (), defaults: dict[str, str] | None = None) -> str:
    """The parameter list of a code object, with what is known of its defaults."""
    defaults = defaults or {}
    skip = hidden if isinstance(hidden, tuple) else ()
    positional, only_positional = code.co_argcount, code.co_posonlyargcount
    keyword = list(code.co_varnames[positional : positional + code.co_kwonlyargcount])
    at = positional + len(keyword)
    words: list[str] = []
    for index, name in enumerate(code.co_varnames[:positional]):
        if name not in skip:
            words.append(f"{name}={defaults[name]}" if name in defaults else name)
        if only_positional and index == only_positional - 1:
            words.append("/")
    if code.co_flags & inspect.CO_VARARGS:
        words.append("*" + code.co_varnames[at])
        at += 1
    elif keyword:
        words.append("*")
    words += [f"{name}={defaults[name]}" if name in defaults else name for name in keyword]
    if code.co_flags & inspect.CO_VARKEYWORDS:
        words.append("**" + code.co_varnames[at])
    return ", ".join(words)


def _source_signature(frame: Frame) -> tuple[str, list[str]]:
    """Parameters as the user wrote them; a default that is no constant, nor torch's, the page can't know: None."""
    if frame.code is None:
        return "*args, **kwargs", ["args", "kwargs"]
    defaults: dict[str, str] = {}
    try:
        text = FunctionText(frame.source)
        arguments = text.function.args
        positional = list(getattr(arguments, "posonlyargs", [])) + arguments.args
        pairs = list(zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults))
        pairs += [(a, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults) if d is not None]
        for argument, default in pairs:
            defaults[argument.arg] = text.text(default) if _stands_alone(default) else "None"
    except (SyntaxError, ValueError):
        pass
    return _code_signature(frame.code, (), defaults), parameters_of(frame.code)


# ---- the original


def original_name(frame: Frame) -> str:
    """``__original_toy_example``."""
    return "__original_" + identifier(frame.name)


def original_function(frame: Frame) -> str:
    """The user's source under a name of its own, decorators as comments; decompiled where the source is not at hand."""
    place = f"{file_name(frame.filename)}:{frame.first_line}"
    name = original_name(frame)
    if frame.source:
        body = _undecorated(frame.source, name)
        if body is not None:
            return f"# The original, {place}\n{body}"
        shown = f"# The original, {place}\n{comment(frame.source)}"
    else:
        shown = f"# The original, {place}: its source is not at hand, decompiled instead\n"
    one = frame.original
    if not one.source and frame.code is not None:
        one = decompiled(frame.code, frame.is_resume)
    if one.source and one.proven:
        return shown + f"# {one.verdict}\n{_renamed(_as_statement(one.source, name), name)}"
    signature = _code_signature(frame.code) if frame.code is not None else "*args, **kwargs"
    return shown + f"def {name}({signature}):\n    return compile_again({frame.name!r})\n"


def _as_statement(source: str, name: str) -> str:
    """A lambda gets a name."""
    try:
        syntax_tree(source.strip(), mode="eval")
    except SyntaxError:
        return source
    return f"{name} = {source.strip()}\n"


def _stands_alone(default: ast.expr) -> bool:
    """Whether a default is the same on the page: a constant, or something of torch's by name."""
    while isinstance(default, ast.Attribute):
        default = default.value
    return isinstance(default, ast.Constant) or (isinstance(default, ast.Name) and default.id == "torch")


def _height(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def _undecorated(source: str, name: str) -> str | None:
    try:
        text = FunctionText(source)
    except (SyntaxError, ValueError):
        return None
    if text.function not in text.tree.body:
        return None
    arguments = text.function.args
    for default in list(arguments.defaults) + [d for d in arguments.kw_defaults if d is not None]:
        if not _stands_alone(default):
            text.replace(default, "None")
    documented = text.function.body[0]
    if ast.get_docstring(text.function, clean=False) is not None and _height(documented) > _MOST_DOCSTRING:
        opened = _OPENED.match(text.text(documented))
        if opened is not None:
            text.replace(documented, "{} ...{}".format(opened.group().rstrip("\\ "), opened.group("quotes")))
    for decorator in text.function.decorator_list:
        text.replace(decorator, text.text(decorator))  # keeps positions honest: decorators are commented out below
    first = text.function.lineno  # of `def` itself on 3.8 and later
    changed = _renamed(text.apply(), name)
    lines = changed.splitlines(keepends=True)
    head = "".join("# " + line for line in lines[: first - 1] if line.strip())
    return stable(head) + "".join(lines[first - 1 :])
