"""One page per function, read from top to bottom; as far as it can, it is a module that models what runs now."""

from __future__ import annotations

import ast
import builtins
import operator
import re
import symtable
import sys
import textwrap
import types
from typing import Any, Iterable

from ....decompiler.proof.compile_worker import syntax_tree
from ...frames.resume_points import made_code, resume_line
from ...kernels.provenance import kernel_lines_text
from ...model import CacheEntry, Frame, Graph, ResumeFunction, Session
from ...names import file_name, real_name
from ...transformed.decompiled import decompiled
from ..tree import count, place_words, tree_lines, why_not_compiled
from ..why import break_lines, cuda_graph_words, one_line, recompile_words
from .below import Below
from .graph_summary import graph_summary, kernel_legend, neighbours_together
from .guard_text import guard_checks, guard_file_name, guard_function
from .helpers import helpers_used
from .repeats import as_an_earlier
from .sections import (
    code_constant,
    comment,
    comprehension_function,
    dispatcher,
    folded_code,
    hides_lists,
    original_function,
    resume_dispatcher,
    transformed_function,
    valid_or_comment,
)
from .shortened import LONG

__all__ = ["FUTURE", "page_of"]

_KERNELS = "Kernels, in the order of their first calls; below, those of each line of the program"
_CUDA_GRAPH = {"forward": "On the GPU", "backward": "On the GPU, backward"}
_FROM_CACHE = ", as far as Inductor's cache tells"
FUTURE = "from __future__ import annotations\n"
_GRAPH_GLOBALS = {"device": "from torch import device", "inf": "from math import inf", "nan": "from math import nan"}


def page_of(frame: Frame, session: Session, in_dump: bool = False) -> str:
    """The page about one function.

    Args:
        frame: the function's frame; those of its resume functions follow on the same page.
        session: for the versions that made it.
        in_dump: whether files lie beside the page (guards in full, transformed code with nothing folded).

    Returns:
        Valid Python: what can't be is in comments.
    """
    sections: list[str] = []
    below = Below(in_dump)
    frames = list(frame.walk())
    for one in frames:
        for entry in one.entries:
            for resume in entry.resume_functions:
                if resume.code is not None and not (resume.frame is not None and resume.frame.entries):
                    resume.original = decompiled(resume.code)
    callers = [folded_code(entry).source for one in frames for entry in one.entries]
    shown: set[str] = set()
    for entry in frame.entries:
        sections += _entry_sections(entry, frame, session, below, shown)
    if frame.entries:
        head = f"# ---- what a call of {frame.title} does now\n\n"
        sections.append(valid_or_comment(head + dispatcher(frame)))
    for one in frames:
        for entry in one.entries:
            for resume in entry.resume_functions:
                if resume.name in shown:
                    continue
                shown.add(resume.name)
                sections.append(_resume_head(resume, entry, one))
                if resume.frame is not None:
                    for inner in resume.frame.entries:
                        sections += _entry_sections(inner, resume.frame, session, below, shown)
                sections.append(valid_or_comment(resume_dispatcher(resume, not hides_lists(resume, callers))))
    sections += _comprehensions(frames, callers, "\n".join(sections))
    sections += _code_sections(frames, "\n".join(sections))
    if not frame.is_resume:
        sections.append(valid_or_comment(original_function(frame), "the original is no Python by itself"))
    return _assemble(frame, session, frames, sections, below)


def _entry_sections(
    entry: CacheEntry, frame: Frame, session: Session, below: Below, shown: set[str]
) -> list[str]:
    in_dump = below.in_dump
    sections = [f"# ---- compilation {entry.compile_id} of {frame.title}{_backend(entry)}\n"]
    for words in recompile_words(entry):
        sections[0] += comment(words)
    for words in dict.fromkeys(one.remedy for one in entry.recompiled if one.remedy and one.remedy not in shown):
        sections[0] += comment("What to do: " + words)
        shown.add(words)
    listed = guard_file_name(entry, frame) if in_dump else _path_in_model(entry, frame, session)
    sections.append(valid_or_comment(guard_function(entry, frame, listed)))
    below.defines(guard_checks(entry, frame))
    for graph in entry.graphs:
        if graph.name not in shown:
            shown.add(graph.name)
            runs = [f"{_CUDA_GRAPH[one.direction]}: {one_line(cuda_graph_words(one))}." for one in session.cuda_graphs
                    if one.graph == graph.name]  # fmt: skip
            sections.append(_graph_section(graph, runs, below))
    for one in entry.breaks:
        head, more = f"Graph break{place_words(one)}: {one.reason}", break_lines(one)
        told = "\n".join([head, *more])
        sections.append(comment(head + " (more above)" if more and told in shown else told))
        shown.add(told)
    sections.append(valid_or_comment(transformed_function(entry, frame, below)))
    return sections


def _path_in_model(entry: CacheEntry, frame: Frame, session: Session) -> str:
    at = next((index for index, one in enumerate(session.frames) if one is frame), 0)
    number = next(index for index, one in enumerate(frame.entries) if one is entry)
    return f"depyf.inspect(...).frames[{at}].entries[{number}].guard_tree"


def _backend(entry: CacheEntry) -> str:
    return f"  (backend {entry.backend})" if entry.backend else ""


def _memory(graph: Graph) -> list[str]:
    known = [(kernel.direction, kernel.memory) for kernel in graph.kernels if kernel.memory is not None]
    return [row for direction, memory in known for row in memory.rows(f"Memory, {direction}")]


def _graph_section(graph: Graph, runs: list[str], below: Below) -> str:
    """`runs` says how it runs on a GPU."""
    lines: list[str] = []
    is_long = graph.source.count("\n") > LONG
    where = below.graph(graph) if is_long else ""
    if below.in_dump and graph.stage_files and [where] != list(graph.stage_files.values()):
        lines.append("Its stages: " + ", ".join(graph.stage_files.values()))
    kernels = [file_name(kernel.path) for kernel in graph.kernels if kernel.path]
    if below.in_dump and kernels:
        lines.append("Generated from it: " + ", ".join(kernels))
    lines += runs
    lines += _memory(graph)
    if is_long:
        lines = [wrapped for line in lines for wrapped in textwrap.wrap(line, 116, subsequent_indent="    ")]
        legend, (counts, *table) = kernel_legend(graph), graph_summary(graph)
        told = as_an_earlier([*legend, *table], below.tables)
        below.tables[graph.name] = [*legend, *table]
        if told is not None:
            by = "line by line, and kernel by kernel," if legend else "line by line"
            words = f"{graph.name}: {counts[:-1]}, {by} {told[0]}  (in full: {where})"
            return comment("\n".join([*lines, words, *neighbours_together(told[1])]))
        lines += [_KERNELS + _FROM_CACHE * any(one.from_cache for one in graph.kernels) + ":", *legend] * bool(legend)
        head = f"def {graph.name}(*inputs):  # in full: {where}\n"
        table = [("    # " + line).rstrip() + "\n" for line in (counts, *table)]
        return valid_or_comment(comment("\n".join(lines)) * bool(lines) + head + "".join(table) + "    ...\n")
    for kernel in graph.kernels:
        if kernel.lines:
            of = "" if kernel.direction == "forward" else f" of the {kernel.direction} graph"
            lines.append(f"Which line became which kernel{of}:")
            lines += ["  " + row for row in kernel_lines_text(kernel.lines)]
    head = comment("\n".join(lines)) if lines else ""
    if not graph.source:
        why = graph.unavailable or "not recorded"
        return head + comment(f"The graph of {graph.name} is not at hand: {why}") + (
            f"def {graph.name}(*args):\n    return compile_again({graph.name!r})\n"
        )
    return valid_or_comment(head + graph.source)


def _resume_head(resume: ResumeFunction, entry: CacheEntry, parent: Frame) -> str:
    line = resume_line(parent, resume)
    where = f" at line {line}" if line else ""
    text = f"---- {resume.name}: continues {resume.function or parent.name}{where}"
    if resume.frame is None or not resume.frame.entries:
        text += f"\nNothing is compiled for it: {why_not_compiled(resume, entry)}. This is its own code."
    return comment(text)


# ---- the whole


def _assemble(frame: Frame, session: Session, frames: list[Frame], sections: list[str], below: Below) -> str:
    body = "".join(section.rstrip() + _space_after(section) for section in _comments_together(sections))
    tail = below.text()
    helpers = helpers_used(body + tail)
    imports, missing = _imports(body + helpers, below.in_full(body) + helpers, frame, frames, below.modules)
    top = imports[0]
    if missing:
        how = "It reads {} of your program: to run this page, call use(vars(your_module)) first."
        top += "\n\n" + comment("\n".join(textwrap.wrap(how.format(", ".join(missing)), 116)))
        helpers = helpers if "def use(" in helpers else helpers + "\n" + helpers_used("use(")
    if helpers or tail or imports[1]:
        parts = [below.checks(), helpers, below.functions(), imports[1], below.names()]
        texts = "\n\n\n".join(part.strip("\n") for part in parts if part)
        helpers = f"\n\n# ---- helpers of this page\n\n{texts}\n"
    page = f"{_head(frame, session, frames)}\n{top}\n\n\n{body}{helpers}"
    return re.sub(r"\n{4,}", "\n\n\n", page).rstrip() + "\n"


def _comments_together(sections: list[str]) -> list[str]:
    """Sections that are comments alone, and follow each other, as one."""
    found: list[str] = []
    for section in sections:
        if found and not section.startswith("# ----") and _is_comment(section) and _is_comment(found[-1]):
            found[-1] = f"{found[-1].rstrip()}\n\n{section}"
        else:
            found.append(section)
    return found


def _space_after(section: str) -> str:
    """A heading is nearer to what it is over than two sections are to each other."""
    return "\n\n" if section.startswith("# ----") and _is_comment(section) else "\n\n\n"


def _is_comment(section: str) -> bool:
    return all(line.startswith("#") for line in section.splitlines() if line)


def _head(frame: Frame, session: Session, frames: list[Frame]) -> str:
    entries = [entry for one in frames for entry in one.entries]
    graphs = {graph.name for entry in entries for graph in entry.graphs}
    breaks = [one for entry in entries for one in entry.breaks]
    title = f"{frame.title}  ({frame.place})"
    counts = ", ".join(
        [count(len(graphs), "graph"), count(len(breaks), "graph break"), count(len(entries), "compilation")]
    )
    lines = [f"{title:<40} {counts}", ""]
    lines += ["  " + line for line in tree_lines(frame)]
    lines += ["", _proofs(entries)]
    lines += [
        "Made by depyf from what Dynamo of torch {} holds on Python {}. Read it from top to bottom.".format(
            session.torch_version or "?", session.python_version or "?"
        )
    ]
    return comment("\n".join(line for line in lines if line is not None))


def _proofs(entries: list[CacheEntry]) -> str:
    if not entries:
        return "Nothing is compiled for it."
    proven = sum(entry.transformed.proven for entry in entries)
    text = f"Transformed code: {proven} of {len(entries)} proven to do what Dynamo's bytecode does"
    other = [entry.transformed_name for entry in entries if not entry.transformed.proven]
    if len(other) > 3:
        other = [*other[:3], f"and {len(other) - 3} more"]
    return text + (". Not proven: " + ", ".join(other) if other else "") + "."


# ---- names the page needs


def _imports(
    text: str, whole: str, frame: Frame, frames: list[Frame], modules: set[str]
) -> tuple[tuple[str, str], list[str]]:
    """What the page has to import and assign, and names that it can't know.

    Args:
        text: the page as it is read: what it mentions is imported in front, the rest at the end.
        whole: the page with nothing shortened: names that it does not define are needed.
        modules: those that it has by their own names.
    """
    shown = set(re.findall(r"\w+", text))
    known: dict[str, Any] = dict(frame.globals or {})
    constants = _constants(frames)
    graphs = [graph for one in frames for entry in one.entries for graph in entry.graphs]
    in_graphs = {name: line for graph in graphs for name, line in graph.global_lines.items()}
    lines: dict[bool, list[str]] = {True: ["import torch", *map("import {}".format, modules)], False: []}
    missing = []
    known_here = {"torch", "__file__", *(name.partition(".")[0] for name in modules)}
    for name in sorted(_unbound(whole) - known_here - _closed_over(whole)):
        value = known.get(real_name(name))
        line = in_graphs.get(name) or _import_line(name, value)
        if not line and real_name(name) in known and real_name(name) != name:
            line = _constant_line(name, value, known)  # a global that Dynamo made for an object
        if not line and name in constants:
            line = _constant_line(name, constants[name], known)
        if line:
            lines[name in shown] += line.split("; ")
        else:
            missing.append(name)
    return (FUTURE + "\n" + _import_text(lines[True]), _import_text(lines[False])), missing


def _import_text(lines: list[str]) -> str:
    """Imports, then assignments; names of one value together."""
    names: dict[str, list[str]] = {}
    for line in sorted(line for line in lines if "=" in line):
        name, _, value = line.partition(" = ")
        names.setdefault(value, []).append(name)
    plain = sorted({line for line in lines if "=" not in line})
    given = [line for value, shared in names.items() for line in _assigned(shared, value)]
    return "\n".join(plain + given)


def _assigned(names: list[str], value: str) -> list[str]:
    """``a = b = value``; many names in several lines."""
    filled = textwrap.wrap(" = ".join(names), 112, subsequent_indent="    ", break_long_words=False)
    return [*(line + " \\" for line in filled[:-1]), f"{filled[-1]} = {value}"]


def _closed_over(text: str) -> set[str]:
    """Names which functions of the page give to others as free variables."""
    given = re.findall(r"\bclosed_over\(\w+, ([^)]*)\)", text)
    return {name for names in given for name in re.findall(r"(\w+)=", names)}


def _import_line(name: str, value: Any) -> str:
    if name in _GRAPH_GLOBALS and value is None:
        return _GRAPH_GLOBALS[name]
    if name in ("math", "types") and value is None:
        return "import " + name
    if name.startswith("__builtins_dict__"):
        return f"{name} = vars(__import__('builtins'))"
    if name.startswith("__import_"):
        return "import {} as {}".format(name[len("__import_") :].replace("_dot_", "."), name)
    if isinstance(value, types.ModuleType) and value.__name__ != "__main__":
        return "import " + name if value.__name__ == name else f"import {value.__name__} as {name}"
    return ""


def _constants(frames: list[Frame]) -> dict[str, Any]:
    """The objects that names in the texts refer to, where there is no literal."""
    found: dict[str, Any] = {}
    for frame in frames:
        found.update(frame.original.constants)
        for entry in frame.entries:
            found.update(entry.transformed.constants)
            for resume in entry.resume_functions:
                found.update(resume.original.constants)
    return found


def _comprehensions(frames: list[Frame], callers: list[str], text: str) -> list[str]:
    """The comprehensions that Dynamo has made functions of, as globals (2.11 and later), those that the text calls."""
    names = dict.fromkeys(re.findall(r"\b__comprehension_\w+", text))
    codes = {}
    for name in names:
        found = [made_code(name, frame.globals) for frame in frames if frame.globals]
        code = next((one for one in found if one is not None), None)
        if code is not None and not re.search(rf"^\s*def {name}\(", text, re.M):
            codes[name] = code
    return [valid_or_comment(comprehension_function(name, code, callers)) for name, code in codes.items()]


def _code_sections(frames: list[Frame], text: str) -> list[str]:
    """Code objects that Dynamo makes functions of, those which the text mentions."""
    codes = {name: value for name, value in _constants(frames).items() if isinstance(value, types.CodeType)}
    mentioned = [name for name in codes if re.search(rf"\b{re.escape(name)}\b", text)]
    return [valid_or_comment(code_constant(name, codes[name])) for name in mentioned]


def _constant_line(name: str, value: Any, module_globals: dict[str, Any]) -> str:
    """The assignment that gives the page a constant which has no literal; "" for an object of that process alone."""
    if value is module_globals:
        return f"{name} = globals()"
    if isinstance(value, dict):
        module = sys.modules.get(str(value.get("__name__")))
        if module is None or vars(module) is not value:
            return ""
        return f"{name} = vars(__import__('importlib').import_module({module.__name__!r}))"
    owner = getattr(value, "__self__", None)
    if isinstance(owner, type) and owner.__module__ != "__main__":  # a class method: Pair._make
        path = "{}.{}".format(owner.__qualname__, getattr(value, "__name__", ""))
        try:
            same = operator.attrgetter(path)(sys.modules[owner.__module__]) == value
        except (AttributeError, KeyError):
            same = False
        if same:
            return f"{name} = __import__('importlib').import_module({owner.__module__!r}).{path}"
    home, qualname = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if home and qualname and "." not in qualname and getattr(sys.modules.get(home), qualname, None) is value:
        return f"from {home} import {qualname} as {name}"
    words = _torch_words(value) or _lambda_words(value)
    return f"{name} = {words}" if words else ""


_PARTS = (ast.Expression, ast.Name, ast.Attribute, ast.Call, ast.keyword, ast.Constant, ast.List, ast.Tuple, ast.Load)


def _torch_words(value: Any) -> str:
    """How to make a value of torch's, where its repr says so: ``torch.float32``, ``torch.Size([2])``; else ""."""
    if not type(value).__module__.startswith("torch"):
        return ""
    words = repr(value)
    words = "torch." + words if words.startswith("device(") else words
    try:
        tree = syntax_tree(words, mode="eval")
        if not all(isinstance(node, _PARTS) for node in ast.walk(tree)):
            return ""
        made = eval(compile(tree, "<constant>", "eval"), {"torch": sys.modules["torch"], "__builtins__": {}})
        return words if type(made) is type(value) and bool(made == value) else ""
    except Exception:  # not every repr is meant to be read back
        return ""


def _lambda_words(value: Any) -> str:
    """The text of a lambda that needs nothing around it, such as the one by which torch 2.6 drops a NULL; else ""."""
    if not isinstance(value, types.FunctionType) or value.__defaults__ or value.__kwdefaults__:
        return ""
    code = value.__code__
    if code.co_name != "<lambda>" or code.co_names or code.co_freevars:
        return ""
    found = decompiled(code)
    text = found.source.strip()
    return text if found.proven and text.startswith("lambda") and not re.search(r"\n|;", text) else ""


def _unbound(text: str) -> set[str]:
    """Global names which the text reads and does not define."""
    table = symtable.symtable(text, "<page>", "exec")
    defined = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    read: set[str] = set()
    waiting: list[symtable.SymbolTable] = [table]
    while waiting:
        at = waiting.pop()
        waiting.extend(at.get_children())
        for symbol in at.get_symbols():
            if symbol.is_global() or (at is table and symbol.is_referenced()):
                read.add(symbol.get_name())
    in_guards = set(re.findall(r"\bG\['(\w+)'\]", "\n".join(_code_lines(text))))
    unknown = {name for name in (read | in_guards) - defined if name not in vars(builtins)}
    return unknown - _only_in_annotations(syntax_tree(text), unknown - in_guards - {"torch"})


def _only_in_annotations(tree: ast.Module, names: set[str]) -> set[str]:
    """Those of ``names`` which are in annotations alone: these are never evaluated on the page."""
    annotations: list[ast.expr | None] = []
    statements: list[ast.AST] = list(tree.body)
    for statement in statements:  # it grows
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            args = statement.args
            every = [*getattr(args, "posonlyargs", []), *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
            annotations += [statement.returns, *(arg.annotation for arg in every if arg is not None)]
        elif isinstance(statement, ast.AnnAssign):
            annotations.append(statement.annotation)
        for _, block in ast.iter_fields(statement):
            if isinstance(block, list):
                statements += [one for one in block if isinstance(one, ast.stmt) or hasattr(one, "body")]
    nodes = [node for one in annotations if one is not None for node in ast.walk(one)]
    inside = [node for node in nodes if isinstance(node, ast.Name) and node.id in names]
    if not inside:
        return set()
    known = {id(node) for node in inside}
    others = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in known}
    return {node.id for node in inside} - others


def _code_lines(text: str) -> Iterable[str]:
    return (line for line in text.splitlines() if not line.lstrip().startswith("#"))

