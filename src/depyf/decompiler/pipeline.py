"""The decompiler's entry point: anything with code -> source, with a verdict for every code object.

    raw     = load(code)                    bytecode/    plain data
    instrs  = disassemble(raw)              bytecode/    canonical instructions; versions end here
    graph   = build_flowgraph(instrs)       flowgraph/   basic blocks, regions of try and with, finally copies stripped
    blocks  = fold(lift(graph, raw))        lift/        statements and tests; the stack is gone
    body    = structure(blocks)             structure/   statements; jumps are gone
    tree    = finish(resolve(body))         bodies, definitions, syntax/transforms
    source  = print_tree(tree)              printing/
    verdict = prove_all(raw, compile(source))   proof/   what is not proven is refused, and the rest redone

driver/passes.py lists all steps; driver/units.py runs them for one code object, driver/decompilation.py combines code
objects and proves them.
"""

from __future__ import annotations

import copy
from types import CodeType
from typing import Any

from ..errors import DecompilationError
from ..escapes import printable
from .bytecode import RawCode, load
from .bytecode.code.flags import CO_COROUTINE
from .bytecode.kinds import kind_of
from .definitions.declarations import after_docstring
from .definitions.rewritten_asserts import is_rewritten
from .driver.decompilation import Decompilation
from .driver.refusals.marks import instruction_lines
from .driver.result import Result, ResultText
from .driver.settings import DEFAULT, LAYOUTS, Settings
from .driver.stepper import Stepper
from .limits.budget import Budget
from .limits.deep_stack import with_room
from .limits.garbage import no_collections
from .live.objects import FunctionTarget, decorate, rebuild_class, target_of
from .look_alikes import with_warnings
from .names.dynamo import is_of_dynamo, without_run
from .names.spelling import GLOBALS, global_names
from .printing.line_wrapping import INDENT
from .printing.printer import WIDTH, print_with_lines
from .syntax import nodes
from .syntax.grammar import grammar_of


def analyze(
    x: Any,
    *,
    settings: Settings = DEFAULT,
    stepper: Stepper | None = None,
    budget: int | None = None,
    layout: str | None = None,
) -> Result:
    """The source of ``x`` with its verdicts. One bad function does not affect the rest: its result is refused.

    Cyclic garbage collection is off meanwhile: it would take up to half of the time for large code.

    A live code object is trusted. CPython makes one of any bytes without a check, and then making it or reading its
    ``co_code`` may crash the interpreter or damage its memory: read files with `read_pyc`, never with `marshal`.

    Args:
        x: a code object, function, method, class, module, functools.partial, or another callable that wraps one; or
            the RawCode of any supported version, such as `read_pyc` gives. Of a live code object the instructions are
            those that ``co_code`` shows: the interpreter's specialised opcodes and its inline caches are not in it. In
            a file they are refused, since no compiler stores them.
        settings: for tests and experiments; the defaults are the measured ones.
        stepper: receives the state after each stage of the decompiler.
        budget: the limit of work, in steps of some ten microseconds: `Settings.budget`, 200,000 by default. Lower it
            for many untrusted files, raise it where a result says that the budget was exceeded.
        layout: "compact", the default, or "author": the lines and columns of the original, as far as its line table
            has them; ``verdict.lines`` and ``verdict.columns`` say where they were reproduced.

    Returns:
        The result for ``x``; ``result.walk()`` also yields those of nested code.

    Raises:
        DecompilationError: ``x`` has no bytecode at all, or bytecode that can't be read.
        ValueError: there is no such layout.

    Example:
        >>> result = depyf.analyze(compile("def double(x): return x * 2", "double.py", "exec"))
        >>> result.proven, [one.qualname for one in result.walk()]
        (True, ['<module>', 'double'])
        >>> result.nested[0].verdict.describe()
        'identical'
    """
    if layout is not None:
        settings = settings._replace(layout=layout)
    if settings.layout not in LAYOUTS:
        raise ValueError(f"layout must be one of {', '.join(LAYOUTS)}, not {settings.layout!r}")
    if budget is not None:
        settings = settings._replace(budget=budget)
    target = x if isinstance(x, RawCode) else target_of(x)
    if isinstance(target, type):
        of_members = settings._replace(layout="compact")  # their trees become one text
        return rebuild_class(target, lambda member: analyze(member, settings=of_members))
    code = target.code if isinstance(target, FunctionTarget) else target
    qualname = target.function.__qualname__ if isinstance(target, FunctionTarget) else None
    raw = code if isinstance(code, RawCode) else with_room(lambda: load(code, qualname))
    if stepper is not None:
        stepper.stage("load", lambda: "\n".join(f"{name}: {getattr(raw, name)!r}" for name in raw.__slots__[:18]))
    with no_collections():
        steps = Budget(settings.budget)
        result = with_room(lambda: _counted(Decompilation(raw, settings, stepper), steps))
        if not settings.rewritten_asserts and _refused(result) and any(map(is_rewritten, raw.walk())):
            # A folded assert can't be next to asserts left in rewritten form, which use pytest's names: keep all.
            long = settings._replace(rewritten_asserts=True)
            other = with_room(lambda: _counted(Decompilation(raw, long, stepper), Budget(settings.budget)))
            result = other if _refused(other) < _refused(result) else result
    return decorate(result, target) if isinstance(target, FunctionTarget) else result


def _refused(result: Result) -> int:
    return sum(one.verdict.level.value == "refused" for one in result.walk())


def _counted(decompilation: Decompilation, budget: Budget) -> Result:
    with budget.counted():
        return decompilation.run()


def decompile(
    x: Any,
    *,
    strict: bool = True,
    budget: int | None = None,
    rewritten_asserts: bool = False,
    layout: str = "compact",
) -> str:
    """The source of ``x`` as text. Unproven parts are marked by a comment, and so are, at the end, names that look like
    others: `analyze` gives the text without these.

    Args:
        x: as for `analyze`. A function that stores to variables of an enclosing one has a stand-in for that around it
            (unless ``layout`` keeps its lines), so that the text can be compiled. In code that Dynamo made, uuids and
            ids of objects are removed from names, so that the text is the same in every run; `recompile` gives code to
            run.
        strict: False to get text for refused code too: a ``raise`` with the reason, and the instructions as comments.
            Refused code nested in ``x`` has that form in any case, and so have the refused statements of a module or
            class of which others are proven, and Dynamo's own code: programs decompile that while handling another
            error, which ours must not replace.
        budget: as for `analyze`.
        rewritten_asserts: True to get the statements that pytest has rewritten an assert to, in a test module, instead
            of the assert.
        layout: as for `analyze`.

    Raises:
        DecompilationError: ``x`` itself is refused, no statement of it is proven by itself, ``strict`` is true, and
            ``x`` is not Dynamo's.

    Example:
        >>> print(depyf.decompile(compile("a, b = b, a", "swap.py", "exec")), end="")
        a, b = b, a
    """
    if isinstance(x, CodeType) and is_of_dynamo(x.co_name, x.co_names, x.co_varnames):
        x = without_run(x)
    try:
        settings = DEFAULT._replace(rewritten_asserts=rewritten_asserts, layout=layout)
        result = analyze(x, settings=settings, budget=budget)
    except Exception as error:  # a bug, or bytecode that can't even be read
        if isinstance(x, CodeType) and is_of_dynamo(x.co_name, x.co_names, x.co_varnames):
            return _names_of(x, f"{type(error).__name__}: {error}")
        raise
    raw = result.raw
    shown_anyway = raw is not None and is_of_dynamo(raw.name, raw.names, raw.varnames)
    if strict and result.form == "refused" and not shown_anyway:
        raise DecompilationError(
            "; ".join(result.verdict.reasons), where=result.qualname, instructions=_instructions(result)
        )
    is_wrapped = layout == "compact" and _is_incomplete(result)
    return with_warnings(standalone(result) if is_wrapped else result.source)


def _is_incomplete(result: Result) -> bool:
    """Whether the text alone is no Python: it declares variables of enclosing functions, or is an asynchronous list."""
    if result.raw is None or result.tree is None:
        return False
    if _is_async_display(result.raw):
        return True
    free = set(result.raw.freevars)
    return bool(free) and any(
        isinstance(node, nodes.Nonlocal) and not free.isdisjoint(node.names) for node in nodes.walk(result.tree)
    )


def _is_async_display(raw: RawCode) -> bool:
    return kind_of(raw) == "comprehension" and bool(raw.flags & CO_COROUTINE)


def _names_of(code: CodeType, reason: str) -> str:
    names = ", ".join(dict.fromkeys((*code.co_varnames, *code.co_names)))
    message = "{} is not decompiled ({}).".format(code.co_name, " ".join(reason.split()))
    return f"# {printable(message)}\n# Its names: {printable(names)}\n"


def _instructions(result: Result) -> str:
    return "\n".join(instruction_lines(result.raw)) if result.raw is not None else ""


def standalone(result: Result, name: str | None = None) -> str:
    """The text of ``result`` as valid standalone Python, with its function called ``name`` if given.

    A function or class with free variables gets an outer function that binds them, to arbitrary values; an
    asynchronous list, set or dict comprehension an asynchronous one.
    """
    return standalone_text(result, name).printed[0]


def standalone_text(result: Result, name: str | None = None) -> ResultText:
    """What `standalone` gives, with its line map."""
    tree = result.tree
    if result.form in ("refused", "pieces") or result.raw is None:
        return result.text
    width = WIDTH
    if _is_async_display(result.raw) and isinstance(tree, nodes.Expr):
        returned: list[nodes.Statement] = [nodes.Return(tree.value)]
        tree = nodes.AsyncFunctionDef("enclosing_function", nodes.arguments([], []), returned)
    elif not isinstance(tree, (nodes.FunctionDef, nodes.AsyncFunctionDef, nodes.ClassDef)):
        return result.text
    else:
        if name is not None:
            tree = copy.copy(tree)
            tree.name = name
        elif not result.raw.freevars:
            return result.text
        if result.raw.freevars:
            width += len(INDENT)  # line breaks affect some instructions: keep those of `source`
            tree = _bound(tree, result)
    grammar = grammar_of(result.raw.version)
    return result.text.with_other(lambda: print_with_lines(tree, width=width, grammar=grammar))


def _bound(tree: nodes.FunctionDef | nodes.AsyncFunctionDef | nodes.ClassDef, result: Result) -> nodes.FunctionDef:
    """``tree`` in an outer function that binds its free variables."""
    assert result.raw is not None
    spelled = {real: text for text, real in result.spelled.variables.items()}
    parameters = nodes.arguments([], [nodes.arg(spelled.get(free, free)) for free in result.raw.freevars])
    body: list[nodes.Statement] = [tree, nodes.Return(nodes.Name(tree.name))]
    if global_names(result.raw, {tree.name}, (*GLOBALS, "LOAD_NAME")):  # a global that the outer function would bind
        declared = nodes.Global([tree.name])
        if isinstance(tree, nodes.ClassDef):
            body.insert(0, declared)
        else:
            body[0] = tree = copy.copy(tree)
            at = after_docstring(tree.body)
            tree.body = [*tree.body[:at], declared, *tree.body[at:]]
    return nodes.FunctionDef("enclosing_function", parameters, body)
